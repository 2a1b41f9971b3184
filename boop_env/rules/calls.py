"""The kernel as Python calls it: arrays in, arrays out.

A state between calls is its stored form, ``uint64 (kernel.STATE_WORDS,)``: a `State` that passes
through Python would lose its unsigned words. `tables` is `RuleSet.tables`.
"""

from __future__ import annotations

import numpy as np

from boop_env.rules import kernel
from boop_env.rules.compiled import compiled


@compiled
def write_initial(tables, words):
    """Writes the start of a game into `words`."""
    kernel.store(kernel.initial(tables[0]), words)


@compiled
def step(tables, words, action, after):
    """Writes the state after a legal action into `after`, which may be `words` itself."""
    kernel.store(kernel.step(tables[0], kernel.load(words), action), after)


@compiled
def legal_actions(tables, words, out):
    """Writes the legal action numbers into `out`, ``int64 (num_actions,)``; returns how many."""
    return kernel.legal_actions(tables[0], kernel.load(words), out)


@compiled
def is_legal(tables, words, action):
    """Whether an action number, in range or not, may be played."""
    return kernel.is_legal(tables[0], kernel.load(words), action)


@compiled
def facts(tables, words):
    """What a position text is checked against.

    Returns:
        (outcome, 1 if the mover loses by it, whether an ornament must be hung, graduation options).
    """
    t = tables[0]
    s = kernel.load(words)
    how, loses = kernel.outcome(t, s)
    hang = t.ornaments > 0 and kernel.must_hang(t, s)
    return how, loses, hang, kernel.count_options(kernel.graduation(t, s))


@compiled
def perft(tables, words, depth, actions):
    """Legal step sequences of exactly `depth` steps.

    Args:
        tables: the rule set's tables.
        words: the stored state.
        depth: 1 or more.
        actions: scratch, ``int64 (depth, num_actions)``; row `d` holds what is left to try at depth `d`.
    """
    t = tables[0]
    states = np.empty((depth, kernel.STATE_WORDS), np.uint64)
    states[0] = words
    counts = np.zeros(depth, np.int64)
    counts[0] = kernel.legal_actions(t, kernel.load(words), actions[0])
    total = 0
    level = 0
    while level >= 0:
        if level == depth - 1:
            total += counts[level]
            level -= 1
        elif counts[level] == 0:
            level -= 1
        else:
            counts[level] -= 1
            following = kernel.step(t, kernel.load(states[level]), actions[level, counts[level]])
            level += 1
            kernel.store(following, states[level])
            counts[level] = kernel.legal_actions(t, following, actions[level])
    return total
