"""Ghosts one by one (docs/rules.md section 6)."""

from __future__ import annotations

import pytest

from boop_env import Game, IllegalMove, Reason


def play(start: str, moves: str, after: str) -> Game:
    """Plays moves and checks where they lead."""
    game = Game.from_record("booop", moves, start)
    assert game.position() == after
    return game


def check_boop(row: str, ghost: str, after: str) -> None:
    """Checks what player_0's ghost, coming down to a stitch of row 3, does to player_1's pieces there."""
    before = ghost.replace("3", "2")
    pieces, left = (sum(letter in "kc" for letter in line) for line in (row, after))
    fallen_cats = row.count("c") - after.count("c")
    play(
        f"6/6/{row}/6/6/6 0 p 8,0/{8 - pieces},0 {before}/- 10",
        "Kf6",
        f"6/6/{after}/6/6/5K 1 p 7,0/{8 - left - fallen_cats},{fallen_cats} {ghost}/- 11",
    )


# Entering


def test_the_ghost_enters_after_the_turns_placement() -> None:
    game = Game("booop")
    game.push("Kc3")
    assert game.position() == "6/6/2K3/6/6/6 0 h 7,0/8,0 -/- 0"
    assert len(game.legal_moves()) == 21
    game.push("Gb1c1")
    assert game.position() == "6/6/2K3/6/6/6 1 p 7,0/8,0 b1c1v/- 1"


@pytest.mark.parametrize(
    ("entry", "ghost"), [("Ga1b1", "a1b1v"), ("Ga6b6", "a6b6^"), ("Ga1a2", "a1a2>"), ("Gf5f6", "f5f6<")]
)
def test_an_entry_heads_inward(entry: str, ghost: str) -> None:
    game = Game.from_record("booop", ["Kc3", entry])
    assert game.position().split(" ")[4] == f"{ghost}/-"


def test_entering_boops_nothing_and_the_ghost_rests_that_turn() -> None:
    start = "kK4/cC4/6/6/6/6 0 h 6,0/6,0 -/- 10"
    play(start, "Ga1b1", "kK4/cC4/6/6/6/6 1 p 6,0/6,0 a1b1v/- 11")


def test_it_moves_at_its_owners_next_turn_and_at_no_other() -> None:
    game = Game.from_record("booop", "Kd4 Ga1b1 Kf1 - Kf6")
    assert game.position() == "5k/6/6/3K2/6/5K 1 p 6,0/7,0 a2b2v/- 3"


def test_declining_leaves_it_in_the_pool_and_asks_again() -> None:
    game = Game.from_record("booop", "Kd4 -")
    assert game.position() == "6/6/6/3K2/6/6 1 p 7,0/8,0 -/- 1"
    for move in ("Kf1", "-", "Kf6"):
        game.push(move)
    assert (game.mover, game.phase) == (0, "h")


def test_a_ghost_on_the_board_is_not_placed_again() -> None:
    game = Game.from_record("booop", "Kd4 Ga1b1 Kf1 - Kf6")
    assert (game.mover, game.phase) == (1, "p")


@pytest.mark.parametrize("ghost", ["c1d1v", "c1d1^"])
def test_an_entry_that_holds_the_other_ghost_is_not_free(ghost: str) -> None:
    game = Game.from_position("booop", f"6/6/6/6/6/5K 0 h 7,0/8,0 -/{ghost} 10")
    assert len(game.legal_moves()) == 20
    assert "Gc1d1" not in game.legal_moves()
    with pytest.raises(IllegalMove, match="the other ghost is on that stitch"):
        game.push("Gc1d1")
    game.push("Gc6d6")
    assert game.position().split(" ")[4] == f"c6d6^/{ghost}"


def test_the_other_ghost_inside_holds_no_entry() -> None:
    game = Game.from_position("booop", "6/6/6/6/6/5K 0 h 7,0/8,0 -/c2d2v 10")
    assert len(game.legal_moves()) == 21


# Moving


@pytest.mark.parametrize(
    ("before", "after"), [("c3d3v", "c4d4v"), ("c3d3^", "c2d2^"), ("c3c4>", "d3d4>"), ("c3c4<", "b3b4<")]
)
def test_it_moves_one_stitch_forward(before: str, after: str) -> None:
    play(f"6/6/6/6/6/6 0 p 8,0/8,0 {before}/- 10", "Kf6", f"6/6/6/6/6/5K 1 p 7,0/8,0 {after}/- 11")


def test_it_fills_no_space_and_nothing_moves_it() -> None:
    play("6/6/6/6/6/6 0 p 8,0/8,0 -/c3d3v 10", "Kc3 -", "6/6/2K3/6/6/6 1 p 7,0/8,0 -/c3d3v 11")
    play("6/6/1k4/6/6/6 0 p 8,0/7,0 -/c3d3v 10", "Ka3 -", "6/6/K1k3/6/6/6 1 p 7,0/7,0 -/c3d3v 11")


