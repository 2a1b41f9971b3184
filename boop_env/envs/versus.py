"""Gymnasium environments: one learner against an opponent, a game at a time or many."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from boop_env.envs.learner import LearnerGames, Opponents
from boop_env.envs.planes import plane_shape
from boop_env.envs.render import RENDER_MODES, Renderer
from boop_env.rules.game import Game, Reason
from boop_env.rules.ruleset import PRESETS, RuleSet

Planes = npt.NDArray[np.float32]


class VersusEnv(gymnasium.Env[Planes, np.int64]):
    """A game against an opponent who answers inside `step`.

    Description:
        The learner plays one seat of a boop. game. The opponent's steps happen inside `reset` and
        `step`, so the learner is to act whenever it looks. A turn can be several steps of the learner.

    Action Space:
        ``Discrete(num_actions)``: the action numbers of the rule set. `action_masks` and
        ``info["action_mask"]`` tell which are legal; an illegal one loses the game at once.

    Observation Space:
        ``Box(0, 1, (C, H, W), float32)``: the planes of the rule set (`boop_env.envs.planes`), seen by
        the learner.

    Rewards:
        +1 for a win, -1 for a loss, 0 for every other step and for a game that reached the turn cap.

    Starting State:
        An empty board, or ``reset(options={"position": text})``; the learner's seat as `seat` says.

    Episode End:
        Terminated when somebody has won, truncated at the turn cap. ``info`` then has ``winner``,
        ``reason`` (a `Reason` in lower case, or ``illegal_action``), ``seat``, ``opponent``, ``turns``.

    Arguments:
        rules: a preset's name or a `RuleSet`.
        opponent: a bot or its spec, or several of them, each alone or with a weight.
        seat: the learner's seat, 0, 1, or ``"random"`` for each game.
        max_turns: another turn cap than the rule set's.
        opening_plies: steps played at random before the learner's first.
        render_mode: ``"ansi"``, ``"rgb_array"`` or ``"human"``.

    Version History:
        v0: first version.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 2}  # noqa: RUF012  # Gymnasium's own form

    def __init__(
        self,
        rules: str | RuleSet = "boop",
        opponent: Opponents = "random",
        seat: int | str = "random",
        max_turns: int | None = None,
        opening_plies: int = 0,
        render_mode: str | None = None,
    ) -> None:
        self._games = LearnerGames(
            rules,
            1,
            opponent,
            seat=seat,
            max_turns=max_turns,
            opening_plies=opening_plies,
            threads=1,
            illegal_loses=True,
        )
        self.rules = self._games.rules
        self.observation_space = spaces.Box(0.0, 1.0, plane_shape(self.rules), np.float32)
        self.action_space = spaces.Discrete(self.rules.num_actions)
        self.render_mode = render_mode
        self._renderer = Renderer(render_mode, f"boop_env, {self.rules.name}")
        self._game = self._games.batch.game(0)
        self._over = False

    @property
    def game(self) -> Game:
        """The position the learner sees, as a `Game` of its own; after the end the last one."""
        return self._game.copy()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Planes, dict[str, Any]]:
        """Starts a game; ``options={"position": text}`` starts it there.

        Raises:
            ValueError: the position cannot be read, or the game is over there or before the learner is to act.
        """
        super().reset(seed=seed)
        self._over = True  # where it stays if the position is refused
        self._games.reset(seed=seed, position=(options or {}).get("position"))
        self._game = self._games.batch.game(0)
        self._over = False
        if self.render_mode == "human":
            self.render()
        return self._games.planes[0].copy(), self._info()

    def step(self, action: np.int64 | int) -> tuple[Planes, float, bool, bool, dict[str, Any]]:
        """Plays the learner's action and the opponent's answer.

        Raises:
            gymnasium.error.ResetNeeded: the game is over.
        """
        if self._over:
            raise gymnasium.error.ResetNeeded("the game is over; call reset() before the next step")
        ended = self._games.step(np.array([action], np.int64))
        if not ended:
            self._game = self._games.batch.game(0)
            result = self._games.planes[0].copy(), 0.0, False, False, self._info()
        else:
            end = ended[0]
            self._over = True
            self._game = Game.from_state(self.rules, end.words)
            capped = end.reason is Reason.TRUNCATED
            mask = np.zeros(self.rules.num_actions, np.int8)
            result = end.planes, end.reward, not capped, capped, {**end.info, "action_mask": mask}
        if self.render_mode == "human":
            self.render()
        return result

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """The legal actions, bool ``(num_actions,)``; all False when the game is over."""
        masks = self._games.masks
        return np.zeros(self.rules.num_actions, np.bool_) if self._over else masks[0] == 1

    def render(self) -> Any:
        """The board as `render_mode` says: text, an RGB array, or None and a window."""
        return self._renderer.render(self._game, self.metadata["render_fps"])

    def close(self) -> None:
        """Closes the window, if there is one."""
        self._renderer.close()

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._games.masks[0].copy(), "seat": int(self._games.seats[0])}


