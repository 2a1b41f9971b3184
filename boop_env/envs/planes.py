"""Observation planes and action masks: one named table, and the compiled code that writes both.

`planes` is the table that observation spaces, docs and checkpoint cards are made from. Planes are
float32 ``(C, H, W)``, seen by one player: *own* is the viewer's, *opp* the other player's.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from boop_env.envs.stores import compress, store_bits, store_mask, store_value, store_zeros
from boop_env.rules import kernel
from boop_env.rules.compiled import compiled, inlined, lowest_bit, popcount
from boop_env.rules.kernel import ONE, ZERO
from boop_env.rules.ruleset import RuleSet
from boop_env.rules.states import States

PLANES_VERSION = 1
"""Changes whenever the planes of any rule set change; checkpoints carry it."""

FLOAT_ONE = np.float32(1)
FLOAT_ZERO = np.float32(0)

HEADING_NAMES = ("down", "up", "right", "left")


class Plane(NamedTuple):
    """One observation plane.

    Attributes:
        name: unique in its rule set.
        description: what it holds.
    """

    name: str
    description: str


@cache
def planes(rules: RuleSet) -> tuple[Plane, ...]:
    """The planes of a rule set, in channel order."""
    table = [
        Plane("own_kittens", "1 where the viewer has a kitten"),
        Plane("own_cats", "1 where the viewer has a cat"),
        Plane("opp_kittens", "1 where the other player has a kitten"),
        Plane("opp_cats", "1 where the other player has a cat"),
    ]
    if rules.ornaments:
        table += [
            Plane("own_ornament", "1 where the viewer's ornament hangs"),
            Plane("opp_ornament", "1 where the other player's ornament hangs"),
        ]
    if rules.board.is_tree:
        flat = "; a tree drawn flat lies wholly on level 4" if rules.flat else ""
        table += [Plane(f"level_{n}", f"1 on spaces of level {n}, 1 being the top{flat}") for n in (1, 2, 3, 4)]
    table += [
        Plane("own_kitten_pool", "kittens in the viewer's pool / pieces a player, everywhere"),
        Plane("own_cat_pool", "cats in the viewer's pool / pieces a player, everywhere"),
        Plane("opp_kitten_pool", "kittens in the other pool / pieces a player, everywhere"),
        Plane("opp_cat_pool", "cats in the other pool / pieces a player, everywhere"),
    ]
    if rules.ornaments:
        table += [
            Plane("taken_by_own", "ornaments the viewer has taken / ornaments a player, everywhere"),
            Plane("taken_by_opp", "ornaments the other player has taken / ornaments a player, everywhere"),
        ]
    phases = [("ornament", rules.ornaments > 0), ("placement", True), ("graduation", True), ("ghost", rules.ghosts)]
    table += [Plane(f"phase_{name}", f"1 everywhere in the {name} phase") for name, present in phases if present]
    if rules.ghosts:
        for owner, whose in (("own", "the viewer's"), ("opp", "the other player's")):
            table += [
                Plane(f"{owner}_ghost_{name}", f"1 on the two spaces beside {whose} ghost while it heads {name}")
                for name in HEADING_NAMES
            ]
            table.append(Plane(f"{owner}_ghost_home", f"1 everywhere when {whose} ghost came home this turn"))
    table += [
        Plane("spaces", "1 on every space of the board, 0 on holes"),
        Plane("turn", "turns completed / turn cap, everywhere"),
        Plane("player_1", "1 everywhere when the viewer is player_1"),
        Plane("ones", "1 everywhere, holes too"),
    ]
    return tuple(table)


def plane_names(rules: RuleSet) -> tuple[str, ...]:
    """Names of the planes, in channel order."""
    return tuple(plane.name for plane in planes(rules))


def plane_shape(rules: RuleSet) -> tuple[int, int, int]:
    """Shape of an observation: ``(C, H, W)``."""
    return len(planes(rules)), rules.board.height, rules.board.width


def observe_states(states: States) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int8]]:
    """Planes and masks of a batch, each position seen by the player who is to act.

    Args:
        states: N positions.

    Returns:
        The planes, float32 ``(N, C, H, W)``, and the masks, int8 ``(N, num_actions)``; a mask is all
        zero when its game is over.
    """
    out = np.empty((len(states), *plane_shape(states.rules)), np.float32)
    masks = np.empty((len(states), states.rules.num_actions), np.int8)
    write_batch(states.rules.tables, states.words, out.reshape(-1), masks.reshape(-1))
    return out, masks


def observe_sides(states: States, sides: npt.NDArray[np.int8]) -> npt.NDArray[np.float32]:
    """Planes of a batch, each position seen by its mover (0) or the other player (1).

    Args:
        states: N positions.
        sides: int8 ``(N,)``.

    Returns:
        float32 ``(N, C, H, W)``.
    """
    out = np.empty((len(states), *plane_shape(states.rules)), np.float32)
    write_sides(states.rules.tables, states.words, sides, out.reshape(-1))
    return out


@compiled
def write_sides(tables, words, sides, out):
    """Planes of stored states ``(N, 6)``, each seen from its side, into a flat array."""
    t = tables[0]
    size = len(out) // max(1, len(words))
    for index in range(len(words)):
        write_fixed_planes(t, out, index * size, size)
        write_planes(t, kernel.load(words[index]), sides[index], out, index * size, size)


@compiled
def write_batch(tables, words, out, masks):
    """Planes and masks of stored states ``(N, 6)`` into flat arrays, one game after the other."""
    t = tables[0]
    size = len(out) // max(1, len(words))
    for index in range(len(words)):
        s = kernel.load(words[index])
        write_fixed_planes(t, out, index * size, size)
        write_planes(t, s, 0, out, index * size, size)
        write_mask(t, s, masks, index * t.num_actions)


@compiled
def observe(tables, words, side, out, mask):
    """Planes and mask of one stored state.

    Args:
        tables: the rule set's tables.
        words: the stored state.
        side: 0 for the mover's view, 1 for the other player's, whose mask is all zero.
        out: float32 ``(C * H * W,)``.
        mask: int8 ``(num_actions,)``.
    """
    t = tables[0]
    s = kernel.load(words)
    write_fixed_planes(t, out, 0, len(out))
    write_planes(t, s, side, out, 0, len(out))
    if side == 0:
        write_mask(t, s, mask, 0)
    else:
        mask[:] = 0


# Below, `out` and `masks` are flat arrays of many games and `first` is an index into them: a view
# for every plane would cost more than the plane. `size` is the cells of one game's planes.


@inlined
def num_cells(t):
    """Cells of the board's rectangle."""
    return t.height * t.width


