"""boop. in TorchRL: both agents through its own PettingZoo wrapper, or one learner's games in the batch engine.

Needs the ``torchrl`` extra.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import torch
from pettingzoo.utils import BaseWrapper
from tensordict import TensorDict, TensorDictBase

from boop_env.envs import boop_v0
from boop_env.envs.aec import AGENTS
from boop_env.envs.learner import LearnerGames, Opponents
from boop_env.envs.planes import plane_shape
from boop_env.rules.ruleset import RuleSet, ruleset

try:
    from torchrl.data import Binary, Bounded, Categorical, Composite, Unbounded
    from torchrl.envs import EnvBase
    from torchrl.envs.libs.pettingzoo import PettingZooWrapper
except ImportError as error:
    raise ImportError("TorchRL is not installed; pip install 'boop-env[torchrl]'") from error


class WithoutInfos(BaseWrapper):
    """An AEC environment with empty infos: ours hold None and an enum, which no tensor can."""

    @property
    def infos(self) -> dict[str, dict[str, Any]]:
        """An empty dictionary for each agent."""
        return {agent: {} for agent in self.env.possible_agents}


def both_agents(rules: str | RuleSet = "boop", max_turns: int | None = None) -> PettingZooWrapper:
    """TorchRL's PettingZooWrapper around our AEC environment, masks and all.

    Both agents are in the group ``"player"``, whose entries have a leading dimension of 2: ``observation``,
    ``action_mask``, ``action``, ``reward``, and ``mask``, which tells who is to act.

    Args:
        rules: a preset's name or a `RuleSet`.
        max_turns: another turn cap than the rule set's.
    """
    env = boop_v0.raw_env(rules=ruleset(rules), max_turns=max_turns)
    with warnings.catch_warnings():
        # It warns about every PettingZoo but one of 2023, which does not go with the Gymnasium of today.
        warnings.filterwarnings("ignore", "PettingZoo in TorchRL is tested using version")
        return PettingZooWrapper(WithoutInfos(env), use_mask=True, group_map={"player": list(AGENTS)})


class BoopTorchRLEnv(EnvBase):
    """N games of one learner against opponents who answer inside `step`, all in the batch engine.

    Entries: ``observation``, float32 ``(N, C, H, W)``, seen by the learner, who is to act; ``action_mask``,
    bool ``(N, num_actions)``, which the action spec follows; ``action``, int64 ``(N,)``; ``reward``, float32
    ``(N, 1)``: +1, -1, or 0, also where the opponent's move ended the game; ``done`` and ``terminated``. A game
    that reached the turn cap is terminated, worth 0: the cap belongs to the rules, and a plane shows how near
    it is. The mask of a finished game marks the pass alone.

    Example:
        >>> env = BoopTorchRLEnv("boop", 64, opponent="greedy")
        >>> env.rollout(100, break_when_any_done=False)

    Args:
        rules: a preset's name or a `RuleSet`.
        num_envs: games.
        opponent: a bot or its spec, or several of them, each alone or with a weight.
        seed: seeds seats, opponents, openings and what the opponents do.
        seat: the learner's seat, 0, 1, or ``"random"`` for each game.
        max_turns: another turn cap than the rule set's.
        opening_plies: steps played at random at the start of every game.
    """

    def __init__(
        self,
        rules: str | RuleSet = "boop",
        num_envs: int = 64,
        opponent: Opponents = "random",
        *,
        seed: int = 0,
        seat: int | str = "random",
        max_turns: int | None = None,
        opening_plies: int = 0,
    ) -> None:
        super().__init__(device="cpu", batch_size=[num_envs])
        self.games = LearnerGames(
            rules,
            num_envs,
            opponent,
            seed=seed,
            seat=seat,
            max_turns=max_turns,
            opening_plies=opening_plies,
        )
        self._reseed: int | None = None
        self._finished = np.zeros(num_envs, np.bool_)
        self._pass = self.games.rules.move_to_action("-")
        actions, one = self.games.rules.num_actions, (num_envs, 1)
        self.observation_spec = Composite(
            observation=Bounded(0, 1, (num_envs, *plane_shape(self.games.rules)), dtype=torch.float32),
            action_mask=Binary(actions, (num_envs, actions), dtype=torch.bool),
            shape=(num_envs,),
        )
        self.action_spec = Categorical(actions, (num_envs,), dtype=torch.int64)
        self.reward_spec = Unbounded(one, dtype=torch.float32)
        self.done_spec = Composite(
            done=Categorical(2, one, dtype=torch.bool),
            terminated=Categorical(2, one, dtype=torch.bool),
            shape=(num_envs,),
        )

    def _set_seed(self, seed: int | None) -> None:
        self._reseed = seed

    def _reset(self, tensordict: TensorDictBase | None = None, **kwargs: Any) -> TensorDictBase:
        asked = None if tensordict is None else tensordict.get("_reset", None)
        if asked is None or asked.all():
            self.games.reset(seed=self._reseed)
            self._reseed = None
        elif self._finished[~asked.numpy().ravel()].any() or not self._finished[asked.numpy().ravel()].all():
            raise ValueError("only finished games can be reset on their own, and all of them; or reset all games")
        self._finished[:] = False
        return self._entries(self.games.planes.copy(), self.games.masks == 1)

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        ended = self.games.step(tensordict["action"].numpy())
        planes, masks = self.games.planes.copy(), self.games.masks == 1
        reward = torch.zeros(self.num_envs, 1)
        self._finished[:] = False
        for end in ended:
            # The game has restarted; `_reset` shows that, and this step its last position.
            planes[end.index] = end.planes
            masks[end.index] = False
            masks[end.index, self._pass] = True
            reward[end.index] = end.reward
            self._finished[end.index] = True
        done = torch.from_numpy(self._finished[:, None].copy())
        return self._entries(planes, masks).update({"reward": reward, "done": done, "terminated": done.clone()})

    def _entries(self, planes: Any, masks: Any) -> TensorDict:
        mask = torch.from_numpy(masks)
        self.full_action_spec["action"].update_mask(mask.clone())
        return TensorDict(
            {"observation": torch.from_numpy(planes), "action_mask": mask}, batch_size=self.batch_size, device="cpu"
        )

    @property
    def num_envs(self) -> int:
        """How many games."""
        return self.games.num_envs

    def close(self, *, raise_if_closed: bool = True) -> None:
        """Ends the threads."""
        super().close(raise_if_closed=raise_if_closed)
        self.games.batch.close()
