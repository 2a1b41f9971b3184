"""The rules that every variant shares, one by one (docs/rules.md sections 3 to 5 and 7), and the presets' options."""

from __future__ import annotations

from dataclasses import replace

import pytest

from boop_env import PRESETS, Game, Reason, RuleSet

SMALL_BED = RuleSet(layout="111\n111\n111", pieces=5)


def play(start: str, moves: str, after: str, rules: str | RuleSet = "boop") -> Game:
    """Plays moves and checks where they lead."""
    game = Game.from_record(rules, moves, start)
    assert game.position() == after
    return game


# Boops


def test_a_piece_pushes_all_eight_neighbours() -> None:
    play(
        "6/6/1kkk2/1k1k2/1kkk2/6 0 p 8,0/0,0 - 4",
        "Kc4",
        "6/k1k1k1/6/k1K1k1/6/k1k1k1 1 p 7,0/0,0 - 5",
    )


def test_a_kitten_pushes_kittens_of_either_player() -> None:
    play("6/6/2k3/3K2/6/6 0 p 7,0/7,0 - 4", "Kc4", "6/2k3/6/2K1K1/6/6 1 p 6,0/7,0 - 5")


@pytest.mark.parametrize(("letter", "pools", "after"), [("c", "8,0/7,0", "7,0/7,0"), ("C", "7,0/8,0", "6,0/8,0")])
def test_a_kitten_does_not_push_a_cat(letter: str, pools: str, after: str) -> None:
    play(f"6/6/2{letter}3/6/6/6 0 p {pools} - 4", "Kc4", f"6/6/2{letter}3/2K3/6/6 1 p {after} - 5")


def test_a_cat_pushes_kittens_and_cats() -> None:
    play("6/6/2c3/3K2/6/6 0 p 6,1/7,0 - 4", "Cc4", "6/2c3/6/2C1K1/6/6 1 p 6,0/7,0 - 5")


def test_off_the_board_means_back_to_the_owners_pool() -> None:
    play("k5/6/6/6/6/6 0 p 8,0/7,0 - 4", "Kb2", "6/1K4/6/6/6/6 1 p 7,0/8,0 - 5")
    play("K5/6/6/6/6/6 0 p 7,0/8,0 - 4", "Kb1", "1K4/6/6/6/6/6 1 p 7,0/8,0 - 5")
    play("c5/6/6/6/6/6 0 p 7,1/7,0 - 4", "Ca2", "6/C5/6/6/6/6 1 p 7,0/7,1 - 5")
    play("C5/6/6/6/6/6 0 p 6,1/8,0 - 4", "Ca2", "6/C5/6/6/6/6 1 p 6,1/8,0 - 5")


def test_a_hole_is_off_the_board() -> None:
    play("-5-/1k5/7/7/7/7/-5- 0 p 8,0/7,0 - 4", "Kc3", "-5-/7/2K4/7/7/7/-5- 1 p 7,0/8,0 - 5", "halls_no_ornaments")


@pytest.mark.parametrize("behind", "KkCc")
def test_two_in_a_line_are_not_pushed_along_it(behind: str) -> None:
    start, after = ("7,0/7,0", "6,0/7,0") if behind.isupper() else ("8,0/6,0", "7,0/6,0")
    play(f"6/6/6/1k{behind}3/6/6 0 p {start} - 4", "Ka4", f"6/6/6/Kk{behind}3/6/6 1 p {after} - 5")


def test_two_in_a_line_at_the_edge_stay_too() -> None:
    play("kk4/6/6/6/6/6 0 p 8,0/6,0 - 4", "Kc1", "kkK3/6/6/6/6/6 1 p 7,0/6,0 - 5")


def test_a_pushed_piece_pushes_nothing() -> None:
    play("6/6/6/1k1k2/6/6 0 p 8,0/6,0 - 4", "Ka4", "6/6/6/K1kk2/6/6 1 p 7,0/6,0 - 5")


# Passing


def test_with_an_empty_pool_the_only_action_is_to_pass() -> None:
    game = Game.from_position("boop", "K1K1K1/6/1K1K2/6/K1K3/5K 0 p 0,0/8,0 - 20")
    assert game.legal_moves() == ["-"]
    game.push("-")
    assert game.phase == "g"
    game.push("-")
    assert game.position() == "K1K1K1/6/1K1K2/6/K1K3/5K 1 p 0,0/8,0 - 21"


