"""`animate`: a game as a moving picture, in an SVG, a GIF or an MP4 file."""

from __future__ import annotations

import math
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

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
"""Frames in a step's time; a GIF holds only those in which something changes, and fewer where steps are short."""

SHORTEST = 0.02
"""Seconds that a frame of a GIF lasts at least; browsers show shorter ones far longer."""

SAMPLES = 12
"""Pictures of a film that the palette of a GIF is chosen from."""


def animate(
    game: Game, path: str | os.PathLike[str], *, size: int = 400, theme: str = "auto", seconds_per_step: float = 1.2
) -> None:
    """Writes a game so far as a moving picture; see `Game.animate`.

    Raises:
        ValueError: another ending or theme, a size that is not positive, or a time that is not positive and finite.
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
    if not 0 < seconds_per_step < math.inf:
        raise ValueError(f"seconds_per_step={seconds_per_step} is not positive and finite")
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


def frames(shown: Film, size: int, theme: str, times: Iterable[float]) -> Iterator[tuple[Image.Image, int]]:
    """Pictures of a film and at how many of the times, which rise, each is shown; neighbours differ.

    What is under the pieces is drawn once a step, and the pieces are pasted onto it.
    """
    ground, number, before, repeats = None, -1, None, 0
    picture = None
    for time in times:
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
        (
            life.letter,
            max(1, round(life.size * scale)),
            round(key.x * scale),
            round(key.y * scale),
            round(key.opacity, 3),
        )
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
    """A GIF that repeats, with one palette for all of its frames.

    It is written frame by frame, each only where it differs from the one before; Pillow's `save` would hold them all.
    """
    from PIL import Image
    from PIL.GifImagePlugin import getdata, getheader

    shown = film(game)
    between = max(1 / FRAMES_PER_STEP, SHORTEST / seconds)
    times = [tick * between for tick in range(max(1, round(shown.length / between)))]
    palette, clear = common_palette(shown, size, theme)
    before = np.full((palette.height, palette.width), clear, np.uint8)
    ticks = 0
    with path.open("wb") as file:
        file.writelines(getheader(palette, info={"loop": 0})[0])
        for picture, count in frames(shown, size, theme, times):
            now = np.asarray(picture.quantize(palette=palette, dither=Image.Dither.NONE))
            now = np.minimum(now, clear - 1)  # the last colour for its double
            changed = now != before
            # Where the palette makes neighbours the same, nothing has changed; a frame has a pixel at least.
            box = Image.fromarray(changed).getbbox() or (0, 0, 1, 1)
            part = Image.fromarray(np.where(changed, now, np.uint8(clear))).crop(box)
            # Delays are in hundredths of a second; from rounded ends they add up to what they should.
            begin, end = (round(100 * seconds * between * tick) for tick in (ticks, ticks + count))
            file.writelines(getdata(part, box[:2], duration=10 * (end - begin), transparency=clear))
            before, ticks = now, ticks + count
        file.write(b";")


def common_palette(shown: Film, size: int, theme: str) -> tuple[Image.Image, int]:
    """An image of a film's size with a palette for all of it, and the number in it of the colour to leave clear.

    That one is the palette's last, a double of the colour before it.
    """
    from PIL import Image

    times = [shown.length * number / (SAMPLES - 1) for number in range(SAMPLES)]
    samples = [picture for picture, _ in frames(shown, size, theme, times)]
    width, height = samples[0].size
    sheet = Image.new("RGB", (width, height * len(samples)))
    for number, sample in enumerate(samples):
        sheet.paste(sample, (0, number * height))
    colours = sheet.quantize(255).getpalette()
    assert colours is not None
    palette = Image.new("P", (width, height))
    palette.putpalette(colours + colours[-3:])
    return palette, len(colours) // 3


def write_mp4(game: Game, path: Path, size: int, theme: str, seconds: float) -> None:
    """An MP4, made by ffmpeg."""
    ffmpeg = shutil.which("ffmpeg")
    if ffmpeg is None:
        raise RuntimeError("an .mp4 needs the program ffmpeg, which is not found; install it, or write .gif or .svg")
    shown = film(game)
    times = [tick / FRAMES_PER_STEP for tick in range(round(shown.length * FRAMES_PER_STEP))]
    pictures = frames(shown, size, theme, times)
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
