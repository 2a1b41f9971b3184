"""boop. in RLlib's current API: a multi-agent environment, and our network as an RLModule that minds the mask.

Needs the ``rllib`` extra.
"""

from __future__ import annotations

from typing import Any

from torch import Tensor

from boop_env.envs import boop_v0
from boop_env.envs.aec import AGENTS
from boop_env.policy.network import NetworkConfig, build_network
from boop_env.rules.ruleset import ruleset

try:
    from ray.rllib.core.columns import Columns
    from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI
    from ray.rllib.core.rl_module.torch.torch_rl_module import TorchRLModule
    from ray.rllib.env.multi_agent_env import MultiAgentEnv
except ImportError as error:
    raise ImportError(f"RLlib or something it needs is missing ({error}); pip install 'boop-env[rllib]'") from error

ILLEGAL = -1e8
"""Logit of an illegal action: its chance is exactly 0."""


class BoopMultiAgentEnv(MultiAgentEnv):
    """Both agents of a game; each step gives the observation of the one who acts next.

    The same agent may act again. When the game ends both get their last observation and their reward, +1 and -1, or
    0 at the turn cap, which is an end like any other: it belongs to the rules, and nothing is bootstrapped from it.
    An illegal action raises `IllegalMove`. RLlib's own check of an environment plays actions without a look at the
    mask, so switch it off: ``config.environment(BoopMultiAgentEnv, disable_env_checking=True)``.

    Args:
        config: ``rules``, a preset's name or a `RuleSet`, and ``max_turns``, another turn cap, both optional.
    """

    def __init__(self, config: dict[str, Any] | None = None) -> None:
        config = config or {}
        self._env = boop_v0.raw_env(rules=ruleset(config.get("rules", "boop")), max_turns=config.get("max_turns"))
        self.agents = self.possible_agents = list(AGENTS)
        self.observation_spaces = self._env.observation_spaces
        self.action_spaces = self._env.action_spaces
        super().__init__()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Starts a game; ``options={"position": text}`` starts it there."""
        self._env.reset(seed, options)
        agent = self._env.agent_selection
        return {agent: self._env.observe(agent)}, {}

    def step(
        self, action_dict: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Any]]:
        """Plays the choice of the one agent who is to act."""
        self._env.step(int(action_dict[self._env.agent_selection]))
        over = any(self._env.terminations.values()) or any(self._env.truncations.values())
        if not over:
            agent = self._env.agent_selection
            # RLlib wants a reward with every observation that answers an action.
            return {agent: self._env.observe(agent)}, {agent: 0.0}, {"__all__": False}, {"__all__": False}, {}
        seen = {agent: self._env.observe(agent) for agent in AGENTS}
        rewards = {agent: float(reward) for agent, reward in self._env.rewards.items()}
        return seen, rewards, {"__all__": True}, {"__all__": False}, {}


class MaskedModule(TorchRLModule, ValueFunctionAPI):
    """A `boop_env.policy.network.Network` as an RLModule.

    `network` can be written as a checkpoint when it is trained (`boop_env.policy.write_checkpoint`). The module's
    ``model_config`` has ``rules``, a preset's name or a `RuleSet`, and ``network``, a `NetworkConfig` as a dictionary.
    """

    def setup(self) -> None:
        """Builds the network."""
        config = NetworkConfig(**self.model_config["network"])
        self.network = build_network(ruleset(self.model_config["rules"]), config)

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Tensor]:
        seen = batch[Columns.OBS]
        logits, _ = self.network(seen["observation"])
        return {Columns.ACTION_DIST_INPUTS: logits.masked_fill(seen["action_mask"] == 0, ILLEGAL)}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> Tensor:
        """Values, ``(N,)``."""
        values: Tensor = self.network.value(batch[Columns.OBS]["observation"])
        return values
