"""The rules as compiled functions on bitboards (rules.md sections 3 to 7).

A space is bit ``row * 8 + column`` of a 64-bit word. A piece at ``n`` pushed by a piece at ``s``
lands on ``2n - s``. The state is seen from the mover: ``own`` is the mover's, ``opp`` the other
player's. What a player owns is counted, never what is in a pool: pools are what is owned less
what stands on the board, so a piece pushed off the board needs no bookkeeping.

Numba compiles every function here; with ``NUMBA_DISABLE_JIT=1`` the same functions run as plain
Python. Bitboards are ``uint64`` and counts ``int64``, and the two never meet in one operation.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from boop_env.rules.compiled import (
    compiled,
    highest_bit,
    inlined,
    lowest_bit,
    popcount,
    random_bits,
    random_next,
    scale,
)

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
    """What the mover may graduate (rules.md section 5).

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


@compiled
def initial(t):
    """The start of a game."""
    phase = ORNAMENT if t.ornaments > 0 else PLACEMENT
    return State(
        ZERO, ZERO, ZERO, ZERO, ZERO, 0, 0, t.ornaments, t.ornaments, IN_POOL, IN_POOL, 0, phase, 0, ONGOING, -1
    )


@inlined
def empty_spaces(t, s):
    """Spaces with neither piece nor ornament."""
    return t.spaces & ~(s.own | s.opp | s.own_ornament | s.opp_ornament)


@inlined
def kitten_pool(t, s):
    """Kittens the mover may place."""
    return t.pieces - s.own_cats - popcount(s.own & ~s.cats)


@inlined
def cat_pool(s):
    """Cats the mover may place."""
    return s.own_cats - popcount(s.own & s.cats)


@compiled
def hanging_spaces(t, s):
    """Where the mover may hang an ornament: level 2, or if that is full the tiers below it."""
    empty = empty_spaces(t, s)
    first = empty & t.hang_first
    return first if first != ZERO else empty & t.hang_second


@inlined
def row_starts(t, pieces):
    """First spaces of the rows among `pieces`, one bitboard for each of the four directions."""
    return (
        pieces & (pieces >> RIGHT) & (pieces >> TWO) & t.row_starts[0],
        pieces & (pieces >> DOWN) & (pieces >> np.uint64(16)) & t.row_starts[1],
        pieces & (pieces >> DOWN_RIGHT) & (pieces >> np.uint64(18)) & t.row_starts[2],
        pieces & (pieces >> DOWN_LEFT) & (pieces >> np.uint64(14)) & t.row_starts[3],
    )


@inlined
def has_row(t, pieces):
    """Whether any three of `pieces` stand in a row."""
    right, down, down_right, down_left = row_starts(t, pieces)
    return (right | down | down_right | down_left) != ZERO


@compiled
def row_pieces(starts):
    """All spaces of the rows with these first spaces, one bitboard for each direction."""
    right, down, down_right, down_left = starts
    return (
        right
        | (right << RIGHT)
        | (right << TWO)
        | down
        | (down << DOWN)
        | (down << np.uint64(16))
        | down_right
        | (down_right << DOWN_RIGHT)
        | (down_right << np.uint64(18))
        | down_left
        | (down_left << DOWN_LEFT)
        | (down_left << np.uint64(14))
    )


@inlined
def boop_simple(t, s, at, is_cat):
    """Boops of the piece placed on bit `at`, in a rule set without ornaments (section 4).

    Returns:
        The pieces after it: own, opp, cats.
    """
    own, opp, cats = s.own, s.opp, s.cats
    occupied = own | opp
    pushed = t.neighbours[at] & (occupied if is_cat else occupied & ~cats)
    fallen = pushed & t.falls[at]
    own &= ~fallen
    opp &= ~fallen
    cats &= ~fallen
    pushed ^= fallen
    while pushed != ZERO:
        index = lowest_bit(pushed)
        origin = pushed & (~pushed + ONE)
        pushed ^= origin
        target = bit(2 * index - at)
        if occupied & target == ZERO:
            both = origin | target
            if own & origin != ZERO:
                own ^= both
            else:
                opp ^= both
            if cats & origin != ZERO:
                cats ^= both
    placed = bit(at)
    return own | placed, opp, (cats | placed if is_cat else cats)