@inlined
def write_bits(t, bits, out, first):
    """A bitboard as a plane of zeros and ones."""
    packed = compress(bits, t.rectangle)
    cells = num_cells(t)
    if cells < 8:
        for cell in range(cells):
            out[first + cell] = np.float32((packed >> np.uint64(cell)) & ONE)
        return
    # Eight cells at a time; the last eight may overlap the ones before.
    for at in range(0, cells - 7, 8):
        store_bits(out, first + at, packed >> np.uint64(at))
    store_bits(out, first + cells - 8, packed >> np.uint64(cells - 8))


@inlined
def write_value(t, value, out, first):
    """One number everywhere in a plane."""
    cells = num_cells(t)
    if cells < 8:
        for cell in range(cells):
            out[first + cell] = value
        return
    for at in range(0, cells - 7, 8):
        store_value(out, first + at, value)
    store_value(out, first + cells - 8, value)


@inlined
def first_level_plane(t):
    """Channel of the first level plane, or where it would be."""
    return 6 if t.ornaments > 0 else 4


@compiled
def write_fixed_planes(t, out, first, size):
    """The planes that never change: levels, board shape, ones."""
    cells = num_cells(t)
    at = first + first_level_plane(t) * cells
    for level in range(t.num_levels):
        write_bits(t, t.level_masks[level], out, at + level * cells)
    write_bits(t, t.spaces, out, first + size - 4 * cells)
    write_value(t, FLOAT_ONE, out, first + size - cells)


@inlined
def entry_heading(t, entry):
    """Which of `HEADING_NAMES` a ghost has that came in by this entry."""
    # Entries run: top edge (heading down), bottom (up), left (right), right (left).
    across = t.width - 1
    return entry // across if entry < 2 * across else 2 + (entry - 2 * across) // (t.height - 1)


@compiled
def write_ghost(t, code, out, first):
    """The five planes of one ghost: its four headings, and whether it came home this turn."""
    cells = num_cells(t)
    for plane in range(4):
        write_value(t, FLOAT_ZERO, out, first + plane * cells)
    write_value(t, FLOAT_ONE if code == kernel.CAME_HOME else FLOAT_ZERO, out, first + 4 * cells)
    if code >= kernel.ON_BOARD:
        entry = (code - kernel.ON_BOARD) // 8
        heading = entry_heading(t, entry)
        out[first + heading * cells + t.cell[t.ghost_low[code]]] = FLOAT_ONE
        out[first + heading * cells + t.cell[t.ghost_high[code]]] = FLOAT_ONE


