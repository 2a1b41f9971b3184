"""Every refusal of a move, a position and a record, each with its own message."""

from __future__ import annotations

import random

import numpy as np
import pytest
from random_positions import random_position
from reference import REFERENCE_PRESETS

from boop_env import PRESETS, Game, IllegalMove, InvalidPosition, RuleSet, UnreadableMove, perft

FULL = "K1K1K1/6/1K1C2/6/K1K3/5K 0 g 0,0/8,0 - 20"
SMALL_TREE = RuleSet(layout="111\n222\n131", ornaments=3)
HOLE = 0
"""Action number of a kitten on a1, which is a hole of the tree."""


# Moves

ILLEGAL = [
    ("boop", "CCC3/6/6/6/6/6 0 x 5,0/8,0 - 20", "Ka2", "the game is over"),
    ("boop", "6/6/6/6/6/6 0 x 8,0/8,0 - 300", "-", "the game is over"),
    ("halls", None, "Ka2", "player_0 hangs an ornament first: Oc3, Od3, Oe3, Oc4, Oe4, Oc5, Od5, Oe5"),
    ("halls", None, "Ob2", "player_0 hangs an ornament first"),
    ("halls", None, "-", "player_0 hangs an ornament first"),
    ("boop", FULL, "Ka2", "player_0 chooses a graduation: +a1, +c1, +e1, +b3, +d3, +a5, +c5, +f6, -"),
    ("boop", FULL, "+a1c1", "player_0 chooses a graduation"),
    ("boop", FULL, "+a2", "player_0 chooses a graduation"),
    ("boop_bga", FULL, "-", "player_0 chooses a graduation"),
    ("booop", "6/6/6/6/6/5K 0 h 7,0/8,0 -/c1d1^ 10", "Gc1d1", "the other ghost is on that stitch"),
    ("booop", "6/6/6/6/6/5K 0 h 7,0/8,0 -/c1d1^ 10", "Ka1", "player_0 places the ghost, or declines with '-'"),
    ("boop", None, "-", "there is a piece to place and a space for it"),
    ("boop", None, "+a1c1", "player_0 places a kitten or a cat now"),
    ("boop", None, "+a1", "player_0 places a kitten or a cat now"),
    ("booop", None, "Ga1b1", "player_0 places a kitten or a cat now"),
    ("halls", "-5-/7/7/2O4/7/7/-5- 0 p 8,0,2/8,0,3 - 0", "Oc3", "player_0 places a kitten or a cat now"),
    ("halls_no_ornaments", None, HOLE, "a1 is not a space of this board"),
    ("boop", None, "Ca1", "player_0 has no cat in the pool"),
    ("boop", "6/6/6/6/6/6 1 p 8,0/0,8 - 20", "Ka1", "player_1 has no kitten in the pool"),
    ("boop", "k5/6/6/6/6/6 0 p 8,0/7,0 - 20", "Ka1", "a1 is occupied"),
    ("halls", "-5-/7/2o4/2O4/7/7/-5- 0 p 8,0,2/8,0,2 - 4", "Kc3", "c3 is occupied"),
    ("boop", "K1K1K1/6/1K1K2/6/K1K3/5K 0 p 0,0/8,0 - 20", "Ka2", "player_0 has no kitten in the pool"),
]


@pytest.mark.parametrize(("preset", "position", "move", "cause"), ILLEGAL)
def test_illegal_moves(preset: str, position: str | None, move: str | int, cause: str) -> None:
    game = Game(preset) if position is None else Game.from_position(preset, position)
    before = game.position()
    number = move if isinstance(move, int) else game.rules.move_to_action(move)
    text = game.rules.action_to_move(number)
    for form in (move, number, np.int64(number)):
        assert not game.is_legal(form)  # type: ignore[arg-type]
        with pytest.raises(IllegalMove) as caught:
            game.push(form)  # type: ignore[arg-type]
        assert f"{text} (action {number}) is illegal: {cause}" in str(caught.value)
    assert game.position() == before
    assert game.record() == []


@pytest.mark.parametrize("preset", PRESETS)
def test_every_other_move_is_refused_wherever_it_is_tried(preset: str) -> None:
    rng = random.Random(preset)
    for _ in range(20):
        game = Game.from_position(preset, random_position(REFERENCE_PRESETS[preset], rng))
        for number in set(range(game.rules.num_actions)) - set(game.legal_actions()):
            with pytest.raises(IllegalMove, match=rf"\(action {number}\) is illegal: \w"):
                game.push(number)


