"""boop. as an OpenSpiel game, our bots as OpenSpiel's, and OpenSpiel's search as one of our bots.

Importing this module registers the game (the ``openspiel`` extra):

    import pyspiel
    import boop_env.bridges.openspiel

    game = pyspiel.load_game("python_boop(rules=booop)")
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from boop_env.bots.bot import Bot, seeds
from boop_env.bots.factory import make_bot
from boop_env.envs import planes
from boop_env.envs.aec import advance
from boop_env.rules import calls, kernel
from boop_env.rules.compiled import compiled
from boop_env.rules.game import Game
from boop_env.rules.position import Words
from boop_env.rules.ruleset import RuleSet, ruleset
from boop_env.rules.states import States

try:
    import pyspiel
    from open_spiel.python.algorithms import mcts
    from open_spiel.python.observation import IIGObserverForPublicInfoGame
except ImportError as error:
    raise ImportError("OpenSpiel is not installed; pip install 'boop-env[openspiel]'") from error

GAME_TYPE = pyspiel.GameType(
    short_name="python_boop",
    long_name="Python boop.",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
    information=pyspiel.GameType.Information.PERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification={"rules": "boop", "layout": "", "pieces": 0, "max_turns": 0},
)


class BoopGame(pyspiel.Game):
    """A game of any rule set, for `pyspiel.load_game`.

    Parameters of the game's text, such as ``python_boop(rules=halls,max_turns=60)``:

    - ``rules``: a preset, which the other three change where they are given.
    - ``layout``: a layout map with ``/`` between its rows, such as ``111/111/111``.
    - ``pieces``: pieces of each player.
    - ``max_turns``: the turn cap.

    A player acts again while its turn has more choices. Observations are our planes seen by the player
    asked about; the observation text is the position text.

    Args:
        params: those parameters.
        start: instead of them, a game whose rules and present position to take, such as an endgame to solve;
            there is no text from which `pyspiel.load_game` could make such a game.

    Raises:
        ValueError: there is no such preset, or the parameters make no rule set.
    """

    def __init__(self, params: dict[str, Any] | None = None, start: Game | None = None) -> None:
        params = params or {}
        begun = Game(rules_of(params)) if start is None else start
        self.shared = shared_from(begun.rules, begun.position())
        super().__init__(GAME_TYPE, game_info(self.shared.rules), params)

    def __reduce__(self) -> tuple[Any, ...]:
        # OpenSpiel's own way would forget the start, and all else that is not in the game's text.
        return restored_game, (self.get_parameters(), self.shared)

    def new_initial_state(self, state: Any = None) -> BoopState:
        """The start of a game, or a position: ``{"position": text}``, as a state's `to_dict` gives it.

        Raises:
            InvalidPosition: a ValueError; the position cannot be read.
        """
        if state is None:
            return BoopState(self, self.shared)
        given = state if isinstance(state, dict) else state.to_dict()
        return BoopState(self, self.shared, Game.from_position(self.shared.rules, given["position"]).state)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """The observer that OpenSpiel's `make_observation` asks for."""
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return Observer(self.shared.rules, params)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)


class Shared:
    """What the states of one game share; OpenSpiel copies and pickles a state's attributes, but not this."""

    def __init__(self, start: Game) -> None:
        self.rules = start.rules
        self.tables = start.rules.tables
        self.start = start.state

    def __deepcopy__(self, memo: dict[int, Any]) -> Shared:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return shared_from, (self.rules, Game.from_state(self.rules, self.start).position())


@lru_cache(maxsize=64)
def shared_from(rules: RuleSet, position: str) -> Shared:
    """What the states of such games share; made once, for tables take long to make."""
    return Shared(Game.from_position(rules, position))


def restored_game(params: dict[str, Any], shared: Shared) -> BoopGame:
    """A game from its pickle."""
    return BoopGame(params, Game.from_state(shared.rules, shared.start))


def restored_state(game: BoopGame, text: str) -> BoopState:
    """A state from its pickle."""
    state: BoopState = game.deserialize_state(text)
    return state


class BoopState(pyspiel.State):
    """A position on its way through a game; made by `BoopGame.new_initial_state`."""

    def __init__(self, game: BoopGame, shared: Shared, words: Words | None = None) -> None:
        super().__init__(game)
        self._shared = shared
        self.words = shared.start.copy() if words is None else words
        position = Game.from_state(shared.rules, self.words)
        self._mover = position.mover
        self._over = position.is_over
        self._winner = -1 if position.winner is None else position.winner

    def __reduce__(self) -> tuple[Any, ...]:
        return restored_state, (self.get_game(), self.serialize())

    def current_player(self) -> int:
        """The player to act, `pyspiel.PlayerId.TERMINAL` at the end."""
        return int(pyspiel.PlayerId.TERMINAL) if self._over else self._mover

    def _legal_actions(self, player: int) -> list[int]:
        actions = np.empty(self._shared.rules.num_actions, np.int64)
        count = calls.legal_actions(self._shared.tables, self.words, actions)
        found: list[int] = actions[:count].tolist()
        return sorted(found)

    def _apply_action(self, action: int) -> None:
        result = advance(self._shared.tables, self.words, action)
        if result < 0:
            self.game().push(action)  # raises, and says why it is illegal
        self._mover, self._winner, self._over = result & 1, (result >> 1 & 3) - 1, (result >> 3 & 7) > 0

    def _action_to_string(self, player: int, action: int) -> str:
        return self._shared.rules.action_to_move(action)

    def is_terminal(self) -> bool:
        """Whether the game is won or truncated."""
        return self._over

    def returns(self) -> list[float]:
        """+1 and -1 when the game is won, else zeros."""
        return [0.0, 0.0] if self._winner < 0 else [1.0 - 2.0 * self._winner, 2.0 * self._winner - 1.0]

    def game(self) -> Game:
        """The position as one of our games, without its history."""
        return Game.from_state(self._shared.rules, self.words)

    def _to_struct(self) -> dict[str, str]:
        return {"position": self.game().position()}

    def __str__(self) -> str:
        return self.game().position()