@compiled
def write_planes(t, s, side, out, first, size):
    """All planes but the fixed ones, of a state seen by the mover (`side` 0) or the other player (1)."""
    own, opp = (s.own, s.opp) if side == 0 else (s.opp, s.own)
    own_cats, opp_cats = (s.own_cats, s.opp_cats) if side == 0 else (s.opp_cats, s.own_cats)
    cells = num_cells(t)
    at = first
    write_bits(t, own & ~s.cats, out, at)
    write_bits(t, own & s.cats, out, at + cells)
    write_bits(t, opp & ~s.cats, out, at + 2 * cells)
    write_bits(t, opp & s.cats, out, at + 3 * cells)
    if t.ornaments > 0:
        write_bits(t, s.own_ornament if side == 0 else s.opp_ornament, out, at + 4 * cells)
        write_bits(t, s.opp_ornament if side == 0 else s.own_ornament, out, at + 5 * cells)
    at += (first_level_plane(t) + t.num_levels) * cells
    unit = FLOAT_ONE / np.float32(t.pieces)
    own_cat_pool = own_cats - popcount(own & s.cats)
    opp_cat_pool = opp_cats - popcount(opp & s.cats)
    write_value(t, np.float32(t.pieces - popcount(own) - own_cat_pool) * unit, out, at)
    write_value(t, np.float32(own_cat_pool) * unit, out, at + cells)
    write_value(t, np.float32(t.pieces - popcount(opp) - opp_cat_pool) * unit, out, at + 2 * cells)
    write_value(t, np.float32(opp_cat_pool) * unit, out, at + 3 * cells)
    at += 4 * cells
    if t.ornaments > 0:
        own_taken, opp_taken = t.ornaments - s.opp_ornaments, t.ornaments - s.own_ornaments
        if side == 1:
            own_taken, opp_taken = opp_taken, own_taken
        write_value(t, np.float32(own_taken) / np.float32(t.ornaments), out, at)
        write_value(t, np.float32(opp_taken) / np.float32(t.ornaments), out, at + cells)
        at += 2 * cells
    for phase in range(kernel.OVER):
        if (phase == kernel.ORNAMENT and t.ornaments == 0) or (phase == kernel.GHOST and not t.ghosts):
            continue
        write_value(t, FLOAT_ONE if s.phase == phase else FLOAT_ZERO, out, at)
        at += cells
    if t.ghosts:
        write_ghost(t, s.own_ghost if side == 0 else s.opp_ghost, out, at)
        write_ghost(t, s.opp_ghost if side == 0 else s.own_ghost, out, at + 5 * cells)
    write_value(t, np.float32(s.turn) / np.float32(t.max_turns), out, first + size - 3 * cells)
    write_value(t, np.float32(s.mover ^ side), out, first + size - 2 * cells)


@compiled
def write_mask(t, s, masks, first):
    """The action mask: 1 for each legal action, all zero when the game is over."""
    store_zeros(masks, first, t.num_actions)
    if s.phase == kernel.PLACEMENT:
        empty = kernel.empty_spaces(t, s)
        kittens, cats = kernel.kitten_pool(t, s) > 0, kernel.cat_pool(s) > 0
        if empty == ZERO or not (kittens or cats):
            masks[first + t.pass_action] = 1
            return
        if kittens:
            write_mask_cells(t, empty, masks, first)
        if cats:
            write_mask_cells(t, empty, masks, first + t.first_cat)
    elif s.phase == kernel.ORNAMENT:
        write_mask_cells(t, kernel.hanging_spaces(t, s), masks, first + t.first_ornament)
    elif s.phase == kernel.GRADUATION:
        g = kernel.graduation(t, s)
        for direction in range(4):
            starts = (g.right, g.down, g.down_right, g.down_left)[direction]
            while starts != ZERO:
                masks[first + t.first_row + t.row_number[direction, lowest_bit(starts)]] = 1
                starts &= starts - ONE
        write_mask_cells(t, g.singles, masks, first + t.first_single)
        masks[first + t.pass_action] = g.decline
    elif s.phase == kernel.GHOST:
        for entry in range(t.num_entries):
            masks[first + t.first_entry + entry] = kernel.entry_is_free(t, s, entry)
        masks[first + t.pass_action] = 1


@inlined
def write_mask_cells(t, spaces, masks, first):
    """A bitboard as the block of a mask that has one action a cell."""
    packed = compress(spaces, t.rectangle)
    cells = num_cells(t)
    if cells < 8:
        for cell in range(cells):
            masks[first + cell] = np.int8((packed >> np.uint64(cell)) & ONE)
        return
    for at in range(0, cells - 7, 8):
        store_mask(masks, first + at, packed >> np.uint64(at))
    store_mask(masks, first + cells - 8, packed >> np.uint64(cells - 8))