@pytest.mark.parametrize(("preset", "last"), [("boop", 188), ("booop", 208), ("halls", 304)])
def test_actions_out_of_range(preset: str, last: int) -> None:
    game = Game(preset)
    for action in (-1, last + 1, 10**6, np.int64(last + 1)):
        assert not game.is_legal(action)  # type: ignore[arg-type]
        with pytest.raises(IllegalMove, match=f"action {action} is out of range; this rule set has 0 to {last}"):
            game.push(action)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match=f"action {action} is out of range; this rule set has 0 to {last}"):
            game.rules.action_to_move(action)  # type: ignore[arg-type]


UNREADABLE = [
    ("boop", "", "does not begin with one of K C + -"),
    ("boop", "c3", "does not begin with one of K C + -"),
    ("boop", "kc3", "does not begin with one of"),
    ("boop", " Kc3", "does not begin with one of"),
    ("boop", "Oc3", "does not begin with one of K C + -"),
    ("boop", "Ga1b1", "does not begin with one of K C + -"),
    ("booop", "Oc3", "does not begin with one of K C + G -"),
    ("halls", "Ga1b1", "does not begin with one of K C O + -"),
    ("halls_no_ornaments", "Oc3", "does not begin with one of K C + -"),
    ("boop", "K", "after 'K' comes a space of this board (a1 to f6)"),
    ("boop", "Kc", "after 'K' comes a space of this board"),
    ("boop", "Kg1", "after 'K' comes a space of this board (a1 to f6)"),
    ("boop", "Ka7", "after 'K' comes a space of this board"),
    ("boop", "Ka0", "after 'K' comes a space of this board"),
    ("boop", "Kc3 ", "after 'K' comes a space of this board"),
    ("boop", "KC3", "after 'K' comes a space of this board"),
    ("boop", "Cc3d3", "after 'C' comes a space of this board"),
    ("halls", "Ka1", "after 'K' comes a space of this board (a1 to g7)"),
    ("halls", "Og7", "after 'O' comes a space of this board"),
    ("halls", "+a1", "after '+' comes a space or the two ends of a row"),
    ("boop", "+", "after '+' comes a space or the two ends of a row of three, as in '+c3' or '+b2d4'"),
    ("boop", "+a1b1", "after '+' comes a space or the two ends of a row"),
    ("boop", "+a1d1", "after '+' comes a space or the two ends of a row"),
    ("boop", "+a1c2", "after '+' comes a space or the two ends of a row"),
    ("boop", "+d4b2", "names its ends the wrong way round; write '+b2d4'"),
    ("boop", "+a3c1", "names its ends the wrong way round; write '+c1a3'"),
    ("booop", "Gb1a1", "names its spaces the wrong way round; write 'Ga1b1'"),
    ("booop", "Gb2c2", "after 'G' comes a ghost entry, as in 'Ga1b1'"),
    ("booop", "Ga1", "after 'G' comes a ghost entry"),
    ("booop", "Ga1b1v", "after 'G' comes a ghost entry"),
    ("boop", "--", "after '-' comes nothing; a pass is '-' alone"),
]


@pytest.mark.parametrize(("preset", "move", "fault"), UNREADABLE)
def test_unreadable_moves(preset: str, move: str, fault: str) -> None:
    game = Game(preset)
    assert not game.is_legal(move)
    with pytest.raises(UnreadableMove) as caught:
        game.push(move)
    assert str(caught.value).startswith(f"move {move!r}")
    assert fault in str(caught.value)


def test_a_shared_stitch_needs_its_heading() -> None:
    game = Game.from_record(RuleSet(layout="111", ghosts=True, pieces=3), "Ka1")
    with pytest.raises(UnreadableMove):
        game.push("Ga1b1")
    game.push("Ga1b1v")


# Positions

