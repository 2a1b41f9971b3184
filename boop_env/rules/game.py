"""`Game`, the object people hold: moves in, positions out, and back again."""

from __future__ import annotations

import enum
import operator
import re
from collections.abc import Iterable
from os import PathLike

import numpy as np
import numpy.typing as npt

from boop_env.rules import calls, kernel
from boop_env.rules.moves import IllegalMove
from boop_env.rules.position import PHASES, Words, read_position, sides, write_position
from boop_env.rules.ruleset import RuleSet, ruleset


class Reason(enum.Enum):
    """Why a game ended (docs/rules.md section 7)."""

    THREE_CATS = kernel.THREE_CATS
    EIGHT_CATS = kernel.EIGHT_CATS
    ORNAMENTS_TAKEN = kernel.ORNAMENTS_TAKEN
    TRUNCATED = kernel.TRUNCATED


class Game:
    """One game of any rule set.

    Example:
        >>> game = Game("boop")
        >>> game.push("Kc3")
        >>> game.position()
        '6/6/2K3/6/6/6 1 p 7,0/8,0 - 1'

    Args:
        rules: a preset's name or a `RuleSet`.

    Raises:
        ValueError: unknown preset.
    """

    def __init__(self, rules: str | RuleSet = "boop") -> None:
        self.rules = ruleset(rules)
        words = np.zeros(kernel.STATE_WORDS, np.uint64)
        calls.write_initial(self.rules.tables, words)
        self._states: list[Words] = [words]
        self._actions: list[int] = []

    @classmethod
    def from_position(cls, rules: str | RuleSet, text: str) -> Game:
        """A game that starts at a position text (docs/rules.md section 8).

        Raises:
            InvalidPosition: a ValueError that names the field and the fault.
        """
        game = cls(rules)
        game._states = [read_position(game.rules, text)]
        return game

    @classmethod
    def from_state(cls, rules: str | RuleSet, state: Words) -> Game:
        """A game that starts at a stored state, ``uint64 (6,)``, such as `BatchEnv` holds."""
        game = cls(rules)
        game._states = [np.array(state, np.uint64)]
        return game

    @classmethod
    def from_record(cls, rules: str | RuleSet, record: str | Iterable[str], position: str | None = None) -> Game:
        """A game with these moves played.

        Args:
            rules: a preset's name or a `RuleSet`.
            record: move texts, or one text of them; line breaks and turn numbers ``12.`` are ignored.
            position: where the game starts, if not at the beginning.

        Raises:
            UnreadableMove, IllegalMove: both ValueErrors; the message gives the move's number.
            InvalidPosition: the start cannot be read.
        """
        game = cls(rules) if position is None else cls.from_position(rules, position)
        moves = record.split() if isinstance(record, str) else list(record)
        moves = [move for move in moves if not re.fullmatch(r"\d+\.", move)]
        for number, move in enumerate(moves, 1):
            try:
                game.push(move)
            except ValueError as error:
                raise type(error)(f"step {number} of the record: {error}") from None
        return game

    @property
    def state(self) -> Words:
        """The stored state, ``uint64 (6,)``; a copy."""
        return self._states[-1].copy()

    @property
    def mover(self) -> int:
        """The player whose turn it is, 0 or 1; after a win still the one whose turn it was."""
        return int(self._state.mover)

    @property
    def phase(self) -> str:
        """``o`` ornament, ``p`` placement, ``g`` graduation, ``h`` ghost placement, ``x`` over."""
        return PHASES[self._state.phase]

    @property
    def turn(self) -> int:
        """Whole turns completed since the start."""
        return int(self._state.turn)

    @property
    def is_over(self) -> bool:
        """Whether the game is won or truncated."""
        return bool(self._state.phase == kernel.OVER)

    @property
    def winner(self) -> int | None:
        """0 or 1, None while the game goes on or when it was truncated."""
        winner = int(self._state.winner)
        return None if winner < 0 else winner

    @property
    def reason(self) -> Reason | None:
        """Why the game ended, None while it goes on."""
        outcome = int(self._state.outcome)
        return Reason(outcome) if outcome else None

    @property
    def _state(self) -> kernel.State:
        state: kernel.State = kernel.load(self._states[-1])
        return state

    def legal_actions(self) -> npt.NDArray[np.int64]:
        """Legal action numbers, ascending, ``int64 (k,)``; empty when the game is over."""
        actions = np.empty(self.rules.num_actions, np.int64)
        count = calls.legal_actions(self.rules.tables, self._states[-1], actions)
        return np.sort(actions[:count])

    def legal_moves(self) -> list[str]:
        """Legal moves as texts, in the order of their action numbers; empty when the game is over."""
        texts = self.rules.actions.texts
        return [texts[action] for action in self.legal_actions()]

    def is_legal(self, move: str | int) -> bool:
        """Whether a move may be played; False, too, for a text that is no move."""
        try:
            self._check(move)
        except ValueError:
            return False
        return True

    def push(self, move: str | int) -> None:
        """Plays one step.

        Args:
            move: a move text or an action number.

        Raises:
            UnreadableMove: the text is no move of this rule set.
            IllegalMove: the move may not be played now; the message says why. Both are ValueErrors.
        """
        action = self._check(move)
        words = np.empty(kernel.STATE_WORDS, np.uint64)
        calls.step(self.rules.tables, self._states[-1], action, words)
        self._states.append(words)
        self._actions.append(action)

    def pop(self) -> str:
        """Takes back one step and returns its move text.

        Raises:
            IndexError: no step was played.
        """
        if not self._actions:
            raise IndexError("no step to take back: the game is at its start")
        self._states.pop()
        return self.rules.actions.texts[self._actions.pop()]

    def copy(self) -> Game:
        """An independent game with the same position and history."""
        other = Game.__new__(Game)
        other.rules = self.rules
        other._states = list(self._states)
        other._actions = list(self._actions)
        return other

    __copy__ = copy

    def position(self) -> str:
        """Position text (docs/rules.md section 8)."""
        return write_position(self.rules, self._states[-1])

    def start_position(self) -> str:
        """Position text of where the game started."""
        return write_position(self.rules, self._states[0])

    def record(self) -> list[str]:
        """Move texts played so far; ``" ".join`` of them is a game record."""
        texts = self.rules.actions.texts
        return [texts[action] for action in self._actions]

    def animate(
        self, path: str | PathLike[str], *, size: int = 400, theme: str = "auto", seconds_per_step: float = 1.2
    ) -> None:
        """Writes the game so far as a moving picture: pieces appear, are pushed, fall off and graduate.

        Args:
            path: where to; the name's end says what: ``.gif``, ``.svg`` (moves in a browser) or ``.mp4``.
            size: width in pixels.
            theme: ``"light"``, ``"dark"`` or ``"auto"``, which is as the reader's system has it in an SVG, else light.
            seconds_per_step: how long each step is shown.

        Raises:
            ValueError: another ending or theme, a size that is not positive, or a time that is not positive and finite.
            ImportError: a GIF or MP4 without the ``render`` extra.
            RuntimeError: an MP4 without ffmpeg, or ffmpeg failed.
        """
        from boop_env.envs.render import animate

        animate(self, path, size=size, theme=theme, seconds_per_step=seconds_per_step)

    def _repr_svg_(self) -> str:
        """The picture a notebook shows."""
        from boop_env.envs.render import board_svg

        return board_svg(self)

    def _repr_html_(self) -> str:
        """The same as a page's image, apart from the page's own styles."""
        from boop_env.envs.render import board_html

        return board_html(self)

    def __str__(self) -> str:
        return self.position()

    def __repr__(self) -> str:
        name = self.rules.name
        rules = repr(name) if name != "custom" else repr(self.rules)
        return f"Game.from_position({rules}, {self.position()!r})"

    def __eq__(self, other: object) -> bool:
        """Same rules and same position, whatever the history."""
        if not isinstance(other, Game):
            return NotImplemented
        return self.rules == other.rules and bool((self._states[-1] == other._states[-1]).all())

    __hash__ = None  # type: ignore[assignment]  # a game changes, like a list

    def _check(self, move: str | int) -> int:
        """Action number of a legal move."""
        if isinstance(move, str):
            action, text = self.rules.move_to_action(move), move
        else:
            action = operator.index(move)
            if not 0 <= action < self.rules.num_actions:
                raise IllegalMove(
                    f"action {action} is out of range; this rule set has 0 to {self.rules.num_actions - 1}"
                )
            text = self.rules.actions.texts[action]
        if not calls.is_legal(self.rules.tables, self._states[-1], action):
            raise IllegalMove(f"{text} (action {action}) is illegal: {self._why_illegal(text)}")
        return action

    def _why_illegal(self, move: str) -> str:
        player = f"player_{self.mover}"
        if self.is_over:
            return "the game is over"
        if self.phase == "o":
            return f"{player} hangs an ornament first: {self._some_legal()}"
        if self.phase == "g":
            return f"{player} chooses a graduation: {self._some_legal()}"
        if self.phase == "h":
            if move[0] == "G":
                return "the other ghost is on that stitch"
            return f"{player} places the ghost, or declines with '-'"
        if move == "-":
            return "there is a piece to place and a space for it"
        if move[0] not in "KC":
            return f"{player} places a kitten or a cat now"
        if move[1:] not in self.rules.board.cells_by_name:
            return f"{move[1:]} is not a space of this board"
        own, _ = sides(self.rules, self._state)
        kind, pool = ("kitten", own.kitten_pool) if move[0] == "K" else ("cat", own.cat_pool)
        if pool == 0:
            return f"{player} has no {kind} in the pool"
        return f"{move[1:]} is occupied"

    def _some_legal(self) -> str:
        moves = self.legal_moves()
        return ", ".join(moves[:12]) + (f" and {len(moves) - 12} more" if len(moves) > 12 else "")


def perft(game: Game, depth: int) -> int:
    """Number of legal step sequences of exactly `depth` steps from a game's position.

    A step is one choice (docs/rules.md section 1), so a turn with a graduation choice counts two. Games
    that end earlier count nothing.

    Raises:
        ValueError: depth is negative.
    """
    if depth < 0:
        raise ValueError(f"depth={depth} is negative; give 0 or more")
    if depth == 0:
        return 1
    actions = np.empty((depth, game.rules.num_actions), np.int64)
    return int(calls.perft(game.rules.tables, game.state, depth, actions))
