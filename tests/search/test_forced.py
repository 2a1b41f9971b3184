"""Forced wins, proven again step by step by the rules, and the wins that exhaustive search found."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from boop_env.arena.match import play_match
from boop_env.rules.compiled import compiled
from boop_env.rules.game import Game
from boop_env.rules.kernel import load
from boop_env.rules.ruleset import PRESETS
from boop_env.search.forced import PROOF, PROOF_WIDTH, forced_win
from tests.search.test_mates import puzzles


@compiled
def forced_win_of_words(tables, proof, words):
    """`forced_win` as Python calls it."""
    return forced_win(tables[0], proof[0], load(words))


def find(game: Game, turns: int) -> tuple[int, int]:
    """First step and length of a forced win of the player to act."""
    proof: Any = np.zeros(1, PROOF)
    proof["most_turns"], proof["width"] = turns, PROOF_WIDTH
    action, steps = forced_win_of_words(game.rules.tables, proof, game.state)
    return int(action), int(steps)


def assert_won(game: Game, attacker: int, turns: int, steps: int) -> None:
    """Plays the attacker's proven steps against every defence, to the end of the game."""
    if game.is_over:
        assert game.winner == attacker, game
        return
    assert steps > 0 and turns > 0, game
    if game.mover != attacker:
        for move in game.legal_moves():
            after = game.copy()
            after.push(move)
            assert_won(after, attacker, turns, steps - 1)
        return
    action, found = find(game, turns)
    assert 0 < found <= steps, game
    game.push(action)
    assert_won(game, attacker, turns - (game.mover != attacker), steps - 1)


@pytest.mark.parametrize("preset", PRESETS)
def test_what_is_found_is_won(preset: str) -> None:
    proven: dict[int, int] = {}
    for record in play_match("alphabeta:depth=2", "greedy", preset, games=6, seed=1):
        game = Game(preset)
        for move in record.record.split():
            action, steps = find(game, turns=3)
            if action >= 0 and proven.get(steps, 0) < 2:
                proven[steps] = proven.get(steps, 0) + 1
                assert_won(game.copy(), game.mover, 3, steps)
            game.push(move)
    assert proven[1] and max(proven) >= 5, proven


@pytest.mark.parametrize("preset", PRESETS)
def test_finds_what_exhaustive_search_found(preset: str) -> None:
    """Nearly all wins with two placements; the rest need a ghost's help, or no threat."""
    found = [(find(game, turns=2)[0], game, good) for kind, game, good in puzzles(preset) if kind == "win2"]
    assert all(action < 0 or game.rules.action_to_move(action) in good for action, game, good in found)
    assert np.mean([action >= 0 for action, _, _ in found]) > 0.8


@pytest.mark.parametrize("preset", PRESETS)
def test_sees_no_further_than_it_is_told(preset: str) -> None:
    found = [(kind, find(game, turns=1)) for kind, game, _ in puzzles(preset)]
    assert all(one == (-1, 0) for kind, one in found if kind != "win1")
    assert np.mean([one[1] == 1 for kind, one in found if kind == "win1"]) > 0.5
