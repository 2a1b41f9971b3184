"""Looking at a position from all sides: a network's opinion averaged over the symmetries of the board.

The rules treat rotations and reflections alike, but a network has only learned to, more or less. The average
over all of them does so exactly, and errs less.
"""

from __future__ import annotations

import numpy as np

from boop_env.rules.states import States
from boop_env.rules.symmetry import symmetries, turn_states
from boop_env.search.lockstep import Evaluate

AT_ONCE = 512
"""Positions turned at once, which bounds the memory of their planes."""


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