BAD_POSITIONS = [
    # Six fields.
    ("boop", "", "all", "has 1 fields; it needs six"),
    ("boop", "6/6/6/6/6/6 0 p 8,0/8,0 -", "all", "has 5 fields"),
    ("boop", "6/6/6/6/6/6  0 p 8,0/8,0 - 0", "all", "has 7 fields"),
    ("boop", "6/6/6/6/6/6 0 p 8,0/8,0 - 0 ", "all", "has 7 fields"),
    # The board.
    ("boop", "6/6/6/6/6 0 p 8,0/8,0 - 0", "board", "has 5 rows, this board has 6"),
    ("boop", "6/6/6/6/6/6/6 0 p 8,0/8,0 - 0", "board", "has 7 rows, this board has 6"),
    ("boop", "6/5/6/6/6/6 0 p 8,0/8,0 - 0", "board", "row 2 '5' is 5 wide, this board is 6"),
    ("boop", "6//6/6/6/6 0 p 8,0/8,0 - 0", "board", "row 2 '' is 0 wide"),
    ("boop", "6/6/6/6/6/7 0 p 8,0/8,0 - 0", "board", "row 6 '7' is wider than 6 spaces"),
    ("boop", "6/6/6/6/6/6K 0 p 7,0/8,0 - 0", "board", "row 6 '6K' is wider than 6 spaces"),
    ("boop", "33/6/6/6/6/6 0 p 8,0/8,0 - 0", "board", "row 1 '33': two digits in a row"),
    ("boop", "6/6/6/6/6/K0K4 0 p 6,0/8,0 - 0", "board", "'0' is none of"),
    ("boop", "6/6/6/6/6/9 0 p 8,0/8,0 - 0", "board", "'9' is none of"),
    ("boop", "Q5/6/6/6/6/6 0 p 8,0/8,0 - 0", "board", "'Q' is none of K C O k c o"),
    ("boop", "-5/6/6/6/6/6 0 p 8,0/8,0 - 0", "board", "a1 is a space, not a hole"),
    ("halls", "7/7/7/7/7/7/-5- 0 o 8,0,3/8,0,3 - 0", "board", "a1 is a hole; write '-'"),
    ("halls", "-6/7/7/7/7/7/-5- 0 o 8,0,3/8,0,3 - 0", "board", "g1 is a hole; write '-'"),
    ("halls", "K5-/7/7/7/7/7/-5- 0 o 7,0,3/8,0,3 - 0", "board", "a1 is a hole; write '-'"),
    ("halls", "-5-/-6/7/7/7/7/-5- 0 o 8,0,3/8,0,3 - 0", "board", "a2 is a space, not a hole"),
    ("boop", "O5/6/6/6/6/6 0 p 8,0/8,0 - 0", "board", "this rule set has no ornaments"),
    ("halls", "-5-/7/7/3O3/7/7/-5- 0 p 8,0,2/8,0,3 - 0", "board", "player_0's ornament is on level 1"),
    ("halls", "-5-/7/7/3o3/7/7/-5- 0 o 8,0,3/8,0,2 - 0", "board", "player_1's ornament is on level 1"),
    ("halls", "-5-/7/2OO3/7/7/7/-5- 0 p 8,0,1/8,0,3 - 0", "board", "player_0 has 2 ornaments on the tree"),
    ("halls", "-5-/7/2o4/7/2o4/7/-5- 0 o 8,0,3/8,0,1 - 0", "board", "player_1 has 2 ornaments on the tree"),
    # The mover.
    ("boop", "6/6/6/6/6/6 2 p 8,0/8,0 - 0", "mover", "'2' is not 0 or 1"),
    ("boop", "6/6/6/6/6/6 w p 8,0/8,0 - 0", "mover", "'w' is not 0 or 1"),
    # The pools.
    ("boop", "6/6/6/6/6/6 0 p 7,0/8,0 - 0", "pools", "player_0 has 0 on the board and 7+0 in the pool, 7 pieces"),
    ("boop", "6/6/6/6/6/6 0 p 8,0/8,1 - 0", "pools", "player_1 has 0 on the board and 8+1 in the pool, 9 pieces"),
    ("boop", "K5/6/6/6/6/6 0 p 8,0/8,0 - 0", "pools", "player_0 has 1 on the board and 8+0 in the pool"),
    ("boop", "6/6/6/6/6/6 0 p 9,-1/8,0 - 0", "pools", "player_0's '9,-1': -1 is negative"),
    ("boop", "6/6/6/6/6/6 0 p 8,0/-1,9 - 0", "pools", "player_1's '-1,9': -1 is negative"),
    ("halls", "-5-/7/7/7/7/7/-5- 0 o 8,0,3/8,0,-1 - 0", "pools", "-1 is negative"),
    ("boop", "6/6/6/6/6/6 0 p 8,0 - 0", "pools", "is not two pools"),
    ("boop", "6/6/6/6/6/6 0 p 8,0/8,0/8,0 - 0", "pools", "is not two pools"),
    ("boop", "6/6/6/6/6/6 0 p 8/8,0 - 0", "pools", "player_0's '8' is not kittens,cats"),
    ("boop", "6/6/6/6/6/6 0 p 8,0/8,0,3 - 0", "pools", "player_1's '8,0,3' is not kittens,cats"),
    ("halls", "-5-/7/7/7/7/7/-5- 0 o 8,0/8,0,3 - 0", "pools", "player_0's '8,0' is not kittens,cats,ornaments"),
    ("boop", "6/6/6/6/6/6 0 p 8,x/8,0 - 0", "pools", "'x' is not a whole number"),
    ("boop", "6/6/6/6/6/6 0 p 8,/8,0 - 0", "pools", "'' is not a whole number"),
    ("boop", "6/6/6/6/6/6 0 p 08,0/8,0 - 0", "pools", "'08' is not a whole number"),
    ("halls", "-5-/7/2O4/7/7/7/-5- 0 p 8,0,3/8,0,3 - 0", "pools", "player_0 has 4 ornaments; 3 at most"),
    ("halls", "-5-/7/7/7/7/7/-5- 0 o 8,0,3/8,0,4 - 0", "pools", "player_1 has 4 ornaments; 3 at most"),
    # The ghosts.
    ("boop", "6/6/6/6/6/6 0 p 8,0/8,0 -/- 0", "ghosts", "this rule set has no ghosts; write '-'"),
    ("booop", "6/6/6/6/6/6 0 p 8,0/8,0 - 0", "ghosts", "is not two ghosts"),
    ("booop", "6/6/6/6/6/6 0 p 8,0/8,0 -/-/- 0", "ghosts", "is not two ghosts"),
    ("booop", "6/6/6/6/6/6 0 p 8,0/8,0 c3c5v/- 0", "ghosts", "player_0's 'c3c5v' is no '-', '!' or stitch"),
    ("booop", "6/6/6/6/6/6 0 p 8,0/8,0 -/f1g1v 0", "ghosts", "player_1's 'f1g1v' is no '-', '!' or stitch"),
    ("booop", "6/6/6/6/6/6 0 p 8,0/8,0 c3d3>/- 0", "ghosts", "player_0's 'c3d3>'"),
    ("booop", "6/6/6/6/6/6 0 p 8,0/8,0 c3c4v/- 0", "ghosts", "player_0's 'c3c4v'"),
    ("booop", "6/6/6/6/6/6 0 p 8,0/8,0 d3c3v/- 0", "ghosts", "player_0's 'd3c3v'"),
    ("booop", "6/6/6/6/6/6 0 p 8,0/8,0 c3d3/- 0", "ghosts", "player_0's 'c3d3'"),
    ("booop", "6/6/6/6/6/6 0 p 8,0/8,0 /- 0", "ghosts", "player_0's ''"),
    ("booop", "6/6/6/6/6/6 0 p 8,0/8,0 c3d3v/c3d3v 0", "ghosts", "both ghosts are on one stitch"),
    ("booop", "6/6/6/6/6/6 0 p 8,0/8,0 c3d3v/c3d3^ 0", "ghosts", "both ghosts are on one stitch"),
    ("booop", "6/6/6/6/6/6 0 p 8,0/8,0 -/! 0", "ghosts", "'!' is only for the mover, player_0"),
    ("booop", "6/6/6/6/6/6 1 p 8,0/8,0 !/- 0", "ghosts", "'!' is only for the mover, player_1"),
    # The turn.
    ("boop", "6/6/6/6/6/6 0 p 8,0/8,0 - -1", "turn", "'-1' is not a whole number"),
    ("boop", "6/6/6/6/6/6 0 p 8,0/8,0 - x", "turn", "'x' is not a whole number"),
    ("boop", "6/6/6/6/6/6 0 p 8,0/8,0 - 1.0", "turn", "'1.0' is not a whole number"),
    ("boop", "6/6/6/6/6/6 0 p 8,0/8,0 - 01", "turn", "'01' is not a whole number"),
    ("boop", "6/6/6/6/6/6 0 p 8,0/8,0 - 301", "turn", "301 is past this rule set's cap of 300 turns"),
    # The phase.
    ("boop", "6/6/6/6/6/6 0 q 8,0/8,0 - 0", "phase", "'q' is not one of o p g h x"),
    ("boop", "6/6/6/6/6/6 0 pg 8,0/8,0 - 0", "phase", "'pg' is not one of o p g h x"),
    ("boop", "6/6/6/6/6/6 0 o 8,0/8,0 - 0", "phase", "'o' does not fit: the mover has no ornament to hang"),
    ("halls", "-5-/7/2O4/7/7/7/-5- 0 o 8,0,2/8,0,3 - 0", "phase", "'o' does not fit: the mover has no ornament"),
    ("halls", "-5-/7/2O4/7/7/7/-5- 1 o 8,0,2/8,0,0 - 0", "phase", "'o' does not fit: all of a player's ornaments"),
    ("halls", "-5-/7/7/7/7/7/-5- 0 p 8,0,3/8,0,3 - 0", "phase", "'p' does not fit: the mover has an ornament to hang"),
    ("halls", "-5-/7/2O4/7/7/7/-5- 1 p 8,0,2/8,0,3 - 0", "phase", "'p' does not fit: the mover has an ornament"),
    (SMALL_TREE, "K2/Okk/1Kk 1 o 6,0,2/5,0,3 - 3", "phase", "'o' does not fit: the mover has no ornament to hang, or"),
    ("boop", "6/6/6/6/6/6 0 g 8,0/8,0 - 0", "phase", "'g' does not fit: graduation options: 0"),
    ("boop", "KKK3/6/6/6/6/6 0 g 5,0/8,0 - 0", "phase", "'g' does not fit: graduation options: 1"),
    ("boop", "6/kkkk2/6/6/6/6 0 g 8,0/4,0 - 0", "phase", "'g' does not fit: graduation options: 0"),
    ("boop_overview", "KKKK2/6/6/6/6/6 0 g 4,0/8,0 - 0", "phase", "'g' does not fit: graduation options: 0"),
    ("boop_expert", "KKKK2/6/6/6/6/6 0 g 4,0/8,0 - 0", "phase", "'g' does not fit: graduation options: 0"),
    ("boop", "6/6/6/6/6/6 0 h 8,0/8,0 - 0", "phase", "'h' does not fit: this rule set has no ghosts"),
    ("booop", "6/6/6/6/6/6 0 h 8,0/8,0 c3d3v/- 0", "phase", "'h' does not fit: the mover's ghost is on the board"),
    ("booop", "6/6/6/6/6/6 1 h 8,0/8,0 -/c3d3v 0", "phase", "'h' does not fit: the mover's ghost is on the board"),
    ("booop", "6/6/6/6/6/6 0 h 8,0/8,0 !/- 0", "phase", "'h' does not fit: the mover's ghost is on the board or came"),
    ("halls", "-5-/7/7/7/7/7/-5- 0 p 8,0,0/8,0,3 - 0", "phase", "'p' does not fit: all of a player's ornaments"),
    ("halls", "-5-/7/2O4/7/7/7/-5- 0 p 8,0,2/8,0,0 - 0", "phase", "'p' does not fit: all of a player's ornaments"),
    ("boop", "6/6/6/6/6/6 0 x 8,0/8,0 - 299", "phase", "'x' means over, but nobody has won and turn 299 is before"),
    ("boop", "ccc3/6/6/6/6/6 0 x 8,0/5,0 - 20", "phase", "'x' means over, but nobody has won"),
    ("boop_overview", "C1C1C1/6/1C1C2/6/C1C3/5C 0 x 0,0/8,0 - 20", "phase", "'x' means over, but nobody has won"),
    ("boop", "6/6/6/6/6/6 0 p 8,0/8,0 - 300", "phase", "'p' does not fit turn 300: at the cap the game is over"),
]


