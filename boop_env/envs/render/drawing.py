"""`board_svg`: one picture of a game, put together from its parts."""

from __future__ import annotations

import base64
from html import escape

from boop_env.envs.render.boards import GAP, HEADLINE, PAD, SPACE, STRIP, Plan, board_art
from boop_env.envs.render.marks import ghost_marks, step_marks, win_marks
from boop_env.envs.render.pieces import COATS, piece_svg, piece_symbols
from boop_env.envs.render.scene import Scene, headline, scene, situation
from boop_env.envs.render.steps import last_step as step_of
from boop_env.envs.render.themes import style_sheet
from boop_env.rules.game import Game

FONT = 'font-family="Helvetica,Arial,sans-serif"'

POOL_WIDTHS = {"K": 0.66, "C": 0.94, "O": 0.64, "G": 0.64}
"""Room each kind takes in a pool, of its symbol's width."""

GHOST_SIZE = 70
"""Of a ghost on the board: narrow enough to stand between two cats."""


def board_svg(game: Game, *, size: int = 400, theme: str = "auto", last_step: bool = True) -> str:
    """A picture of a game as an SVG document.

    The board with its pieces, player_1's pool above and player_0's below, each with the ornaments they have
    taken, who is to choose what, and the last step: where the piece was placed, an arrow for all that was pushed
    (onto the frame when it left the board), and what graduated.

    Args:
        game: what to show.
        size: width in pixels; the height follows from the board.
        theme: ``"light"``, ``"dark"``, or ``"auto"`` for what the reader's system has.
        last_step: whether to mark the last step.

    Raises:
        ValueError: no such theme, or a size below 1.
    """
    plan, drawn = Plan(game.rules), scene(game)
    step = step_of(game) if last_step else None
    body = [
        board_art(plan),
        win_marks(plan, game, drawn),
        step_marks(plan, step) if step else "",
        pieces_svg(plan, drawn),
        *(pool_svg(plan, game, drawn, player) for player in (0, 1)),
        headline_svg(plan, game),
    ]
    return document(plan, size, theme, "".join(body), headline(game), game.position())


def document(plan: Plan, size: int, theme: str, body: str, title: str, description: str) -> str:
    """A whole SVG document around what is drawn.

    Raises:
        ValueError: no such theme, or a size below 1.
    """
    if size < 1:
        raise ValueError(f"size={size} is no width in pixels; give 1 or more")
    height = round(size * plan.height / plan.width)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="boop-{theme}" viewBox="0 0 {plan.width} {plan.height}" '
        f'width="{size}" height="{height}" role="img" {FONT} font-weight="600">'
        f"<title>{escape(title)}</title><desc>{escape(description)}</desc>"
        f"<style>{style_sheet(theme)}</style><defs>{piece_symbols()}</defs>"
        f'<rect class="table" width="{plan.width}" height="{plan.height}"/>{body}</svg>'
    )


def board_html(game: Game) -> str:
    """A picture of a game as an HTML image, so that neither its styles nor the page's touch the other's."""
    data = base64.b64encode(board_svg(game).encode()).decode()
    return f'<img src="data:image/svg+xml;base64,{data}" alt="{escape(headline(game))}" style="max-width:100%">'


def headline_svg(plan: Plan, game: Game) -> str:
    """Whose choice it is, or who has won, and the turn; small enough to fit."""
    left, right = situation(game), f"turn {game.turn}"
    size = min(36.0, (plan.width - 2 * PAD - 12) / (0.54 * (len(left) + len(right) + 1)))
    y = HEADLINE / 2 + 0.36 * size
    return (
        f'<text class="words" x="{PAD + 4}" y="{y:.1f}" font-size="{size:.1f}">{escape(left)}</text>'
        f'<text class="quiet" x="{plan.width - PAD - 4}" y="{y:.1f}" font-size="{0.86 * size:.1f}" '
        f'text-anchor="end">{right}</text>'
    )


