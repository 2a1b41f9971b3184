"""Ornaments one by one (docs/rules.md sections 3, 4 and 7). The tree, to read the positions by:

  a b c d e f g
1 - 4 4 4 4 4 -
2 4 3 3 3 3 3 4
3 4 3 2 2 2 3 4
4 4 3 2 1 2 3 4
5 4 3 2 2 2 3 4
6 4 3 3 3 3 3 4
7 - 4 4 4 4 4 -
"""

from __future__ import annotations

import pytest

from boop_env import Game, IllegalMove, Reason, RuleSet

SMALL_TREE = RuleSet(layout="111\n222\n131", ornaments=3)


def play(start: str, moves: str, after: str, rules: str | RuleSet = "halls") -> Game:
    """Plays moves and checks where they lead."""
    game = Game.from_record(rules, moves, start)
    assert game.position() == after
    return game


# Hanging


def test_a_turn_begins_with_hanging_on_level_2() -> None:
    game = Game("halls")
    assert game.phase == "o"
    assert game.legal_moves() == ["Oc3", "Od3", "Oe3", "Oc4", "Oe4", "Oc5", "Od5", "Oe5"]
    game.push("Od3")
    assert game.position() == "-5-/7/3O3/7/7/7/-5- 0 p 8,0,2/8,0,3 - 0"


def test_an_ornament_on_the_tree_means_none_to_hang() -> None:
    game = play("-5-/7/7/7/1O5/4o2/-5- 0 p 8,0,2/8,0,2 - 4", "Kg2", "-5-/6K/7/7/1O5/4o2/-5- 1 p 7,0,2/8,0,2 - 5")
    assert "Oc3" not in game.legal_moves()


def test_no_ornament_in_the_pool_means_none_to_hang() -> None:
    play("-5-/7/7/7/1O5/4o2/-5- 0 p 8,0,0/8,0,0 - 4", "Kg2", "-5-/6K/7/7/1O5/4o2/-5- 1 p 7,0,0/8,0,0 - 5")


def test_hanging_boops_nothing() -> None:
    play(
        "-5-/7/3kK2/3C3/4c2/7/-5- 0 o 6,0,3/6,0,3 - 4",
        "Oe4",
        "-5-/7/3kK2/3CO2/4c2/7/-5- 0 p 6,0,2/6,0,3 - 4",
    )


def test_level_2_full_means_a_lower_tier() -> None:
    game = Game.from_position("halls", "-5-/7/2KcK2/2c1C2/2CkK2/K5k/-5- 0 o 1,1,3/4,0,3 - 20")
    spaces = {move[1:] for move in game.legal_moves()}
    levels = {game.rules.board.levels[game.rules.board.cells_by_name[space]] for space in spaces}
    assert levels == {3, 4}
    assert len(spaces) == 16 + 20 - 2


def test_one_empty_space_of_level_2_is_the_only_choice() -> None:
    game = Game.from_position("halls", "-5-/7/2KcK2/2c4/2CkK2/7/-5- 0 o 4,0,3/5,0,3 - 20")
    assert game.legal_moves() == ["Oe4"]
    with pytest.raises(IllegalMove, match="hangs an ornament first: Oe4"):
        game.push("Ka2")


def test_the_other_ornament_fills_a_space_of_level_2() -> None:
    game = Game.from_position("halls", "-5-/7/2oKK2/2c1C2/2CkK2/7/-5- 0 o 3,0,3/6,0,2 - 20")
    assert len(game.legal_moves()) == 16 + 20


def test_hanging_is_skipped_where_no_space_is_left() -> None:
    """Level 2 and the one space of level 3 are full: player_1 places at once, with three in the pool."""
    play("3/Okk/1Kk 0 p 7,0,2/5,0,3 - 2", "Ka1", "K2/Okk/1Kk 1 p 6,0,2/5,0,3 - 3", SMALL_TREE)
    game = play("3/Okk/2k 0 p 8,0,2/5,0,3 - 2", "Ka1", "K2/Okk/2k 1 o 7,0,2/5,0,3 - 3", SMALL_TREE)
    assert game.legal_moves() == ["Ob3"]