@pytest.mark.parametrize(("preset", "text", "field", "fault"), BAD_POSITIONS)
def test_impossible_positions(preset: str | RuleSet, text: str, field: str, fault: str) -> None:
    with pytest.raises(InvalidPosition) as caught:
        Game.from_position(preset, text)
    assert str(caught.value).startswith(f"position field {field!r}: ")
    assert fault in str(caught.value)


@pytest.mark.parametrize(
    ("preset", "text"),
    [
        # What play could not reach is no fault.
        ("boop", "KkKkKk/kKkKkK/6/3KkK/k5/6 0 p 0,0/0,0 - 0"),
        ("boop", "CCC3/6/6/6/6/6 0 p 5,0/8,0 - 0"),
        ("boop", "6/6/6/6/6/6 1 p 0,8/8,0 - 7"),
        ("boop", "ccc3/6/6/6/6/6 0 p 8,0/5,0 - 20"),
        ("boop_overview", "ccc3/6/6/6/6/6 0 x 8,0/5,0 - 20"),
        ("booop", "6/6/6/6/6/6 0 p 8,0/8,0 c3d3v/c3c4> 3"),
        ("booop", "6/6/6/6/6/6 0 p 8,0/8,0 !/- 3"),
        ("halls", "-5-/7/7/7/7/7/-5- 0 x 8,0,3/8,0,0 - 3"),
        ("halls", "-O4-/7/7/7/7/7/-5- 0 p 8,0,2/8,0,3 - 3"),
    ],
)
def test_unreachable_positions_are_read(preset: str, text: str) -> None:
    assert Game.from_position(preset, text).position() == text