class VersusVectorEnv(VectorEnv[Planes, npt.NDArray[np.int64], npt.NDArray[Any]]):
    """Many games of `VersusEnv` in one batch engine: ``gymnasium.make_vec`` gives this one.

    A game that ends restarts within the same step (``AutoresetMode.SAME_STEP``): the observation is
    the new game's, and ``info["final_obs"]`` and ``info["final_info"]`` hold the old one's last.
    ``info["action_mask"]``, int8 ``(N, num_actions)``, comes with every step; `action_masks` as bool.

    Args:
        num_envs: games.
        rules: a preset's name or a `RuleSet`.
        opponent: a bot or its spec, or several of them, each alone or with a weight.
        seat: the learner's seat, 0, 1, or ``"random"`` for each game.
        max_turns: another turn cap than the rule set's.
        opening_plies: steps played at random at the start of every game.
    """

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}  # noqa: RUF012

    def __init__(
        self,
        num_envs: int = 1,
        rules: str | RuleSet = "boop",
        opponent: Opponents = "random",
        seat: int | str = "random",
        max_turns: int | None = None,
        opening_plies: int = 0,
    ) -> None:
        self._games = LearnerGames(
            rules,
            num_envs,
            opponent,
            seat=seat,
            max_turns=max_turns,
            opening_plies=opening_plies,
            illegal_loses=True,
        )
        self.rules = self._games.rules
        self.num_envs = num_envs
        self.single_observation_space = spaces.Box(0.0, 1.0, plane_shape(self.rules), np.float32)
        self.single_action_space = spaces.Discrete(self.rules.num_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Planes, dict[str, Any]]:
        """Starts every game anew; ``options={"position": text}`` starts them there, and raises as `VersusEnv.reset`."""
        self._games.reset(seed=seed, position=(options or {}).get("position"))
        return self._games.planes.copy(), {"action_mask": self._games.masks.copy()}

    def step(
        self, actions: npt.NDArray[np.int64]
    ) -> tuple[Planes, npt.NDArray[np.float64], npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]]:
        """Plays the learner's actions, integers ``(N,)``, and the opponents' answers."""
        rewards = np.zeros(self.num_envs, np.float64)
        terminated = np.zeros(self.num_envs, np.bool_)
        truncated = np.zeros(self.num_envs, np.bool_)
        info: dict[str, Any] = {}
        for end in self._games.step(actions):
            rewards[end.index] = end.reward
            capped = end.reason is Reason.TRUNCATED
            terminated[end.index], truncated[end.index] = not capped, capped
            info = self._add_info(info, {"final_obs": end.planes, "final_info": end.info}, end.index)
        info["action_mask"] = self._games.masks.copy()
        return self._games.planes.copy(), rewards, terminated, truncated, info

    def sample(self) -> npt.NDArray[np.int64]:
        """A legal action for every game, each as likely: int64 ``(N,)``."""
        return self._games.sample()

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """The legal actions, bool ``(N, num_actions)``."""
        masks: npt.NDArray[np.bool_] = self._games.masks == 1
        return masks

    def close_extras(self, **kwargs: Any) -> None:
        """Ends the threads."""
        self._games.batch.close()


def env_id(preset: str) -> str:
    """Gymnasium's id of a preset: ``boop_env/BoopBga-v0`` for ``boop_bga``."""
    return f"boop_env/{''.join(word.capitalize() for word in preset.split('_'))}-v0"


def register() -> None:
    """Registers an environment for every preset with Gymnasium; importing `boop_env` does."""
    for preset in PRESETS:
        if env_id(preset) not in gymnasium.registry:
            gymnasium.register(
                env_id(preset),
                entry_point=f"{__name__}:VersusEnv",
                vector_entry_point=f"{__name__}:VersusVectorEnv",
                kwargs={"rules": preset},
            )
