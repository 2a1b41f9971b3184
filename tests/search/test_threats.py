"""Placements that win at once, against trying them all."""

import random

import numpy as np
import pytest
from numba import njit
from random_positions import random_position

from boop_env import Game, States, ruleset
from boop_env.rules.kernel import load
from boop_env.rules.symmetry import symmetries, turn_states
from boop_env.search.threats import winning_placement


@njit
def find(tables, states, found):  # type: ignore[no-untyped-def]
    for index in range(len(states)):
        found[index] = winning_placement(tables[0], load(states[index]))


def found_wins(states: States) -> list[int]:
    found = np.empty(len(states), np.int64)
    find(states.rules.tables, states.words, found)
    return found.tolist()


def winning_actions(game: Game) -> set[int]:
    """All placements that win at once, by trying them."""
    wins = set()
    for action in game.legal_actions().tolist():
        after = game.copy()
        after.push(action)
        if after.is_over and after.winner == game.mover:
            wins.add(action)
    return wins


@pytest.mark.parametrize("name", ["boop", "boop_overview", "boop_expert", "halls", "halls_no_ornaments"])
def test_finds_a_win_where_there_is_one(name: str) -> None:
    rules, rng = ruleset(name), random.Random(6)
    games = [Game.from_position(rules, random_position(rules, rng)) for _ in range(2500)]
    games = [game for game in games if game.phase == "p" and game.legal_moves() != ["-"]]  # not to pass only
    wanted = [winning_actions(game) for game in games]
    assert sum(map(bool, wanted)) > 50
    for game, found, wins in zip(games, found_wins(States.of(games)), wanted, strict=True):
        assert found in wins if wins else found == -1, game.position()


def test_finds_two_cats_pushed_into_a_row_with_a_third() -> None:
    rules = ruleset("boop")
    game = Game.from_position(rules, "1k4/CCk3/1C4/1kk3/6/6 0 p 4,1/4,0 - 10")
    assert {rules.actions.move(action) for action in winning_actions(game)} == {"Ca1", "Cc3"}
    states = States.of([game])
    for number in range(len(symmetries(rules).cells)):
        turned = States(rules, turn_states(rules, states.words, np.array([number])))
        assert found_wins(turned)[0] in winning_actions(next(turned.games()))