def test_with_no_space_the_only_action_is_to_pass() -> None:
    """A kitten of player_1 waits in the pool and the bed of nine is full."""
    game = Game.from_position(SMALL_BED, "KkK/kKk/KkK 1 p 0,0/1,0 - 20")
    assert game.legal_moves() == ["-"]
    game.push("-")
    assert game.position() == "KkK/kKk/KkK 0 p 0,0/1,0 - 21"


def test_a_pass_still_graduates_a_standing_row() -> None:
    play("KKKC2/6/2C3/6/C1C3/5C 0 p 0,0/8,0 - 20", "- +a1c1", "3C2/6/2C3/6/C1C3/5C 1 p 0,3/8,0 - 21")


# Rows


@pytest.mark.parametrize("board", ["CKC3/6/6/6/6/6", "C5/K5/C5/6/6/6", "C5/1K4/2C3/6/6/6", "2C3/1K4/C5/6/6/6"])
def test_rows_run_in_four_directions(board: str) -> None:
    play(f"{board} 0 p 5,0/8,0 - 4", "Kf6", "6/6/6/6/6/5K 1 p 4,3/8,0 - 5")


@pytest.mark.parametrize("board", ["CK1C2/6/6/6/6/6", "C5/2K3/4C1/6/6/6", "4CK/C5/6/6/6/6", "CK4/1C4/6/6/6/6"])
def test_three_that_are_not_adjacent_in_a_line_are_no_row(board: str) -> None:
    play(f"{board} 0 p 5,0/8,0 - 4", "Kf6", f"{board.removesuffix('6')}5K 1 p 4,0/8,0 - 5")


def test_kittens_become_cats_and_cats_stay_cats() -> None:
    play("KCK3/6/6/6/6/6 0 p 4,1/8,0 - 4", "Kf6", "6/6/6/6/6/5K 1 p 3,4/8,0 - 5")


def test_a_lone_row_graduates_unasked() -> None:
    play("KK4/6/6/6/6/6 0 p 6,0/8,0 - 4", "Kc1", "6/6/6/6/6/6 1 p 5,3/8,0 - 5")


def test_four_in_a_line_hold_two_rows() -> None:
    game = Game.from_record("boop", "Kd1", "KKK3/6/6/6/6/6 0 p 5,0/8,0 - 20")
    assert game.legal_moves() == ["+a1c1", "+b1d1"]
    game.push("+a1c1")
    assert game.position() == "3K2/6/6/6/6/6 1 p 4,3/8,0 - 21"


def test_one_of_two_rows_is_chosen_and_the_other_stays() -> None:
    start = "KK4/6/6/6/3KKK/6 0 p 3,0/8,0 - 20"
    play(start, "Kc1 +d5f5", "KKK3/6/6/6/6/6 1 p 2,3/8,0 - 21")
    play(start, "Kc1 +a1c1", "6/6/6/6/3KKK/6 1 p 2,3/8,0 - 21")


def test_a_row_left_over_graduates_the_turn_after() -> None:
    play(
        "KK4/6/6/6/3KKK/6 0 p 3,0/8,0 - 20",
        "Kc1 +a1c1 Kf1 Ka3",
        "5k/6/K5/6/6/6 1 p 1,6/7,0 - 23",
    )


def test_a_row_that_the_other_player_made_waits() -> None:
    """player_0 pushes b3 into player_1's row, which graduates at the end of player_1's turn."""
    start = "k5/k5/1k4/6/6/6 0 p 8,0/5,0 - 20"
    game = Game.from_record("boop", "Kc3", start)
    assert game.position() == "k5/k5/k1K3/6/6/6 1 p 7,0/5,0 - 21"
    game.push("Kf6")
    assert game.position() == "6/6/2K3/6/6/5k 0 p 7,0/4,3 - 22"


def test_a_waiting_row_that_is_broken_does_not_count() -> None:
    play(
        "k5/k5/1k4/6/6/6 0 p 8,0/5,0 - 20",
        "Kc3 Kb2",
        "6/1k4/6/3K2/6/6 0 p 7,0/7,0 - 22",
    )


