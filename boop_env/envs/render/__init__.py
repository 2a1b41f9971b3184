"""Pictures of a position: text, SVG, RGB arrays, animations, and a window."""

from boop_env.envs.render.canvas import (
    CELL_PIXELS,
    RENDER_MODES,
    TABLE,
    WON,
    Picture,
    Renderer,
    Window,
    rgb,
    scene,
    text,
)
from boop_env.envs.render.pieces import piece_svg, piece_symbols, symbol_id

__all__ = [
    "CELL_PIXELS",
    "RENDER_MODES",
    "TABLE",
    "WON",
    "Picture",
    "Renderer",
    "Window",
    "piece_svg",
    "piece_symbols",
    "rgb",
    "scene",
    "symbol_id",
    "text",
]
