"""The rules without the compiler: ``NUMBA_DISABLE_JIT=1`` gives the same games."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator

from random_positions import random_position
from reference import REFERENCE_PRESETS

from boop_env import PRESETS, Game, perft


def transcript(preset: str) -> Iterator[tuple[str, list[str], str]]:
    """Positions, legal moves and results of a short game and of some random positions."""
    rng = random.Random(preset)
    starts = [Game(preset).position(), *(random_position(REFERENCE_PRESETS[preset], rng) for _ in range(20))]
    for start in starts:
        game = Game.from_position(preset, start)
        for _ in range(12):
            yield game.position(), game.legal_moves(), f"{game.winner} {game.reason}"
            if game.is_over:
                break
            game.push(rng.choice(game.legal_moves()))
    yield str(perft(Game(preset), 2)), [], ""


def transcripts() -> str:
    """All presets, as text to compare."""
    return json.dumps([list(transcript(preset)) for preset in PRESETS])


def test_the_same_games_without_the_compiler() -> None:
    result = subprocess.run(
        [sys.executable, __file__],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    assert result.stdout.strip() == transcripts()


if __name__ == "__main__":
    from numba import config

    assert config.DISABLE_JIT  # type: ignore[attr-defined]
    print(transcripts())