def test_all_rows_graduate_together() -> None:
    preset = "boop_overview"
    play("KKK3/6/6/6/6/6 0 p 5,0/8,0 - 20", "Kd1", "6/6/6/6/6/6 1 p 4,4/8,0 - 21", preset)
    play("KK4/6/6/6/3KKK/6 0 p 3,0/8,0 - 20", "Kc1", "6/6/6/6/6/6 1 p 2,6/8,0 - 21", preset)
    # Two rows that share c1.
    play("KKC3/1K4/K5/6/6/6 0 p 3,0/8,0 - 20", "Kf6", "6/6/6/6/6/5K 1 p 2,5/8,0 - 21", preset)


def test_all_rows_graduate_together_on_a_full_bed_too() -> None:
    for full_bed in ("may", "must", "must_kitten"):
        play(
            "KK4/6/K1K1K1/6/K1K3/6 0 p 1,0/8,0 - 20",
            "Kc1",
            "6/6/K1K1K1/6/K1K3/6 1 p 0,3/8,0 - 21",
            replace(PRESETS["boop_overview"], full_bed=full_bed),  # type: ignore[arg-type]
        )


# Full bed: all eight on the board, f6 placed last

FULL = "K1K1K1/6/1K1C2/6/K1K3/6 0 p 1,0/8,0 - 20"
FULL_SINGLES = ["+a1", "+c1", "+e1", "+b3", "+d3", "+a5", "+c5", "+f6"]
FULL_WITH_ROW = "KK4/6/K1K1C1/6/C1K3/6 0 p 1,0/8,0 - 20"


def test_full_bed_may() -> None:
    game = Game.from_record("boop", "Kf6", FULL)
    assert game.legal_moves() == [*FULL_SINGLES, "-"]
    play(FULL, "Kf6 +a1", "2K1K1/6/1K1C2/6/K1K3/5K 1 p 0,1/8,0 - 21")
    play(FULL, "Kf6 +d3", "K1K1K1/6/1K4/6/K1K3/5K 1 p 0,1/8,0 - 21")
    play(FULL, "Kf6 -", "K1K1K1/6/1K1C2/6/K1K3/5K 1 p 0,0/8,0 - 21")


def test_full_bed_may_beside_a_row_must_take_one_of_them() -> None:
    game = Game.from_record("boop", "Kc1", FULL_WITH_ROW)
    assert game.legal_moves() == ["+a1c1", "+a1", "+b1", "+c1", "+a3", "+c3", "+e3", "+a5", "+c5"]


def test_full_bed_must() -> None:
    game = Game.from_record("boop_bga", "Kf6", FULL)
    assert game.legal_moves() == FULL_SINGLES


def test_full_bed_must_beside_a_row_is_the_row() -> None:
    play(FULL_WITH_ROW, "Kc1", "6/6/K1K1C1/6/C1K3/6 1 p 0,3/8,0 - 21", "boop_bga")


def test_full_bed_must_kitten() -> None:
    game = Game.from_record("boop_overview", "Kf6", FULL)
    assert game.legal_moves() == [single for single in FULL_SINGLES if single != "+d3"]


def test_full_bed_must_kitten_with_one_kitten_takes_it_unasked() -> None:
    play(
        "C1C1C1/6/1C1C2/6/C1C3/6 0 p 1,0/8,0 - 20",
        "Kf6",
        "C1C1C1/6/1C1C2/6/C1C3/6 1 p 0,1/8,0 - 21",
        "boop_overview",
    )


def test_full_bed_must_kitten_with_cats_only_does_nothing() -> None:
    play(
        "C1C1C1/6/1C1C2/6/C1C3/6 0 p 0,1/8,0 - 20",
        "Cf6",
        "C1C1C1/6/1C1C2/6/C1C3/5C 1 p 0,0/8,0 - 21",
        "boop_overview",
    )


def test_full_bed_must_kitten_waits_for_a_row_of_the_other_player() -> None:
    play(
        "kkk3/6/K1K1KK/6/1K1K2/2K3 0 p 1,0/5,0 - 20",
        "Kf6",
        "kkk3/6/K1K1KK/6/1K1K2/2K2K 1 p 0,0/5,0 - 21",
        "boop_overview",
    )


def test_seven_on_the_board_are_no_full_bed() -> None:
    game = Game.from_record("boop", "Kf6", "K1K1K1/6/1K1C2/6/K5/6 0 p 2,0/8,0 - 20")
    assert (game.mover, game.phase) == (1, "p")


# Expert: rows that could be disturbed


