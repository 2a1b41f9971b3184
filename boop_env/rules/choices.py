"""What may be played, and random play, as compiled functions."""

from __future__ import annotations

from boop_env.rules.compiled import (
    compiled,
    inlined,
    lowest_bit,
    popcount,
    random_bits,
    random_next,
    scale,
)
from boop_env.rules.state import (
    CAT,
    ENTER,
    GHOST,
    GRADUATION,
    HANG,
    KITTEN,
    ON_BOARD,
    ONE,
    ORNAMENT,
    OVER,
    PASS,
    PLACEMENT,
    ROW,
    SINGLE,
    ZERO,
    bit,
)
from boop_env.rules.turn import (
    cat_pool,
    count_options,
    empty_spaces,
    graduation,
    hanging_spaces,
    kitten_pool,
    step,
)


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
