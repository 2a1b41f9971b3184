"""A batch of positions of one rule set, which is what bots and networks are asked about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from boop_env.rules import kernel
from boop_env.rules.game import Game
from boop_env.rules.ruleset import RuleSet


@dataclass(frozen=True, eq=False)
class States:
    """Positions of one rule set.

    Attributes:
        rules: their rule set.
        words: the stored states, ``uint64 (N, 6)``, C-contiguous.

    Raises:
        ValueError: the array has another dtype or shape.
    """

    rules: RuleSet
    words: npt.NDArray[np.uint64]

    def __post_init__(self) -> None:
        shape = self.words.shape
        if self.words.dtype != np.uint64 or len(shape) != 2 or shape[1] != kernel.STATE_WORDS:
            raise ValueError(
                f"words are {self.words.dtype} {shape}; states are stored as uint64 (N, {kernel.STATE_WORDS})"
            )

    @classmethod
    def of(cls, games: Sequence[Game]) -> States:
        """The current positions of one or more games, all of one rule set.

        Raises:
            ValueError: there is no game, or their rule sets differ.
        """
        if not games:
            raise ValueError("no games given; a batch takes its rule set from its first game")
        if any(game.rules != games[0].rules for game in games):
            raise ValueError("games of different rule sets in one batch; make one batch for each rule set")
        return cls(games[0].rules, np.stack([game.state for game in games]))

    def __len__(self) -> int:
        return len(self.words)

    def __getitem__(self, index: slice | npt.NDArray[np.intp] | npt.NDArray[np.bool_]) -> States:
        """Some of the positions, by slice, mask or indices."""
        return States(self.rules, np.ascontiguousarray(self.words[index]))

    @property
    def movers(self) -> npt.NDArray[np.int8]:
        """The player to act in each position, int8 ``(N,)``."""
        return ((self.words[:, 5] >> np.uint64(32)) & np.uint64(1)).astype(np.int8)

    @property
    def turns(self) -> npt.NDArray[np.int64]:
        """Whole turns completed in each position, int64 ``(N,)``."""
        return (self.words[:, 5] >> np.uint64(48)).astype(np.int64)

    def games(self) -> Iterator[Game]:
        """Each position as a `Game` that starts there."""
        return (Game.from_state(self.rules, words) for words in self.words)