class Observer:
    """Planes and position text, as OpenSpiel's observers are asked for them.

    Attributes:
        tensor: float32 ``(C * H * W,)``, written by `set_from`.
        dict: ``{"observation": tensor}`` in its shape, ``(C, H, W)``.
    """

    def __init__(self, rules: RuleSet, params: Any) -> None:
        if params:
            raise ValueError(f"observation parameters {params} mean nothing to this game; leave them out")
        shape = planes.plane_shape(rules)
        self.tensor = np.zeros(int(np.prod(shape)), np.float32)
        self.dict = {"observation": self.tensor.reshape(shape)}
        self._tables = rules.tables
        self._mask = np.empty(rules.num_actions, np.int8)

    def set_from(self, state: BoopState, player: int) -> None:
        """Writes the planes of a state as a player sees them."""
        side = state.game().mover ^ player
        planes.observe(self._tables, state.words, side, self.tensor, self._mask)

    def string_from(self, state: BoopState, player: int) -> str:
        """The position text, which both players see."""
        return str(state)


class SpielBot(pyspiel.Bot):
    """One of our bots as an OpenSpiel bot.

    Example:
        >>> bots = [SpielBot("alphabeta:depth=3"), pyspiel.make_uniform_random_bot(1, 0)]
        >>> pyspiel.evaluate_bots(game.new_initial_state(), bots, 0)

    Args:
        bot: a bot or its spec.
        seed: seeds what it draws.
    """

    def __init__(self, bot: str | Bot, seed: int = 0) -> None:
        pyspiel.Bot.__init__(self)
        self._bot = make_bot(bot)
        self._rng = np.random.default_rng(seed)

    def restart_at(self, state: BoopState) -> None:
        """Nothing to do: a bot looks at a position, not at what led to it."""

    def step(self, state: BoopState) -> int:
        """The bot's action."""
        return int(self._bot.choose(States(state.game().rules, state.words[None].copy()), self._rng)[0])


@compiled
def playout_winner(tables: Any, words: Any, seed: Any) -> Any:
    """The winner of random play from a stored state to the end, -1 for none."""
    final, _, _ = kernel.playout(tables[0], kernel.load(words), seed)
    return final.winner


class PlayoutEvaluator(mcts.Evaluator):
    """What OpenSpiel's `RandomRolloutEvaluator` does, one random playout and uniform priors, compiled.

    Args:
        rng: the source of chance.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng

    def evaluate(self, state: BoopState) -> npt.NDArray[np.float64]:
        """The returns of a random playout, float64 ``(2,)``."""
        winner = playout_winner(state.game().rules.tables, state.words, seeds(self._rng, 1)[0])
        return np.zeros(2) if winner < 0 else np.array([1.0 - 2 * winner, 2 * winner - 1.0])

    def prior(self, state: BoopState) -> list[tuple[int, float]]:
        """Each legal action with the same probability."""
        actions = state.legal_actions()
        return [(action, 1 / len(actions)) for action in actions]


def search(game: BoopGame, simulations: int, rng: np.random.Generator) -> mcts.MCTSBot:
    """OpenSpiel's `MCTSBot` in the settings of its own example: UCT constant 2, one playout a leaf, proven results.

    It is the one written in Python: the one in C++ crashes on games written in Python, OpenSpiel's own included.
    """
    state = np.random.RandomState(int(rng.integers(2**32)))
    return mcts.MCTSBot(game, 2.0, simulations, PlayoutEvaluator(rng), solve=True, random_state=state)


class OpenSpielMctsBot(Bot):
    """OpenSpiel's Monte Carlo tree search as one of our bots; see `search`.

    Args:
        simulations: simulations for each position.
    """

    def __init__(self, simulations: int) -> None:
        self._simulations = simulations
        self.name = f"openspiel:mcts?sims={simulations}"

    def choose(self, states: States, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """One action for each position; see `Bot.choose`."""
        game = BoopGame(start=Game(states.rules))
        bot = search(game, self._simulations, rng)
        positions = (BoopState(game, game.shared, words.copy()) for words in states.words)
        return np.array([bot.step(position) for position in positions], np.int64)


def rules_of(params: dict[str, Any]) -> RuleSet:
    """The rule set that a game's parameters name; see `BoopGame`."""
    changes: dict[str, Any] = {name: params[name] for name in ("pieces", "max_turns") if params.get(name)}
    if params.get("layout"):
        changes["layout"] = params["layout"].replace("/", "\n")
    return replace(ruleset(params.get("rules", "boop")), **changes)


def game_info(rules: RuleSet) -> Any:
    """OpenSpiel's facts about a game."""
    # A turn places a piece and may graduate; an ornament comes before or a ghost after.
    steps = 2 + bool(rules.ornaments) + rules.ghosts
    return pyspiel.GameInfo(
        num_distinct_actions=rules.num_actions,
        max_chance_outcomes=0,
        num_players=2,
        min_utility=-1.0,
        max_utility=1.0,
        utility_sum=0.0,
        max_game_length=steps * rules.max_turns,
    )


pyspiel.register_game(GAME_TYPE, BoopGame)