# Ornaments pushed


def test_an_ornament_moves_within_its_tier() -> None:
    play("-5-/7/7/2O4/7/5o1/-5- 0 p 8,0,2/8,0,2 - 4", "Kc5", "-5-/7/2O4/7/2K4/5o1/-5- 1 p 7,0,2/8,0,2 - 5")


def test_an_ornament_moves_down() -> None:
    play("-5-/7/7/2O4/7/5o1/-5- 0 p 8,0,2/8,0,2 - 4", "Kd4", "-5-/7/7/1O1K3/7/5o1/-5- 1 p 7,0,2/8,0,2 - 5")
    play("-5-/7/7/1O5/7/5o1/-5- 0 p 8,0,2/8,0,2 - 4", "Kc4", "-5-/7/7/O1K4/7/5o1/-5- 1 p 7,0,2/8,0,2 - 5")


@pytest.mark.parametrize("piece", "KC")
@pytest.mark.parametrize(
    ("board", "space", "after"),
    [
        ("-5-/7/7/1O5/7/5o1/-5-", "a4", "-5-/7/7/{}O5/7/5o1/-5-"),  # from 3 to 2
        ("-5-/7/1O5/7/7/5o1/-5-", "a2", "-5-/{}6/1O5/7/7/5o1/-5-"),  # the same along a diagonal
        ("-5-/7/7/2O4/7/5o1/-5-", "b4", "-5-/7/7/1{}O4/7/5o1/-5-"),  # from 2 to 1
        ("-5-/7/7/2o4/7/5O1/-5-", "b4", "-5-/7/7/1{}o4/7/5O1/-5-"),  # and the other player's
    ],
)
def test_an_ornament_never_moves_up(board: str, space: str, after: str, piece: str) -> None:
    play(
        f"{board} 0 p 7,1,2/8,0,2 - 4",
        piece + space,
        f"{after.format(piece)} 1 p {'6,1' if piece == 'K' else '7,0'},2/8,0,2 - 5",
    )


def test_kittens_and_cats_move_up_and_down() -> None:
    play("-5-/7/7/1k5/7/7/-5- 0 p 8,0/7,0 - 4", "Ka4", "-5-/7/7/K1k4/7/7/-5- 1 p 7,0/7,0 - 5", "halls_no_ornaments")
    play("-5-/7/7/3c3/7/7/-5- 0 p 7,1/7,0 - 4", "Cc4", "-5-/7/7/2C1c2/7/7/-5- 1 p 7,0/7,0 - 5", "halls_no_ornaments")


# Knocked off


@pytest.mark.parametrize(("corner", "space"), [("b2", "c3"), ("f2", "e3"), ("b6", "c5"), ("f6", "e5")])
@pytest.mark.parametrize("letter", "Oo")
def test_ornaments_fall_from_the_corners_of_level_3(corner: str, space: str, letter: str) -> None:
    """The mover's own comes home, the other player's is taken."""
    rows = ["-5-", "7", "7", "7", "7", "7", "-5-"]
    other = "o" if letter == "O" else "O"
    column, row = "abcdefg".index(corner[0]), int(corner[1]) - 1
    rows[row] = f"{column}{letter}{6 - column}"
    rows[3] = f"{other}6"
    game = Game.from_record("halls", f"K{space}", f"{'/'.join(rows)} 0 p 8,0,1/8,0,1 - 4")
    board, mover, phase, pools, _, _ = game.position().split(" ")
    assert letter not in board
    assert (mover, phase) == ("1", "p" if letter == "O" else "o")
    assert pools == ("7,0,2/8,0,1" if letter == "O" else "7,0,1/8,0,1")


