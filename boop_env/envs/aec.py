"""The PettingZoo environment: one AEC class for every rule set.

`boop_v0`, `booop_v0` and `halls_v0` name its variants; their `env()` adds the manners of PettingZoo's
wrappers (`boop_env.envs.wrapped`).
"""

from __future__ import annotations

import operator
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import pettingzoo
from gymnasium import spaces
from pettingzoo.utils.env import AECEnv

from boop_env.envs import planes, render
from boop_env.rules import kernel
from boop_env.rules.compiled import compiled
from boop_env.rules.game import Game, Reason
from boop_env.rules.position import Words, read_position
from boop_env.rules.ruleset import RuleSet, ruleset

VARIANTS: dict[str, tuple[str, ...]] = {
    "boop_v0": ("boop", "boop_bga", "boop_overview", "boop_expert"),
    "booop_v0": ("booop",),
    "halls_v0": ("halls", "halls_flat", "halls_no_ornaments"),
}
"""Environments and the presets that belong to each, its default first."""

RenderMode = Literal["human", "rgb_array", "ansi"]

AGENTS = ("player_0", "player_1")
PLAYERS = {agent: player for player, agent in enumerate(AGENTS)}

AFTER_RESET = frozenset(("rewards", "terminations", "truncations", "infos", "agent_selection", "num_agents", "agents"))
"""Attributes that an environment has only after its first reset."""

Observation = dict[str, npt.NDArray[Any]]


class Static(NamedTuple):
    """What all environments of one rule set share.

    Attributes:
        rules: the rule set.
        tables: its compiled form.
        start: stored state of the start, ``uint64 (6,)``.
        shape: of the planes, ``(C, H, W)``.
        num_actions: length of the mask.
        pass_action: the action number of ``-``.
    """

    rules: RuleSet
    tables: npt.NDArray[np.void]
    start: Words
    shape: tuple[int, int, int]
    num_actions: int
    pass_action: int


@lru_cache(maxsize=64)
def static(rules: RuleSet) -> Static:
    """What all environments of a rule set share, made once."""
    start = Game(rules).state
    return Static(rules, rules.tables, start, planes.plane_shape(rules), rules.num_actions, rules.move_to_action("-"))


@compiled
def advance(tables: npt.NDArray[np.void], words: Words, action: int) -> int:
    """Plays one action in place, if it is legal.

    Args:
        tables: the rule set's tables.
        words: the stored state, overwritten.
        action: any number.

    Returns:
        -1, the state untouched, when the action is illegal. Else, from the lowest bit up: 1 bit for the
        mover, 2 for the winner plus 1, 3 for the outcome, the rest for the turn.
    """
    t = tables[0]
    s = kernel.load(words)
    if not kernel.is_legal(t, s, action):
        return -1
    after = kernel.step(t, s, action)
    kernel.store(after, words)
    return int(after.mover | (after.winner + 1) << 1 | after.outcome << 3 | after.turn << 6)


@compiled
def observe_player(
    tables: npt.NDArray[np.void],
    words: Words,
    player: int,
    out: npt.NDArray[np.float32],
    mask: npt.NDArray[np.int8],
) -> None:
    """Planes ``(C, H, W)`` and mask ``(num_actions,)`` of a stored state as player 0 or 1 sees it."""
    side = kernel.load(words).mover ^ player
    planes.observe(tables, words, side, out.reshape(out.size), mask)


class ActionSpace(spaces.Discrete):
    """A `Discrete` whose masked samples are the same draws at a quarter of the time."""

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """One action at random, as `gymnasium.spaces.Discrete.sample`.

        Args:
            mask: int8 ``(n,)``, 1 for each action to draw from; with none the sample is ``start``.
            probability: float64 ``(n,)``, the probability of each action.
        """
        usual = isinstance(mask, np.ndarray) and mask.dtype == np.int8 and mask.shape == (self.n,)
        if probability is not None or not usual:
            return super().sample(mask, probability)
        choices = mask.nonzero()[0]
        if not len(choices):
            return self.start
        return self.start + choices[self.np_random.integers(len(choices))]


