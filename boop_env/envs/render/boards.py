"""The empty board as SVG: bed or tree, with its coordinates."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from boop_env.envs.render.scene import Ghost
from boop_env.rules.layout import Layout
from boop_env.rules.ruleset import RuleSet

SPACE = 100
"""Width of a space; all lengths are in this picture's own units."""

PAD = 14
"""Around everything."""

HEADLINE = 62
STRIP = 92
"""Heights of the headline and of a player's pool."""

GAP = 10
"""Between the pools and the board."""

EDGE = 48
"""Width of the frame that carries the coordinates."""


class Plan(NamedTuple):
    """Where things lie in a picture.

    Attributes:
        rules: whose board it is.
    """

    rules: RuleSet

    @property
    def board(self) -> Layout:
        """The layout."""
        return self.rules.board

    @property
    def left(self) -> int:
        """Left side of the spaces."""
        return PAD + EDGE

    @property
    def top(self) -> int:
        """Upper side of the spaces."""
        return HEADLINE + STRIP + GAP + EDGE

    @property
    def width(self) -> int:
        """The whole picture's."""
        return self.board.width * SPACE + 2 * (PAD + EDGE)

    @property
    def height(self) -> int:
        """The whole picture's."""
        return self.top + self.board.height * SPACE + EDGE + GAP + STRIP + PAD

    def strip_top(self, player: int) -> int:
        """Upper side of a player's pool: player_1's above the board, player_0's below."""
        return HEADLINE if player == 1 else self.height - PAD - STRIP

    def corner(self, cell: int) -> tuple[int, int]:
        """Upper left corner of a space."""
        return self.left + cell % self.board.width * SPACE, self.top + cell // self.board.width * SPACE

    def centre(self, cell: int) -> tuple[float, float]:
        """Middle of a space."""
        x, y = self.corner(cell)
        return x + SPACE / 2, y + SPACE / 2

    def stitch(self, ghost: Ghost) -> tuple[float, float]:
        """Where a ghost is: between its two spaces."""
        (x0, y0), (x1, y1) = self.centre(ghost.low), self.centre(ghost.high)
        return (x0 + x1) / 2, (y0 + y1) / 2


def board_art(plan: Plan) -> str:
    """The board without pieces."""
    look = "snow" if plan.board.is_tree else "night-frame" if plan.rules.ghosts else "frame"
    panel = (
        f'<rect class="{look}" x="{PAD}" y="{plan.top - EDGE}" width="{plan.width - 2 * PAD}" '
        f'height="{plan.board.height * SPACE + 2 * EDGE}" rx="30"/>'
    )
    words = {"snow": "snow-words", "night-frame": "night-words", "frame": "frame-words"}[look]
    spaces = tree_art(plan) if plan.board.is_tree else bed_art(plan, "night-" if plan.rules.ghosts else "")
    return panel + coordinates(plan, words) + spaces


def coordinates(plan: Plan, look: str) -> str:
    """Letters above the columns and numbers left of the rows."""
    size, parts = 30, []
    for column in range(plan.board.width):
        x = plan.left + (column + 0.5) * SPACE
        parts.append(f'<text x="{x:g}" y="{plan.top - EDGE / 2 + 10:g}">{"abcdefgh"[column]}</text>')
    for row in range(plan.board.height):
        y = plan.top + (row + 0.5) * SPACE + 10
        parts.append(f'<text x="{plan.left - EDGE / 2:g}" y="{y:g}">{row + 1}</text>')
    return f'<g class="{look}" font-size="{size}" text-anchor="middle">{"".join(parts)}</g>'


def rectangles(plan: Plan, cells: Iterable[int], grown: float = 0, down: float = 0) -> str:
    """Path data of several spaces, each grown on all sides and moved down; together they read as one shape."""
    side = SPACE + 2 * grown
    corners = [plan.corner(cell) for cell in cells]
    return "".join(f"M{x - grown:g} {y - grown + down:g}h{side:g}v{side:g}h{-side:g}z" for x, y in corners)


def bed_art(plan: Plan, look: str) -> str:
    """A quilt: a patch a space, seams stitched between them; with ghosts the seams end in buttons."""
    board = plan.board
    parts = []
    for cell in board.spaces:
        x, y = plan.corner(cell)
        second = "-2" if (cell // board.width + cell % board.width) % 2 else ""
        parts.append(
            f'<rect class="{look}patch{second}" x="{x + 1.5:g}" y="{y + 1.5:g}" width="97" height="97" rx="15"/>'
        )
    seams, buttons = [], []
    for cell in board.spaces:
        x, y = plan.corner(cell)
        if board.neighbour(cell, 0, 1) is not None:
            seams.append(f"M{x + SPACE} {y + 6}v88")
        if board.neighbour(cell, 1, 0) is not None:
            seams.append(f"M{x + 6} {y + SPACE}h88")
    if plan.rules.ghosts:
        right, bottom = plan.left + board.width * SPACE, plan.top + board.height * SPACE
        for column in range(1, board.width):
            buttons += [(plan.left + column * SPACE, y) for y in (plan.top - 5, bottom + 5)]
        for row in range(1, board.height):
            buttons += [(x, plan.top + row * SPACE) for x in (plan.left - 5, right + 5)]
    width, dashes = (6, "15 9.5") if plan.rules.ghosts else (3.5, "9 7")
    parts.append(
        f'<path class="{look}seam" d="{"".join(seams)}" fill="none" stroke-width="{width}" '
        f'stroke-dasharray="{dashes}" stroke-linecap="round"/>'
    )
    parts += [f'<circle class="{look}seam {look}patch" cx="{x}" cy="{y}" r="7" stroke-width="4"/>' for x, y in buttons]
    return "".join(parts)


def tree_art(plan: Plan) -> str:
    """Tiers from the ground up, each with its side and the shadow it throws; drawn flat, rings of one board."""
    board = plan.board
    parts = []
    for level in sorted({board.levels[cell] for cell in board.spaces}, reverse=True):
        tier = [cell for cell in board.spaces if board.levels[cell] <= level]
        if plan.rules.flat:
            whole = rectangles(plan, tier)
            # The fill covers the lines within, which leaves the ring's outer half.
            parts.append(
                f'<path class="ring" d="{whole}" fill="none" stroke-width="12"/><path class="side-3" d="{whole}"/>'
            )
        else:
            for grown, down, strength in ((12, 24, 0.14), (5, 18, 0.22)):
                parts.append(
                    f'<path class="shadow" d="{rectangles(plan, tier, grown, down)}" fill-opacity="{strength}"/>'
                )
            parts.append(f'<path class="side-{level}" d="{rectangles(plan, tier, 2, 12)}"/>')
            parts.append(f'<path class="side-{level}" d="{rectangles(plan, tier, 2)}"/>')
        for cell in tier:
            if board.levels[cell] == level:
                x, y = plan.corner(cell)
                look = 3 if plan.rules.flat else level
                parts.append(
                    f'<rect class="tier-{look}" x="{x + 1.5:g}" y="{y + 1.5:g}" width="97" height="97" rx="7"/>'
                )
    return "".join(parts)
