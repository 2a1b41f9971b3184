"""Perft against the tables in perft/, which the reference implementation agreed to."""

from __future__ import annotations

import pytest
from perft_tables import read_table

from boop_env import PRESETS, Game, perft


@pytest.mark.parametrize("preset", PRESETS)
def test_tables(preset: str) -> None:
    table = read_table(preset)
    assert len(table) >= 4
    assert Game(preset).position() in table
    for position, counts in table.items():
        game = Game.from_position(preset, position)
        assert [perft(game, depth) for depth in range(1, len(counts) + 1)] == counts, position
        assert game.position() == position


def test_nothing_to_play() -> None:
    over = Game.from_position("boop", "CCC3/6/6/6/6/6 0 x 5,0/8,0 - 20")
    assert [perft(over, depth) for depth in range(3)] == [1, 0, 0]
    with pytest.raises(ValueError, match="depth=-1 is negative"):
        perft(over, -1)


def test_games_that_end_early_count_nothing() -> None:
    """The placement that wins, Cc1, has nothing after it."""
    game = Game.from_position("boop", "CC4/6/6/6/6/6 0 p 5,1/8,0 - 20")
    after = 0
    for move in game.legal_moves():
        game.push(move)
        after += len(game.legal_moves())
        game.pop()
    assert perft(game, 2) == after
