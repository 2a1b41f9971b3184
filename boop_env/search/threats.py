"""Bitboard questions that both searches ask: which placements complete a row, which win at once."""

# mypy: disallow-untyped-defs=False, disallow-untyped-calls=False

from __future__ import annotations

import numpy as np

from boop_env.rules.compiled import compiled, lowest_bit, popcount
from boop_env.rules.kernel import (
    OVER,
    ZERO,
    cat_pool,
    empty_spaces,
    has_row,
    kitten_pool,
    step,
)

ONE = np.uint64(1)
NO_ACTION = -1


@compiled
def row_ends(t, pieces):
    """Spaces at the end of a row whose two other spaces hold `pieces`.

    A piece placed there always completes the row: the one next to it is blocked by the far one.
    """
    found = ZERO
    for direction in range(4):
        shift = np.uint64((1, 8, 9, 7)[direction])
        starts = t.row_starts[direction]
        pair = pieces & (pieces >> shift)
        found |= ((pair & starts) << (shift + shift)) | ((pair >> shift) & starts)
    return found


@compiled
def row_middles(t, pieces):
    """Spaces in the middle of a row whose two ends hold `pieces`; a piece placed there may push them."""
    found = ZERO
    for direction in range(4):
        shift = np.uint64((1, 8, 9, 7)[direction])
        found |= (pieces & (pieces >> (shift + shift)) & t.row_starts[direction]) << shift
    return found


@compiled
def pushes_onto(t, pieces, targets):
    """Spaces from which a placed piece would push one of `pieces` onto one of `targets`."""
    found = ZERO
    for direction in range(4):
        shift = np.uint64((1, 8, 9, 7)[direction])
        can_step = t.can_step[direction]
        ahead = pieces & (targets >> shift) & can_step
        behind = pieces & ((targets & can_step) << shift)
        found |= ((ahead >> shift) & can_step) | ((behind & can_step) << shift)
    return found


@compiled
def beside(t, pieces):
    """Spaces next to `pieces`."""
    found = ZERO
    while pieces != ZERO:
        found |= t.neighbours[lowest_bit(pieces)]
        pieces &= pieces - ONE
    return found


@compiled
def beside_two(t, pieces):
    """Spaces next to two or more of `pieces`."""
    once = twice = ZERO
    while pieces != ZERO:
        near = t.neighbours[lowest_bit(pieces)]
        pieces &= pieces - ONE
        twice |= once & near
        once |= near
    return twice


@compiled
def sure_wins(t, s):
    """Empty spaces where a cat of the mover completes a row of cats, 0 without a cat to place.

    Cheap enough for every step of a playout; wins by a push or a middle are left out.
    """
    if s.own_cats < 3:
        return ZERO
    cats = s.own & s.cats
    on_board = popcount(cats)
    if on_board < 2 or on_board == s.own_cats:
        return ZERO
    return row_ends(t, cats) & empty_spaces(t, s)


@compiled
def threatens(t, s):
    """Whether the player who is not to move could complete a row of cats if it were their turn."""
    if s.opp_cats < 3:
        return False
    cats = s.opp & s.cats
    on_board = popcount(cats)
    if on_board < 2 or on_board == s.opp_cats:
        return False
    return row_ends(t, cats) & empty_spaces(t, s) != ZERO


@compiled
def win_candidates(t, s):
    """Placements worth a try in `winning_placement`: none is left out that wins without a ghost's help."""
    empty = empty_spaces(t, s)
    found = ZERO
    if s.own_cats >= 3:
        cats = s.own & s.cats
        on_board = popcount(cats)
        if on_board >= 3 and has_row(t, cats):
            return empty
        if on_board >= 2 and (on_board < s.own_cats or on_board >= 3):
            targets = (row_ends(t, cats) | row_middles(t, cats)) & empty
            found = targets | pushes_onto(t, cats, targets)
        if on_board >= 3 and on_board < s.own_cats:
            found |= beside_two(t, cats)  # both may be pushed into a row with a third
        if t.eight_cats_win and on_board >= t.pieces - 1:
            return empty
    if t.ornaments > 0 and s.opp_ornaments == 1 and s.opp_ornament != ZERO:
        near = beside(t, s.opp_ornament)
        found |= near | beside(t, near)
    return found & empty


@compiled
def winning_placement(t, s):
    """A placement that wins at once, or ``NO_ACTION``.

    Args:
        t: the rule set's tables.
        s: a state in the placement phase.

    Returns:
        The action number. Wins that only the mover's own ghost brings about may be missed.
    """
    candidates = win_candidates(t, s)
    if candidates == ZERO:
        return NO_ACTION
    cats, kittens = cat_pool(s) > 0, kitten_pool(t, s) > 0
    while candidates != ZERO:
        at = lowest_bit(candidates)
        candidates &= candidates - ONE
        for is_cat in range(2):
            if cats if is_cat else kittens:
                action = (t.first_cat if is_cat else 0) + t.cell[at]
                after = step(t, s, action)
                if after.phase == OVER and after.winner == s.mover:
                    return action
    return NO_ACTION
