"""`SearchMemory`: what an alpha-beta search needs room for, made once and used for one search after another."""

from __future__ import annotations

from typing import Any

import numpy as np

from boop_env.rules.ruleset import RuleSet
from boop_env.search import alphabeta
from boop_env.search.analysis import Analysis
from boop_env.search.evaluation import expected_result, rings, weights


class SearchMemory:
    """The memory of one alpha-beta search at a time.

    Args:
        entries: of its table, a power of two; 16 bytes each.
    """

    def __init__(self, entries: int) -> None:
        self.work: Any = np.zeros(1, alphabeta.WORK)
        self.table = np.zeros((entries, 2), np.uint64)
        self.work[0].use[:] = 1
        self._rules: RuleSet | None = None

    def prepare(self, rules: RuleSet, *, depth: int = alphabeta.MAX_DEPTH, nodes: int | None = None) -> None:
        """Sets the evaluation and the limits, in turns and in positions visited."""
        work = self.work[0]
        if self._rules is not rules:
            work.rings[:] = rings(rules)
            work.weights[:] = weights(rules)
            self._rules = rules
        work.max_depth = depth
        work.max_nodes = np.iinfo(np.int64).max // 2 if nodes is None else nodes

    def analysis(self, rules: RuleSet, seconds: float) -> Analysis:
        """What the finished or interrupted search knows."""
        work = self.work[0]
        score = int(work.value)
        proven = None
        if abs(score) >= alphabeta.PROVEN:
            proven = alphabeta.WIN - score if score > 0 else -alphabeta.WIN - score
        line = tuple(rules.action_to_move(action) for action in work.line[: work.line_length])
        return Analysis(expected_result(score), proven, line, int(work.nodes), int(work.depth), seconds)
