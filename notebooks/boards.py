"""What the notebooks share: boards side by side, numbers on a board, and the looks of the plots."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence

import numpy as np
from IPython.display import HTML
from matplotlib.axes import Axes

from boop_env import Game
from boop_env.envs.render import board_svg
from boop_env.envs.render.boards import SPACE, Plan

STYLE = {
    "figure.dpi": 110,
    "figure.figsize": (7.5, 3.4),
    "figure.facecolor": "#fbf7ee",  # of its own, so that it reads on light and dark pages alike
    "figure.constrained_layout.use": True,
    "axes.facecolor": "#fbf7ee",
    "axes.edgecolor": "#8a8378",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.titlesize": "medium",
    "axes.titlelocation": "left",
    "grid.color": "#e6e0d4",
    "legend.frameon": False,
    "font.size": 10,
}
"""Looks of the plots, for ``plt.rcParams.update``."""

COLOURS = ("#e07b16", "#2f6fc4", "#3d9970", "#8e5ea2", "#b23a48", "#8a6d3b", "#5f6b75")
"""Of the plots; the first two are the players', as on the boards."""


def row(*pictures: str, captions: tuple[str, ...] = (), width: int = 300) -> HTML:
    """SVG pictures beside each other, each as an image of its own so that their styles do not mix.

    Args:
        pictures: SVG documents, such as `board_svg` gives.
        captions: a line under each.
        width: of a picture in pixels.
    """
    figures = []
    for svg, caption in zip(pictures, captions or [""] * len(pictures), strict=True):
        data = base64.b64encode(svg.encode()).decode()
        figures.append(
            f'<figure style="display:inline-block; vertical-align:top; width:{width}px; margin:4px; '
            f'text-align:center">'
            f'<img src="data:image/svg+xml;base64,{data}" alt="{caption}" style="width:100%">'
            f"<figcaption>{caption}</figcaption></figure>"
        )
    return HTML("".join(figures))  # type: ignore[no-untyped-call]


def heat_map(game: Game, shares: Mapping[str, float], size: int = 400) -> str:
    """A game's board as SVG, with a number for each space: the larger, the redder.

    Args:
        game: whose board and pieces to show.
        shares: numbers from 0 to 1 by the name of a space, such as ``{"c3": 0.4}``; shown as percentages.
        size: width in pixels.
    """
    plan, cells = Plan(game.rules), game.rules.board.cells_by_name
    least, most = min(shares.get(name, 0.0) for name in cells), max(shares.values())
    marks = []
    for name, share in shares.items():
        (left, top), (x, y) = plan.corner(cells[name]), plan.centre(cells[name])
        shade = (share - least) / (most - least) if most > least else 1.0
        marks.append(
            f'<rect x="{left + 4}" y="{top + 4}" width="{SPACE - 8}" height="{SPACE - 8}" rx="14" '
            f'fill="#c2185b" fill-opacity="{0.1 + 0.75 * shade:.2f}"/>'
        )
        if share >= 0.005:  # what would not round to 0
            marks.append(
                f'<text x="{x}" y="{y + 11}" font-size="32" text-anchor="middle" fill="#fff" stroke="#3a1020" '
                f'stroke-width="6" paint-order="stroke">{100 * share:.0f}</text>'
            )
    return board_svg(game, size=size, last_step=False).replace("</svg>", "".join(marks) + "</svg>")


def by_space(chances: Mapping[str, float]) -> dict[str, float]:
    """Chances of moves, added up by the space where a piece is placed; other kinds of moves are left out."""
    shares: dict[str, float] = {}
    for move, chance in chances.items():
        if move[0] in "KCO":
            shares[move[1:]] = shares.get(move[1:], 0.0) + chance
    return shares


def intervals(
    axes: Axes, names: Sequence[str], **groups: Sequence[tuple[float, float, float]]
) -> None:
    """Draws estimates as dots with bars from end to end of their intervals, one line for each name.

    Args:
        axes: where to draw.
        names: what is estimated, from top to bottom.
        groups: for each name an estimate and the two ends of its interval; each group has its colour.
    """
    for index, (group, rows) in enumerate(groups.items()):
        value, low, high = np.array(rows).T
        places = np.arange(len(names)) + 0.26 * (index - (len(groups) - 1) / 2)
        axes.errorbar(
            value,
            places,
            xerr=[value - low, high - value],
            fmt="o",
            capsize=3,
            color=COLOURS[index],
            label=group,
        )
    axes.set(yticks=range(len(names)), yticklabels=names)
    axes.invert_yaxis()
    if len(groups) > 1:
        axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
