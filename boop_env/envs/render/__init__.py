"""Pictures of a game: text, SVG, RGB arrays, animations, and a window."""

from boop_env.envs.render.animation import animate
from boop_env.envs.render.drawing import board_html, board_svg
from boop_env.envs.render.pieces import piece_svg, piece_symbols, symbol_id
from boop_env.envs.render.raster import CELL_PIXELS, Picture, rgb
from boop_env.envs.render.scene import headline, scene
from boop_env.envs.render.window import RENDER_MODES, Renderer, Window
from boop_env.envs.render.words import text

__all__ = [
    "CELL_PIXELS",
    "RENDER_MODES",
    "Picture",
    "Renderer",
    "Window",
    "animate",
    "board_html",
    "board_svg",
    "headline",
    "piece_svg",
    "piece_symbols",
    "rgb",
    "scene",
    "symbol_id",
    "text",
]
