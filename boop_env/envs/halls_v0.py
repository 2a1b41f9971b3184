"""PettingZoo environments of Boop the Halls; `boop_env.envs.aec.BoopEnv` describes them."""

from __future__ import annotations

from boop_env.envs.aec import BoopEnv, RenderMode
from boop_env.envs.wrapped import WrappedBoopEnv
from boop_env.rules.ruleset import RuleSet


def env(
    render_mode: RenderMode | None = None, rules: str | RuleSet = "halls", max_turns: int | None = None
) -> WrappedBoopEnv:
    """An environment in which an illegal action ends the game; arguments as in `BoopEnv`."""
    return WrappedBoopEnv("halls_v0", render_mode, rules, max_turns)


def raw_env(
    render_mode: RenderMode | None = None, rules: str | RuleSet = "halls", max_turns: int | None = None
) -> BoopEnv:
    """An environment in which an illegal action raises; arguments as in `BoopEnv`."""
    return BoopEnv("halls_v0", render_mode, rules, max_turns)
