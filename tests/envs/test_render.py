"""Pictures: text, RGB without a display, and the window."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys

import numpy as np
import pytest

from boop_env import PRESETS, Game, RuleSet
from boop_env.envs import render

GHOSTS = "K1k3/k5/kkK1K1/6/K3c1/1k4 0 p 4,0/2,0 b1b2</b4b5> 38"
TREE = "-2cCK-/k1Ck3/3O3/3K3/7/2kK2C/-oK3- 1 p 0,1,1/0,4,2 - 35"


def test_text_of_ghosts() -> None:
    assert render.text(Game.from_position("booop", GHOSTS)).splitlines() == [
        "booop, turn 38: player_0 to place a piece",
        "",
        "    a    b    c    d    e    f",
        " 1  K    .    k    .    .    .",
        "         0<",
        " 2  k    .    .    .    .    .",
        "",
        " 3  k    k    K    .    K    .",
        "",
        " 4  .    .    .    .    .    .",
        "         1>",
        " 5  K    .    .    .    c    .",
        "",
        " 6  .    k    .    .    .    .",
        "",
        "player_0 (KC): 4 kittens, 0 cats; ghost b1b2<",
        "player_1 (kc): 2 kittens, 0 cats; ghost b4b5>",
    ]


def test_text_of_a_ghost_between_columns() -> None:
    game = Game.from_position("booop", "6/6/6/6/6/6 1 h 8,0/8,0 c3d3v/- 3")
    lines = render.text(game).splitlines()
    assert lines[0].endswith("player_1 to place the ghost")
    assert lines[7] == " 3  .    .    . 0v .    .    ."
    assert lines[-1] == "player_1 (kc): 8 kittens, 0 cats; ghost at home"


def test_text_of_a_tree() -> None:
    assert render.text(Game.from_position("halls", TREE)).splitlines() == [
        "halls, turn 35: player_1 to place a piece",
        "",
        "    a   b   c   d   e   f   g",
        " 1      .4  .4  c4  C4  K4",
        " 2  k4  .3  C3  k3  .3  .3  .4",
        " 3  .4  .3  .2  O2  .2  .3  .4",
        " 4  .4  .3  .2  K1  .2  .3  .4",
        " 5  .4  .3  .2  .2  .2  .3  .4",
        " 6  .4  .3  k3  K3  .3  .3  C4",
        " 7      o4  K4  .4  .4  .4",
        "",
        "player_0 (KC): 0 kittens, 1 cats; 1 ornaments in the pool, 0 taken",
        "player_1 (kc): 0 kittens, 4 cats; 2 ornaments in the pool, 1 taken",
    ]


@pytest.mark.parametrize(
    ("position", "headline"),
    [
        ("CCC3/6/6/6/6/6 0 x 5,0/8,0 - 3", "boop, turn 3: player_0 wins, three cats"),
        ("6/6/6/6/6/6 0 x 8,0/8,0 - 300", "boop, turn 300: over, truncated"),
    ],
)
def test_text_of_a_finished_game(position: str, headline: str) -> None:
    assert render.text(Game.from_position("boop", position)).splitlines()[0] == headline


@pytest.mark.parametrize("preset", PRESETS)
def test_rgb_shows_every_change(preset: str) -> None:
    pytest.importorskip("resvg_py", reason="needs the render extra")
    game = Game(preset)
    rng = np.random.default_rng(1)
    board = game.rules.board
    pictures = [render.rgb(game)]
    while not game.is_over and len(pictures) < 6:
        game.push(int(rng.choice(game.legal_actions())))
        pictures.append(render.rgb(game))
    for before, after in itertools.pairwise(pictures):
        assert after.dtype == np.uint8 and after.shape == before.shape
        assert (before != after).any()
    height, width, channels = pictures[0].shape
    assert channels == 3
    assert width == (board.width + 1) * render.CELL_PIXELS
    assert height > (board.height + 1) * render.CELL_PIXELS


def test_flat_tree_has_no_levels_in_text() -> None:
    assert "4" not in render.text(Game("halls_flat")).splitlines()[3]


@pytest.mark.parametrize("layout", ["111", "1\n1\n1", "-1-\n121\n-4-", "\n".join(["12341234"] * 8)])
def test_any_layout(layout: str) -> None:
    game = Game(RuleSet(layout=layout, pieces=3))
    assert len(render.text(game).splitlines()) == len(layout.split("\n")) + 6


MISSING = """
import sys
sys.modules["{missing}"] = None
from boop_env import Game, boop_v0
print(len(Game().record()), Game()._repr_svg_()[:4])
for mode in ("ansi", "rgb_array", "human"):
    env = boop_v0.env(render_mode=mode)
    try:
        env.reset()
        print(type(env.render()).__name__)
    except ImportError as error:
        print(error)
"""


@pytest.mark.parametrize(
    ("missing", "rgb_array", "human"),
    [
        ("pygame", "ndarray", 'needs pygame: pip install "boop-env[render]"'),
        ("resvg_py", 'need resvg_py: pip install "boop-env[render]"', 'need resvg_py: pip install "boop-env[render]"'),
        ("PIL", 'need PIL: pip install "boop-env[render]"', 'need PIL: pip install "boop-env[render]"'),
    ],
)
def test_a_missing_extra_is_named(missing: str, rgb_array: str, human: str) -> None:
    pytest.importorskip("resvg_py", reason="needs the render extra")
    pytest.importorskip("pygame", reason="needs the render extra")
    code = MISSING.format(missing=missing)
    environment = {**os.environ, "SDL_VIDEODRIVER": "dummy"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    lines = [line for line in done.stdout.splitlines() if not line.startswith("pygame")]
    assert lines[:2] == ["0 <svg", "str"]
    assert rgb_array in lines[2]
    assert human in lines[3]
