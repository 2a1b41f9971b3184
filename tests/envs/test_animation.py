"""Moving pictures: who stands where at the end of each step, and files that open."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import golden_pictures
import numpy as np
import pytest

from boop_env import PRESETS, Game
from boop_env.envs.render import animation, board_svg, scene
from boop_env.envs.render.boards import Plan
from boop_env.envs.render.raster import raster
from boop_env.envs.render.timeline import GRADUATED, LEAD, TAIL, film

SVG = "{http://www.w3.org/2000/svg}"


def random_game(preset: str, steps: int, seed: int = 0) -> Game:
    rng = np.random.default_rng(seed)
    game = Game(preset)
    while not game.is_over and len(game.record()) < steps:
        game.push(int(rng.choice(game.legal_actions())))
    return game


def standing(game: Game) -> Counter[tuple[str, float, float]]:
    """Letter and middle of all on a board."""
    plan, drawn = Plan(game.rules), scene(game)
    places = [(letter, *plan.centre(cell)) for cell, letter in drawn.pieces.items()]
    places += [("Gg"[player], *plan.stitch(ghost)) for player, ghost in enumerate(drawn.ghosts) if ghost]
    return Counter(places)


@pytest.mark.parametrize("preset", PRESETS)
def test_each_step_ends_where_the_game_is(preset: str) -> None:
    game = random_game(preset, 120, seed=3)
    shown = film(game)
    assert len(shown.scenery) == len(game.record()) + 1
    assert shown.length == LEAD + len(game.record()) + TAIL
    replay = Game(preset)
    for number, move in enumerate(["", *game.record()]):
        if move:
            replay.push(move)
        # A step later nothing of the next has begun, nor is anything of this one still on its way.
        keys = [(life.letter, life.at(number + GRADUATED)) for life in shown.lives]
        assert all(key.opacity == 1 for _, key in keys if key)
        assert Counter((letter, key.x, key.y) for letter, key in keys if key) == standing(replay), (number, move)


def test_pushes_can_be_seen() -> None:
    game = Game()
    game.push("Kc3")
    game.push("Kd4")
    (pushed,) = [life for life in film(game).lives if life.letter == "K"]
    middle = pushed.at(LEAD + 1 + 0.3)
    plan = Plan(game.rules)
    assert middle is not None
    (x0, y0), (x1, y1) = plan.centre(14), plan.centre(7)
    assert x1 < middle.x < x0 and y1 < middle.y < y0


def test_gif(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image", reason="needs the render extra")
    pytest.importorskip("resvg_py", reason="needs the render extra")
    game = random_game("booop", 8)
    path = tmp_path / "game.gif"
    game.animate(path, size=80, seconds_per_step=0.75)
    times = [tick / animation.FRAMES_PER_STEP for tick in range(int(LEAD + 8 + TAIL) * animation.FRAMES_PER_STEP)]
    repeats = [count for _, count in animation.frames(film(game), 80, "light", times)]
    assert sum(repeats) == len(times)
    with image.open(path) as gif:
        assert 8 * 3 < gif.n_frames == len(repeats)
        assert gif.size[0] == 80
        durations = []
        for number in range(gif.n_frames):
            gif.seek(number)
            durations.append(gif.info["duration"])
        end = np.asarray(gif.convert("RGB"))
    assert sum(durations) == pytest.approx(1000 * 0.75 * (LEAD + 8 + TAIL), rel=0.02)
    mean, share = golden_pictures.differences(end, np.asarray(raster(board_svg(game, size=80, theme="light"))))
    assert mean < 5 and share < 0.03, "the last frame is not the picture of the game"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(("size", "seconds"), [(1, 1.2), (3, 0.1), (40, 0.2), (40, 0.25), (40, 0.001)])
def test_gif_frames_last_long_enough(tmp_path: Path, size: int, seconds: float) -> None:
    image = pytest.importorskip("PIL.Image", reason="needs the render extra")
    pytest.importorskip("resvg_py", reason="needs the render extra")
    random_game("boop", 4).animate(tmp_path / "game.gif", size=size, seconds_per_step=seconds)
    durations = []
    with image.open(tmp_path / "game.gif") as gif:
        for number in range(gif.n_frames):
            gif.seek(number)
            durations.append(gif.info["duration"])
    assert min(durations) >= 20
    assert sum(durations) == pytest.approx(1000 * seconds * (LEAD + 4 + TAIL), abs=20)


def test_game_without_steps(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image", reason="needs the render extra")
    pytest.importorskip("resvg_py", reason="needs the render extra")
    Game.from_position("boop", "K5/6/6/6/6/6 1 p 7,0/8,0 - 1").animate(tmp_path / "game.gif", size=60)
    with image.open(tmp_path / "game.gif") as gif:
        assert gif.n_frames == 1


@pytest.mark.parametrize("preset", PRESETS)
def test_svg(preset: str, tmp_path: Path) -> None:
    game = random_game(preset, 50, seed=2)
    game.animate(tmp_path / "game.svg", theme="dark")
    root = ElementTree.parse(tmp_path / "game.svg").getroot()
    animated = [*root.iter(f"{SVG}animate"), *root.iter(f"{SVG}animateTransform")]
    assert len(animated) > len(game.record())
    for element in animated:
        times = [float(time) for time in element.get("keyTimes", "").split(";")]
        assert times == sorted(times) and times[0] == 0 and times[-1] <= 1
        assert len(times) == len(element.get("values", "").split(";"))
        assert element.get("calcMode") == "discrete" or times[-1] == 1
        assert element.get("dur") == f"{1.2 * (LEAD + len(game.record()) + TAIL):g}s"
    shown = [group for group in root.iter(f"{SVG}g") if group.get("visibility") == "visible"]
    assert len(shown) == 1


FFMPEG = """#!{python}
import sys
data = sys.stdin.buffer.read()
width, height = map(int, sys.argv[sys.argv.index("-s") + 1].split("x"))
assert len(data) % (3 * width * height) == 0
if {fails}:
    sys.exit("no such codec")
