"""The transposition table: what was found out about positions, in a fixed number of bytes.

Keys are 64-bit hashes of the stored state, not incremental Zobrist keys (Zobrist, 1970): one turn moves
up to nine pieces, so mixing four words is cheaper than updating as many terms.
"""

# mypy: disallow-untyped-defs=False, disallow-untyped-calls=False

from __future__ import annotations

import numpy as np

from boop_env.rules.compiled import GOLDEN, compiled, random_bits
from boop_env.rules.kernel import ZERO

EXACT, LOWER, UPPER = 1, 2, 3
"""What a stored value is: the value itself, at most the value, or at least the value."""

NO_MOVE = 65535
NEAR_CAP = 64
"""Turns before `max_turns` from which positions that differ only in the turn count are told apart."""

GENERATIONS = 63
SHIFT_SCORE, SHIFT_DEPTH, SHIFT_BOUND, SHIFT_GENERATION = (np.uint64(n) for n in (32, 24, 22, 16))
SCORE_OFFSET = 1 << 31
MASK_32, MASK_16, MASK_8, MASK_6, MASK_2 = (np.uint64((1 << n) - 1) for n in (32, 16, 8, 6, 2))
MIX = np.uint64(0xD6E8FEB86659FD93)
MIX_ORNAMENT = np.uint64(0xA0761D6478BD642F)


@compiled
def mix(key, word):
    """Takes one more word into a hash."""
    key = (key ^ word) * MIX
    return key ^ (key >> np.uint64(32))


@compiled
def state_key(t, s, salt):
    """Hash of a state as its mover sees it: who that is does not count, nor the turn far from the cap."""
    rest = (
        np.uint64(s.own_cats)
        | np.uint64(s.opp_cats) << np.uint64(4)
        | np.uint64(s.own_ornaments) << np.uint64(8)
        | np.uint64(s.opp_ornaments) << np.uint64(12)
        | np.uint64(s.own_ghost) << np.uint64(16)
        | np.uint64(s.opp_ghost) << np.uint64(24)
        | np.uint64(s.phase) << np.uint64(32)
    )
    if t.max_turns - s.turn <= NEAR_CAP:
        rest |= np.uint64(t.max_turns - s.turn) << np.uint64(48)
    key = mix(mix(mix(mix(salt, s.own), s.opp), s.cats), rest)
    if t.ornaments > 0:
        key = mix(mix(key, s.own_ornament), s.opp_ornament ^ MIX_ORNAMENT)
    return key * GOLDEN


@compiled
def new_search(table, w):
    """Makes everything stored so far invisible; clears the table when the generations run out.

    The salt of the keys changes, so the answer of a search never depends on earlier ones.
    """
    w.generation += 1
    if w.generation > GENERATIONS:
        table[:] = ZERO
        w.generation = 1
    w.salt = random_bits(np.uint64(w.generation))


@compiled
def look_up(table, key):
    """The word stored for a key, 0 for none."""
    index = np.int64(key & np.uint64(len(table) - 1))
    if table[index, 0] == key:
        return table[index, 1]
    index ^= 1
    if table[index, 0] == key:
        return table[index, 1]
    return ZERO


@compiled
def remember(table, w, key, score, depth, bound, action):
    """Stores a result in one of two slots.

    The slot of the same position is used again; else the first keeps the deeper result of this search
    and the second takes what comes.

    Args:
        table: ``uint64 (entries, 2)``, a power of two of them: key and packed result.
        w: a record with the field `generation`.
        key: the position's hash.
        score: the value, distances to wins counted from this position.
        depth: turns searched.
        bound: ``EXACT``, ``LOWER`` or ``UPPER``.
        action: the best action or ``NO_MOVE``.
    """
    index = np.int64(key & np.uint64(len(table) - 1))
    if table[index, 0] != key:
        if table[index ^ 1, 0] == key:
            index ^= 1
        else:
            held = table[index, 1]
            if generation_of(held) == w.generation and depth_of(held) > depth:
                index ^= 1
    table[index, 0] = key
    table[index, 1] = (
        np.uint64(score + SCORE_OFFSET) << SHIFT_SCORE
        | np.uint64(depth) << SHIFT_DEPTH
        | np.uint64(bound) << SHIFT_BOUND
        | np.uint64(w.generation) << SHIFT_GENERATION
        | np.uint64(action)
    )


@compiled
def score_of(entry):
    """The value in a stored word."""
    return np.int64(entry >> SHIFT_SCORE) - SCORE_OFFSET


@compiled
def depth_of(entry):
    """The depth in a stored word."""
    return np.int64((entry >> SHIFT_DEPTH) & MASK_8)


@compiled
def bound_of(entry):
    """The bound in a stored word."""
    return np.int64((entry >> SHIFT_BOUND) & MASK_2)


@compiled
def generation_of(entry):
    """The search that a stored word is from."""
    return np.int64((entry >> SHIFT_GENERATION) & MASK_6)


@compiled
def action_of(entry):
    """The action in a stored word."""
    return np.int64(entry & MASK_16)
