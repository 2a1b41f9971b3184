"""`animate`: a game as a moving picture, in an SVG, a GIF or an MP4 file."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from boop_env.envs.render.boards import board_art
from boop_env.envs.render.drawing import document
from boop_env.envs.render.pieces import piece_svg, piece_symbols
from boop_env.envs.render.raster import raster
from boop_env.envs.render.scene import headline
from boop_env.envs.render.timeline import Film, Key, Life, film
from boop_env.rules.game import Game

if TYPE_CHECKING:
    from PIL import Image

FRAMES_PER_STEP = 15
"""Frames in a step's time; a GIF holds only those in which something changes."""


def animate(
    game: Game, path: str | os.PathLike[str], *, size: int = 400, theme: str = "auto", seconds_per_step: float = 1.2
) -> None:
    """Writes a game so far as a moving picture; see `Game.animate`.

    Raises:
        ValueError: another ending or theme, or a size or time that is not positive.
        ImportError: a GIF or MP4 without the ``render`` extra.
        RuntimeError: an MP4 without ffmpeg, or ffmpeg failed.
    """
    target = Path(path)
    writers: dict[str, Callable[[Game, Path, int, str, float], None]] = {
        ".svg": write_svg,
        ".gif": write_gif,
        ".mp4": write_mp4,
    }
    if target.suffix.lower() not in writers:
        raise ValueError(f"path={str(target)!r} does not end in one of {', '.join(writers)}")
    if seconds_per_step <= 0:
        raise ValueError(f"seconds_per_step={seconds_per_step} is not positive")
    with finished_file(target) as unfinished:
        writers[target.suffix.lower()](game, unfinished, size, theme, seconds_per_step)


@contextmanager
def finished_file(target: Path) -> Iterator[Path]:
    """A file beside the target that takes its place once it is whole, and goes if it never is.

    Missing folders are made.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(suffix=target.suffix, prefix=f".{target.stem}-", dir=target.parent)
    os.close(handle)
    try:
        yield Path(name)
        os.chmod(name, 0o666 & ~umask())
        os.replace(name, target)
    finally:
        Path(name).unlink(missing_ok=True)


def umask() -> int:
    """The process's mask for new files, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write_svg(game: Game, path: Path, size: int, theme: str, seconds: float) -> None:
    """An SVG that plays by itself, over and over (SMIL); where it does not, the end is shown."""
    shown = film(game)
    body = [board_art(shown.plan)]
    starts = [time for time, _ in shown.scenery] + [shown.length]
    timing = f'dur="{shown.length * seconds:g}s" repeatCount="indefinite"'
    for number, (begin, drawing) in enumerate(shown.scenery):
        last = number == len(shown.scenery) - 1
        values = ["hidden"] * (begin > 0) + ["visible"] + ["hidden"] * (not last)
        times = [0.0] * (begin > 0) + [begin] + [starts[number + 1]] * (not last)
        body.append(
            f'<g visibility="{"visible" if last else "hidden"}"><animate attributeName="visibility" '
            f'calcMode="discrete" values="{";".join(values)}" keyTimes="{key_times(times, shown.length)}" {timing}/>'
            f"{drawing}</g>"
        )
    body += [life_svg(life, shown.length, timing) for life in shown.lives]
    title = f"{headline(game)}, after {len(game.record())} steps"
    svg = document(shown.plan, size, theme, "".join(body), title, " ".join(game.record()))
    path.write_text(svg, encoding="utf-8")


def key_times(times: list[float], length: float) -> str:
    """Times as the fractions of the whole that SMIL wants."""
    return ";".join(f"{time / length:.6f}".rstrip("0").rstrip(".") for time in times)


def life_svg(life: Life, length: float, timing: str) -> str:
    """A piece that moves, comes and goes."""
    first, last = life.keys[0], life.keys[-1]
    keys = [*life.keys, Key(length, last.x, last.y, last.opacity)]
    if first.time > 0:
        keys.insert(0, Key(0, first.x, first.y, 0))
    times = key_times([key.time for key in keys], length)
    places = ";".join(f"{key.x:g} {key.y:g}" for key in keys)
    solid = ";".join(f"{key.opacity:g}" for key in keys)
    return (
        f'<g transform="translate({last.x:g} {last.y:g})" opacity="{last.opacity:g}">'
        f'<animateTransform attributeName="transform" type="translate" values="{places}" keyTimes="{times}" {timing}/>'
        f'<animate attributeName="opacity" values="{solid}" keyTimes="{times}" {timing}/>'
        f"{piece_svg(life.letter, 0, 0, life.size)}</g>"
    )


