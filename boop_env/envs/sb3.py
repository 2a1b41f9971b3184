"""The vectorised environment that Stable-Baselines3 trains on (the ``train`` extra)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvObs, VecEnvStepReturn

from boop_env.bots.bot import Bot
from boop_env.envs.learner import LearnerGames, Opponents
from boop_env.envs.planes import observe_states, plane_shape
from boop_env.rules.game import Reason
from boop_env.rules.ruleset import RuleSet
from boop_env.rules.states import States
from boop_env.rules.symmetry import symmetries, turn_states


class BoopVecEnv(VecEnv):
    """A learner against a pool of opponents, who answer inside `step` in whole batches.

    Observations are float32 ``(N, C, H, W)`` planes seen by the learner, actions are action numbers,
    and masks come through ``env_method("action_masks")`` as sb3-contrib's `MaskablePPO` asks for
    them. The reward is +1 when the learner won, -1 when it lost, also when the opponent's move
    ended the game, and 0 otherwise. A game that ends restarts at once; its info holds ``episode``
    (``r``, ``l``), ``terminal_observation``, ``TimeLimit.truncated``, ``winner``, ``reason``,
    ``seat``, ``opponent`` and ``turns``.

    ``TimeLimit.truncated`` is always False: the turn cap belongs to the rules and its plane shows how
    near it is, so a capped game is a finished one, worth 0, and there is nothing to bootstrap.

    With ``turned``, the learner sees every position in a symmetry of the board drawn anew at each step, and its
    action is turned back before it is played. The chances that PPO stores are then those of the very planes
    it stores, which turning positions afterwards, in the minibatches, would not give.

    Example:
        >>> env = BoopVecEnv("boop", 256, ["greedy", ("random", 0.5)])
        >>> model = MaskablePPO("MlpPolicy", env)

    Args:
        rules: a preset's name or a `RuleSet`.
        num_envs: games.
        opponents: bots or specs, or pairs of one and its weight; one is drawn for each game.
        seed: seeds seats, opponents, openings and what the opponents do.
        seat: the learner's seat, 0, 1, or ``"random"`` for each game.
        max_turns: another turn cap than the rule set's.
        opening_plies: steps played at random at the start of every game; see `LearnerGames`.
        turned: show positions in random symmetries of the board.
    """

    def __init__(
        self,
        rules: str | RuleSet,
        num_envs: int,
        opponents: Opponents,
        *,
        seed: int = 0,
        seat: int | str = "random",
        max_turns: int | None = None,
        opening_plies: int | tuple[int, int] = 0,
        turned: bool = False,
    ) -> None:
        self.games = LearnerGames(
            rules, num_envs, opponents, seed=seed, seat=seat, max_turns=max_turns, opening_plies=opening_plies
        )
        self.rules = self.games.rules
        self._actions = np.zeros(num_envs, np.int64)
        self._turned = turned
        self._turns = np.zeros(num_envs, np.int64)
        self._rng = np.random.default_rng([seed, 2])
        # Where each symmetry sends actions, and the way back.
        self._there = symmetries(self.rules).actions
        self._back = np.argsort(self._there, axis=1)
        self.render_mode = None
        super().__init__(
            num_envs,
            spaces.Box(0.0, 1.0, plane_shape(self.rules), np.float32),
            spaces.Discrete(self.rules.num_actions),
        )
        self.observe()

    def set_opponents(self, opponents: Opponents) -> None:
        """Changes the pool for games that start from now on."""
        self.games.set_opponents(opponents)

    def sample(self) -> npt.NDArray[np.int64]:
        """A legal action for every game, each as likely: int64 ``(N,)``."""
        return self._there[self._turns, self.games.sample()]

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """The learner's legal actions, bool ``(N, num_actions)``, a new array."""
        return self._masks.astype(np.bool_)

    def reset(self) -> VecEnvObs:
        """Starts every game anew; a seed given to `seed` before is used once."""
        seed = self._seeds[0]
        self.games.reset(seed=seed)
        if seed is not None:
            self._rng = np.random.default_rng([seed, 2])
        self._reset_seeds()
        self._reset_options()
        return self._look()

    def _look(self) -> npt.NDArray[np.float32]:
        """What the learner sees, in new symmetries: new planes, and the masks that go with them."""
        if self._turned:
            self._turns = self._rng.integers(0, len(self._there), self.num_envs)
        return self.observe()

    def observe(self) -> npt.NDArray[np.float32]:
        """The learner's planes as they stand, float32 ``(N, C, H, W)``, a new array."""
        if self._turned:
            words = turn_states(self.rules, self.games.batch.states.words, self._turns)
            planes, self._masks = observe_states(States(self.rules, words))
            return planes
        self._masks = self.games.masks
        return self.games.planes.copy()

    def state_dict(self) -> dict[str, Any]:
        """All that the games and their chances go on from; see `LearnerGames.state_dict`."""
        return {**self.games.state_dict(), "turns": self._turns.copy(), "turns_rng": self._rng.bit_generator.state}

    def load_state_dict(self, state: Mapping[str, Any], bots: Mapping[str, Bot]) -> None:
        """Goes on exactly where `state_dict` was taken; `observe` then gives the planes to choose from.

        Raises:
            ValueError: see `LearnerGames.load_state_dict`.
        """
        self.games.load_state_dict(state, bots)
        self._turns = np.array(state["turns"])
        self._rng.bit_generator.state = state["turns_rng"]
        self.observe()

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Takes the learner's actions, integers ``(N,)``."""
        self._actions = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Plays them and the opponents' answers; IllegalMove when one is illegal."""
        rewards = np.zeros(self.num_envs, np.float32)
        dones = np.zeros(self.num_envs, np.bool_)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for end in self.games.step(self._turn_back(self._actions)):
            rewards[end.index] = end.reward
            dones[end.index] = True
            infos[end.index] = {
                **end.info,
                "episode": {"r": end.reward, "l": end.steps},
                "terminal_observation": end.planes,
                "TimeLimit.truncated": False,
                "capped": end.reason is Reason.TRUNCATED,
            }
        # SB3 keeps the last observation while the next one is made.
        return self._look(), rewards, dones, infos

    def _turn_back(self, actions: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Actions as the games know them; those out of range stay, for the games to refuse."""
        if not self._turned:
            return actions
        known = (actions >= 0) & (actions < self.rules.num_actions)
        return np.where(known, self._back[self._turns, np.where(known, actions, 0)], actions)

    def close(self) -> None:
        """Ends the threads."""
        self.games.batch.close()

    def env_method(self, method_name: str, *args: Any, indices: VecEnvIndices = None, **kwargs: Any) -> list[Any]:
        """``action_masks`` of each game; there are no environments behind this one to ask for more."""
        if method_name != "action_masks":
            raise AttributeError(f"BoopVecEnv has no method {method_name!r} for each game; it has 'action_masks'")
        masks = self.action_masks()
        return list(masks if indices is None else masks[list(self._get_indices(indices))])

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """An attribute of this environment, once for each game."""
        return [getattr(self, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Refused: the games share one engine."""
        raise AttributeError(f"{attr_name!r} cannot be set for each game; use set_opponents or a new BoopVecEnv")

    def env_is_wrapped(self, wrapper_class: type[Any], indices: VecEnvIndices = None) -> list[bool]:
        """False: there are no environments behind this one to wrap."""
        return [False] * len(list(self._get_indices(indices)))
