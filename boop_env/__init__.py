"""Reinforcement-learning suite for the boop. family of board games."""

from typing import TYPE_CHECKING, Any

from boop_env.bots.bot import Bot
from boop_env.bots.factory import make_bot
from boop_env.envs import booop_v0, boop_v0, halls_v0, versus
from boop_env.rules.game import Game, Reason, perft
from boop_env.rules.layout import Layout
from boop_env.rules.moves import IllegalMove, UnreadableMove
from boop_env.rules.position import InvalidPosition
from boop_env.rules.ruleset import PRESETS, RuleSet, ruleset
from boop_env.rules.states import States

if TYPE_CHECKING:
    from boop_env.policy import load_policy

__all__ = [
    "PRESETS",
    "Bot",
    "Game",
    "IllegalMove",
    "InvalidPosition",
    "Layout",
    "Reason",
    "RuleSet",
    "States",
    "UnreadableMove",
    "booop_v0",
    "boop_v0",
    "halls_v0",
    "load_policy",
    "make_bot",
    "perft",
    "ruleset",
]


versus.register()


def __getattr__(name: str) -> Any:
    """`load_policy`, which is found on first use because it imports torch."""
    if name == "load_policy":
        from boop_env.policy import load_policy

        return load_policy
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
