"""How fast the searches are on one core, from the opening to the end of a few games."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np

from boop_env.rules import calls
from boop_env.rules.ruleset import RuleSet, ruleset
from boop_env.search import alphabeta, mcts
from boop_env.search.evaluation import rings, weights

POSITIONS = 16
TABLE_ENTRIES = 1 << 18
POOL_NODES = 1 << 20


def alphabeta_nodes_per_second(rules: str | RuleSet, seconds: float) -> float:
    """Positions that alpha-beta visits a second, deepening from positions of random games.

    Args:
        rules: a preset's name or a rule set.
        seconds: time to measure; a first call compiles, which is not counted.
    """
    rules = ruleset(rules)
    work: Any = np.zeros(1, alphabeta.WORK)
    work[0].rings[:] = rings(rules)
    work[0].weights[:] = weights(rules)
    work[0].use[:] = 1
    work[0].max_depth = alphabeta.MAX_DEPTH
    work[0].max_nodes = 1 << 62
    table = np.zeros((TABLE_ENTRIES, 2), np.uint64)

    def search(words: Any, seconds: float) -> int:
        alphabeta.start_search(rules.tables, words, work, table, np.uint64(1))
        deadline = perf_counter() + seconds
        while not alphabeta.continue_search(rules.tables, work, table, 2000) and perf_counter() < deadline:
            pass
        return int(work[0].nodes)

    return _rate(rules, seconds, search)


def mcts_rollouts_per_second(rules: str | RuleSet, seconds: float) -> float:
    """Simulations a second, each with a playout to the end, growing trees from positions of random games.

    Args:
        rules: a preset's name or a rule set.
        seconds: time to measure; a first call compiles, which is not counted.
    """
    rules = ruleset(rules)
    tree: Any = mcts.new_tree()
    tree[0].rings[:] = rings(rules)
    tree[0].weights[:] = weights(rules)
    nodes: Any = np.zeros(POOL_NODES, mcts.NODE)

    def search(words: Any, seconds: float) -> int:
        mcts.plant(rules.tables, words, tree, nodes, np.uint64(1))
        deadline = perf_counter() + seconds
        while not mcts.simulate(rules.tables, tree, nodes, 100) and perf_counter() < deadline:
            pass
        return int(tree[0].simulations)

    return _rate(rules, seconds, search)


def _rate(rules: RuleSet, seconds: float, search: Any) -> float:
    """Units a second of a search over some positions, the time shared out evenly."""
    positions = _positions(rules)
    search(positions[0], 0.01)
    done, spent = 0, 0.0
    for words in positions:
        start = perf_counter()
        done += search(words, seconds / len(positions))
        spent += perf_counter() - start
    return done / spent


def _positions(rules: RuleSet) -> list[Any]:
    """Positions after 2, 4, 6 ... turns of random games, always the same."""
    rng = np.random.default_rng(0)
    found: list[Any] = []
    actions = np.empty(rules.num_actions, np.int64)
    while len(found) < POSITIONS:
        words = np.zeros(6, np.uint64)
        calls.write_initial(rules.tables, words)
        for _ in range(2 * len(found) + 2):
            count = calls.legal_actions(rules.tables, words, actions)
            if count:
                calls.step(rules.tables, words, actions[rng.integers(count)], words)
        if calls.legal_actions(rules.tables, words, actions):
            found.append(words)
    return found
