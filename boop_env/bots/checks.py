"""What is checked of every batch that a bot is asked about, compiled."""

# mypy: disallow-untyped-defs=False, disallow-untyped-calls=False

from __future__ import annotations

from boop_env.rules import kernel
from boop_env.rules.compiled import compiled


@compiled
def first_over(words):
    """Index of the first position that is over, -1 for none; `words` is ``uint64 (N, 6)``."""
    for i in range(len(words)):
        if kernel.load(words[i]).phase == kernel.OVER:
            return i
    return -1


@compiled
def first_illegal(tables, words, actions):
    """Index of the first action that may not be played in its position, -1 for none."""
    for i in range(len(words)):
        if not kernel.is_legal(tables[0], kernel.load(words[i]), actions[i]):
            return i
    return -1