def test_an_ornament_by_the_corner_has_ground_below_it() -> None:
    """Straight outwards from level 3 there is always level 4; so, too, from beside the corner."""
    play("-5-/1O5/7/7/7/5o1/-5- 0 p 8,0,2/8,0,2 - 4", "Kb3", "-O4-/7/1K5/7/7/5o1/-5- 1 p 7,0,2/8,0,2 - 5")
    play("-5-/2O4/7/7/7/5o1/-5- 0 p 8,0,2/8,0,2 - 4", "Kd3", "-O4-/7/3K3/7/7/5o1/-5- 1 p 7,0,2/8,0,2 - 5")


def test_ornaments_fall_from_the_ground_too() -> None:
    play("-1o3-/7/7/7/7/5O1/-5- 0 p 8,0,2/8,0,2 - 4", "Kc2", "-5-/2K4/7/7/7/5O1/-5- 1 o 7,0,2/8,0,2 - 5")


def test_an_ornament_that_came_home_is_hung_again() -> None:
    play(
        "-5-/1O5/7/7/7/5o1/-5- 0 p 8,0,0/8,0,2 - 4",
        "Kc3 Kg2 Oc4",
        "-5-/6k/2K4/2O4/7/5o1/-5- 0 p 7,0,0/7,0,2 - 6",
    )


def test_an_ornament_that_was_taken_is_not() -> None:
    """player_1 has one left to hang, not two."""
    play(
        "-5-/1o5/7/7/7/5O1/-5- 0 p 8,0,0/8,0,1 - 4",
        "Kc3 Oc4",
        "-5-/7/2K4/2o4/7/5O1/-5- 1 p 7,0,0/8,0,0 - 5",
    )


# At an ornament


def test_an_ornament_pushed_at_a_piece_stays() -> None:
    play("-5-/7/2k4/2O4/7/5o1/-5- 0 p 8,0,2/7,0,2 - 4", "Kc5", "-5-/7/2k4/2O4/2K4/5o1/-5- 1 p 7,0,2/7,0,2 - 5")


def test_an_ornament_pushed_at_an_ornament_stays() -> None:
    play("-5-/7/2o4/2O4/7/7/-5- 0 p 8,0,2/8,0,2 - 4", "Kc5", "-5-/7/2o4/2O4/2K4/7/-5- 1 p 7,0,2/8,0,2 - 5")


@pytest.mark.parametrize(
    ("move", "kitten", "pools", "after"),
    [
        ("Kc5", "K", "6,1,2/8,0,2", "5,1,2/8,0,2"),
        ("Cc5", "K", "6,1,2/8,0,2", "6,0,2/8,0,2"),
        ("Kc5", "k", "7,1,2/7,0,2", "6,1,2/7,0,2"),
        ("Cc5", "k", "7,1,2/7,0,2", "7,0,2/7,0,2"),
    ],
)
def test_a_kitten_pushed_at_an_ornament_stays(move: str, kitten: str, pools: str, after: str) -> None:
    play(
        f"-5-/7/2o4/2{kitten}4/7/5O1/-5- 0 p {pools} - 4",
        move,
        f"-5-/7/2o4/2{kitten}4/2{move[0]}4/5O1/-5- 1 p {after} - 5",
    )


def test_a_cat_that_a_kitten_pushes_does_not_pounce() -> None:
    play("-5-/7/2o4/2C4/7/5O1/-5- 0 p 7,0,2/8,0,2 - 4", "Kc5", "-5-/7/2o4/2C4/2K4/5O1/-5- 1 p 6,0,2/8,0,2 - 5")


def test_a_cat_takes_the_other_players_ornament() -> None:
    play("-5-/7/2o4/2C4/7/5O1/-5- 0 p 6,1,2/8,0,2 - 4", "Cc5", "-5-/7/7/7/2C4/5O1/-5- 1 o 6,1,2/8,0,2 - 5")


