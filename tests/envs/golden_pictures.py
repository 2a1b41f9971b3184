"""Golden pictures: how they are compared, and how they are made again.

After a change to the drawing that is meant, look at the new pictures and commit them:

    python tests/envs/golden_pictures.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from boop_env import Game
from boop_env.envs.render.drawing import board_svg
from boop_env.envs.render.raster import raster

FOLDER = Path(__file__).parent / "golden"

SIZE = 200
"""Width in pixels."""

SHOWN = {
    "boop": ("boop", "light", "kK4/2K3/6/1c4/4K1/k4C 1 p 3,1/4,1 - 9", "Kb2"),
    "boop-dark": ("boop", "dark", "kK4/2K3/6/1c4/4K1/k4C 1 p 3,1/4,1 - 9", "Kb2"),
    "boop-graduation": ("boop", "light", "6/1KK3/6/6/2c3/6 0 p 6,0/7,0 - 2", "Kd2"),
    "boop-won": ("boop", "light", "CC4/6/6/6/6/6 0 p 5,1/8,0 - 20", "Cc1"),
    "booop": ("booop", "light", "K1k3/k5/kkK1K1/6/K3c1/1k4 0 p 4,0/2,0 b1b2</b4b5> 38", "Kd2"),
    "halls": ("halls", "light", "-5-/3c3/3o3/7/7/2O4/-5- 0 p 7,1,2/7,0,2 - 4", "Cd1"),
    "halls-flat-dark": ("halls_flat", "dark", "-2cCK-/k1Ck3/3O3/3K3/7/2kK2C/-oK3- 1 p 0,1,1/0,4,2 - 35", "Cc3"),
}
"""Rule set, theme, position and the step from it, by file name."""

LARGEST_MEAN = 1.0
LARGEST_SHARE = 0.002
"""Mean difference of a channel, of 255, and share of pixels more than 48 off, that a golden picture's palette
and another build of the library may make."""


def picture(name: str, position: str | None = None) -> npt.NDArray[np.uint8]:
    """The picture as it is drawn now, ``(height, width, 3)``; of another position, if one is given."""
    preset, theme, own_position, move = SHOWN[name]
    game = Game.from_position(preset, position or own_position)
    game.push(move)
    return np.asarray(raster(board_svg(game, size=SIZE, theme=theme)))


def golden(name: str) -> npt.NDArray[np.uint8]:
    """The picture as it was committed."""
    from PIL import Image

    with Image.open(FOLDER / f"{name}.png") as image:
        return np.asarray(image.convert("RGB"))


def differences(now: npt.NDArray[np.uint8], before: npt.NDArray[np.uint8]) -> tuple[float, float]:
    """Mean difference of a channel, and the share of pixels that are clearly another colour."""
    apart = np.abs(now.astype(np.int16) - before)
    return float(apart.mean()), float((apart.max(axis=2) > 48).mean())


def is_same(now: npt.NDArray[np.uint8], before: npt.NDArray[np.uint8]) -> bool:
    """Whether two pictures differ by no more than builds and palettes do."""
    if now.shape != before.shape:
        return False
    mean, share = differences(now, before)
    return mean <= LARGEST_MEAN and share <= LARGEST_SHARE


def main() -> None:
    """Writes every golden picture anew."""
    from PIL import Image

    FOLDER.mkdir(exist_ok=True)
    for name in SHOWN:
        Image.fromarray(picture(name)).quantize(256).save(FOLDER / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
