"""The uniformly random bot, the zero of every rating."""

# mypy: disallow-untyped-defs=False, disallow-untyped-calls=False

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from boop_env.bots.bot import Bot, seeds
from boop_env.rules import kernel
from boop_env.rules.compiled import compiled
from boop_env.rules.states import States


class RandomBot(Bot):
    """Plays each legal action with the same probability."""

    name = "random"

    def choose(self, states: States, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """One action for each position; see `Bot.choose`."""
        actions = np.empty(len(states), np.int64)
        write_random(states.rules.tables, states.words, seeds(rng, len(states)), actions)
        return actions


@compiled
def write_random(tables, words, seeds, actions):
    """Writes a random legal action for each position.

    Args:
        tables: the rule set's tables.
        words: stored states, ``uint64 (N, 6)``, none of them over.
        seeds: a generator state for each, ``uint64 (N,)``.
        actions: written, ``int64 (N,)``.
    """
    for i in range(len(words)):
        actions[i] = kernel.random_action(tables[0], kernel.load(words[i]), seeds[i])[0]