def test_truncation_comes_before_the_win_check() -> None:
    game = Game.from_position("boop", "CCC1c1/6/6/6/6/6 0 x 5,0/7,0 - 300")
    assert (game.winner, game.reason and game.reason.name) == (None, "TRUNCATED")


# Records


def test_records_ignore_turn_numbers_and_line_breaks() -> None:
    game = Game.from_record("booop", "1. Kc3 Ga1b1\n2. Kd4 -\n\n3. Ka1")
    assert game.record() == ["Kc3", "Ga1b1", "Kd4", "-", "Ka1"]
    assert game == Game.from_record("booop", ["Kc3", "Ga1b1", "Kd4", "-", "Ka1"])


@pytest.mark.parametrize(
    ("record", "error", "fault"),
    [
        ("Kc3 Kf6 Kc3", IllegalMove, "step 3 of the record: Kc3 (action 14) is illegal: c3 is occupied"),
        ("1. Kc3 2. Kf6 3. Ca1", IllegalMove, "step 3 of the record: Ca1"),
        ("Kc3 nonsense", UnreadableMove, "step 2 of the record: move 'nonsense'"),
        ("1.Kc3", UnreadableMove, "step 1 of the record: move '1.Kc3'"),
    ],
)
def test_records_name_the_step_at_fault(record: str, error: type[ValueError], fault: str) -> None:
    with pytest.raises(error) as caught:
        Game.from_record("boop", record)
    assert fault in str(caught.value)


