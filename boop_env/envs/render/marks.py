"""Marks on the board as SVG: what the last step did, the winning pieces, and the ghosts."""

from __future__ import annotations

import math

from boop_env.envs.render.boards import SPACE, Plan
from boop_env.envs.render.pieces import COATS, piece_svg
from boop_env.envs.render.scene import Ghost, Scene
from boop_env.envs.render.steps import Push, Step
from boop_env.rules.game import Game, Reason

RADII = {"K": 34, "C": 47, "O": 36}
"""How far from the middle of a piece its arrow ends."""

HEADINGS = {"v": (0, 1), "^": (0, -1), ">": (1, 0), "<": (-1, 0)}
"""(right, down) of each ghost heading."""

STAR = "M0-13L3.2-3.2 13 0 3.2 3.2 0 13-3.2 3.2-13 0-3.2-3.2Z"


def step_marks(plan: Plan, step: Step) -> str:
    """The piece placed, arrows for all that was pushed, and what graduated."""
    parts = []
    if step.placed is not None:
        left, top = plan.corner(step.placed)
        parts.append(
            f'<rect class="placed glow glow-fill" data-at="{plan.board.name(step.placed)}" x="{left + 5}" '
            f'y="{top + 5}" width="90" height="90" rx="14" fill-opacity=".45" stroke-width="6"/>'
        )
    parts.append(row_bands(plan, set(step.graduated)))
    parts += [graduate_mark(plan, cell, letter) for cell, letter in step.graduated.items()]
    was, now = step.ghost
    if was and was != now:
        letter = "Gg"[step.player]
        x, y = plan.stitch(was)
        parts.append(piece_svg(letter, x, y, 70, 'class="was" opacity=".3"'))
    parts += [push_mark(plan, push) for push in step.boops + step.ghost_boops]
    return f'<g class="last-step">{"".join(parts)}</g>'


def row_bands(plan: Plan, cells: set[int]) -> str:
    """A band along every three of these cells that form a row."""
    ends = [(row[0], row[2]) for row in plan.board.rows if cells.issuperset(row)]
    lines = [(*plan.centre(first), *plan.centre(last)) for first, last in ends]
    path = "".join(f"M{x0:g} {y0:g}L{x1:g} {y1:g}" for x0, y0, x1, y1 in lines)
    look = 'class="row glow" fill="none" stroke-width="84" stroke-linecap="round" stroke-opacity=".5"'
    return f'<path {look} d="{path}"/>' if path else ""


def graduate_mark(plan: Plan, cell: int, letter: str) -> str:
    """Where a piece left for the pool: its shade, and a star for a kitten that is now a cat."""
    x, y = plan.centre(cell)
    parts = [
        f'<circle class="glow" cx="{x:g}" cy="{y:g}" r="42" fill="none" stroke-width="5" stroke-dasharray="11 8"/>',
        piece_svg(letter, x, y, SPACE, 'opacity=".4"'),
    ]
    if letter in "Kk":
        parts.append(
            f'<path class="glow-fill glow" d="{STAR}" transform="translate({x + 30:g} {y - 30:g}) scale(1.25)"/>'
        )
    return f'<g class="graduated" data-at="{plan.board.name(cell)}">{"".join(parts)}</g>'


def push_mark(plan: Plan, push: Push) -> str:
    """An arrow from where a piece was to where it is; off the board it ends on the frame, with its small picture."""
    down, right = push.heading
    length = math.hypot(down, right)
    x0, y0 = plan.centre(push.origin)
    extra = ""
    if push.pounced is not None:
        end = SPACE * length - 30
        x, y = plan.centre(push.pounced)
        extra = (
            f'<path class="glow glow-fill" d="{STAR}" transform="translate({x:g} {y:g}) scale(4.2)"/>'
            f"{piece_svg(push.letter, x, y, 62)}"
        )
    elif push.target is None:
        # The frame begins half a space from the middle of the last one.
        away = SPACE * 0.76
        end = away * length - 29
        extra = piece_svg(push.letter, x0 + away * right, y0 + away * down, 58)
    else:
        spaces = max(
            abs(push.target // plan.board.width - push.origin // plan.board.width),
            abs(push.target % plan.board.width - push.origin % plan.board.width),
        )
        end = SPACE * length * spaces - RADII[push.letter.upper()]
    tip = (x0 + right / length * end, y0 + down / length * end)
    name = plan.board.name
    to = "off" if push.target is None else name(push.target)
    return f'<g class="push" data-from="{name(push.origin)}" data-to="{to}">{arrow((x0, y0), tip)}{extra}</g>'


def arrow(start: tuple[float, float], tip: tuple[float, float]) -> str:
    """An arrow with a casing, from a ring to a point."""
    (x0, y0), (x1, y1) = start, tip
    length = math.hypot(x1 - x0, y1 - y0)
    right, down = (x1 - x0) / length, (y1 - y0) / length
    xb, yb = x1 - 24 * right, y1 - 24 * down
    head = f"M{x1:.1f} {y1:.1f}L{xb - 15 * down:.1f} {yb + 15 * right:.1f}L{xb + 15 * down:.1f} {yb - 15 * right:.1f}Z"
    ring = f'cx="{x0:g}" cy="{y0:g}" r="11" fill="none"'
    line = f'd="M{x0 + 11 * right:.1f} {y0 + 11 * down:.1f}L{xb:.1f} {yb:.1f}" fill="none"'
    return (
        f'<g class="casing" stroke-width="17" stroke-linejoin="round"><circle {ring}/><path {line}/>'
        f'<path d="{head}" stroke-width="9"/></g>'
        f'<g class="arrow" stroke-width="8"><circle {ring}/><path {line}/></g><path class="arrow-head" d="{head}"/>'
    )


def win_marks(plan: Plan, game: Game, drawn: Scene) -> str:
    """The cats that won: in a row, or all on the board."""
    if game.winner is None or game.reason is Reason.ORNAMENTS_TAKEN:
        return ""
    cats = {cell for cell, letter in drawn.pieces.items() if letter == "Cc"[game.winner]}
    if game.reason is Reason.THREE_CATS:
        return row_bands(plan, cats)
    circles = "".join('<circle cx="{:g}" cy="{:g}" r="47"/>'.format(*plan.centre(cell)) for cell in sorted(cats))
    return f'<g class="glow-fill" fill-opacity=".8">{circles}</g>'


def ghost_marks(plan: Plan, player: int, ghost: Ghost) -> str:
    """A ghost on its stitch, with its heading and the seam it will travel."""
    x, y = plan.stitch(ghost)
    right, down = HEADINGS[ghost.heading]
    across, along = plan.board.width * SPACE, plan.board.height * SPACE
    x1 = {1: plan.left + across, -1: plan.left, 0: x}[right]
    y1 = {1: plan.top + along, -1: plan.top, 0: y}[down]
    coat = COATS[player]
    tip, base = 49, 33
    head = (
        f"M{x + tip * right:g} {y + tip * down:g}L{x + base * right - 13 * down:g} {y + base * down + 13 * right:g}"
        f"L{x + base * right + 13 * down:g} {y + base * down - 13 * right:g}Z"
    )
    return (
        f'<path d="M{x:g} {y:g}L{x1:g} {y1:g}" stroke="{coat.main}" stroke-width="6" stroke-dasharray="1 13" '
        'stroke-linecap="round"/>'
        f'<path d="{head}" fill="{coat.main}" stroke="#fff" stroke-width="7" stroke-linejoin="round" '
        'paint-order="stroke"/>'
    )
