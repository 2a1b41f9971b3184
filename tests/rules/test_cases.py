"""Every shared case: legal moves, the position after each step, the winner."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from boop_env import Game

CASE_FILES = sorted((Path(__file__).parents[1] / "cases").glob("*.jsonl"))


def check_case(case: dict[str, Any]) -> None:
    """Plays a case through, and reads every position of it again."""
    game = Game.from_position(case["preset"], case["start"])
    assert game.position() == case["start"]
    for step in case["steps"]:
        moves = game.legal_moves()
        if isinstance(step["legal"], int):
            assert len(moves) == step["legal"], game
        else:
            assert sorted(moves) == step["legal"], game
        game.push(step["move"])
        assert game.position() == step["after"]
        assert game.winner == step["winner"]
        again = Game.from_position(case["preset"], step["after"])
        assert again == game
        assert (again.winner, again.reason) == (game.winner, game.reason)
    assert game.record() == [step["move"] for step in case["steps"]]


def test_there_are_cases_of_every_preset() -> None:
    assert len(CASE_FILES) == 9


@pytest.mark.parametrize("path", CASE_FILES, ids=lambda path: path.stem)
def test_cases(path: Path) -> None:
    lines = path.read_text().splitlines()
    assert lines
    for line in lines:
        check_case(json.loads(line))