def test_records_from_a_bad_position() -> None:
    with pytest.raises(InvalidPosition, match="position field 'all'"):
        Game.from_record("boop", "Kc3", "nonsense")


def test_nothing_to_take_back() -> None:
    for game in (Game("boop"), Game.from_position("boop", "K5/6/6/6/6/6 1 p 7,0/8,0 - 1")):
        with pytest.raises(IndexError, match="at its start"):
            game.pop()


def test_unknown_presets() -> None:
    for make in (Game, lambda rules: Game.from_position(rules, ""), lambda rules: Game.from_record(rules, "")):
        with pytest.raises(ValueError, match=f"no preset 'bop'; the presets are {', '.join(PRESETS)}"):
            make("bop")


def test_errors_are_value_errors() -> None:
    assert issubclass(IllegalMove, ValueError)
    assert issubclass(UnreadableMove, ValueError)
    assert issubclass(InvalidPosition, ValueError)
    with pytest.raises(ValueError, match="negative"):
        perft(Game("boop"), -1)


@pytest.mark.parametrize("move", [3.7, None, [3]])
def test_a_move_is_a_text_or_a_whole_number(move: object) -> None:
    with pytest.raises(TypeError):
        Game("boop").push(move)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["6/6/6/6/6/6 0 p 8,0/8,0 - {}", "6/6/6/6/6/6 0 p {},0/8,0 - 0"])
def test_an_endless_number_is_refused_by_its_field(text: str) -> None:
    with pytest.raises(InvalidPosition, match=r"position field '(turn|pools)'"):
        Game.from_position("boop", text.format("9" * 5000))
