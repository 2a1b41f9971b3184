"""The board in text."""

from __future__ import annotations

from boop_env.envs.render.scene import Scene, headline, scene
from boop_env.rules.game import Game


def text(game: Game) -> str:
    """A board in text, with coordinates, pools and whose choice it is.

    Spaces show their piece (`K C O` of player_0, `k c o` of player_1) or a dot, followed on a tree by their
    level. A ghost stands between its two spaces as its player and heading, such as ``0v``.
    """
    drawn = scene(game)
    return "\n".join([headline(game), "", *board_lines(game, drawn), "", *pool_lines(game, drawn)])


def board_lines(game: Game, drawn: Scene) -> list[str]:
    """The board, with lines between its rows where ghosts may stand."""
    board = game.rules.board
    show_levels = board.is_tree and not game.rules.flat
    marks = {}
    for player, ghost in enumerate(drawn.ghosts):
        if ghost:
            marks[ghost.low, ghost.high] = f"{player}{ghost.heading}"

    def space(cell: int) -> str:
        level = board.levels[cell]
        piece = drawn.pieces.get(cell, "." if level else " ")
        return piece + (str(level) if show_levels and level else "")

    width = 2 if show_levels else 1
    gap = 4 if game.rules.ghosts else 2
    lines = ["    " + (" " * gap).join("abcdefgh"[column].ljust(width) for column in range(board.width))]
    for row in range(board.height):
        line, below = f"{row + 1:2}  ", "    "
        for cell in range(row * board.width, (row + 1) * board.width):
            line += space(cell).ljust(width) + marks.get((cell, cell + 1), "").center(gap)
            below += marks.get((cell, cell + board.width), "").ljust(width + gap)
        lines.append(line.rstrip())
        if game.rules.ghosts and row + 1 < board.height:
            lines.append(below.rstrip())
    return [line.rstrip() for line in lines]


def pool_lines(game: Game, drawn: Scene) -> list[str]:
    """What each player has off the board."""
    lines = []
    for player, pool in enumerate(drawn.pools):
        parts = [f"player_{player} ({'KC' if player == 0 else 'kc'}): {pool[0]} kittens, {pool[1]} cats"]
        if game.rules.ornaments:
            parts.append(f"{pool[2]} ornaments in the pool, {drawn.taken[player]} taken")
        if game.rules.ghosts:
            ghost = drawn.ghosts[player]
            names = game.rules.board.name
            parts.append(f"ghost {names(ghost.low)}{names(ghost.high)}{ghost.heading}" if ghost else "ghost at home")
        lines.append("; ".join(parts))
    return lines