class BoopEnv(AECEnv[str, Observation, "int | None"]):
    """A game of the boop. family for two agents who take turns of one to three choices each.

    ## Description

    Players place kittens and cats on a small bed; a piece placed pushes ("boops") its neighbours away. Three
    in a row graduate, kittens coming back as cats, and three cats in a row win. BOOoop. adds ghosts that
    sweep along the seams; Boop the Halls is played on a tree and adds ornaments to knock off. The rules are
    one `boop_env.RuleSet`; `boop_v0`, `booop_v0` and `halls_v0` name the presets:

    | environment | presets |
    |---|---|
    | `boop_v0` | `boop` (default), `boop_bga`, `boop_overview`, `boop_expert` |
    | `booop_v0` | `booop` |
    | `halls_v0` | `halls` (default), `halls_flat`, `halls_no_ornaments` |

    Agents are `player_0`, who begins, and `player_1`. A step is one choice. The same agent is selected again
    while its turn has more choices: which ornament space, which row to graduate, where the ghost goes.

    ## Action Space

    `Discrete(rules.num_actions)`. `rules.action_to_move(action)` names an action (`Kc3`, `+b2d4`, `-`), and
    `rules.actions.blocks` lists all of them. In `raw_env()` an illegal action raises `boop_env.IllegalMove`
    and leaves the game as it was. In `env()` it ends the game: -1 for the offender, 0 for the other agent.

    ## Observation Space

    A dictionary:

    - `"observation"`: float32 `(C, H, W)` from 0 to 1, seen from the side of the agent who observes. The
      channels are `boop_env.envs.planes.planes(rules)`, each with a name and a description.
    - `"action_mask"`: int8 `(num_actions,)`, 1 for each legal action. All zero for an agent who is not to
      act. When the game is over the agent selected can only step `None`, and its mask marks `-` alone.

    Both arrays are new at every call and the caller's to keep. `state()` is float32 `(C + 1, H, W)`: the
    planes as `player_0` sees them, and one plane of 1 when it is `player_1`'s turn.

    ## Rewards

    +1 to the winner and -1 to the loser when the game is won, 0 on every other step and when it is
    truncated. `last()` gives what an agent has received since it last acted.

    ## Starting State

    The empty board with all pieces in the pools, or what `reset(options={"position": text})` gives: a
    position text as `Game.position()` writes it, of a game that is not over. The game has no chance in it,
    so `seed` changes nothing.

    ## Episode End

    Terminated when a player wins: three cats in a row, all eight cats on the board, or all of the other
    player's ornaments taken, as the rule set has it. Truncated when `max_turns` turns are complete. The
    agent who did not act last is selected first. `infos[agent]` carries `winner` (0, 1 or None), `reason`
    (a `boop_env.Reason` or None) and `turn` (turns completed).

    ## Arguments

    - `render_mode`: `"ansi"` for text, `"rgb_array"` for a uint8 `(height, width, 3)` picture, `"human"` for
      a window; both need the `render` extra.
    - `rules`: the name of one of the environment's presets, or any `RuleSet`.
    - `max_turns`: the turn cap, if not the rule set's own.

    `copy.deepcopy` and `pickle` give an independent game in the same position.

    ## Version History

    - v0: first version.
    """

    def __init__(
        self,
        name: str,
        render_mode: RenderMode | None,
        rules: str | RuleSet,
        max_turns: int | None,
    ) -> None:
        """Makes an environment, to be reset before use.

        Args:
            name: one of `VARIANTS`.
            render_mode: see the class.
            rules: see the class.
            max_turns: see the class.

        Raises:
            ValueError: the preset belongs to no or another environment, or the mode is unknown.
        """
        super().__init__()
        presets = VARIANTS[name]
        if isinstance(rules, str) and rules not in presets:
            raise ValueError(f"{name} has no preset {rules!r}; it has {', '.join(presets)}, or give a RuleSet")
        chosen = ruleset(rules)
        self.metadata: dict[str, Any] = {
            "name": name,
            "render_modes": list(render.RENDER_MODES),
            "is_parallelizable": False,
            "render_fps": 2,
        }
        self.render_mode = render_mode
        self.possible_agents = list(AGENTS)
        self._renderer = render.Renderer(render_mode, f"boop_env, {name}")
        self._bind(static(chosen if max_turns is None else replace(chosen, max_turns=max_turns)))

    def _bind(self, shared: Static) -> None:
        self.rules = shared.rules
        self._static = shared
        self._tables = shared.tables
        self._shape = shared.shape
        self._num_actions = shared.num_actions

    def __getstate__(self) -> dict[str, Any]:
        """All but what environments of one rule set share."""
        return {name: value for name, value in self.__dict__.items() if name not in ("_static", "_tables")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._bind(static(self.rules))

    def __getattr__(self, name: str) -> Any:
        """Called for attributes that are not there."""
        if name in AFTER_RESET:
            raise AttributeError(f"{name} cannot be accessed before reset")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @cached_property
    def action_spaces(self) -> dict[str, ActionSpace]:
        """Action space of each agent."""
        return {agent: ActionSpace(self._num_actions) for agent in AGENTS}

    @cached_property
    def observation_spaces(self) -> dict[str, spaces.Dict]:
        """Observation space of each agent."""
        return {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, 1, self._shape, np.float32),
                    "action_mask": spaces.Box(0, 1, (self._num_actions,), np.int8),
                }
            )
            for agent in AGENTS
        }

    @cached_property
    def state_space(self) -> spaces.Box:
        """Space of `state()`."""
        channels, height, width = self._shape
        return spaces.Box(0, 1, (channels + 1, height, width), np.float32)

    def action_space(self, agent: str) -> ActionSpace:
        """Action space of an agent, the same object at every call."""
        return self.action_spaces[agent]

    def observation_space(self, agent: str) -> spaces.Dict:
        """Observation space of an agent, the same object at every call."""
        return self.observation_spaces[agent]

    @property
    def game(self) -> Game:
        """The present position as an independent `Game`, without its history."""
        return Game.from_state(self.rules, self._words)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts a game.

        Args:
            seed: changes nothing; the game has no chance in it.
            options: ``{"position": text}`` to start elsewhere than at the beginning.

        Raises:
            InvalidPosition: a ValueError; the position cannot be read.
            ValueError: the position's game is over.
        """
        position = (options or {}).get("position")
        mover, turn, words = 0, 0, self._static.start.copy()
        if position is not None:
            words = read_position(self.rules, position)
            game = Game.from_state(self.rules, words)
            if game.is_over:
                raise ValueError(f"position {position!r} is of a game that is over; start from one that goes on")
            mover, turn = game.mover, game.turn
        self._words = words
        self.agents = list(AGENTS)
        self.rewards: dict[str, float] = dict.fromkeys(AGENTS, 0)
        self._cumulative_rewards: dict[str, float] = dict.fromkeys(AGENTS, 0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self._skip_agent_selection: str | None = None
        self.agent_selection = AGENTS[mover]
        self._write_infos(None, None, turn)
        if self.render_mode == "human":
            self.render()

    def step(self, action: int | None) -> None:
        """Plays the selected agent's choice; None when its game is over.

        Raises:
            IllegalMove: a ValueError that names the move and says why; the game is as it was.
            ValueError: an action other than None when the game is over.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        number = operator.index(action)  # type: ignore[arg-type]  # None raises TypeError, as it should
        result = advance(self._tables, self._words, number)
        if result < 0:
            self.game.push(number)
        self._follow(agent, result)

    def _follow(self, agent: str, result: int) -> None:
        """Brings the attributes up to date after `advance`."""
        outcome = result >> 3 & 7
        if outcome:
            self._end(agent, (result >> 1 & 3) - 1, Reason(outcome), result >> 6)
        else:
            # Rewards are zero until the end, and so is what has been received since anybody acted.
            self.agent_selection = AGENTS[result & 1]
            self._write_infos(None, None, result >> 6)
        if self.render_mode == "human":
            self.render()

    def _end(self, agent: str, winner: int, reason: Reason, turn: int) -> None:
        if winner < 0:
            self.truncations = dict.fromkeys(AGENTS, True)
        else:
            self.terminations = dict.fromkeys(AGENTS, True)
            self.rewards = {other: 1 if player == winner else -1 for other, player in PLAYERS.items()}
            self._accumulate_rewards()
        self.agent_selection = AGENTS[1 - PLAYERS[agent]]
        self._write_infos(None if winner < 0 else winner, reason, turn)

    def _write_infos(self, winner: int | None, reason: Reason | None, turn: int) -> None:
        self.infos = {
            "player_0": {"winner": winner, "reason": reason, "turn": turn},
            "player_1": {"winner": winner, "reason": reason, "turn": turn},
        }

    def observe(self, agent: str) -> Observation:
        """Planes from an agent's own side and its mask; new arrays at every call."""
        observation = np.empty(self._shape, np.float32)
        mask = np.empty(self._num_actions, np.int8)
        observe_player(self._tables, self._words, PLAYERS[agent], observation, mask)
        if self.terminations.get(agent) or self.truncations.get(agent):
            mask[:] = 0
            mask[self._static.pass_action] = agent == self.agent_selection
        return {"observation": observation, "action_mask": mask}

    def state(self) -> npt.NDArray[np.float32]:
        """Float32 ``(C + 1, H, W)``: planes from `player_0`'s side, then 1 when it is `player_1`'s turn."""
        channels, height, width = self._shape
        out = np.empty((channels + 1, height, width), np.float32)
        observe_player(self._tables, self._words, 0, out[:-1], np.empty(self._num_actions, np.int8))
        out[-1] = self.game.mover
        return out

    def render(self) -> npt.NDArray[np.uint8] | str | None:
        """A picture, a text, or None after showing it in the window, as `render_mode` says.

        Raises:
            ImportError: ``"rgb_array"`` or ``"human"`` without the ``render`` extra.
        """
        return self._renderer.render(self.game, self.metadata["render_fps"])

    def close(self) -> None:
        """Closes the window, if there is one."""
        self._renderer.close()


if hasattr(pettingzoo, "register"):  # from 1.26 on
    for variant in VARIANTS:
        pettingzoo.register("aec", f"boop_env/{variant}", f"boop_env.envs.{variant}:env")
