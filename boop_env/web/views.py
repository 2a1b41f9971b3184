"""Games as JSON: what a page needs to know of a rule set, a position and the steps that led there."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from boop_env.envs.render.animation import animate
from boop_env.envs.render.boards import EDGE, SPACE, Plan, board_art
from boop_env.envs.render.scene import Ghost, scene
from boop_env.envs.render.steps import Push, Step, last_step
from boop_env.rules.game import Game
from boop_env.rules.ruleset import PRESETS, RuleSet

Json = dict[str, Any]

PRESET_TEXTS: dict[str, tuple[str, str]] = {
    "boop": ("boop.", "The base game: kittens, cats and a bed."),
    "boop_bga": ("boop. (Board Game Arena)", "With all eight pieces on the bed you must take one back."),
    "boop_overview": ("boop. (overview)", "All rows graduate at once, and cats in a row count whoever made them."),
    "boop_expert": ("boop. (expert)", "A row graduates only if the other player could not disturb it."),
    "booop": ("BOOoop.", "Each player also has a ghost that floats along the seams and boops what it passes."),
    "halls": ("boop the Halls!", "A tree in four tiers and three ornaments each, to knock off or to pounce on."),
    "halls_flat": ("boop the Halls! (flat)", "The same on a flat board."),
    "halls_no_ornaments": ("boop the Halls! (no ornaments)", "The tree alone."),
}
"""Title and one line about each preset."""


def rules_view(rules: RuleSet) -> Json:
    """A preset's board and options."""
    board = rules.board
    title, about = PRESET_TEXTS[rules.name]
    return {
        "name": rules.name,
        "title": title,
        "about": about,
        "width": board.width,
        "height": board.height,
        "levels": list(board.levels),
        "is_tree": board.is_tree,
        **rules.to_dict(),
    }


def presets() -> list[Json]:
    """All presets, the three boxed games among them by their titles."""
    return [rules_view(rules) for rules in PRESETS.values()]


def frame(game: Game) -> Json:
    """A position to draw, who is to do what in it, and what the step that led to it did.

    Spaces are named (``c3``); pieces are the letters of the position text. `step` is None at a game's start.
    """
    drawn, name = scene(game), game.rules.board.name
    step = last_step(game)
    return {
        "position": game.position(),
        "cells": {name(cell): letter for cell, letter in drawn.pieces.items()},
        "pools": drawn.pools,
        "taken": drawn.taken,
        "ghosts": [ghost_view(game, ghost) for ghost in drawn.ghosts],
        "mover": game.mover,
        "phase": game.phase,
        "turn": game.turn,
        "winner": game.winner,
        "reason": game.reason.name.lower() if game.reason else None,
        "step": step_view(game, step) if step else None,
    }


def ghost_view(game: Game, ghost: Ghost | None) -> Json | None:
    """Where a ghost is, None when it is not on the board."""
    name = game.rules.board.name
    return {"at": [name(ghost.low), name(ghost.high)], "heading": ghost.heading} if ghost else None


def step_view(game: Game, step: Step) -> Json:
    """What a step did: ``by`` whom, the space ``placed`` on, what that and then the ghost pushed, what graduated."""
    name = game.rules.board.name
    return {
        "move": step.move,
        "by": step.player,
        "placed": None if step.placed is None else name(step.placed),
        "boops": [push_view(game, push) for push in step.boops],
        "ghost": [ghost_view(game, ghost) for ghost in step.ghost],
        "ghost_boops": [push_view(game, push) for push in step.ghost_boops],
        "graduated": {name(cell): letter for cell, letter in step.graduated.items()},
    }


def push_view(game: Game, push: Push) -> Json:
    """A push; ``to`` is None off the board, ``heading`` is (down, right) of one space."""
    name = game.rules.board.name
    return {
        "piece": push.letter,
        "from": name(push.origin),
        "to": None if push.target is None else name(push.target),
        "heading": push.heading,
        "pounced": None if push.pounced is None else name(push.pounced),
    }


def legal(game: Game) -> Json:
    """The legal moves, sorted by what a page asks for."""
    rules = game.rules
    found: Json = {"kittens": [], "cats": [], "ornaments": [], "rows": [], "singles": [], "entries": [], "pass": False}
    names = {"K": "kittens", "C": "cats", "O": "ornaments"}
    rows = {(row[0], row[2]): row for row in rules.board.rows}
    for move in game.legal_moves():
        spaces = [rules.board.cells_by_name[move[at : at + 2]] for at in range(1, len(move) - 1, 2)]
        if move[0] in names:
            found[names[move[0]]].append(move[1:])
        elif move == "-":
            found["pass"] = True
        elif move[0] == "G":
            number = rules.move_to_action(move) - rules.actions.block("ghost").start  # type: ignore[union-attr]  # rule sets with such moves have the block
            heading = rules.board.entries[number].heading
            found["entries"].append({"move": move, "at": [move[1:3], move[3:5]], "heading": heading})
        elif len(spaces) == 2:
            row = rows[spaces[0], spaces[1]]
            found["rows"].append({"move": move, "cells": [rules.board.name(cell) for cell in row]})
        else:
            found["singles"].append(move[1:])
    return found


def frames(game: Game, first: int = 0) -> list[Json]:
    """The positions of a game from after step `first` on; after step 0 it is the start."""
    record = game.record()
    replay = game.copy()
    for _ in range(len(record) - first):
        replay.pop()
    found = [frame(replay)]
    for move in record[first:]:
        replay.push(move)
        found.append(frame(replay))
    return found


def game_view(game: Game, first: int = 0) -> Json:
    """A game's frames from a step on, and what may be played at its end."""
    return {
        "rules": game.rules.name,
        "start": game.start_position(),
        "record": game.record(),
        "first": first,
        "frames": frames(game, first),
        "legal": legal(game),
    }


def empty_board_svg(rules: RuleSet) -> str:
    """The empty board of a rule set as an SVG document whose origin is the corner of ``a1``, a space 100 wide."""
    plan = Plan(rules)
    width, height = (side * SPACE + 2 * EDGE for side in (rules.board.width, rules.board.height))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{-EDGE} {-EDGE} {width} {height}" font-weight="600">'
        f'<g transform="translate({-plan.left} {-plan.top})">{board_art(plan)}</g></svg>'
    )


def gif(game: Game) -> bytes:
    """A game in motion."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "game.gif"
        animate(game, path)
        return path.read_bytes()
