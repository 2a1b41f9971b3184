"""The searches against plain minimax over `Game`, on boards small enough to try everything."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from boop_env.bots.alphabeta import AlphaBetaBot
from boop_env.bots.mcts import MctsBot
from boop_env.rules.game import Game
from boop_env.rules.ruleset import RuleSet

BED = "111\n111\n111"
TREE = "333\n323\n334"
TURNS_LEFT = 4
EACH_PHASE = 5

SMALL, WIDE = RuleSet(layout=BED, pieces=3), RuleSet(layout="1111\n1111\n1111", pieces=4)
RULES = {
    "choose": SMALL,
    "wide": WIDE,
    "all": replace(WIDE, rows="all", full_bed="must_kitten", eight_cats_win=False, cat_row="at_once"),
    "must": replace(SMALL, full_bed="must"),
    "expert": replace(WIDE, safe_rows_only=True),
    "ghosts": replace(SMALL, ghosts=True),
    "ornaments": RuleSet(layout=TREE, pieces=3, ornaments=1),
}


def minimax(game: Game, known: dict[bytes, tuple[int, int]]) -> tuple[int, int]:
    """Result for player_0 and steps to the end with best play, the winner in a hurry, the loser not."""
    if game.is_over:
        return (0 if game.winner is None else 1 - 2 * game.winner), 0
    key = game.state.tobytes()
    if key not in known:
        sign = 1 - 2 * game.mover
        best = (-2, 0)
        for action in game.legal_actions():
            game.push(int(action))
            result, distance = minimax(game, known)
            game.pop()
            value = (sign * result, -sign * result * (distance + 1))
            best = max(best, value)
        known[key] = sign * best[0], abs(best[1])
    return known[key]


@cache
def positions(name: str) -> list[Game]:
    """Positions near the end of random games that somebody won, with the turn cap near, of each phase."""
    rng = np.random.default_rng(0)
    found: list[Game] = []
    per_phase: dict[str, int] = {}
    for _ in range(300):
        game = Game(replace(RULES[name], max_turns=80))
        while not game.is_over:
            game.push(int(rng.choice(game.legal_actions())))
        if game.winner is None:
            continue
        for _ in range(min(len(game.record()), int(rng.integers(1, 5)))):
            game.pop()
        if per_phase.get(game.phase, 0) < EACH_PHASE:
            per_phase[game.phase] = per_phase.get(game.phase, 0) + 1
            capped = replace(RULES[name], max_turns=game.turn + TURNS_LEFT)
            found.append(Game.from_position(capped, game.position()))
    return found


@pytest.mark.parametrize("name", RULES)
def test_values_are_minimax_values(name: str) -> None:
    alphabeta, mcts = AlphaBetaBot(depth=8), MctsBot(simulations=20_000)
    decided = 0
    for game in positions(name):
        result, distance = minimax(game, {})
        value = result * (1 - 2 * game.mover)
        found = alphabeta.analyse(game)
        where = f"{name} max_turns={game.rules.max_turns} {game.position()}"
        if value:
            decided += 1
            assert found.proven == value * distance, where
        else:
            assert found.proven is None and found.value == 0, where
        found = mcts.analyse(game)
        if value:
            assert found.value == value, where
            assert found.proven is not None and found.proven * value >= distance, where
        else:
            assert found.proven is None and abs(found.value) < 0.3, where
        game.push(found.line[0])
        after, _ = minimax(game, {})
        assert after == result, f"{where} {found.line[0]}"
    assert decided >= 3


def test_presets_have_someone_acting_twice() -> None:
    """What the comparison above is worth: steps after which the same player acts, in every way there is."""
    phases = {name: {game.phase for game in positions(name)} for name in RULES}
    assert "g" in phases["choose"] and "h" in phases["ghosts"] and "o" in phases["ornaments"]
