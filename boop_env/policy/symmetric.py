"""Looking at a position from another side, or from all of them: a network's opinion in the symmetries of the board.

The rules treat rotations and reflections alike, but a network has only learned to, more or less. The average
over all of them does so exactly, and errs less. A search whose positions are each seen from a side of their own
takes that average over its tree, at no cost, as AlphaGo Zero did (Silver et al., 2017).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from boop_env.rules.compiled import GOLDEN
from boop_env.rules.kernel import STATE_WORDS
from boop_env.rules.states import States
from boop_env.rules.symmetry import symmetries, turn_states
from boop_env.search.lockstep import Evaluate

AT_ONCE = 512
"""Positions turned at once, which bounds the memory of their planes."""

ODD = GOLDEN * np.arange(1, 2 * STATE_WORDS, 2, dtype=np.uint64)
"""What the words of a state are multiplied by to hash it."""


def seen_from_one_side(evaluate: Evaluate) -> Evaluate:
    """What looks at every position in one symmetry of its board, as good as drawn, but always the same for a position.

    Args:
        evaluate: what looks at positions, such as a `StateEvaluator`.
    """

    def look(states: States) -> tuple[np.ndarray, np.ndarray]:
        actions = symmetries(states.rules).actions
        sides = sides_of(states.words, len(actions))
        logits, values = evaluate(States(states.rules, turn_states(states.rules, states.words, sides)))
        return np.take_along_axis(logits, actions[sides], 1), values

    return look


def sides_of(words: npt.NDArray[np.uint64], count: int) -> npt.NDArray[np.int64]:
    """A symmetry for each stored state, uint64 ``(N, 6)``: numbers below `count`, int64 ``(N,)``."""
    folded: npt.NDArray[np.uint64] = (words * ODD).sum(1, dtype=np.uint64)
    return (((folded ^ folded >> np.uint64(32)) * GOLDEN >> np.uint64(32)) % np.uint64(count)).astype(np.int64)


def seen_from_all_sides(evaluate: Evaluate) -> Evaluate:
    """What looks at every position in each symmetry of its board, and gives the mean logits and values.

    Args:
        evaluate: what looks at positions, such as a `StateEvaluator`.
    """

    def look(states: States) -> tuple[np.ndarray, np.ndarray]:
        parts = [look_at_once(states[at : at + AT_ONCE]) for at in range(0, len(states), AT_ONCE)]
        logits, values = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        return logits, values

    def look_at_once(states: States) -> tuple[np.ndarray, np.ndarray]:
        actions = symmetries(states.rules).actions
        sides, count = len(actions), len(states)
        words = turn_states(states.rules, np.tile(states.words, (sides, 1)), np.repeat(np.arange(sides), count))
        logits, values = evaluate(States(states.rules, words))
        turned_back = np.take_along_axis(logits.reshape(sides, count, -1), actions[:, None, :], 2)
        return turned_back.mean(0), values.reshape(sides, count).mean(0)

    return look
