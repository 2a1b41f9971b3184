"""What a position is to the compiled code: its numbers, its tables, and how it is stored.

A space is bit ``row * 8 + column`` of a 64-bit word. The state is seen from the mover: ``own`` is
the mover's, ``opp`` the other player's. What a player owns is counted, never what is in a pool:
pools are what is owned less what stands on the board, so a piece pushed off the board needs no
bookkeeping. Bitboards are ``uint64`` and counts ``int64``, and the two never meet in one operation.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from boop_env.rules.compiled import inlined

ORNAMENT, PLACEMENT, GRADUATION, GHOST, OVER = range(5)
"""Phases, in the order of the letters ``o p g h x`` of position texts."""

ONGOING, THREE_CATS, EIGHT_CATS, ORNAMENTS_TAKEN, TRUNCATED = range(5)
"""Outcomes; all but the first end the game."""

KITTEN, CAT, HANG, ROW, SINGLE, ENTER, PASS = range(7)
"""Action kinds, in the order of the blocks of action numbers."""

MAY, MUST, MUST_KITTEN = range(3)
"""The ``full_bed`` options."""

IN_POOL, CAME_HOME, ON_BOARD = range(3)
"""Ghost codes: in the pool, home since this turn, and ``ON_BOARD + 8 * entry + stitch``."""

MAX_ACTIONS = 3 * 64 + 168 + 64 + 28 + 1
"""Most actions a rule set can have: an 8x8 board with everything."""

MAX_GHOST_CODES = ON_BOARD + 8 * 28

STATE_WORDS = 6
"""``uint64`` words of a stored state: own, opp, cats, own ornament, opp ornament, the rest."""

TABLES = np.dtype(
    (
        np.record,
        [
            # Options of the rule set.
            ("pieces", "i8"),
            ("max_turns", "i8"),
            ("rows_all", "i8"),
            ("full_bed", "i8"),
            ("eight_cats_win", "i8"),
            ("at_once", "i8"),
            ("safe_rows_only", "i8"),
            ("ghosts", "i8"),
            ("ornaments", "i8"),
            # The layout. `falls`: neighbours of a space that a push from it sends off the board.
            # `can_step`: spaces that have a space next to them in a direction.
            ("height", "i8"),
            ("width", "i8"),
            ("rectangle", "u8"),
            ("spaces", "u8"),
            ("hang_first", "u8"),
            ("hang_second", "u8"),
            ("row_starts", "u8", (4,)),
            ("can_step", "u8", (4,)),
            ("neighbours", "u8", (64,)),
            ("falls", "u8", (64,)),
            ("not_higher", "u8", (64,)),
            ("num_spaces", "i8"),
            ("space_bits", "i8", (64,)),
            # Ghosts, by ghost code. Rays run outwards from the two spaces beside a stitch.
            ("num_entries", "i8"),
            ("ghost_next", "i8", (MAX_GHOST_CODES,)),
            ("ghost_stitch", "i8", (MAX_GHOST_CODES,)),
            ("ghost_low", "i8", (MAX_GHOST_CODES,)),
            ("ghost_high", "i8", (MAX_GHOST_CODES,)),
            ("ghost_low_ray", "u8", (MAX_GHOST_CODES,)),
            ("ghost_high_ray", "u8", (MAX_GHOST_CODES,)),
            # Actions. `action_at` is a bit, a row's number, or an entry's number.
            ("num_actions", "i8"),
            ("action_kind", "i8", (MAX_ACTIONS,)),
            ("action_at", "i8", (MAX_ACTIONS,)),
            ("cell", "i8", (64,)),
            ("first_cat", "i8"),
            ("first_ornament", "i8"),
            ("first_row", "i8"),
            ("first_single", "i8"),
            ("first_entry", "i8"),
            ("pass_action", "i8"),
            ("row_number", "i8", (4, 64)),
            ("row_mask", "u8", (168,)),
            # Planes (envs/planes.py): board shape and, on a tree, one mask a level.
            ("num_levels", "i8"),
            ("level_masks", "u8", (4,)),
        ],
    ),
    align=True,
)
"""What the compiled functions know of a rule set: one record, made by `RuleSet.tables`."""


class State(NamedTuple):
    """One position, seen from the mover.

    Attributes:
        own: the mover's pieces, a bitboard.
        opp: the other player's pieces.
        cats: which of both are cats.
        own_ornament: the mover's ornament on the tree, if any.
        opp_ornament: the other player's.
        own_cats: cats the mover owns, on the board and in the pool.
        opp_cats: cats the other player owns.
        own_ornaments: ornaments the mover still has, on the tree and in the pool.
        opp_ornaments: the other player's.
        own_ghost: ghost code.
        opp_ghost: the other player's.
        mover: 0 or 1.
        phase: ``ORNAMENT`` ... ``OVER``.
        turn: whole turns completed.
        outcome: ``ONGOING`` or why the game ended.
        winner: 0 or 1, -1 for none.
    """

    own: np.uint64
    opp: np.uint64
    cats: np.uint64
    own_ornament: np.uint64
    opp_ornament: np.uint64
    own_cats: int
    opp_cats: int
    own_ornaments: int
    opp_ornaments: int
    own_ghost: int
    opp_ghost: int
    mover: int
    phase: int
    turn: int
    outcome: int
    winner: int


class Graduation(NamedTuple):
    """What the mover may graduate (docs/rules.md section 5).

    Attributes:
        right: first spaces of the rows that run right, and likewise the other three directions.
        down: rows that run down.
        down_right: rows that run down-right.
        down_left: rows that run down-left.
        singles: pieces that a full bed lets the mover take.
        decline: 1 where the mover may decline, else 0.
    """

    right: np.uint64
    down: np.uint64
    down_right: np.uint64
    down_left: np.uint64
    singles: np.uint64
    decline: int


ZERO = np.uint64(0)
ONE = np.uint64(1)
TWO = np.uint64(2)
RIGHT, DOWN, DOWN_RIGHT, DOWN_LEFT = np.uint64(1), np.uint64(8), np.uint64(9), np.uint64(7)
LOW3, LOW4, LOW8, LOW16 = np.uint64(7), np.uint64(15), np.uint64(255), np.uint64(65535)


@inlined
def bit(index):
    """Bitboard with one bit set."""
    return ONE << np.uint64(index)


@inlined
def load(words):
    """State from its stored form, ``uint64 (STATE_WORDS,)``."""
    rest = words[5]
    return State(
        words[0],
        words[1],
        words[2],
        words[3],
        words[4],
        np.int64(rest & LOW4),
        np.int64((rest >> np.uint64(4)) & LOW4),
        np.int64((rest >> np.uint64(8)) & LOW4),
        np.int64((rest >> np.uint64(12)) & LOW4),
        np.int64((rest >> np.uint64(16)) & LOW8),
        np.int64((rest >> np.uint64(24)) & LOW8),
        np.int64((rest >> np.uint64(32)) & ONE),
        np.int64((rest >> np.uint64(33)) & LOW3),
        np.int64((rest >> np.uint64(48)) & LOW16),
        np.int64((rest >> np.uint64(36)) & LOW3),
        np.int64((rest >> np.uint64(39)) & LOW3) - 1,
    )


@inlined
def store(state, words):
    """Writes a state into ``uint64 (STATE_WORDS,)``."""
    words[0] = state.own
    words[1] = state.opp
    words[2] = state.cats
    words[3] = state.own_ornament
    words[4] = state.opp_ornament
    words[5] = (
        np.uint64(state.own_cats)
        | np.uint64(state.opp_cats) << np.uint64(4)
        | np.uint64(state.own_ornaments) << np.uint64(8)
        | np.uint64(state.opp_ornaments) << np.uint64(12)
        | np.uint64(state.own_ghost) << np.uint64(16)
        | np.uint64(state.opp_ghost) << np.uint64(24)
        | np.uint64(state.mover) << np.uint64(32)
        | np.uint64(state.phase) << np.uint64(33)
        | np.uint64(state.outcome) << np.uint64(36)
        | np.uint64(state.winner + 1) << np.uint64(39)
        | np.uint64(state.turn) << np.uint64(48)
    )


@inlined
def with_pieces(s, own, opp, cats):
    """The state with other pieces on the board."""
    return State(
        own,
        opp,
        cats,
        s.own_ornament,
        s.opp_ornament,
        s.own_cats,
        s.opp_cats,
        s.own_ornaments,
        s.opp_ornaments,
        s.own_ghost,
        s.opp_ghost,
        s.mover,
        s.phase,
        s.turn,
        s.outcome,
        s.winner,
    )


@inlined
def with_phase(s, phase, outcome, winner):
    """The state in another phase, or over."""
    return State(
        s.own,
        s.opp,
        s.cats,
        s.own_ornament,
        s.opp_ornament,
        s.own_cats,
        s.opp_cats,
        s.own_ornaments,
        s.opp_ornaments,
        s.own_ghost,
        s.opp_ghost,
        s.mover,
        phase,
        s.turn,
        outcome,
        winner,
    )


@inlined
def with_own_ghost(s, own_ghost):
    """The state with the mover's ghost elsewhere."""
    return State(
        s.own,
        s.opp,
        s.cats,
        s.own_ornament,
        s.opp_ornament,
        s.own_cats,
        s.opp_cats,
        s.own_ornaments,
        s.opp_ornaments,
        own_ghost,
        s.opp_ghost,
        s.mover,
        s.phase,
        s.turn,
        s.outcome,
        s.winner,
    )
