"""Looking ahead by alpha-beta where a network judges, so that the two of them think of each leaf of a search.

A network knows what matters and overlooks what happens in the next few turns; a shallow alpha-beta search is the
other way round. AlphaGo mixed its value network with playouts in the same way (Silver et al., 2016).
"""

# mypy: disallow-untyped-defs=False, disallow-untyped-calls=False

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from boop_env.rules.compiled import compiled
from boop_env.rules.kernel import ZERO, legal_actions, load
from boop_env.rules.states import States
from boop_env.search.alphabeta import MAX_DEPTH, MAX_LEGAL, PROVEN, search, start
from boop_env.search.evaluation import SCORE_SCALE
from boop_env.search.lockstep import Evaluate
from boop_env.search.memory import SearchMemory
from boop_env.threads import in_threads

LOOKAHEAD = 2
"""Turns that a search with a network looks ahead from each of its leaves, if not told otherwise."""

VALUE_SHARE = 0.5
"""How much of a leaf's value is alpha-beta's."""

POLICY_SHARE = 0.25
"""How much of a leaf's policy is the move that alpha-beta would play."""

TABLE_ENTRIES = 1 << 14
"""Of a shallow search, 256 KiB: it stays in a processor's cache."""


def with_lookahead(evaluate: Evaluate, depth: int, *, threads: int | None = None) -> Evaluate:
    """What mixes the opinions of `evaluate` with those that alpha-beta comes to a few turns ahead.

    A win or loss that alpha-beta proves counts in full.

    Args:
        evaluate: what looks at positions that are not over, such as a `StateEvaluator`.
        depth: turns to look ahead; 0 leaves `evaluate` as it is.
        threads: that search at once; as many as there are cores when not given.

    Raises:
        ValueError: `depth` is out of range.
    """
    check_lookahead(depth)
    if depth == 0:
        return evaluate
    idle: list[SearchMemory] = []

    def look(states: States) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        logits, values = (np.array(opinions, np.float32) for opinions in evaluate(states))

        def look_at(part: slice) -> None:
            memory = idle.pop() if idle else SearchMemory(TABLE_ENTRIES)
            memory.prepare(states.rules, depth=depth)
            mix_many(states.rules.tables, states.words[part], memory.work, memory.table, logits[part], values[part])
            idle.append(memory)

        in_threads(look_at, len(states), threads)
        return logits, values

    return look


def check_lookahead(depth: int) -> None:
    """Refuses a number of turns that alpha-beta cannot look ahead.

    Raises:
        ValueError: `depth` is out of range.
    """
    if not 0 <= depth <= MAX_DEPTH:
        raise ValueError(f"lookahead={depth} is not a whole number from 0 to {MAX_DEPTH}")


@compiled
def mix_many(tables, states, work, table, logits, values):
    """Searches positions, each as if it were alone, and mixes what is found into logits and values.

    Args:
        tables: the rule set's tables.
        states: ``uint64 (N, 6)``.
        work: ``WORK (1,)``, limits set.
        table: the transposition table, ``uint64 (entries, 2)``.
        logits: float32 ``(N, num_actions)``, changed.
        values: float32 ``(N,)``, changed. What is not finite stays so, to be refused by whoever asked.
    """
    w = work[0]
    moves = np.empty(MAX_LEGAL, np.int64)
    for index in range(len(states)):
        s = load(states[index])
        start(tables[0], w, table, s, ZERO)
        search(tables[0], w, table, w.max_nodes)
        if abs(w.value) >= PROVEN and math.isfinite(values[index]):
            values[index] = 1.0 if w.value > 0 else -1.0
        else:
            found = math.tanh(w.value / SCORE_SCALE)
            values[index] = (1.0 - VALUE_SHARE) * values[index] + VALUE_SHARE * found
        propose(logits[index], moves, legal_actions(tables[0], s, moves), np.int64(w.best_action))


@compiled
def propose(logits, moves, count, action):
    """Raises the logit of an action, so that of the policy over the legal ones `POLICY_SHARE` is that action alone."""
    highest = -math.inf
    for place in range(count):
        highest = max(highest, np.float64(logits[moves[place]]))
    mass = 0.0
    for place in range(count):
        mass += math.exp(np.float64(logits[moves[place]]) - highest)
    chance = math.exp(np.float64(logits[action]) - highest) / mass
    logits[action] = highest + math.log(mass) + math.log(chance + POLICY_SHARE / (1.0 - POLICY_SHARE))
