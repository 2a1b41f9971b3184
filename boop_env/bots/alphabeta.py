"""The alpha-beta bot."""

from __future__ import annotations

from time import perf_counter

import numpy as np
import numpy.typing as npt

from boop_env.bots.bot import Bot, seeds
from boop_env.rules.game import Game
from boop_env.rules.ruleset import RuleSet
from boop_env.rules.states import States
from boop_env.search import alphabeta
from boop_env.search.analysis import Analysis, only_limit
from boop_env.search.memory import SearchMemory
from boop_env.threads import in_threads

TABLE_ENTRIES = 1 << 18
SLICE = 2000
"""Nodes between two looks at the clock, well under a millisecond."""


class AlphaBetaBot(Bot):
    """Searches with alpha-beta and a fitted evaluation.

    Exactly one limit is given. Every position is searched from scratch, so the same seed and the same
    `depth` or `nodes` give the same move, whatever was searched before. Ties between moves are broken by
    the seed. Each thread that searches keeps a table of 4 MiB and a stack of under 1 MiB.

    Example:
        >>> AlphaBetaBot(depth=4).analyse(Game("boop")).line[0]  # doctest: +SKIP
        'Kd3'

    Args:
        depth: turns to look ahead, 1 to 64; all steps of a turn count as one.
        ms: milliseconds a position.
        nodes: positions visited for each position asked about.
        most_ms: milliseconds a position at which a search by `depth` or `nodes` ends all the same.

    Raises:
        ValueError: none or several limits, or one that is out of range.
    """

    def __init__(
        self,
        depth: int | None = None,
        ms: int | None = None,
        nodes: int | None = None,
        *,
        most_ms: int | None = None,
    ) -> None:
        self._limit, self._amount = only_limit(depth=depth, ms=ms, nodes=nodes)
        if depth is not None and depth > alphabeta.MAX_DEPTH:
            raise ValueError(f"depth={depth} is above {alphabeta.MAX_DEPTH}, the deepest search there is")
        self._limits = {} if self._limit == "ms" else {self._limit: self._amount}
        self._most_ms = self._amount if self._limit == "ms" else most_ms
        self.name = f"alphabeta:{self._limit}={self._amount}"
        self._idle: list[SearchMemory] = []

    def choose(self, states: States, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """One action for each position; see `Bot.choose`. With `ms`, each gets that much time."""
        actions = np.empty(len(states), np.int64)
        seed = seeds(rng, len(states))

        def search(part: slice) -> None:
            work = self._borrow()
            if self._most_ms is not None:
                for index in range(part.start, part.stop):
                    actions[index] = self._run(work, states.rules, states.words[index], seed[index])
            else:
                work.prepare(states.rules, **self._limits)
                alphabeta.search_many(
                    states.rules.tables, states.words[part], seed[part], work.work, work.table, actions[part]
                )
            self._idle.append(work)

        in_threads(search, len(states))
        return actions

    def analyse(self, game: Game) -> Analysis:
        """Searches a game's position and says what was found.

        Raises:
            ValueError: the game is over.
        """
        if game.is_over:
            raise ValueError(f"the game is over ({game.position()}); there is nothing to analyse")
        work = self._borrow()
        start = perf_counter()
        self._run(work, game.rules, game.state, np.uint64(0))
        found = work.analysis(game.rules, perf_counter() - start)
        self._idle.append(work)
        return found

    def _borrow(self) -> SearchMemory:
        return self._idle.pop() if self._idle else SearchMemory(TABLE_ENTRIES)

    def _run(self, work: SearchMemory, rules: RuleSet, words: npt.NDArray[np.uint64], seed: np.uint64) -> int:
        deadline = perf_counter() + self._most_ms / 1000 if self._most_ms is not None else np.inf
        work.prepare(rules, **self._limits)
        alphabeta.start_search(rules.tables, words, work.work, work.table, seed)
        while not alphabeta.continue_search(rules.tables, work.work, work.table, SLICE):
            if perf_counter() >= deadline:
                break
        return int(work.work[0].best_action)
