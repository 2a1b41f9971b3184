"""The reference implementation itself: the shared cases, and that its random positions are sound."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from random_positions import fits_phase, random_layout_rules, random_position
from reference import REFERENCE_PRESETS, ReferenceGame, Rules

CASE_FILES = sorted((Path(__file__).parent / "cases").glob("*.jsonl"))


def check_case(case: dict[str, Any]) -> None:
    """Plays a case through, comparing every step."""
    game = ReferenceGame(REFERENCE_PRESETS[case["preset"]], case["start"])
    assert game.position() == case["start"]
    for step in case["steps"]:
        moves = game.legal_moves()
        if isinstance(step["legal"], int):
            assert len(moves) == step["legal"], game.position()
        else:
            assert sorted(moves) == step["legal"], game.position()
        assert len(set(game.legal_actions())) == len(moves)
        game.push(step["move"])
        assert game.position() == step["after"]
        assert game.winner == step["winner"]


@pytest.mark.parametrize("path", CASE_FILES, ids=lambda path: path.stem)
def test_shared_cases(path: Path) -> None:
    lines = path.read_text().splitlines()
    assert lines
    for line in lines:
        check_case(json.loads(line))


def check_sound(game: ReferenceGame) -> None:
    """What holds in every position: the phase, the text both ways, and eight pieces a player."""
    assert fits_phase(game), game.position()
    assert ReferenceGame(game.rules, game.position()).__dict__ == game.__dict__
    for player in (0, 1):
        pool = game.pools[player]
        assert pool["K"] + pool["C"] + len(game.pieces_of(player)) == game.rules.pieces
    assert bool(game.legal_moves()) != game.is_over


def play_on(rules: Rules, position: str | None, steps: int, rng: random.Random) -> None:
    """Plays random moves from a position, checking each position met."""
    game = ReferenceGame(rules, position)
    for _ in range(steps):
        check_sound(game)
        if game.is_over:
            break
        before = game.position()
        twin = game.copy()
        game.push(rng.choice(game.legal_moves()))
        assert twin.position() == before
    check_sound(game)


@pytest.mark.parametrize("preset", REFERENCE_PRESETS)
def test_random_positions_of_presets(preset: str) -> None:
    rng = random.Random(preset)
    rules = REFERENCE_PRESETS[preset]
    positions = [random_position(rules, rng) for _ in range(60)]
    for position in positions:
        play_on(rules, position, 4, rng)
    phases = {position.split(" ")[2] for position in positions}
    possible = "pg" + ("o" if rules.ornaments else "") + ("h" if rules.ghosts else "")
    assert phases >= set(possible)


def test_random_rule_sets() -> None:
    rng = random.Random(0)
    for _ in range(60):
        rules = random_layout_rules(rng)
        play_on(rules, None, 10, rng)
        play_on(rules, random_position(rules, rng), 5, rng)


def test_illegal_move_is_refused() -> None:
    game = ReferenceGame(REFERENCE_PRESETS["boop"])
    with pytest.raises(ValueError, match="not legal"):
        game.push("Ca1")
