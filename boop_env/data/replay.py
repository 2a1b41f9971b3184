"""Many recorded games played again in one compiled call."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from boop_env.rules import kernel
from boop_env.rules.compiled import compiled


@compiled
def replay_games(
    tables: npt.NDArray[np.void],
    firsts: npt.NDArray[np.int64],
    actions: npt.NDArray[np.int64],
    words: npt.NDArray[np.uint64],
    starts: npt.NDArray[np.uint64],
    ends: npt.NDArray[np.int64],
) -> int:
    """Plays G games, N actions in all, one game's after the other's.

    Args:
        tables: the rule set's tables.
        firsts: int64 ``(G + 1,)``, where each game's actions begin, and N.
        actions: int64 ``(N,)``.
        words: uint64 ``(N, 6)``, overwritten: the position before each action.
        starts: uint64 ``(G, 6)``, where each game starts.
        ends: int64 ``(G, 3)``, overwritten: outcome (0 while it goes on, else the value of a `Reason`),
            winner (-1 for none) and turns.

    Returns:
        -1, or the index of the first illegal action, where it stops.
    """
    t = tables[0]
    for game in range(len(starts)):
        s = kernel.load(starts[game])
        for index in range(firsts[game], firsts[game + 1]):
            if not kernel.is_legal(t, s, actions[index]):
                return index
            kernel.store(s, words[index])
            s = kernel.step(t, s, actions[index])
        ends[game, 0], ends[game, 1], ends[game, 2] = s.outcome, s.winner, s.turn
    return -1
