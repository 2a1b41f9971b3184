"""SVG to pixels, without a display: resvg draws, Pillow reads what it drew and brings the font.

Both come with the ``render`` extra and are loaded when first asked for.
"""

from __future__ import annotations

import atexit
import io
import os
import tempfile
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from boop_env.envs.render.drawing import board_svg
from boop_env.rules.game import Game

if TYPE_CHECKING:
    from PIL import Image

Picture = npt.NDArray[np.uint8]

CELL_PIXELS = 64
"""Pixels a space is wide, about, in `rgb`."""


def rgb(game: Game) -> Picture:
    """The drawing of `board_svg`, light, as uint8 ``(height, width, 3)``.

    Raises:
        ImportError: the ``render`` extra is not installed.
    """
    width = (game.rules.board.width + 1) * CELL_PIXELS
    return np.asarray(raster(board_svg(game, size=width, theme="light")))


def raster(svg: str, mode: str = "RGB") -> Image.Image:
    """An SVG as an image of its own size, ``"RGB"`` or, where nothing covers the ground, ``"RGBA"``.

    Raises:
        ImportError: the ``render`` extra is not installed.
    """
    resvg, image = libraries()
    png = resvg.svg_to_bytes(
        svg_string=svg,
        # Looking through the system's fonts takes longer than drawing, and pictures would differ by machine.
        skip_system_fonts=True,
        font_files=[font_file()],
        font_family="Aileron",
        sans_serif_family="Aileron",
    )
    picture: Image.Image = image.open(io.BytesIO(png)).convert(mode)
    return picture


@cache
def libraries() -> tuple[ModuleType, ModuleType]:
    """Resvg and Pillow."""
    try:
        import resvg_py
        from PIL import Image
    except ImportError as error:
        raise ImportError(
            f'pictures in pixels need {error.name}: pip install "boop-env[render]"; SVG and text do not'
        ) from error
    return resvg_py, Image


@cache
def font_file() -> str:
    """A file with Pillow's own font (Aileron), for resvg, which takes fonts as files only."""
    from PIL import ImageFont

    font = ImageFont.load_default(16)
    handle, path = tempfile.mkstemp(prefix="boop_env-", suffix=".ttf")
    with open(handle, "wb") as file:
        file.write(font.font_bytes)  # type: ignore[union-attr]  # FreeType's, as every Pillow wheel has it
    atexit.register(os.unlink, path)
    return path
