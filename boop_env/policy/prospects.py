"""Prospect planes: what each placement would do, worked out by the rules for a network that asks for it.

A network must otherwise learn by heart what the rules can say exactly. AlphaGo's networks had such planes as well:
how many stones a move would capture, how many liberties it would leave (Silver et al., 2016). Nothing is searched
here: each placement is played with its boops, and the ghost's move if there is one, and the board is looked at as it
then stands.

The planes are made from observation planes and nothing else, so that whoever has an observation has what the network
needs, turned boards included. They say nothing of what the phase allows, only of pool and empty spaces: in every phase
a placement will come.
"""

# mypy: disallow-untyped-defs=False, disallow-untyped-calls=False

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from boop_env.envs.planes import Plane, entry_heading, first_level_plane, plane_shape
from boop_env.rules.compiled import compiled, lowest_bit, popcount
from boop_env.rules.kernel import (
    CAME_HOME,
    IN_POOL,
    ON_BOARD,
    ONE,
    ONGOING,
    PLACEMENT,
    ZERO,
    State,
    bit,
    cat_pool,
    empty_spaces,
    has_row,
    kitten_pool,
    move_ghost,
    outcome,
    pass_turn,
    place,
    row_pieces,
    row_starts,
)
from boop_env.rules.ruleset import RuleSet
from boop_env.search.threats import row_ends

PROSPECTS_VERSION = 1
"""Changes whenever the prospect planes of any rule set change; networks that look at them carry it."""

ALWAYS = (
    ("wins", "1 where it wins at once"),
    ("row", "kittens in rows of {player} after it / 3"),
    ("other_row", "kittens in rows of {other} after it / 3"),
    ("other_cats", "1 where a row of cats of {other} stands after it"),
    ("lost", "pieces of {player} it sends home / 4"),
    ("sent_home", "pieces of {other} it sends home / 4"),
    ("danger", "1 where {other} could then complete a row of cats"),
    ("menace", "1 where {player} could then complete a row of cats"),
    ("other_ends", "spaces where {other} could then complete a row / 4"),
    ("ends", "spaces where {player} could then complete a row / 4"),
)
WITH_ORNAMENTS = (
    ("takes", "ornaments it takes from {other}"),
    ("gives", "ornaments it loses to {other}"),
)


@cache
def prospect_planes(rules: RuleSet) -> tuple[Plane, ...]:
    """The prospect planes of a rule set, in channel order: of the viewer's kitten and cat, then of the other's."""
    told = ALWAYS + (WITH_ORNAMENTS if rules.ornaments else ())
    viewer, other = "the viewer", "the other player"
    return tuple(
        Plane(f"{side}_{piece}_{name}", f"if {first} placed a {piece}: {text.format(player=first, other=second)}")
        for side, first, second in (("own", viewer, other), ("opp", other, viewer))
        for piece in ("kitten", "cat")
        for name, text in told
    )


