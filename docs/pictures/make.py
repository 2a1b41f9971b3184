"""Draws the pictures of the README and the docs anew: ``python docs/pictures/make.py``."""

from __future__ import annotations

from pathlib import Path

from boop_env import Game

FOLDER = Path(__file__).parent

SHOWN = {
    "boop": ("K3k1/6/K1C3/k5/K5/K4k 1 p 1,2/2,3 - 17", "Cb4"),
    "booop": ("5k/2C1kK/6/3c2/4c1/K5 0 p 2,3/3,1 e3f3^/b4c4v 22", "Ce4"),
    "halls": ("-1c3-/2C4/c3OKc/CKc4/k3Cok/1K5/-1c3- 1 p 0,2,0/0,1,0 - 31", "Cb3"),
    "halls_flat": ("-1c3-/2C4/c3OKc/CKc4/k3Cok/1K5/-1c3- 1 p 0,2,0/0,1,0 - 31", "Cb3"),
}
"""A position from a game between two greedy bots, and the step that is marked, by preset."""

GAME = """
Kf3 Ka4 Kc4 Kd4 Kc4 Kc3 Kd4 Kd3 Kc3 Kd2 Kc3 Cd4 Cc3 Cc4 Kc3
Cd3 Cc4 Kd4 Cb4 Kc3 Kd4 +d6 Cc3 Cd4 +f3 Cc3 Cd4 +a2 Cc4 Ce3
"""
"""The moves of the moving picture, two greedy bots again."""


def main() -> None:
    """Writes the pictures beside this file."""
    for preset, (position, move) in SHOWN.items():
        game = Game.from_position(preset, position)
        game.push(move)
        (FOLDER / f"{preset}.svg").write_text(game._repr_svg_() + "\n", encoding="utf-8")
    Game.from_record("boop", GAME).animate(FOLDER / "game.svg")


if __name__ == "__main__":
    main()