def test_it_moves_on_a_pass_too() -> None:
    play(
        "K1K1K1/6/1K1K2/6/K1K3/5K 0 p 0,0/8,0 c2d2v/- 10",
        "- -",
        "K1K1K1/6/1K2K1/6/K1K3/5K 1 p 0,0/8,0 c3d3v/- 11",
    )


def test_it_moves_after_the_boops() -> None:
    """The kitten is pushed from d3 to c3, and from beside the ghost on to b3."""
    play("6/6/3k2/6/6/6 0 p 8,0/7,0 c2d2v/- 10", "Ke3", "6/6/1k2K1/6/6/6 1 p 7,0/7,0 c3d3v/- 11")


# Booping


@pytest.mark.parametrize(
    ("letter", "pools", "after"),
    [
        ("K", "7,0/8,0", "6,0/8,0"),
        ("C", "7,0/8,0", "6,0/8,0"),
        ("k", "8,0/7,0", "7,0/7,0"),
        ("c", "8,0/7,0", "7,0/7,0"),
    ],
)
def test_it_pushes_kittens_and_cats_of_both_players(letter: str, pools: str, after: str) -> None:
    play(
        f"6/6/2{letter}3/6/6/6 0 p {pools} c2d2v/- 10",
        "Kf6",
        f"6/6/1{letter}4/6/6/5K 1 p {after} c3d3v/- 11",
    )


def test_it_pushes_on_both_sides() -> None:
    check_boop("2kc2", "c3d3v", "1k2c1")


def test_it_pushes_up_and_down_when_it_travels_across() -> None:
    play("6/6/3k2/3c2/6/6 0 p 8,0/6,0 c3c4>/- 10", "Kf6", "6/3k2/6/6/3c2/5K 1 p 7,0/6,0 d3d4>/- 11")


def test_it_pushes_only_the_two_spaces_beside_its_stitch() -> None:
    play(
        "6/2kk2/1k2k1/2kk2/6/6 0 p 8,0/2,0 c2d2v/- 10",
        "Kf6",
        "6/2kk2/1k2k1/2kk2/6/5K 1 p 7,0/2,0 c3d3v/- 11",
    )


def test_it_pushes_off_the_board() -> None:
    check_boop("kc4", "a3b3v", "2c3")


def test_booo_goes_over_one_piece() -> None:
    check_boop("3kc1", "c3d3v", "4ck")


def test_booo_goes_over_several_pieces() -> None:
    check_boop("2kccc", "b3c3v", "3ccc")


def test_booo_lands_on_the_first_empty_space() -> None:
    check_boop("1kcck1", "a3b3v", "2cckk")
    check_boop("1kc1k1", "a3b3v", "2ckk1")


def test_booo_goes_off_the_board_when_nothing_is_empty() -> None:
    check_boop("4ck", "d3e3v", "5k")
    check_boop("kck3", "c3d3v", "kc4")


def test_booo_on_both_sides_at_once() -> None:
    check_boop("1kckc1", "c3d3v", "ck2ck")


def test_booo_passes_pieces_of_the_owner_too() -> None:
    play("6/6/3Kk1/6/6/6 0 p 7,0/7,0 c2d2v/- 10", "Ka1", "K5/6/4kK/6/6/6 1 p 6,0/7,0 c3d3v/- 11")


# Passing the other ghost


def test_it_passes_the_other_ghost_with_no_effect_there() -> None:
    play(
        "6/6/2kk2/2cc2/6/6 0 p 8,0/4,0 c2d2v/c3d3^ 10",
        "Kf6",
        "6/6/2kk2/1c2c1/6/5K 1 p 7,0/4,0 c4d4v/c3d3^ 11",
    )


@pytest.mark.parametrize("heading", "v^")
def test_it_passes_whatever_the_others_heading(heading: str) -> None:
    play(f"6/6/6/6/6/6 0 p 8,0/8,0 b2c2v/b3c3{heading} 10", "Kf6", f"6/6/6/6/6/5K 1 p 7,0/8,0 b4c4v/b3c3{heading} 11")


def test_a_ghost_on_a_stitch_across_is_not_in_the_way() -> None:
    play("6/6/6/6/6/6 0 p 8,0/8,0 c2d2v/c3c4> 10", "Kf6", "6/6/6/6/6/5K 1 p 7,0/8,0 c3d3v/c3c4> 11")


def test_passing_the_other_at_the_edge_brings_it_home() -> None:
    play("6/6/6/6/6/kk4 0 p 8,0/6,0 a5b5v/a6b6^ 10", "Kf1", "5K/6/6/6/6/kk4 1 p 7,0/6,0 -/a6b6^ 11")


# Coming home