@compiled
def boop_with_ornaments(t, s, at, is_cat):
    """Boops of the piece placed on bit `at` where ornaments hang (section 4).

    Returns:
        own, opp, cats, own_ornament, opp_ornament, own_ornaments, opp_ornaments.
    """
    own, opp, cats = s.own, s.opp, s.cats
    own_ornament, opp_ornament = s.own_ornament, s.opp_ornament
    own_ornaments, opp_ornaments = s.own_ornaments, s.opp_ornaments
    ornaments = own_ornament | opp_ornament
    occupied = own | opp | ornaments
    pushed = t.neighbours[at] & (occupied if is_cat else occupied & ~cats)
    while pushed != ZERO:
        index = lowest_bit(pushed)
        origin = bit(index)
        pushed ^= origin
        falls = t.falls[at] & origin != ZERO
        target = ZERO if falls else bit(2 * index - at)
        if ornaments & origin != ZERO:
            if falls:
                if own_ornament & origin != ZERO:
                    own_ornament = ZERO
                else:
                    opp_ornament = ZERO
                    opp_ornaments -= 1
            elif occupied & target == ZERO and t.not_higher[index] & target != ZERO:
                if own_ornament & origin != ZERO:
                    own_ornament = target
                else:
                    opp_ornament = target
        elif ornaments & target != ZERO:
            if cats & origin != ZERO:
                # The pounce: cat and ornament both leave; the cat's owner keeps a foreign one.
                own_cat = own & origin != ZERO
                if own_ornament & target != ZERO:
                    own_ornament = ZERO
                    own_ornaments -= 0 if own_cat else 1
                else:
                    opp_ornament = ZERO
                    opp_ornaments -= 1 if own_cat else 0
                own &= ~origin
                opp &= ~origin
                cats &= ~origin
        elif falls or occupied & target == ZERO:
            if own & origin != ZERO:
                own = (own ^ origin) | target
            else:
                opp = (opp ^ origin) | target
            if cats & origin != ZERO:
                cats = (cats ^ origin) | target
    placed = bit(at)
    if is_cat:
        cats |= placed
    return own | placed, opp, cats, own_ornament, opp_ornament, own_ornaments, opp_ornaments


