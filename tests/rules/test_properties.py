"""What holds in every game: hypothesis draws a rule set, a start and the moves."""

from __future__ import annotations

import copy
import pickle
import random
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_positions import random_position
from reference import REFERENCE_PRESETS

from boop_env import PRESETS, Game, Layout, RuleSet

HEADINGS = {"v": (1, 0), "^": (-1, 0), ">": (0, 1), "<": (0, -1)}

settings.register_profile(
    "rules",
    max_examples=100,
    deadline=None,  # the first example may compile
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
quick = settings(settings.get_profile("rules"))


class Play(NamedTuple):
    """A game to be played: each number picks one of the legal moves."""

    start: Game
    choices: list[int]

    def moves(self, game: Game) -> list[str]:
        """Plays the choices on a game, as far as it lasts; returns the moves."""
        played = []
        for choice in self.choices:
            legal = game.legal_moves()
            if not legal:
                break
            played.append(legal[choice % len(legal)])
            game.push(played[-1])
        return played


@st.composite
def plays(draw: st.DrawFn, most: int = 60) -> Play:
    """Games of every preset, from the beginning or from a random position."""
    preset = draw(st.sampled_from(list(PRESETS)))
    seed = draw(st.none() | st.integers(0, 2**32))
    game = Game(preset)
    if seed is not None:
        game = Game.from_position(preset, random_position(REFERENCE_PRESETS[preset], random.Random(seed)))
    return Play(game, draw(st.lists(st.integers(0, 2**16), max_size=most)))


def pieces(position: str) -> list[int]:
    """Pieces that each player has on the board and in the pool, by the position text."""
    board, _, _, pools, _, _ = position.split(" ")
    on_board = [sum(board.count(letter) for letter in letters) for letters in ("KC", "kc")]
    return [on + sum(map(int, pool.split(",")[:2])) for on, pool in zip(on_board, pools.split("/"), strict=True)]


def ornaments(position: str) -> list[int]:
    """Ornaments that each player has on the tree and in the pool."""
    board, _, _, pools, _, _ = position.split(" ")
    return [board.count(letter) + int(pool[-1]) for letter, pool in zip("Oo", pools.split("/"), strict=True)]


@quick
@given(plays())
def test_every_player_keeps_eight_pieces(play: Play) -> None:
    game = play.start
    for choice in play.choices:
        before = game.position()
        assert pieces(before) == [8, 8]
        if game.is_over:
            break
        moves = game.legal_moves()
        game.push(moves[choice % len(moves)])
        if game.rules.ornaments:
            assert all(now <= then for now, then in zip(ornaments(game.position()), ornaments(before), strict=True))
    assert pieces(game.position()) == [8, 8]


@quick
@given(plays())
def test_positions_round_trip(play: Play) -> None:
    play.moves(play.start)
    game = play.start
    again = Game.from_position(game.rules, game.position())
    assert again == game
    assert again.position() == game.position()
    assert (again.winner, again.reason) == (game.winner, game.reason)
    assert again.legal_moves() == game.legal_moves()


@quick
@given(plays())
def test_moves_and_actions_name_each_other(play: Play) -> None:
    play.moves(play.start)
    game, rules = play.start, play.start.rules
    actions = list(game.legal_actions())
    assert actions == sorted(set(actions))
    assert [rules.action_to_move(action) for action in actions] == game.legal_moves()
    assert [rules.move_to_action(move) for move in game.legal_moves()] == actions
    for action in actions:
        by_number, by_text = game.copy(), game.copy()
        by_number.push(action)
        by_text.push(rules.action_to_move(action))
        assert by_number == by_text


@quick
@given(plays())
def test_over_means_nothing_to_play(play: Play) -> None:
    game = play.start
    play.moves(game)
    assert (game.phase == "x") == game.is_over == (game.reason is not None)
    assert (game.legal_moves() == []) == (game.legal_actions().size == 0) == game.is_over
    assert game.is_over or game.winner is None


@quick
@given(plays())
def test_push_then_pop_restores(play: Play) -> None:
    game = play.start
    seen = [game.position()]
    played = []
    for choice in play.choices:
        moves = game.legal_moves()
        if not moves:
            break
        played.append(moves[choice % len(moves)])
        game.push(played[-1])
        seen.append(game.position())
    for move in reversed(played):
        assert game.position() == seen.pop()
        assert game.pop() == move
    assert game.position() == seen.pop()
    assert game.record() == []


@quick
@given(plays(most=20), st.integers(0, 2**16))
@pytest.mark.parametrize("twin", [Game.copy, copy.copy, copy.deepcopy, lambda game: pickle.loads(pickle.dumps(game))])
def test_copies_are_independent(twin, play: Play, choice: int) -> None:  # type: ignore[no-untyped-def]
    game = play.start
    played = play.moves(game)
    before = game.position()
    other = twin(game)
    assert other == game
    assert other.record() == played
    if not game.is_over:
        moves = game.legal_moves()
        other.push(moves[choice % len(moves)])
        assert (game.position(), game.record()) == (before, played)
        assert other.pop() == moves[choice % len(moves)]
    if played:
        game.pop()
        assert (other.position(), other.record()) == (before, played)


@quick
@given(plays())
def test_records_round_trip(play: Play) -> None:
    game = play.start
    start = game.position()
    played = play.moves(game)
    assert game.record() == played
    assert game.start_position() == start
    again = Game.from_record(game.rules, " ".join(played), start)
    assert again == game
    assert again.record() == played
    numbered = "\n".join(f"{number}. {move}" for number, move in enumerate(played, 1))
    assert Game.from_record(game.rules, numbered, start) == game


@quick
@given(plays())
def test_a_refused_move_changes_nothing(play: Play) -> None:
    game = play.start
    played = play.moves(game)
    before = game.position()
    for move in ("Kz9", "", -1, game.rules.num_actions, "+c3a1"):
        with pytest.raises(ValueError):
            game.push(move)
    assert (game.position(), game.record()) == (before, played)


# Symmetries


def turn_name(layout: Layout, permutation: tuple[int, ...], name: str) -> str:
    """Where a space goes."""
    return layout.name(permutation[layout.cells_by_name[name]])


def turn_pair(layout: Layout, permutation: tuple[int, ...], pair: str) -> str:
    """Where the ends of a row or the sides of a stitch go, in reading order."""
    names = [turn_name(layout, permutation, name) for name in (pair[:2], pair[2:])]
    return "".join(sorted(names, key=layout.cells_by_name.__getitem__))


def turn_move(layout: Layout, permutation: tuple[int, ...], move: str) -> str:
    """A move on the turned board."""
    spaces = move[1:]
    if len(spaces) == 4:
        return move[0] + turn_pair(layout, permutation, spaces)
    return move[0] + (turn_name(layout, permutation, spaces) if spaces else "")


def turn_ghost(layout: Layout, permutation: tuple[int, ...], ghost: str) -> str:
    """A ghost on the turned board; the heading goes where two spaces one behind the other go."""
    if len(ghost) == 1:
        return ghost
    down, right = HEADINGS[ghost[4]]
    cell = layout.cells_by_name[ghost[:2]]
    ahead = layout.neighbour(cell, down, right)
    behind, front = (cell, ahead) if ahead is not None else (layout.neighbour(cell, -down, -right), cell)
    assert behind is not None and front is not None
    (row, column), (front_row, front_column) = (divmod(permutation[at], layout.width) for at in (behind, front))
    headings = {step: heading for heading, step in HEADINGS.items()}
    return turn_pair(layout, permutation, ghost[:4]) + headings[front_row - row, front_column - column]


def turn_position(layout: Layout, permutation: tuple[int, ...], position: str) -> str:
    """The position on the turned board."""
    board, mover, phase, pools, ghosts, turn = position.split(" ")
    marks = [mark for line in board.split("/") for c in line for mark in ("." * int(c) if c.isdigit() else c)]
    turned = [""] * len(marks)
    for cell, mark in enumerate(marks):
        turned[permutation[cell]] = mark
    lines = []
    for row in range(layout.height):
        line = "".join(turned[row * layout.width : (row + 1) * layout.width])
        for run in range(layout.width, 0, -1):
            line = line.replace("." * run, str(run))
        lines.append(line)
    ghosts = "/".join(turn_ghost(layout, permutation, ghost) for ghost in ghosts.split("/"))
    return f"{'/'.join(lines)} {mover} {phase} {pools} {ghosts} {turn}"


@quick
@given(plays(most=30), st.integers(0, 7))
def test_symmetries_commute_with_playing(play: Play, number: int) -> None:
    game = play.start
    layout = game.rules.board
    assert len(layout.symmetries) == 8
    permutation = layout.symmetries[number]
    turned = Game.from_position(game.rules, turn_position(layout, permutation, game.position()))
    for choice in play.choices:
        assert turned.position() == turn_position(layout, permutation, game.position())
        moves = game.legal_moves()
        assert set(turned.legal_moves()) == {turn_move(layout, permutation, move) for move in moves}
        if game.is_over:
            break
        move = moves[choice % len(moves)]
        game.push(move)
        turned.push(turn_move(layout, permutation, move))
    assert turned.position() == turn_position(layout, permutation, game.position())
    assert (turned.winner, turned.reason) == (game.winner, game.reason)


def swap_players(position: str) -> str:
    """The same position with the players' parts exchanged."""
    board, mover, phase, pools, ghosts, turn = position.split(" ")
    pools, ghosts = ("/".join(reversed(field.split("/"))) for field in (pools, ghosts))
    return f"{board.swapcase()} {1 - int(mover)} {phase} {pools} {ghosts} {turn}"


@quick
@given(plays())
def test_both_players_have_the_same_rules(play: Play) -> None:
    game = play.start
    swapped = Game.from_position(game.rules, swap_players(game.position()))
    played = play.moves(game)
    assert play.moves(swapped) == played
    assert swapped.position() == swap_players(game.position())
    assert swapped.reason == game.reason
    assert swapped.winner == (None if game.winner is None else 1 - game.winner)


@quick
@given(plays(most=10))
def test_text_forms(play: Play) -> None:
    game = play.start
    play.moves(game)
    assert str(game) == game.position()
    assert eval(repr(game), {"Game": Game, "RuleSet": RuleSet}) == game
    assert game != Game("boop" if game.rules.name != "boop" else "halls")
    assert game != game.position()


def test_games_are_equal_by_rules_and_position_and_not_hashable() -> None:
    assert Game.from_record("boop", "Kc3 Kf6 Ka1") == Game.from_record("boop", "Ka1 Kf6 Kc3")
    assert Game("boop") != Game("boop_bga")
    with pytest.raises(TypeError):
        hash(Game("boop"))