def frames(game: Game, size: int, theme: str) -> Iterator[tuple[Image.Image, int]]:
    """Pictures of the film and how many `FRAMES_PER_STEP` each is shown; neighbours differ.

    What is under the pieces is drawn once a step, and the pieces are pasted onto it.
    """
    shown = film(game)
    ground, number, before, repeats = None, -1, None, 0
    picture = None
    for tick in range(round(shown.length * FRAMES_PER_STEP)):
        time = tick / FRAMES_PER_STEP
        while number + 1 < len(shown.scenery) and shown.scenery[number + 1][0] <= time + 1e-9:
            number += 1
            ground = None
        if ground is None:
            body = board_art(shown.plan) + shown.scenery[number][1]
            ground = raster(document(shown.plan, size, theme, body, "", ""))
        now = number, cast_at(shown, time, size)
        if now == before:
            repeats += 1
            continue
        if picture is not None:
            yield picture, repeats
        picture, before, repeats = ground.copy(), now, 1
        for letter, width, x, y, opacity in now[1]:
            stamp = sprite(letter, width)
            mask = stamp.getchannel("A")
            if opacity < 1:
                mask = mask.point([round(value * opacity) for value in range(256)])
            picture.paste(stamp, (x - width // 2, y - width // 2), mask)
    assert picture is not None
    yield picture, repeats


def cast_at(shown: Film, time: float, size: int) -> list[tuple[str, int, int, int, float]]:
    """Letter, width, middle and opacity of every piece at a time, in pixels."""
    scale = size / shown.plan.width
    present = [(life, life.at(time)) for life in shown.lives]
    return [
        (life.letter, round(life.size * scale), round(key.x * scale), round(key.y * scale), round(key.opacity, 3))
        for life, key in present
        if key is not None
    ]


@cache
def sprite(letter: str, width: int) -> Image.Image:
    """A piece on nothing, as RGBA."""
    return raster(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{width}" viewBox="-50 -50 100 100">'
        f"<defs>{piece_symbols()}</defs>{piece_svg(letter, 0, 0, 100)}</svg>",
        mode="RGBA",
    )


def write_gif(game: Game, path: Path, size: int, theme: str, seconds: float) -> None:
    """A GIF that repeats, with one palette for all of its frames."""
    from PIL import Image

    pictures, repeats = zip(*frames(game, size, theme), strict=True)
    samples = pictures[:: max(1, len(pictures) // 12)]
    sheet = Image.new("RGB", (samples[0].width, samples[0].height * len(samples)))
    for number, sample in enumerate(samples):
        sheet.paste(sample, (0, number * sample.height))
    palette = sheet.quantize(256)
    images = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures]
    ticks = [round(1000 * seconds * count / FRAMES_PER_STEP) for count in repeats]
    images[0].save(path, save_all=True, append_images=images[1:], duration=ticks, loop=0)


def write_mp4(game: Game, path: Path, size: int, theme: str, seconds: float) -> None:
    """An MP4, made by ffmpeg."""
    ffmpeg = shutil.which("ffmpeg")
    if ffmpeg is None:
        raise RuntimeError("an .mp4 needs the program ffmpeg, which is not found; install it, or write .gif or .svg")
    pictures = frames(game, size, theme)
    first, count = next(pictures)
    command = [ffmpeg, "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24"]
    command += ["-s", f"{first.width}x{first.height}", "-r", f"{FRAMES_PER_STEP / seconds:g}", "-i", "-"]
    # Players want even sides and this pixel format.
    command += ["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p", "-movflags", "+faststart", str(path)]
    with tempfile.TemporaryFile() as complaints:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=complaints)
        assert process.stdin is not None
        try:
            with process.stdin as pipe:
                pipe.write(first.tobytes() * count)
                for picture, count in pictures:
                    pipe.write(picture.tobytes() * count)
        except BrokenPipeError:
            pass  # It ended early; its status and words say why.
        if process.wait() != 0:
            complaints.seek(0)
            raise RuntimeError(f"ffmpeg failed: {complaints.read().decode(errors='replace').strip()}")
