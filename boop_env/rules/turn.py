"""A turn as compiled functions on bitboards (docs/rules.md sections 3 to 7).

A piece at ``n`` pushed by a piece at ``s`` lands on ``2n - s``. Numba compiles every function here;
with ``NUMBA_DISABLE_JIT=1`` the same functions run as plain Python.
"""

from __future__ import annotations

import numpy as np

from boop_env.rules.compiled import (
    compiled,
    highest_bit,
    inlined,
    lowest_bit,
    popcount,
)
from boop_env.rules.state import (
    CAME_HOME,
    CAT,
    DOWN,
    DOWN_LEFT,
    DOWN_RIGHT,
    EIGHT_CATS,
    ENTER,
    GHOST,
    GRADUATION,
    HANG,
    IN_POOL,
    MAY,
    MUST,
    ON_BOARD,
    ONE,
    ONGOING,
    ORNAMENT,
    ORNAMENTS_TAKEN,
    OVER,
    PLACEMENT,
    RIGHT,
    ROW,
    SINGLE,
    THREE_CATS,
    TRUNCATED,
    TWO,
    ZERO,
    Graduation,
    State,
    bit,
    with_own_ghost,
    with_phase,
    with_pieces,
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