def test_past_the_last_stitch_it_comes_home_and_is_not_placed_that_turn() -> None:
    game = play("6/6/6/6/6/6 0 p 8,0/8,0 a6b6v/- 10", "Kf1", "5K/6/6/6/6/6 1 p 7,0/8,0 -/- 11")
    for move in ("Ka1", "-", "Kf6"):
        game.push(move)
    assert game.position() == "k4K/6/6/6/6/5K 0 h 6,0/7,0 -/- 12"


@pytest.mark.parametrize("ghost", ["a6b6v", "a1b1^", "f1f2>", "a1a2<"])
def test_it_comes_home_from_every_edge(ghost: str) -> None:
    play(f"6/6/6/6/6/6 0 p 8,0/8,0 {ghost}/- 10", "Kd4", "6/6/6/3K2/6/6 1 p 7,0/8,0 -/- 11")


def test_coming_home_boops_nothing() -> None:
    play("6/6/6/6/6/kk4 0 p 8,0/6,0 a6b6v/- 10", "Kf1", "5K/6/6/6/6/kk4 1 p 7,0/6,0 -/- 11")


def test_home_this_turn_shows_while_the_turn_lasts() -> None:
    """A graduation to choose comes before the turn passes, and after it there is still no placement."""
    game = play("KKK3/6/6/6/6/6 0 p 5,0/8,0 a6b6v/- 10", "Kd1", "KKKK2/6/6/6/6/6 0 g 4,0/8,0 !/- 10")
    game.push("+a1c1")
    assert game.position() == "3K2/6/6/6/6/6 1 p 4,3/8,0 -/- 11"


def test_home_stays_shown_after_a_win() -> None:
    game = play("CC4/6/6/6/6/6 0 p 5,1/8,0 a6b6v/- 10", "Cc1", "CCC3/6/6/6/6/6 0 x 5,0/8,0 !/- 10")
    assert (game.winner, game.reason) == (0, Reason.THREE_CATS)


def test_the_ghost_is_placed_after_the_graduation() -> None:
    game = play("KKK3/6/6/6/6/6 0 p 5,0/8,0 -/- 10", "Kd1 +b1d1", "K5/6/6/6/6/6 0 h 4,3/8,0 -/- 10")
    game.push("Ga1b1")
    assert game.position() == "K5/6/6/6/6/6 1 p 4,3/8,0 a1b1v/- 11"


def test_no_ghost_is_placed_after_a_win() -> None:
    play("CC4/6/6/6/6/6 0 p 5,1/8,0 -/- 10", "Cc1", "CCC3/6/6/6/6/6 0 x 5,0/8,0 -/- 10")


# Rows that a ghost makes or breaks


def test_a_row_that_ones_ghost_makes_wins() -> None:
    game = play(
        "2C3/2C3/1C4/6/6/6 0 p 5,0/8,0 a2b2v/- 10",
        "Kf6",
        "2C3/2C3/2C3/6/6/5K 0 x 4,0/8,0 a3b3v/- 10",
    )
    assert game.reason is Reason.THREE_CATS


def test_a_row_that_ones_ghost_makes_graduates() -> None:
    play("2K3/2K3/1K4/6/6/6 0 p 5,0/8,0 a2b2v/- 10", "Kf6", "6/6/6/6/6/5K 1 p 4,3/8,0 a3b3v/- 11")


def test_a_row_that_ones_ghost_breaks_does_not_count() -> None:
    play("6/6/C1C3/6/6/6 0 p 5,1/8,0 b2c2v/- 10", "Cb3", "6/6/C2C2/6/6/6 1 p 5,1/8,0 b3c3v/- 11")


def test_a_row_of_kittens_that_a_ghost_makes_for_the_other_player_waits() -> None:
    game = play(
        "2k3/2k3/1k4/6/6/6 0 p 8,0/5,0 a2b2v/- 10",
        "Kf6",
        "2k3/2k3/2k3/6/6/5K 1 p 7,0/5,0 a3b3v/- 11",
    )
    game.push("Kf1")
    assert game.position() == "5k/6/6/6/6/5K 1 h 7,0/4,3 a3b3v/- 11"


def test_a_row_of_cats_that_a_ghost_makes_for_the_other_player_waits() -> None:
    start = "2c3/2c3/1c4/6/6/6 0 p 8,0/5,0 a2b2v/- 10"
    game = play(start, "Kf6", "2c3/2c3/2c3/6/6/5K 1 p 7,0/5,0 a3b3v/- 11")
    assert not game.is_over
    won = play(start, "Kf6 Kf1", "2c2k/2c3/2c3/6/6/5K 1 x 7,0/4,0 a3b3v/- 11")
    assert (won.winner, won.reason) == (1, Reason.THREE_CATS)


def test_a_waiting_row_that_no_longer_stands_does_not_count() -> None:
    """player_1's own kitten, on d4, pushes the one on c3 away."""
    start = "2k3/2k3/1k4/6/6/6 0 p 8,0/5,0 a2b2v/- 10"
    play(start, "Kf6 Kd4", "2k3/1kk3/6/3k2/6/5K 1 h 7,0/4,0 a3b3v/- 11")
