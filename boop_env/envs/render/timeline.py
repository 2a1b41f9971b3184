"""A game as a film: who stands where, when, and what is shown around them.

Times are in steps: the start is shown for one, each step takes one, and the end stays for two more.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

from boop_env.envs.render.boards import PAD, SPACE, STRIP, Plan
from boop_env.envs.render.drawing import GHOST_SIZE, headline_svg, pool_svg
from boop_env.envs.render.marks import HEADINGS, ghost_marks, step_marks, win_marks
from boop_env.envs.render.scene import Ghost, Scene, scene
from boop_env.envs.render.steps import Push, Step, last_step
from boop_env.rules.game import Game

LEAD, TAIL = 1.0, 2.0
"""How long the start is shown, and the end beyond the last step's own time."""

PLACED, BOOPED, HAUNTED, GHOST_BOOPED, GRADUATED = 0.2, 0.4, 0.5, 0.65, 0.85
"""When, within a step, each part of it is done."""


@dataclass
class Key:
    """Where a piece is at a time, and how solid."""

    time: float
    x: float
    y: float
    opacity: float


@dataclass
class Life:
    """One piece from when it comes onto the board to when it leaves; between keys it moves evenly.

    Attributes:
        letter: which, see `pieces.symbol_id`.
        size: of its symbol.
        keys: in order of time.
    """

    letter: str
    size: float
    keys: list[Key] = field(default_factory=list)

    def at(self, time: float) -> Key | None:
        """Where it is, None before it comes and after it has gone."""
        keys = self.keys
        if time < keys[0].time or (time >= keys[-1].time and keys[-1].opacity == 0):
            return None
        for a, b in itertools.pairwise(keys):
            if time < b.time:
                done = (time - a.time) / (b.time - a.time)
                now = (a.x + done * (b.x - a.x), a.y + done * (b.y - a.y), a.opacity + done * (b.opacity - a.opacity))
                return Key(time, *now)
        return keys[-1]

    def move(self, begin: float, end: float, to: tuple[float, float], opacity: float = 1.0) -> None:
        """Goes on from the last key, between two times."""
        last = self.keys[-1]
        if begin > last.time:
            self.keys.append(Key(begin, last.x, last.y, last.opacity))
        self.keys.append(Key(end, *to, opacity))


@dataclass
class Film:
    """All of a game.

    Attributes:
        plan: where things lie.
        length: in steps.
        lives: all pieces that were ever on the board.
        scenery: what is drawn under the pieces, with the time from which it is shown.
    """

    plan: Plan
    length: float
    lives: list[Life]
    scenery: list[tuple[float, str]]


def film(game: Game) -> Film:
    """The film of a game so far."""
    replay = Game.from_position(game.rules, game.start_position())
    plan, cast = Plan(game.rules), Cast(Plan(game.rules), scene(replay))
    scenery = [(0.0, scenery_svg(plan, replay, None))]
    moves = game.record()
    for number, move in enumerate(moves):
        replay.push(move)
        step = last_step(replay)
        assert step is not None
        begin = LEAD + number
        cast.play(step, begin)
        scenery.append((begin + PLACED, scenery_svg(plan, replay, step)))
    return Film(plan, LEAD + len(moves) + TAIL, cast.lives, scenery)


def scenery_svg(plan: Plan, game: Game, step: Step | None) -> str:
    """All of a picture but the board and what stands on it."""
    drawn = scene(game)
    ghosts = [ghost_marks(plan, player, ghost) for player, ghost in enumerate(drawn.ghosts) if ghost]
    return "".join(
        [
            win_marks(plan, game, drawn),
            step_marks(plan, step) if step else "",
            *ghosts,
            *(pool_svg(plan, game, drawn, player) for player in (0, 1)),
            headline_svg(plan, game),
        ]
    )


class Cast:
    """The lives of a game's pieces, step by step.

    Args:
        plan: where things lie.
        start: the position at the start.
    """

    def __init__(self, plan: Plan, start: Scene) -> None:
        self.plan = plan
        self.lives: list[Life] = []
        self._pieces = {
            cell: self._enter(letter, SPACE, Key(0, *plan.centre(cell), 1)) for cell, letter in start.pieces.items()
        }
        self._ghosts = [
            ghost and self._enter("Gg"[player], GHOST_SIZE, Key(0, *plan.stitch(ghost), 1))
            for player, ghost in enumerate(start.ghosts)
        ]

    def play(self, step: Step, begin: float) -> None:
        """Adds a step that begins at a time."""
        if step.placed is not None:
            letter = step.move[0] if step.player == 0 else step.move[0].lower()
            life = self._enter(letter, SPACE, Key(begin, *self._pool(step.player), 0))
            life.move(begin, begin + PLACED, self.plan.centre(step.placed))
            self._pieces[step.placed] = life
        self._push(step.boops, begin + PLACED, begin + BOOPED)
        was, now = step.ghost
        if was != now:
            self._move_ghost(step.player, was, now, begin)
        self._push(step.ghost_boops, begin + HAUNTED, begin + GHOST_BOOPED)
        for cell in step.graduated:
            self._pieces.pop(cell).move(begin + GHOST_BOOPED, begin + GRADUATED, self._pool(step.player), 0)

    def _enter(self, letter: str, size: float, key: Key) -> Life:
        life = Life(letter, size, [key])
        self.lives.append(life)
        return life

    def _pool(self, player: int) -> tuple[float, float]:
        return PAD + 120.0, self.plan.strip_top(player) + STRIP / 2

    def _push(self, pushes: tuple[Push, ...], begin: float, end: float) -> None:
        for push in pushes:
            life = self._pieces.pop(push.origin)
            if push.target is not None:
                life.move(begin, end, self.plan.centre(push.target))
                self._pieces[push.target] = life
                continue
            down, right = push.heading
            x, y = self.plan.centre(push.origin)
            life.move(begin, end, (x + right * SPACE, y + down * SPACE), 0)
            if push.pounced is not None:
                ornament = self._pieces.pop(push.pounced)
                ornament.move(begin, end, (x + 1.5 * right * SPACE, y + 1.5 * down * SPACE), 0)

    def _move_ghost(self, player: int, was: Ghost | None, now: Ghost | None, begin: float) -> None:
        life = self._ghosts[player]
        if now is None:
            assert life is not None and was is not None
            x, y = self.plan.stitch(was)
            right, down = HEADINGS[was.heading]
            life.move(begin + BOOPED, begin + HAUNTED, (x + right * SPACE, y + down * SPACE), 0)
            self._ghosts[player] = None
        elif life is None:
            life = self._enter("Gg"[player], GHOST_SIZE, Key(begin, *self._pool(player), 0))
            life.move(begin, begin + PLACED, self.plan.stitch(now))
            self._ghosts[player] = life
        else:
            life.move(begin + BOOPED, begin + HAUNTED, self.plan.stitch(now))
