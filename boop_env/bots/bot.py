"""`Bot`, what every player that is not a person is."""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from boop_env.bots.checks import first_illegal, first_over
from boop_env.rules.game import Game
from boop_env.rules.states import States

Actions = npt.NDArray[np.int64]
Choose = Callable[[Any, States, np.random.Generator], Actions]


class Bot(ABC):
    """A player: positions in, actions out.

    A subclass sets `name` and defines `choose`. Whatever it defines is checked here, for every bot
    alike: an illegal action never leaves `choose`.

    Example:
        >>> class First(Bot):
        ...     name = "first"
        ...
        ...     def choose(self, states, rng):
        ...         return np.array([game.legal_actions()[0] for game in states.games()])

    Attributes:
        name: the spec that `make_bot` makes this bot from.
    """

    name: str

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "choose" in cls.__dict__:
            cls.choose = _checked(cls.choose)  # type: ignore[assignment,method-assign]

    @abstractmethod
    def choose(self, states: States, rng: np.random.Generator) -> Actions:
        """One action for each position.

        Args:
            states: N positions of one rule set, none of them over.
            rng: the only source of chance; the same generator state gives the same actions, unless
                the bot is limited by time.

        Returns:
            Action numbers, ``int64 (N,)``.

        Raises:
            ValueError: a position is over, or the bot chose an illegal action.
        """

    def move(self, game: Game, rng: np.random.Generator | None = None) -> str:
        """The move text for one game.

        Args:
            game: a game that is not over; it is left as it is.
            rng: the source of chance, a fresh one if not given.

        Raises:
            ValueError: the game is over.
        """
        if game.is_over:
            raise ValueError(f"the game is over ({game.position()}), so {self.name} has no move to make")
        rng = np.random.default_rng() if rng is None else rng
        return game.rules.action_to_move(int(self.choose(States.of([game]), rng)[0]))

    def __repr__(self) -> str:
        return f"make_bot({self.name!r})"


def seeds(rng: np.random.Generator, n: int) -> npt.NDArray[np.uint64]:
    """States of n generators for compiled code, ``uint64 (n,)``."""
    return rng.integers(0, 2**64, n, np.uint64)


def _checked(choose: Choose) -> Choose:
    """`choose` that refuses positions that are over and actions that are illegal."""

    @functools.wraps(choose)
    def checked(self: Bot, states: States, rng: np.random.Generator) -> Actions:
        over = first_over(states.words)
        if over >= 0:
            position = Game.from_state(states.rules, states.words[over]).position()
            raise ValueError(f"position {over} of the batch is over ({position}), so {self.name} has no move to make")
        if not len(states):
            return np.empty(0, np.int64)
        actions = np.asarray(choose(self, states, rng))
        if actions.shape != (len(states),) or not np.issubdtype(actions.dtype, np.integer):
            raise ValueError(
                f"{self.name} chose {actions.dtype} {actions.shape} for {len(states)} positions; "
                f"it must be int64 ({len(states)},)"
            )
        actions = np.ascontiguousarray(actions, np.int64)
        illegal = first_illegal(states.rules.tables, states.words, actions)
        if illegal >= 0:
            action = int(actions[illegal])
            known = 0 <= action < states.rules.num_actions
            move = f" ({states.rules.action_to_move(action)})" if known else ""
            position = Game.from_state(states.rules, states.words[illegal]).position()
            raise ValueError(f"{self.name} chose the illegal action {action}{move} in position {position!r}")
        return actions

    return checked