def test_a_cat_sends_its_owners_ornament_home() -> None:
    play("-5-/7/2O4/2C4/7/5o1/-5- 0 p 6,1,2/8,0,2 - 4", "Cc5", "-5-/7/7/7/2C4/5o1/-5- 1 p 6,1,3/8,0,2 - 5")


def test_a_cat_of_the_other_player_takes_the_movers_ornament() -> None:
    play("-5-/7/2O4/2c4/7/5o1/-5- 0 p 7,1,2/7,0,2 - 4", "Cc5", "-5-/7/7/7/2C4/5o1/-5- 1 p 7,0,2/7,1,2 - 5")


def test_a_cat_of_the_other_player_sends_its_owners_ornament_home() -> None:
    play("-5-/7/2o4/2c4/7/5O1/-5- 0 p 7,1,2/7,0,2 - 4", "Cc5", "-5-/7/7/7/2C4/5O1/-5- 1 o 7,0,2/7,1,3 - 5")


def test_a_cat_pounces_upwards() -> None:
    """Tiers matter to ornaments that move, and the ornament of a pounce does not: here from 4 up to 3."""
    play("-5-/7/1co4/7/7/5O1/-5- 0 p 7,1,2/7,0,2 - 4", "Ca3", "-5-/7/C6/7/7/5O1/-5- 1 o 7,0,2/7,1,3 - 5")


# Taking the third


def test_the_third_ornament_taken_wins() -> None:
    game = play(
        "-5-/1o5/7/7/7/5O1/-5- 0 p 8,0,0/8,0,0 - 4",
        "Kc3",
        "-5-/7/2K4/7/7/5O1/-5- 0 x 7,0,0/8,0,0 - 4",
    )
    assert (game.winner, game.reason) == (0, Reason.ORNAMENTS_TAKEN)


def test_ones_own_third_ornament_knocked_off_comes_home_and_loses_nothing() -> None:
    play("-5-/1O5/7/7/7/5o1/-5- 0 p 8,0,0/8,0,0 - 4", "Kc3", "-5-/7/2K4/7/7/5o1/-5- 1 p 7,0,1/8,0,0 - 5")


def test_a_pounce_may_win_for_the_other_player() -> None:
    game = play("-5-/7/2O4/2c4/7/5o1/-5- 0 p 7,1,0/7,0,2 - 4", "Cc5", "-5-/7/7/7/2C4/5o1/-5- 0 x 7,0,0/7,1,2 - 4")
    assert (game.winner, game.reason) == (1, Reason.ORNAMENTS_TAKEN)


def test_both_third_ornaments_in_one_turn_win_for_the_mover() -> None:
    game = play("-5-/7/2O4/2c4/7/1o5/-5- 0 p 7,1,0/7,0,0 - 4", "Cc5", "-5-/7/7/7/2C4/7/-5- 0 x 7,0,0/7,1,0 - 4")
    assert (game.winner, game.reason) == (0, Reason.ORNAMENTS_TAKEN)


def test_three_cats_of_the_mover_come_before_a_pounce_of_the_other_player() -> None:
    game = play(
        "-5-/7/2O4/2c4/CC5/5o1/-5- 0 p 5,1,0/7,0,2 - 4",
        "Cc5",
        "-5-/7/7/7/CCC4/5o1/-5- 0 x 5,0,0/7,1,2 - 4",
    )
    assert (game.winner, game.reason) == (0, Reason.THREE_CATS)


def test_an_ornament_is_no_piece_of_a_row() -> None:
    play("-5-/7/7/7/KO5/5o1/-5- 0 p 7,0,2/8,0,2 - 4", "Kd7", "-5-/7/7/7/KO5/5o1/-2K2- 1 p 6,0,2/8,0,2 - 5")


def test_flat_plays_alike() -> None:
    play("-5-/7/7/1O5/7/5o1/-5- 0 p 8,0,2/8,0,2 - 4", "Ka4", "-5-/7/7/KO5/7/5o1/-5- 1 p 7,0,2/8,0,2 - 5", "halls_flat")
