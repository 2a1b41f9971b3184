"""Wins and blocks that exhaustive search found, by `make_mates.py`, found by the searches again."""

from __future__ import annotations

from pathlib import Path

import pytest

from boop_env.bots.alphabeta import AlphaBetaBot
from boop_env.bots.mcts import MctsBot
from boop_env.rules.game import Game
from boop_env.rules.ruleset import PRESETS

DEPTHS = {"win1": 1, "win2": 3, "block": 2}


def puzzles(preset: str) -> list[tuple[str, Game, set[str]]]:
    """Kind, game and good first steps of each line."""
    lines = (Path(__file__).with_name("mates") / f"{preset}.txt").read_text(encoding="utf-8").splitlines()
    parts = [[part.strip() for part in line.split("|")] for line in lines]
    return [(kind, Game.from_position(preset, position), set(good.split())) for kind, position, good in parts]


@pytest.mark.parametrize("preset", PRESETS)
def test_alphabeta_solves_all(preset: str) -> None:
    found = puzzles(preset)
    assert {kind for kind, _, _ in found} == set(DEPTHS)
    for kind, game, good in found:
        analysis = AlphaBetaBot(depth=DEPTHS[kind]).analyse(game)
        assert analysis.line[0] in good, f"{kind} {game.position()}: {analysis}"
        if kind != "block":
            assert analysis.value == 1.0 and analysis.proven is not None and analysis.proven > 0
            game.push(analysis.line[0])


@pytest.mark.parametrize("preset", PRESETS)
def test_mcts_wins_and_blocks(preset: str) -> None:
    for kind, game, good in puzzles(preset):
        if kind != "win2":
            analysis = MctsBot(simulations=3000).analyse(game)
            assert analysis.line[0] in good, f"{kind} {game.position()}: {analysis}"


@pytest.mark.parametrize("bot", [AlphaBetaBot(depth=2), MctsBot(simulations=500)], ids=repr)
def test_winning_line_is_played_out(bot: AlphaBetaBot | MctsBot) -> None:
    for kind, game, _ in puzzles("halls") + puzzles("booop"):
        if kind == "win1":
            winner = game.mover
            analysis = bot.analyse(game)
            for move in analysis.line:
                game.push(move)
            assert game.winner == winner and analysis.proven == len(analysis.line)