def with_prospects(rules: RuleSet, observations: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Observations with their prospect planes behind them.

    Args:
        rules: the rule set of the observations.
        observations: float32 ``(N, C, H, W)``.

    Returns:
        float32 ``(N, C + P, H, W)``, P being the number of `prospect_planes`.

    Raises:
        ValueError: the observations have another shape than those of the rule set.
    """
    if observations.shape[1:] != plane_shape(rules):
        raise ValueError(f"observations of {rules.name} are (N, {plane_shape(rules)}), not {observations.shape}")
    count, channels, height, width = observations.shape
    out = np.zeros((count, channels + len(prospect_planes(rules)), height, width), np.float32)
    out[:, :channels] = observations
    write_prospects(rules.tables, out, channels)
    return out


@compiled
def write_prospects(tables, out, first):
    """The prospect planes of a batch.

    Args:
        tables: the rule set's tables.
        out: float32 ``(N, C + P, H, W)``, observations in the first C channels, zeros behind them.
        first: C.
    """
    t = tables[0]
    count = (out.shape[1] - first) // 4  # planes of one player's one kind of piece
    for index in range(len(out)):
        observed = out[index]
        s = observed_state(t, observed)
        for side in range(2):
            for is_cat in range(2):
                if (cat_pool(s) if is_cat else kitten_pool(t, s)) > 0:
                    write_kind(t, s, is_cat == 1, observed, first + (2 * side + is_cat) * count)
            s = pass_turn(t, s)


@compiled
def write_kind(t, s, is_cat, out, first):
    """What the mover's kitten, or cat, would do on each empty space, into channels of ``(C, H, W)``."""
    own_before, opp_before = popcount(s.own), popcount(s.opp)
    left = empty_spaces(t, s)
    while left != ZERO:
        at = lowest_bit(left)
        left &= left - ONE
        y, x = t.cell[at] // t.width, t.cell[at] % t.width
        after = place(t, s, at, is_cat)
        if t.ghosts and s.own_ghost >= ON_BOARD:
            after = move_ghost(t, after)
        how, loses = outcome(t, after)
        if how != ONGOING and not loses:
            out[first, y, x] = 1
            continue
        own, own_cats = after.own, s.own_cats
        if has_row(t, own):
            row = row_pieces(row_starts(t, own))
            kittens = popcount(row & ~after.cats)
            out[first + 1, y, x] = kittens / 3
            own &= ~row
            own_cats += kittens
        if has_row(t, after.opp):
            out[first + 2, y, x] = popcount(row_pieces(row_starts(t, after.opp)) & ~after.cats) / 3
            out[first + 3, y, x] = has_row(t, after.opp & after.cats)
        out[first + 4, y, x] = (own_before + 1 - popcount(after.own)) / 4
        out[first + 5, y, x] = (opp_before - popcount(after.opp)) / 4
        empty = t.spaces & ~(own | after.opp | after.own_ornament | after.opp_ornament)
        out[first + 6, y, x] = could_win(t, after.opp & after.cats, s.opp_cats, empty)
        out[first + 7, y, x] = could_win(t, own & after.cats, own_cats, empty)
        out[first + 8, y, x] = popcount(row_ends(t, after.opp) & empty) / 4
        out[first + 9, y, x] = popcount(row_ends(t, own) & empty) / 4
        if t.ornaments > 0:
            out[first + 10, y, x] = s.opp_ornaments - after.opp_ornaments
            out[first + 11, y, x] = s.own_ornaments - after.own_ornaments


@compiled
def could_win(t, cats, owned, empty):
    """Whether a cat placed at the end of a row would complete a row of cats, one being left in the pool of `owned`."""
    return 2 <= popcount(cats) < owned and row_ends(t, cats) & empty != ZERO


@compiled
def observed_state(t, observed):
    """The state that an observation ``(C, H, W)`` shows, as far as a placement asks about it.

    The viewer is the mover, in the placement phase of the first turn.
    """
    own_cats, opp_cats = read_bits(t, observed[1]), read_bits(t, observed[3])
    own, opp = read_bits(t, observed[0]) | own_cats, read_bits(t, observed[2]) | opp_cats
    at = first_level_plane(t) + t.num_levels
    own_cat_pool, opp_cat_pool = read_count(observed[at + 1], t.pieces), read_count(observed[at + 3], t.pieces)
    at += 4
    own_ornament = opp_ornament = ZERO
    own_ornaments = opp_ornaments = 0
    if t.ornaments > 0:
        own_ornament, opp_ornament = read_bits(t, observed[4]), read_bits(t, observed[5])
        opp_ornaments = t.ornaments - read_count(observed[at], t.ornaments)
        own_ornaments = t.ornaments - read_count(observed[at + 1], t.ornaments)
    own_ghost = opp_ghost = IN_POOL
    if t.ghosts:
        at += 3  # the phases of a rule set with ghosts
        own_ghost = read_ghost(t, observed[at : at + 4])
        opp_ghost = read_ghost(t, observed[at + 5 : at + 9])
    return State(
        own,
        opp,
        own_cats | opp_cats,
        own_ornament,
        opp_ornament,
        popcount(own_cats) + own_cat_pool,
        popcount(opp_cats) + opp_cat_pool,
        own_ornaments,
        opp_ornaments,
        own_ghost,
        opp_ghost,
        0,
        PLACEMENT,
        0,
        ONGOING,
        -1,
    )


@compiled
def read_bits(t, plane):
    """A plane of zeros and ones as a bitboard."""
    bits = ZERO
    for number in range(t.num_spaces):
        at = t.space_bits[number]
        if plane[t.cell[at] // t.width, t.cell[at] % t.width] > 0.5:
            bits |= bit(at)
    return bits


@compiled
def read_count(plane, unit):
    """The number that a plane shows everywhere, in parts of `unit`."""
    return int(plane[0, 0] * unit + 0.5)


@compiled
def read_ghost(t, planes):
    """The ghost code that the four planes of a ghost's headings show."""
    for entry in range(t.num_entries):
        plane = planes[entry_heading(t, entry)]
        code = ON_BOARD + 8 * entry
        while code != CAME_HOME:
            low, high = t.cell[t.ghost_low[code]], t.cell[t.ghost_high[code]]
            if plane[low // t.width, low % t.width] > 0.5 and plane[high // t.width, high % t.width] > 0.5:
                return code
            code = t.ghost_next[code]
    return IN_POOL