def pieces_svg(plan: Plan, drawn: Scene) -> str:
    """All that stands on the board."""
    name = plan.board.name
    parts = [
        piece_svg(letter, *plan.centre(cell), SPACE, f'class="piece" data-at="{name(cell)}"')
        for cell, letter in drawn.pieces.items()
    ]
    for player, ghost in enumerate(drawn.ghosts):
        if ghost:
            at = f'class="piece" data-at="{name(ghost.low)}{name(ghost.high)}{escape(ghost.heading)}"'
            parts.append(ghost_marks(plan, player, ghost))
            parts.append(piece_svg("Gg"[player], *plan.stitch(ghost), GHOST_SIZE, at))
    return "".join(parts)


def pool_svg(plan: Plan, game: Game, drawn: Scene, player: int) -> str:
    """One player's pool: a badge, the pieces, the ghost at home, and a tray for the ornaments taken."""
    top, width = plan.strip_top(player), plan.width - 2 * PAD
    look, rim = "strip", ""
    if game.winner == player:
        look, rim = "won", ' stroke="#4c9a4c" stroke-width="5"'
    elif game.mover == player and not game.is_over:
        look, rim = "to-move", ' stroke="#dfa11b" stroke-width="5"'
    letters = "KCOG" if player == 0 else "kcog"
    pool = [letter for letter, count in zip(letters, drawn.pools[player], strict=False) for _ in range(count)]
    if game.rules.ghosts and drawn.ghosts[player] is None:
        pool.append(letters[3])
    tray = tray_svg(plan, drawn, player, top)
    room = width - 100 - (54 * plan.rules.ornaments + 16 if plan.rules.ornaments else 0)
    widths = [POOL_WIDTHS[letter.upper()] for letter in pool]
    size = min(86.0, room / sum(widths, 0.01))
    x, parts = PAD + 92.0, []
    for letter, part in zip(pool, widths, strict=True):
        parts.append(piece_svg(letter, x + part * size / 2, top + STRIP / 2, size, 'class="piece"'))
        x += part * size
    return (
        f'<g class="pool" data-player="{player}"><rect class="{look}" x="{PAD}" y="{top}" width="{width}" '
        f'height="{STRIP}" rx="22"{rim}/>{badge_svg(plan, game, player)}{tray}{"".join(parts)}</g>'
    )


def badge_svg(plan: Plan, game: Game, player: int) -> str:
    """A disc with a player's number, in the player's colour and pattern; the winner's wears a crown."""
    coat, x, y = COATS[player], PAD + 46, plan.strip_top(player) + STRIP / 2
    parts = [f'<circle cx="{x}" cy="{y:g}" r="29" fill="{coat.main}" stroke="{coat.ink}" stroke-width="4"/>']
    if player == 1:
        stripes = f"M{x - 17} {y - 20:g}v40M{x + 17} {y - 20:g}v40"
        parts.append(f'<path d="{stripes}" stroke="{coat.ink}" stroke-width="6" stroke-linecap="round"/>')
    parts.append(
        f'<text x="{x}" y="{y + 13:g}" font-size="38" text-anchor="middle" fill="#fff" stroke="{coat.ink}" '
        f'stroke-width="5" stroke-linejoin="round" paint-order="stroke">{player}</text>'
    )
    if game.winner == player:
        crown = f"M{x - 19} {y - 22:g}l-4-20 12 9 11-16 11 16 12-9-4 20z"
        parts.append(f'<path d="{crown}" fill="#ffd95e" stroke="{coat.ink}" stroke-width="3" stroke-linejoin="round"/>')
    return "".join(parts)


def tray_svg(plan: Plan, drawn: Scene, player: int, top: float) -> str:
    """The ornaments a player has taken, and empty places for those not yet taken."""
    count = plan.rules.ornaments
    if not count:
        return ""
    left = plan.width - PAD - GAP - 54 * count - 6
    middle = top + STRIP / 2
    parts = [
        f'<rect class="tray" x="{left}" y="{top + GAP}" width="{54 * count + 6}" height="{STRIP - 2 * GAP}" rx="14"/>'
    ]
    for number in range(count):
        x = left + 3 + 54 * (number + 0.5)
        if number < drawn.taken[player]:
            parts.append(piece_svg("oO"[player], x, middle, 80, 'class="piece taken"'))
        else:
            parts.append(
                f'<circle class="slot" cx="{x:g}" cy="{middle:g}" r="18" fill="none" stroke-width="3" '
                'stroke-dasharray="6 6"/>'
            )
    return f'<g class="taken"><title>ornaments taken</title>{"".join(parts)}</g>'