@inlined
def place(t, s, at, is_cat):
    """A piece placed on bit `at` with its boops; the turn goes on with `settle`."""
    if t.ornaments == 0:
        own, opp, cats = boop_simple(t, s, at, is_cat)
        return with_pieces(s, own, opp, cats)
    own, opp, cats, own_ornament, opp_ornament, own_ornaments, opp_ornaments = boop_with_ornaments(t, s, at, is_cat)
    return State(
        own,
        opp,
        cats,
        own_ornament,
        opp_ornament,
        s.own_cats,
        s.opp_cats,
        own_ornaments,
        opp_ornaments,
        s.own_ghost,
        s.opp_ghost,
        s.mover,
        s.phase,
        s.turn,
        s.outcome,
        s.winner,
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


@inlined
def hang(s, at):
    """The mover's ornament hung on bit `at`."""
    return State(
        s.own,
        s.opp,
        s.cats,
        bit(at),
        s.opp_ornament,
        s.own_cats,
        s.opp_cats,
        s.own_ornaments,
        s.opp_ornaments,
        s.own_ghost,
        s.opp_ghost,
        s.mover,
        PLACEMENT,
        s.turn,
        s.outcome,
        s.winner,
    )


@compiled
def slide(pieces, origin, target):
    """`pieces` with the one on `origin`, if any, moved to `target` (no bits: off the board)."""
    return (pieces ^ origin) | target if pieces & origin != ZERO else pieces


@compiled
def move_ghost(t, s):
    """The mover's ghost one stitch on, with its boops (section 6)."""
    following = t.ghost_next[s.own_ghost]
    if following != CAME_HOME and s.opp_ghost >= ON_BOARD and t.ghost_stitch[following] == t.ghost_stitch[s.opp_ghost]:
        following = t.ghost_next[following]
    if following == CAME_HOME:
        return with_own_ghost(s, CAME_HOME)
    own, opp, cats = s.own, s.opp, s.cats
    # An empty space behind and BOOO! over pieces are one rule: to the first empty space there.
    empty = t.spaces & ~(own | opp)
    free = t.ghost_low_ray[following] & empty
    origin = bit(t.ghost_low[following]) & ~empty
    target = bit(highest_bit(free)) if free != ZERO else ZERO
    own, opp, cats = slide(own, origin, target), slide(opp, origin, target), slide(cats, origin, target)
    free = t.ghost_high_ray[following] & empty
    origin = bit(t.ghost_high[following]) & ~empty
    target = free & (~free + ONE)
    own, opp, cats = slide(own, origin, target), slide(opp, origin, target), slide(cats, origin, target)
    return with_own_ghost(with_pieces(s, own, opp, cats), following)


@compiled
def outcome(t, s):
    """The win check of section 7.

    Returns:
        (outcome, 0 if the mover wins else 1); the latter means nothing while ongoing.
    """
    if has_row(t, s.own) and has_row(t, s.own & s.cats):
        return THREE_CATS, 0
    if t.eight_cats_win and popcount(s.own & s.cats) == t.pieces:
        return EIGHT_CATS, 0
    if t.ornaments > 0:
        if s.opp_ornaments == 0:
            return ORNAMENTS_TAKEN, 0
        if s.own_ornaments == 0:
            return ORNAMENTS_TAKEN, 1
    if t.at_once and has_row(t, s.opp & s.cats):
        return THREE_CATS, 1
    return ONGOING, 0


@compiled
def movable_pieces(t, s):
    """The mover's pieces that one placement by the other player would move.

    For `safe_rows_only` (section 5), which excludes ornaments and ghosts. Along each line a piece
    moves when one side is an empty space, for the pusher, and the other side is not occupied.
    """
    other_cats = s.opp_cats - popcount(s.opp & s.cats)
    other_kittens = t.pieces - s.opp_cats - popcount(s.opp & ~s.cats)
    if other_cats + other_kittens == 0:
        return ZERO
    occupied = s.own | s.opp
    empty = t.spaces & ~occupied
    moved = ZERO
    for direction in range(4):
        can_step = t.can_step[direction]
        shift = np.uint64((1, 8, 9, 7)[direction])
        before_empty = (empty & can_step) << shift
        before_occupied = (occupied & can_step) << shift
        after_empty = (empty >> shift) & can_step
        after_occupied = (occupied >> shift) & can_step
        moved |= (before_empty & ~after_occupied) | (after_empty & ~before_occupied)
    moved &= s.own
    return moved if other_cats > 0 else moved & ~s.cats


@compiled
def safe_row_starts(t, s):
    """Rows of the mover that may graduate: all of them, or with `safe_rows_only` the safe ones."""
    starts = row_starts(t, s.own)
    if t.safe_rows_only:
        right, down, down_right, down_left = starts
        if (right | down | down_right | down_left) != ZERO:
            return row_starts(t, s.own & ~movable_pieces(t, s))
    return starts


@compiled
def graduation(t, s):
    """The choices of section 5; nothing to choose where all rows graduate together."""
    right, down, down_right, down_left = safe_row_starts(t, s)
    any_row = (right | down | down_right | down_left) != ZERO
    singles = ZERO
    decline = 0
    if popcount(s.own) == t.pieces:
        if t.full_bed == MAY:
            singles = s.own
            decline = 0 if any_row else 1
        elif not any_row:
            if t.full_bed == MUST:
                singles = s.own
            elif not has_row(t, s.opp):
                singles = s.own & ~s.cats
    if t.rows_all and any_row:
        return Graduation(ZERO, ZERO, ZERO, ZERO, ZERO, 0)
    return Graduation(right, down, down_right, down_left, singles, decline)


@compiled
def count_options(g):
    """How many choices a graduation has."""
    return (
        popcount(g.right)
        + popcount(g.down)
        + popcount(g.down_right)
        + popcount(g.down_left)
        + popcount(g.singles)
        + g.decline
    )


@compiled
def graduate(s, taken):
    """These pieces off the board, the kittens among them now cats in the pool."""
    return State(
        s.own & ~taken,
        s.opp,
        s.cats & ~taken,
        s.own_ornament,
        s.opp_ornament,
        s.own_cats + popcount(taken & ~s.cats),
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
def settle(t, s):
    """The turn from step 4 on: ghost, win check, graduation, up to the next choice."""
    if t.ghosts and s.own_ghost >= ON_BOARD:
        s = move_ghost(t, s)
    # A row or a full bed is rare, and without either (or ornaments) there is nothing to do.
    if not has_row(t, s.own) and popcount(s.own) < t.pieces and not t.at_once and t.ornaments == 0:
        return after_graduation(t, s)
    return settle_rows(t, s)


@compiled
def settle_rows(t, s):
    """Steps 5 and 6 of the turn."""
    how, loses = outcome(t, s)
    if how != ONGOING:
        return with_phase(s, OVER, how, s.mover ^ loses)
    if t.rows_all:
        s = graduate(s, row_pieces(safe_row_starts(t, s)))
    g = graduation(t, s)
    options = count_options(g)
    if options > 1:
        return with_phase(s, GRADUATION, ONGOING, -1)
    if options == 1:
        taken = g.singles | row_pieces((g.right, g.down, g.down_right, g.down_left))
        s = graduate(s, taken)
    return after_graduation(t, s)


@inlined
def after_graduation(t, s):
    """Steps 7 and 8 of the turn."""
    if t.ghosts and s.own_ghost == IN_POOL:
        return with_phase(s, GHOST, ONGOING, -1)
    return pass_turn(t, s)


@inlined
def pass_turn(t, s):
    """Step 8: the other player's turn, or the end at the turn cap."""
    turn = s.turn + 1
    passed = State(
        s.opp,
        s.own,
        s.cats,
        s.opp_ornament,
        s.own_ornament,
        s.opp_cats,
        s.own_cats,
        s.opp_ornaments,
        s.own_ornaments,
        s.opp_ghost,
        IN_POOL if s.own_ghost == CAME_HOME else s.own_ghost,
        1 - s.mover,
        PLACEMENT,
        turn,
        ONGOING,
        -1,
    )
    if turn >= t.max_turns:
        return with_phase(passed, OVER, TRUNCATED, -1)
    if t.ornaments > 0 and must_hang(t, passed):
        return with_phase(passed, ORNAMENT, ONGOING, -1)
    return passed


@compiled
def must_hang(t, s):
    """Whether the mover's turn begins with hanging an ornament."""
    return s.own_ornament == ZERO and s.own_ornaments > 0 and hanging_spaces(t, s) != ZERO


@compiled
def place_ghost(t, s, entry):
    """The mover's ghost on an entry; the turn passes."""
    return pass_turn(t, with_own_ghost(s, ON_BOARD + 8 * entry))


@inlined
def step(t, s, action):
    """The state after a legal action; an illegal one gives nonsense, see `is_legal`."""
    kind = t.action_kind[action]
    at = t.action_at[action]
    if kind <= CAT:
        return settle(t, place(t, s, at, kind == CAT))
    if kind == HANG:
        return hang(s, at)
    if kind == ROW:
        return after_graduation(t, graduate(s, t.row_mask[at]))
    if kind == SINGLE:
        return after_graduation(t, graduate(s, bit(at)))
    if kind == ENTER:
        return place_ghost(t, s, at)
    if s.phase == PLACEMENT:
        return settle(t, s)
    if s.phase == GRADUATION:
        return after_graduation(t, s)
    return pass_turn(t, s)


@compiled
def entry_is_free(t, s, entry):
    """Whether no ghost holds an entry's stitch."""
    return s.opp_ghost < ON_BOARD or t.ghost_stitch[ON_BOARD + 8 * entry] != t.ghost_stitch[s.opp_ghost]


@compiled
def write_cells(t, spaces, first, out, count):
    """Appends ``first + cell`` of each space to `out` from `count` on; returns the new count."""
    while spaces != ZERO:
        out[count] = first + t.cell[lowest_bit(spaces)]
        spaces &= spaces - ONE
        count += 1
    return count


@compiled
def write_rows(t, starts, direction, out, count):
    """Appends the row actions of one direction; returns the new count."""
    while starts != ZERO:
        out[count] = t.first_row + t.row_number[direction, lowest_bit(starts)]
        starts &= starts - ONE
        count += 1
    return count


@compiled
def legal_actions(t, s, out):
    """Writes the legal action numbers, in no particular order.

    Args:
        t: the rule set's tables.
        s: the state.
        out: integers ``(num_actions,)``, filled from the front.

    Returns:
        How many were written; 0 when the game is over.
    """
    count = 0
    if s.phase == PLACEMENT:
        empty = empty_spaces(t, s)
        if kitten_pool(t, s) > 0:
            count = write_cells(t, empty, 0, out, count)
        if cat_pool(s) > 0:
            count = write_cells(t, empty, t.first_cat, out, count)
        if count == 0:
            out[0] = t.pass_action
            count = 1
    elif s.phase == ORNAMENT:
        count = write_cells(t, hanging_spaces(t, s), t.first_ornament, out, count)
    elif s.phase == GRADUATION:
        g = graduation(t, s)
        count = write_rows(t, g.right, 0, out, count)
        count = write_rows(t, g.down, 1, out, count)
        count = write_rows(t, g.down_right, 2, out, count)
        count = write_rows(t, g.down_left, 3, out, count)
        count = write_cells(t, g.singles, t.first_single, out, count)
        if g.decline:
            out[count] = t.pass_action
            count += 1
    elif s.phase == GHOST:
        for entry in range(t.num_entries):
            if entry_is_free(t, s, entry):
                out[count] = t.first_entry + entry
                count += 1
        out[count] = t.pass_action
        count += 1
    return count


@compiled
def is_legal(t, s, action):
    """Whether an action number, in range or not, may be played."""
    if action < 0 or action >= t.num_actions or s.phase == OVER:
        return False
    kind = t.action_kind[action]
    at = t.action_at[action]
    if at < 0:
        return False
    if s.phase == PLACEMENT:
        kittens, cats = kitten_pool(t, s) > 0, cat_pool(s) > 0
        empty = empty_spaces(t, s)
        if kind <= CAT:
            return empty & bit(at) != ZERO and (kittens if kind == KITTEN else cats)
        return kind == PASS and (empty == ZERO or not (kittens or cats))
    if s.phase == ORNAMENT:
        return kind == HANG and hanging_spaces(t, s) & bit(at) != ZERO
    if s.phase == GHOST:
        return kind == PASS or (kind == ENTER and entry_is_free(t, s, at))
    g = graduation(t, s)
    if kind == ROW:
        row = t.row_mask[at]
        start = row & (~row + ONE)
        rest = row ^ start
        shift = lowest_bit(rest) - lowest_bit(start)
        starts = g.right if shift == 1 else g.down if shift == 8 else g.down_right if shift == 9 else g.down_left
        return starts & start != ZERO
    if kind == SINGLE:
        return g.singles & bit(at) != ZERO
    return kind == PASS and g.decline == 1


@compiled
def nth_bit(bits, n):
    """Index of the n-th set bit, counted from 0 at the lowest; `bits` has more than n."""
    for _ in range(n):
        bits &= bits - ONE
    return lowest_bit(bits)


@compiled
def random_graduation(t, s, draw):
    """One of the graduation choices at random, as an action number."""
    g = graduation(t, s)
    pick = scale(draw, count_options(g))
    for direction in range(4):
        starts = (g.right, g.down, g.down_right, g.down_left)[direction]
        count = popcount(starts)
        if pick < count:
            return t.first_row + t.row_number[direction, nth_bit(starts, pick)]
        pick -= count
    if pick < popcount(g.singles):
        return t.first_single + t.cell[nth_bit(g.singles, pick)]
    return t.pass_action


@inlined
def random_action(t, s, seed):
    """One legal action, each as likely.

    Args:
        t: the rule set's tables.
        s: a state that is not over.
        seed: generator state, ``uint64``.

    Returns:
        (action number, generator state).
    """
    seed = random_next(seed)
    draw = random_bits(seed)
    if s.phase == PLACEMENT:
        empty = empty_spaces(t, s)
        kittens, cats = kitten_pool(t, s) > 0, cat_pool(s) > 0
        if empty == ZERO or not (kittens or cats):
            return t.pass_action, seed
        is_cat = cats and (not kittens or draw & ONE != ZERO)
        # Drawing again until a space is empty beats looking for the n-th empty space.
        at = t.space_bits[scale(draw, t.num_spaces)]
        while empty & bit(at) == ZERO:
            seed = random_next(seed)
            at = t.space_bits[scale(random_bits(seed), t.num_spaces)]
        return (t.first_cat if is_cat else 0) + t.cell[at], seed
    if s.phase == ORNAMENT:
        spaces = hanging_spaces(t, s)
        return t.first_ornament + t.cell[nth_bit(spaces, scale(draw, popcount(spaces)))], seed
    if s.phase == GRADUATION:
        return random_graduation(t, s, draw), seed
    entry = scale(draw, t.num_entries + 1)
    while entry < t.num_entries and not entry_is_free(t, s, entry):
        seed = random_next(seed)
        entry = scale(random_bits(seed), t.num_entries + 1)
    return (t.pass_action if entry == t.num_entries else t.first_entry + entry), seed


@compiled
def playout(t, s, seed):
    """Random play to the end.

    Returns:
        (final state, generator state, steps played).
    """
    steps = 0
    while s.phase != OVER:
        action, seed = random_action(t, s, seed)
        s = step(t, s, action)
        steps += 1
    return s, seed, steps
