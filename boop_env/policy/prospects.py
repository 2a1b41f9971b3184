"""Prospect planes: what each placement would do, worked out by the rules for a network that asks for it.

A network must otherwise learn by heart what the rules can say exactly. AlphaGo's networks had such planes as well:
how many stones a move would capture, how many liberties it would leave, whether a ladder works (Silver et al., 2016).
For the first version nothing is searched: each placement is played with its boops, and the ghost's move if there is
one, and the board is looked at as it then stands. The second also plays what may follow: forks, which are placements
that threaten more than can be parried, and the other player's replies.

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
    graduate,
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
from boop_env.search.threats import beside, beside_two, pushes_onto, row_ends, row_middles, win_candidates

PROSPECTS_VERSION = 2
"""The newest version of the prospect planes; networks that look at them carry theirs."""

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
FORKS = (
    ("cat_ends", "spaces where {player} could then complete a row of cats / 4"),
    ("forces", "1 where no placement of {other} then wins, or leaves no space for that"),
)
REPLIES = (
    ("reply_wins", "1 where a placement of {other} then wins at once"),
    ("reply_row", "most kittens that a placement of {other} then has in rows / 3"),
    ("replies", "spaces where a placement of {other} then completes a row / 4"),
    ("reply_cat_ends", "most spaces for a row of cats that {other} has after then placing a cat beside one / 4"),
    ("reply_forces", "1 where such a cat leaves two or more, and {player} could neither win nor leave none"),
)


@cache
def prospect_planes(rules: RuleSet, version: int = PROSPECTS_VERSION) -> tuple[Plane, ...]:
    """The prospect planes of a rule set, in channel order.

    Of the viewer's kitten and cat, then of the other player's; from version 2 on forks follow in the same order, and
    the replies to the viewer's kitten and cat.

    Args:
        rules: the rule set.
        version: of the planes, from 1 to `PROSPECTS_VERSION`; the first has no forks and replies.

    Raises:
        ValueError: there is no such version.
    """
    if version not in range(1, PROSPECTS_VERSION + 1):
        raise ValueError(f"prospects version={version!r} does not exist; give one from 1 to {PROSPECTS_VERSION}")
    told = ALWAYS + (WITH_ORNAMENTS if rules.ornaments else ())
    viewer, other = ("own", "the viewer", "the other player"), ("opp", "the other player", "the viewer")
    parts = [(viewer, told), (other, told), (viewer, FORKS), (other, FORKS), (viewer, REPLIES)]
    return tuple(
        Plane(f"{side}_{piece}_{name}", f"if {first} placed a {piece}: {text.format(player=first, other=second)}")
        for (side, first, second), names in (parts if version > 1 else parts[:2])
        for piece in ("kitten", "cat")
        for name, text in names
    )


def with_prospects(
    rules: RuleSet, observations: npt.NDArray[np.float32], version: int = PROSPECTS_VERSION
) -> npt.NDArray[np.float32]:
    """Observations with their prospect planes behind them.

    Args:
        rules: the rule set of the observations.
        observations: float32 ``(N, C, H, W)``.
        version: of the prospect planes, from 1 to `PROSPECTS_VERSION`.

    Returns:
        float32 ``(N, C + P, H, W)``, P being the number of `prospect_planes`.

    Raises:
        ValueError: the observations have another shape than those of the rule set, or there is no such version.
    """
    if observations.shape[1:] != plane_shape(rules):
        raise ValueError(f"observations of {rules.name} are (N, {plane_shape(rules)}), not {observations.shape}")
    count, channels, height, width = observations.shape
    out = np.zeros((count, channels + len(prospect_planes(rules, version)), height, width), np.float32)
    out[:, :channels] = observations
    write_prospects(rules.tables, out, channels, version)
    return out


@compiled
def write_prospects(tables, out, first, version):
    """The prospect planes of a batch.

    Args:
        tables: the rule set's tables.
        out: float32 ``(N, C + P, H, W)``, observations in the first C channels, zeros behind them.
        first: C.
        version: of the prospect planes.
    """
    t = tables[0]
    replies = out.shape[1] - 2 * len(REPLIES) if version > 1 else out.shape[1]
    forks = replies - 4 * len(FORKS) if version > 1 else replies
    count = (forks - first) // 4  # planes of one player's one kind of piece
    for index in range(len(out)):
        observed = out[index]
        s = observed_state(t, observed)
        for side in range(2):
            for is_cat in range(2):
                if (cat_pool(s) if is_cat else kitten_pool(t, s)) > 0:
                    kind = 2 * side + is_cat  # the last slice is empty for the other player's: no replies to those
                    write_kind(
                        t,
                        s,
                        is_cat == 1,
                        observed[first + kind * count :],
                        observed[forks + kind * len(FORKS) : replies],
                        observed[replies + kind * len(REPLIES) :],
                    )
            s = pass_turn(t, s)


@compiled
def write_kind(t, s, is_cat, consequences, forks, replies):
    """What the mover's kitten, or cat, would do on each empty space, into planes of each sort ``(planes, H, W)``.

    Forks and replies without planes are left out.
    """
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
            consequences[0, y, x] = 1
            continue
        write_consequences(t, s, after, consequences[:, y, x])
        if len(forks) > 0:
            # The other player's turn: the mover's rows have gone home, all of them, and no single piece.
            after = pass_turn(t, graduate(after, row_pieces(row_starts(t, after.own))))
            write_forks(t, after, forks[:, y, x])
            if len(replies) > 0 and how == ONGOING:
                write_replies(t, after, replies[:, y, x])


@compiled
def write_consequences(t, s, after, out):
    """What a placement of the mover of `s`, after which the board is `after`, has done."""
    own, own_cats = after.own, s.own_cats
    if has_row(t, own):
        row = row_pieces(row_starts(t, own))
        kittens = popcount(row & ~after.cats)
        out[1] = kittens / 3
        own &= ~row
        own_cats += kittens
    if has_row(t, after.opp):
        out[2] = popcount(row_pieces(row_starts(t, after.opp)) & ~after.cats) / 3
        out[3] = has_row(t, after.opp & after.cats)
    out[4] = (popcount(s.own) + 1 - popcount(after.own)) / 4
    out[5] = (popcount(s.opp) - popcount(after.opp)) / 4
    empty = t.spaces & ~(own | after.opp | after.own_ornament | after.opp_ornament)
    out[6] = cat_ends(t, after.opp & after.cats, s.opp_cats, empty) > 0
    out[7] = cat_ends(t, own & after.cats, own_cats, empty) > 0
    out[8] = popcount(row_ends(t, after.opp) & empty) / 4
    out[9] = popcount(row_ends(t, own) & empty) / 4
    if t.ornaments > 0:
        out[10] = s.opp_ornaments - after.opp_ornaments
        out[11] = s.own_ornaments - after.own_ornaments


@compiled
def write_forks(t, s, out):
    """What the player who has just placed threatens the mover with, and whether that can be parried."""
    ends = cat_ends(t, s.opp & s.cats, s.opp_cats, empty_spaces(t, s))
    if ends > 0:
        out[0] = ends / 4
        out[1] = helpless(t, s)


@compiled
def write_replies(t, s, out):
    """What the mover, whose ghost stands still, can reply to a placement."""
    wins, most, spaces = completed(t, s)
    out[0] = wins
    out[1] = most / 3
    out[2] = spaces / 4
    ends, force = best_fork(t, s)
    out[3] = ends / 4
    out[4] = force


@compiled
def completed(t, s):
    """What the mover's placements complete.

    Returns:
        Whether one wins at once, the most kittens that one has in rows, and the number of spaces where one has any
        piece in a row.
    """
    wins, most, spaces = False, 0, 0
    empty = empty_spaces(t, s)
    targets = (row_ends(t, s.own) | row_middles(t, s.own)) & empty
    left = (targets | pushes_onto(t, s.own, targets) | beside_two(t, s.own) | win_candidates(t, s)) & empty
    if has_row(t, s.own):
        left = empty
    while left != ZERO:
        at = lowest_bit(left)
        left &= left - ONE
        found = False
        for is_cat in range(2):
            if (cat_pool(s) if is_cat else kitten_pool(t, s)) > 0:
                after = place(t, s, at, is_cat == 1)
                how, loses = outcome(t, after)
                if how != ONGOING and not loses:
                    wins = found = True
                elif has_row(t, after.own):
                    row = row_pieces(row_starts(t, after.own))
                    most, found = max(most, popcount(row & ~after.cats)), True
        spaces += found
    return wins, most, spaces


@compiled
def helpless(t, s):
    """Whether the mover can neither win at once nor keep the other from an end to a row of cats."""
    if wins_at_once(t, s):
        return False
    empty = empty_spaces(t, s)
    ends = row_ends(t, s.opp & s.cats) & empty
    for left in (ends, empty & ~ends):  # what is likely to parry comes first
        while left != ZERO:
            at = lowest_bit(left)
            left &= left - ONE
            for is_cat in range(2):
                if (cat_pool(s) if is_cat else kitten_pool(t, s)) > 0:
                    after = place(t, s, at, is_cat == 1)
                    if cat_ends(t, after.opp & after.cats, s.opp_cats, empty_spaces(t, after)) == 0:
                        return False
    return True


@compiled
def best_fork(t, s):
    """The most ends to a row of cats after the mover has placed a cat beside one, and whether the other is helpless."""
    cats = s.own & s.cats
    most, force = 0, False
    if cats != ZERO and cat_pool(s) > 0:
        left = beside(t, cats) & empty_spaces(t, s)
        while left != ZERO:
            at = lowest_bit(left)
            left &= left - ONE
            after = place(t, s, at, True)
            ends = cat_ends(t, after.own & after.cats, s.own_cats, empty_spaces(t, after))
            most = max(most, ends)
            if ends > 1 and not force:
                force = helpless(t, pass_turn(t, after))
    return most, force


@compiled
def wins_at_once(t, s):
    """Whether a placement of the mover wins at once, its ghost standing still."""
    left = win_candidates(t, s)
    while left != ZERO:
        at = lowest_bit(left)
        left &= left - ONE
        for is_cat in range(2):
            if (cat_pool(s) if is_cat else kitten_pool(t, s)) > 0:
                how, loses = outcome(t, place(t, s, at, is_cat == 1))
                if how != ONGOING and not loses:
                    return True
    return False


@compiled
def cat_ends(t, cats, owned, empty):
    """Empty spaces at the end of a row whose other two hold `cats`; none without a cat of `owned` in the pool."""
    return popcount(row_ends(t, cats) & empty) if popcount(cats) < owned else 0


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
