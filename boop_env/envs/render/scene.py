"""What there is to draw, read from the position text (docs/rules.md section 8); nothing here knows the kernel."""

from __future__ import annotations

from typing import NamedTuple

from boop_env.rules.game import Game
from boop_env.rules.ruleset import RuleSet

PHASE_TEXTS = {
    "o": "to hang an ornament",
    "p": "to place a piece",
    "g": "to choose a graduation",
    "h": "to place the ghost",
}


class Ghost(NamedTuple):
    """A ghost on the board: the two cells beside it and its heading."""

    low: int
    high: int
    heading: str


class Scene(NamedTuple):
    """A position text, read for drawing.

    Attributes:
        pieces: ``K C O k c o`` of each cell that holds one.
        pools: kittens and cats of each player, and ornaments where the rule set has them.
        taken: ornaments each player has taken.
        ghosts: each player's, None when it is not on the board.
    """

    pieces: dict[int, str]
    pools: tuple[tuple[int, ...], ...]
    taken: tuple[int, int]
    ghosts: tuple[Ghost | None, ...]


def scene(game: Game) -> Scene:
    """What there is to draw of a game's position."""
    return read_scene(game.rules, game.position())


def read_scene(rules: RuleSet, position: str) -> Scene:
    """What there is to draw of a position text."""
    board = rules.board
    rows, _, _, pool_texts, ghost_texts, _ = position.split(" ")
    pieces: dict[int, str] = {}
    for number, row in enumerate(rows.split("/")):
        column = 0
        for character in row:
            if character in "KCOkco":
                pieces[number * board.width + column] = character
            column += int(character) if character.isdigit() else 1
    pools = tuple(tuple(map(int, pool.split(","))) for pool in pool_texts.split("/"))
    left = [sum(pool[2:]) + list(pieces.values()).count(letter) for pool, letter in zip(pools, "Oo", strict=True)]
    ornaments = rules.ornaments
    ghosts = tuple(
        Ghost(board.cells_by_name[text[:2]], board.cells_by_name[text[2:4]], text[4]) if len(text) > 1 else None
        for text in (ghost_texts.split("/") if rules.ghosts else ())
    )
    return Scene(pieces, pools, (ornaments - left[1], ornaments - left[0]), ghosts)


def situation(game: Game) -> str:
    """Who is to choose what, or who has won and how."""
    if game.reason is None:
        return f"player_{game.mover} {PHASE_TEXTS[game.phase]}"
    reason = game.reason.name.lower().replace("_", " ")
    return f"over, {reason}" if game.winner is None else f"player_{game.winner} wins, {reason}"


def headline(game: Game) -> str:
    """The rule set, the turn and the situation."""
    return f"{game.rules.name}, turn {game.turn}: {situation(game)}"
