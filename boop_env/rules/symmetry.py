"""The symmetries of a board as permutations of actions and as maps of stored states.

The rules treat a board's rotations and reflections alike, so a learner may turn any position it has seen.
Planes are turned with `cells`, policies with `actions`; a stored state with `turn_states`.
"""

# mypy: disallow-untyped-defs=False, disallow-untyped-calls=False

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from boop_env.rules.compiled import compiled, lowest_bit
from boop_env.rules.kernel import MAX_GHOST_CODES, ON_BOARD, ONE, STATE_WORDS, ZERO
from boop_env.rules.layout import Layout
from boop_env.rules.ruleset import RuleSet


class Symmetries(NamedTuple):
    """Permutations, a row for each of S symmetries, the identity first.

    Attributes:
        cells: where each cell goes, int64 ``(S, num_cells)``.
        actions: what each action becomes, int64 ``(S, num_actions)``.
        bits: where each bit of a bitboard goes, int64 ``(S, 64)``.
        ghosts: what each ghost code becomes, int64 ``(S, MAX_GHOST_CODES)``.
    """

    cells: npt.NDArray[np.int64]
    actions: npt.NDArray[np.int64]
    bits: npt.NDArray[np.int64]
    ghosts: npt.NDArray[np.int64]


@cache
def symmetries(rules: RuleSet) -> Symmetries:
    """The symmetries of a rule set's board: eight on a square bed, and on the tree."""
    board = rules.board
    cells = np.array(board.symmetries, np.int64)
    actions = np.empty((len(cells), rules.num_actions), np.int64)
    bits = np.tile(np.arange(64), (len(cells), 1))
    ghosts = np.tile(np.arange(MAX_GHOST_CODES), (len(cells), 1))
    for index, turned in enumerate(cells):
        actions[index] = turned_actions(rules, turned)
        for cell, to in enumerate(turned):
            bits[index, board.bit(cell)] = board.bit(int(to))
        if rules.ghosts:
            # A ghost's code is its entry's number and how far along its line it is; the latter stays.
            for entry, to in enumerate(turned_entries(board, turned)):
                length = len(board.entries[entry].stitches)
                codes = ON_BOARD + 8 * entry + np.arange(length)
                ghosts[index, codes] = codes + 8 * (to - entry)
    return Symmetries(cells, actions, bits, ghosts)


def turned_actions(rules: RuleSet, turned: npt.NDArray[np.int64]) -> list[int]:
    """What each action becomes when the cells are turned."""
    board = rules.board
    row_numbers = {frozenset(row): number for number, row in enumerate(board.rows)}
    found: list[int] = []
    for block in rules.actions.blocks:
        if block.kind == "pass":
            places = [0]
        elif block.kind == "row":
            places = [row_numbers[frozenset(int(turned[cell]) for cell in row)] for row in board.rows]
        elif block.kind == "ghost":
            places = turned_entries(board, turned)
        else:
            places = [int(to) for to in turned]
        found += [block.start + place for place in places]
    return found


def turned_entries(board: Layout, turned: npt.NDArray[np.int64]) -> list[int]:
    """What each ghost entry becomes when the cells are turned."""
    # The first stitch alone would not do: on a board one space wide, two entries share it.
    steps = {"v": (1, 0), "^": (-1, 0), ">": (0, 1), "<": (0, -1)}
    numbers = {
        (frozenset(entry.stitches[0]), steps[entry.heading]): number for number, entry in enumerate(board.entries)
    }
    rows, columns = turned_axes(board, turned)
    found = []
    for entry in board.entries:
        down, right = steps[entry.heading]
        heading = down * rows[0] + right * columns[0], down * rows[1] + right * columns[1]
        found.append(numbers[frozenset(int(turned[cell]) for cell in entry.stitches[0]), heading])
    return found


def turned_axes(board: Layout, turned: npt.NDArray[np.int64]) -> tuple[tuple[int, int], tuple[int, int]]:
    """(rows, columns) that one step down, and one step right, become."""
    width, height = board.width, board.height

    def apart(a: int, b: int) -> tuple[int, int]:
        a, b = int(turned[a]), int(turned[b])
        return b // width - a // width, b % width - a % width

    down = apart(0, width) if height > 1 else (0, 0)
    right = apart(0, 1) if width > 1 else (0, 0)
    return down, right


def turn_states(rules: RuleSet, words: npt.NDArray[np.uint64], which: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
    """Stored states turned, each by its own symmetry.

    Args:
        rules: their rule set.
        words: uint64 ``(N, 6)``.
        which: rows of `symmetries`, int64 ``(N,)``.

    Returns:
        uint64 ``(N, 6)``, a new array.
    """
    table = symmetries(rules)
    out = np.empty_like(words)
    turn_many(words, which, table.bits, table.ghosts, out)
    return out


@compiled
def turn_many(words, which, bits, ghosts, out):
    """See `turn_states`."""
    low = np.uint64(255)
    for index in range(len(words)):
        to = bits[which[index]]
        for board in range(STATE_WORDS - 1):
            left = words[index, board]
            turned = ZERO
            while left != ZERO:
                turned |= ONE << np.uint64(to[lowest_bit(left)])
                left &= left - ONE
            out[index, board] = turned
        rest = words[index, STATE_WORDS - 1]
        own = ghosts[which[index], np.int64((rest >> np.uint64(16)) & low)]
        opp = ghosts[which[index], np.int64((rest >> np.uint64(24)) & low)]
        rest &= ~(np.uint64(0xFFFF) << np.uint64(16))
        out[index, STATE_WORDS - 1] = rest | np.uint64(own) << np.uint64(16) | np.uint64(opp) << np.uint64(24)