@pytest.mark.parametrize(
    ("start", "move", "after"),
    [
        # With empty spaces around, a placement on b2 would push all three off the board.
        ("KK4/6/6/6/6/6 0 p 6,0/8,0 - 20", "Kc1", "KKK3/6/6/6/6/6 1 p 5,0/8,0 - 21"),
        # The only space beside the row is d1, and from there b1 stops the push of c1.
        ("KK4/CcCc2/6/6/6/6 0 p 3,1/3,3 - 20", "Kc1", "6/CcCc2/6/6/6/6 1 p 2,4/3,3 - 21"),
        # The same from the other side.
        ("4KK/2cCcC/6/6/6/6 0 p 3,1/3,3 - 20", "Kd1", "6/2cCcC/6/6/6/6 1 p 2,4/3,3 - 21"),
        # With d2 empty, a placement there would push c1 off the board.
        ("KK4/CcC3/6/6/6/6 0 p 3,1/3,4 - 20", "Kc1", "KKK3/CcC3/6/6/6/6 1 p 2,1/3,4 - 21"),
    ],
)
def test_only_safe_rows_graduate(start: str, move: str, after: str) -> None:
    play(start, move, after, "boop_expert")


def test_cats_are_safe_from_a_pool_of_kittens() -> None:
    """A cat on a2 would push a1 off the board, a kitten would not."""
    play("CC4/1cCc2/6/6/6/6 0 p 4,1/6,0 - 20", "Kc1", "6/1cCc2/6/6/6/6 1 p 3,4/6,0 - 21", "boop_expert")
    play("CC4/1cCc2/6/6/6/6 0 p 4,1/5,1 - 20", "Kc1", "CCK3/1cCc2/6/6/6/6 1 p 3,1/5,1 - 21", "boop_expert")


def test_every_row_is_safe_from_an_empty_pool() -> None:
    play(
        "KK4/6/k1k1k1/6/k1k1k1/1k1k2 0 p 6,0/0,0 - 20",
        "Kc1",
        "6/6/k1k1k1/6/k1k1k1/1k1k2 1 p 5,3/0,0 - 21",
        "boop_expert",
    )


def test_unsafe_rows_are_judged_afresh_each_turn() -> None:
    """The row of a1 to c1 stands, unsafe from d2, until player_1's own push fills d2."""
    start = "KK4/CcC3/3c2/6/6/6 0 p 3,1/3,3 - 20"
    play(start, "Kc1 Cd4", "KKK3/CcCc2/6/3c2/6/6 0 p 2,1/3,2 - 22", "boop_expert")
    play(start, "Kc1 Cd4 Kf6", "6/CcCc2/6/3c2/6/5K 1 p 1,4/3,2 - 23", "boop_expert")


def test_an_unsafe_row_beside_a_full_bed_is_no_row() -> None:
    game = Game.from_record("boop_expert", "Kc1", FULL_WITH_ROW)
    assert game.legal_moves() == ["+a1", "+b1", "+c1", "+a3", "+c3", "+e3", "+a5", "+c5", "-"]


def test_a_row_of_cats_wins_however_unsafe() -> None:
    game = Game.from_record("boop_expert", "Cc1", "CC4/6/6/6/6/6 0 p 5,1/8,0 - 20")
    assert (game.winner, game.reason) == (0, Reason.THREE_CATS)


# Winning


def test_three_cats_in_a_row_win() -> None:
    game = play("CC4/6/6/6/6/6 0 p 5,1/8,0 - 20", "Cc1", "CCC3/6/6/6/6/6 0 x 5,0/8,0 - 20")
    assert (game.is_over, game.winner, game.reason) == (True, 0, Reason.THREE_CATS)
    assert game.legal_moves() == []
    assert game.legal_actions().size == 0


def test_a_mixed_row_does_not_win() -> None:
    assert Game.from_record("boop", "Kc1", "CC4/6/6/6/6/6 0 p 5,1/8,0 - 20").winner is None


EIGHT = "C1C1C1/6/1C1C2/6/C1C3/6 0 p 0,1/8,0 - 20"


@pytest.mark.parametrize("preset", ["boop", "boop_bga", "boop_expert"])
def test_eight_cats_on_the_board_win(preset: str) -> None:
    game = play(EIGHT, "Cf6", "C1C1C1/6/1C1C2/6/C1C3/5C 0 x 0,0/8,0 - 20", preset)
    assert (game.winner, game.reason) == (0, Reason.EIGHT_CATS)