open(sys.argv[-1], "w").write(str(len(data) // (3 * width * height)))
"""


def put_ffmpeg(folder: Path, monkeypatch: pytest.MonkeyPatch, *, fails: bool) -> None:
    """A program that counts the frames it is handed, in place of ffmpeg."""
    program = folder / "bin/ffmpeg"
    program.parent.mkdir()
    program.write_text(FFMPEG.format(python=sys.executable, fails=fails))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))


@pytest.mark.skipif(sys.platform == "win32", reason="stands in for ffmpeg with a script")
def test_mp4_hands_all_frames_to_ffmpeg(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("resvg_py", reason="needs the render extra")
    put_ffmpeg(tmp_path, monkeypatch, fails=False)
    random_game("boop", 3).animate(tmp_path / "game.mp4", size=60)
    assert (tmp_path / "game.mp4").read_text() == str(round((LEAD + 3 + TAIL) * animation.FRAMES_PER_STEP))


@pytest.mark.skipif(sys.platform == "win32", reason="stands in for ffmpeg with a script")
def test_ffmpeg_that_fails_is_told_and_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("resvg_py", reason="needs the render extra")
    put_ffmpeg(tmp_path, monkeypatch, fails=True)
    path = tmp_path / "game.mp4"
    path.write_text("before")
    with pytest.raises(RuntimeError, match="ffmpeg failed: no such codec"):
        random_game("boop", 2).animate(path, size=60)
    assert path.read_text() == "before"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["bin", "game.mp4"]


def test_mp4_without_ffmpeg(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RuntimeError, match=r"ffmpeg, which is not found; install it, or write .gif or .svg"):
        Game().animate(tmp_path / "game.mp4")
    assert not list(tmp_path.iterdir())


def test_refusals(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"does not end in one of .svg, .gif, .mp4"):
        Game().animate(tmp_path / "game.webm")
    with pytest.raises(ValueError, match="seconds_per_step=0 is not positive"):
        Game().animate(tmp_path / "game.svg", seconds_per_step=0)
    for seconds in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match=f"seconds_per_step={seconds} is not positive and finite"):
            Game().animate(tmp_path / "game.gif", seconds_per_step=seconds)
    with pytest.raises(ValueError, match="theme='blue'"):
        Game().animate(tmp_path / "game.svg", theme="blue")
    assert not list(tmp_path.iterdir())
