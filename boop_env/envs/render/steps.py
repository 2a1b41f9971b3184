"""What a step did to the board, taken apart for drawing.

The boards between the parts of a step come from the rules themselves; what moved is read off by comparing them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from boop_env.envs.render.scene import Ghost, Scene, read_scene, scene
from boop_env.rules import kernel
from boop_env.rules.compiled import compiled
from boop_env.rules.game import Game
from boop_env.rules.layout import Layout
from boop_env.rules.position import write_position


class Push(NamedTuple):
    """One piece or ornament that was pushed.

    Attributes:
        letter: which, as in a position text.
        origin: the cell it left.
        target: the cell it went to; None when it left the board.
        heading: (rows, columns) of one space's way.
        pounced: the cell of the ornament that a cat pounced at, if it did.
    """

    letter: str
    origin: int
    target: int | None
    heading: tuple[int, int]
    pounced: int | None = None


class Step(NamedTuple):
    """One step, in the order in which it happens.

    Attributes:
        move: its text.
        player: whose it was.
        placed: the cell of the piece placed or ornament hung.
        boops: what that pushed.
        ghost: where the mover's ghost was and is; None for its pool.
        ghost_boops: what the ghost pushed where it landed.
        graduated: letters of the pieces that left for the pool at the end, by cell.
    """

    move: str
    player: int
    placed: int | None
    boops: tuple[Push, ...]
    ghost: tuple[Ghost | None, Ghost | None]
    ghost_boops: tuple[Push, ...]
    graduated: dict[int, str]


@compiled
def write_stages(tables, words, action, stages):
    """Writes the states after the boops of a step's placement and after the ghost's move, ``uint64 (2, 6)``.

    Both are the state before, where the step has no such part.
    """
    t = tables[0]
    s = kernel.load(words)
    kind = t.action_kind[action]
    if kind <= kernel.CAT:
        s = kernel.place(t, s, t.action_at[action], kind == kernel.CAT)
    kernel.store(s, stages[0])
    if t.ghosts and s.phase == kernel.PLACEMENT and s.own_ghost >= kernel.ON_BOARD:
        s = kernel.move_ghost(t, s)
    kernel.store(s, stages[1])


def last_step(game: Game) -> Step | None:
    """What the last step did; None at the start of a game."""
    if not game.record():
        return None
    before, rules = game.copy(), game.rules
    move = before.pop()
    words = np.empty((2, kernel.STATE_WORDS), np.uint64)
    write_stages(rules.tables, before.state, rules.move_to_action(move), words)
    start, end = scene(before), scene(game)
    booped, haunted = (read_scene(rules, write_position(rules, stage)) for stage in words)
    placed = rules.board.cells_by_name[move[1:]] if move[0] in "KCO" else None
    player = before.mover
    landed = haunted.ghosts[player] if rules.ghosts else None
    return Step(
        move=move,
        player=player,
        placed=placed,
        boops=() if placed is None else pushes_from(rules.board, placed, start, booped),
        ghost=(start.ghosts[player], end.ghosts[player]) if rules.ghosts else (None, None),
        ghost_boops=pushes_beside(rules.board, landed, booped, haunted) if landed else (),
        graduated={cell: letter for cell, letter in haunted.pieces.items() if cell not in end.pieces},
    )


def pushes_from(board: Layout, placed: int, before: Scene, after: Scene) -> tuple[Push, ...]:
    """What a piece on `placed` pushed: each neighbour that is gone, to the space behind it or off the board."""
    pushes = []
    for heading in [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if down or right]:
        origin = board.neighbour(placed, *heading)
        if origin is None or origin not in before.pieces or origin in after.pieces:
            continue
        letter, behind = before.pieces[origin], board.neighbour(origin, *heading)
        if behind is not None and behind in before.pieces:
            pushes.append(Push(letter, origin, None, heading, pounced=behind))
        else:
            pushes.append(Push(letter, origin, behind, heading))
    return tuple(pushes)


def pushes_beside(board: Layout, ghost: Ghost, before: Scene, after: Scene) -> tuple[Push, ...]:
    """What a ghost pushed from the two spaces beside it, over any pieces in the way."""
    down, right = ghost.high // board.width - ghost.low // board.width, (ghost.high - ghost.low) % board.width
    pushes = []
    for origin, heading in ((ghost.low, (-down, -right)), (ghost.high, (down, right))):
        if origin in before.pieces and origin not in after.pieces:
            target = board.neighbour(origin, *heading)
            while target is not None and target in before.pieces:
                target = board.neighbour(target, *heading)
            pushes.append(Push(before.pieces[origin], origin, target, heading))
    return tuple(pushes)