def test_seven_cats_and_a_kitten_do_not() -> None:
    assert Game.from_record("boop", "Kf6", EIGHT.replace("0,1/", "1,0/")).winner is None


def test_eight_cats_do_not_win_in_the_overview() -> None:
    assert Game.from_record("boop_overview", "Cf6", EIGHT).winner is None


def test_eight_means_all_the_pieces_of_the_rule_set() -> None:
    game = Game.from_record(RuleSet(pieces=4), "Cf6", "C1C1C1/6/6/6/6/6 0 p 0,1/4,0 - 20")
    assert (game.winner, game.reason) == (0, Reason.EIGHT_CATS)


def test_eight_cats_of_the_other_player_wait_for_their_own_turn() -> None:
    game = Game.from_position("boop", "c1c1c1/6/1c1c2/6/c1c3/3c2 0 p 8,0/0,0 - 20")
    game.push("Kf6")
    assert not game.is_over
    game.push("-")
    assert (game.winner, game.reason) == (1, Reason.EIGHT_CATS)


ROW_FOR_THE_OTHER = "c5/c5/1c4/6/6/6 0 p 7,1/5,0 - 20"


def test_three_cats_of_the_other_player_wait_for_their_own_turn() -> None:
    game = play(ROW_FOR_THE_OTHER, "Cc3", "c5/c5/c1C3/6/6/6 1 p 7,0/5,0 - 21")
    game.push("Kf6")
    assert (game.winner, game.reason) == (1, Reason.THREE_CATS)


def test_three_cats_of_the_other_player_wait_while_the_mover_graduates() -> None:
    play("ccc3/6/6/6/KK4/6 0 p 6,0/5,0 - 20", "Kc5", "ccc3/6/6/6/6/6 1 p 5,3/5,0 - 21")


def test_three_cats_of_the_other_player_count_at_once_in_the_overview() -> None:
    game = play(ROW_FOR_THE_OTHER, "Cc3", "c5/c5/c1C3/6/6/6 0 x 7,0/5,0 - 20", "boop_overview")
    assert (game.winner, game.reason) == (1, Reason.THREE_CATS)


@pytest.mark.parametrize("preset", ["boop", "boop_overview"])
def test_the_mover_comes_first(preset: str) -> None:
    game = Game.from_record(preset, "Cf5", "ccc3/6/6/6/3CC1/6 0 p 5,1/5,0 - 20")
    assert (game.winner, game.reason) == (0, Reason.THREE_CATS)


def test_three_cats_come_before_eight_cats() -> None:
    game = Game.from_record("boop", "Cc1", "CC4/6/C1C1C1/6/C1C3/6 0 p 0,1/8,0 - 20")
    assert game.reason is Reason.THREE_CATS


# The turn cap


def test_a_game_at_the_turn_cap_is_truncated() -> None:
    game = play("6/6/6/6/6/6 1 p 8,0/8,0 - 299", "Kc3", "6/6/2k3/6/6/6 0 x 8,0/7,0 - 300")
    assert (game.is_over, game.winner, game.reason) == (True, None, Reason.TRUNCATED)
    assert game.legal_moves() == []


def test_the_turn_cap_is_an_option() -> None:
    game = Game.from_record(RuleSet(max_turns=2), "Kc3 Kf6")
    assert (game.mover, game.turn, game.reason) == (0, 2, Reason.TRUNCATED)


def test_a_win_on_the_last_turn_is_a_win() -> None:
    game = play("cc4/6/6/6/6/6 1 p 8,0/5,1 - 299", "Cc1", "ccc3/6/6/6/6/6 1 x 8,0/5,0 - 299")
    assert (game.winner, game.reason) == (1, Reason.THREE_CATS)


def test_a_row_that_still_waits_at_the_cap_wins_nothing() -> None:
    game = play("CC1C2/6/6/6/6/6 1 p 5,0/7,1 - 299", "Ce1", "CCC1c1/6/6/6/6/6 0 x 5,0/7,0 - 300")
    assert (game.winner, game.reason) == (None, Reason.TRUNCATED)


def test_a_turn_of_several_steps_counts_once() -> None:
    game = Game.from_record("halls", "Oc3 Kg6")
    assert game.turn == 1
    game = Game.from_record("booop", "Kc3 Ga1b1")
    assert game.turn == 1
