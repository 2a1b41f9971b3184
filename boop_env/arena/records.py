"""One finished game as a line of text, and the file that collects such lines."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boop_env.bots.models import short_name
from boop_env.rules.game import Game
from boop_env.rules.ruleset import PRESETS, RuleSet, ruleset

try:
    import fcntl
except ImportError:  # Windows has none
    fcntl = None  # type: ignore[assignment]

FORMAT = 1
"""Version of the result file."""

HEAD = b'{"config": {"format": '
"""How every result file begins."""


@dataclass(frozen=True)
class GameRecord:
    """One finished game.

    Attributes:
        rules: its rule set.
        number: which game of its pairing; the opening and who sits where follow from it.
        seats: the bots' names, player_0 first.
        opening: the random moves it began with, as record text.
        winner: the seat that won, None for a truncated game.
        reason: a `Reason`'s name in lower case.
        turns: whole turns completed.
        record: all its moves, the opening's too.
        moves: how many steps each seat chose.
        seconds: processor time each seat took over them, over all cores; a call about several games
            counts in equal parts.
    """

    rules: RuleSet
    number: int
    seats: tuple[str, str]
    opening: str
    winner: int | None
    reason: str
    turns: int
    record: str
    moves: tuple[int, int]
    seconds: tuple[float, float]

    @property
    def pair(self) -> tuple[str, str]:
        """The two bots in the order that `pairing` gives them."""
        return pairing(*self.seats)

    def score(self, bot: str) -> float:
        """1, 0.5 or 0: what the game was worth to one of its bots."""
        return 0.5 if self.winner is None else float(self.seats[self.winner] == bot)

    def to_json(self) -> str:
        """The game as one line."""
        return json.dumps(
            {
                "rules": rules_to_json(self.rules),
                "game": self.number,
                "seats": self.seats,
                "opening": self.opening,
                "winner": self.winner,
                "reason": self.reason,
                "turns": self.turns,
                "record": self.record,
                "moves": self.moves,
                "seconds": [round(seconds, 6) for seconds in self.seconds],
            }
        )

    @classmethod
    def from_json(cls, line: dict[str, Any]) -> GameRecord:
        """The game of a line.

        Raises:
            KeyError, IndexError, TypeError, ValueError: it is none.
        """
        return cls(
            rules=rules_from_json(line["rules"]),
            number=line["game"],
            seats=(line["seats"][0], line["seats"][1]),
            opening=line["opening"],
            winner=line["winner"],
            reason=line["reason"],
            turns=line["turns"],
            record=line["record"],
            moves=(line["moves"][0], line["moves"][1]),
            seconds=(line["seconds"][0], line["seconds"][1]),
        )


def pairing(a: str, b: str) -> tuple[str, str]:
    """Two names in the one order that numbers their games, whoever was named first."""
    return (a, b) if a <= b else (b, a)


def rules_to_json(rules: RuleSet) -> str | dict[str, Any]:
    """A preset's name, or all options of any other rule set."""
    return rules.name if PRESETS.get(rules.name) == rules else rules.to_dict()


def rules_from_json(value: str | dict[str, Any]) -> RuleSet:
    """The rule set that `rules_to_json` wrote."""
    return ruleset(value) if isinstance(value, str) else RuleSet(**value)


def replay(record: GameRecord) -> Game:
    """Plays a recorded game again and checks all that the record says of it.

    Raises:
        ValueError: a move is illegal, or the record says something else than the rules do.
    """
    what = f"game {record.number}, {record.seats[0]} against {record.seats[1]}"
    try:
        game = Game.from_record(record.rules, record.record)
    except ValueError as error:
        raise ValueError(f"{what}: {error}") from error
    if not game.is_over:
        raise ValueError(f"{what}: the record ends before the game does, at {game.position()!r}")
    if not f"{record.record} ".startswith(f"{record.opening} ".lstrip()):
        raise ValueError(f"{what}: the record does not begin with its opening {record.opening!r}")
    assert game.reason is not None
    said = {"winner": record.winner, "reason": record.reason, "turns": record.turns}
    found = {"winner": game.winner, "reason": game.reason.name.lower(), "turns": game.turn}
    for key, value in found.items():
        if said[key] != value:
            raise ValueError(f"{what}: the record says {key} {said[key]!r}, the rules say {value!r}")
    return game


class ResultFile:
    """An append-only file of finished games, one a line, that a match can stop and resume with.

    The first line holds the configuration that all its games share. Checkpoints that played get a
    line with their digest. A last line cut short, as a killed run leaves it, is removed on opening.

    Args:
        path: the file, made with its folders if missing.
        config: what a resumed run must share with the first one, as plain JSON values.

    Raises:
        ValueError: the file is no result file, is of another format, was made with another configuration,
            has a line that cannot be read, or another run is using it. It stays as it was.
    """

    def __init__(self, path: Path, config: dict[str, Any]) -> None:
        self.path = path
        self.games: list[GameRecord] = []
        self._checkpoints: dict[str, str] = {}
        config = {"format": FORMAT, **config}
        path.parent.mkdir(parents=True, exist_ok=True)
        with self.alone():
            for line, game in _lines(path):
                if game:
                    self.games.append(game)
                elif "config" in line:
                    self._compare(line["config"], config)
                else:
                    self._checkpoints[line["checkpoint"]] = line["sha256"]
            self._size = self._repair()
            if self._size == 0:
                self._write(json.dumps({"config": config}))

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keeps other runs out of the file for as long as this one plays, where the platform can.

        Raises:
            ValueError: another run is using it.
        """
        with self.path.open("ab") as file:
            if fcntl:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    raise ValueError(
                        f"{self.path}: another process is using it; wait until it is done, or give another file"
                    ) from None
                except OSError:
                    pass  # a file system without locks
            yield

    def append(self, game: GameRecord) -> None:
        """Adds a game; it outlives this process from here on.

        Raises:
            ValueError: another run wrote to the file since this one read it.
        """
        self._write(game.to_json())
        self.games.append(game)

    def note_checkpoint(self, path: Path) -> None:
        """Holds a checkpoint to the content it had when it first played here.

        Raises:
            ValueError: the file of that name is another one now, or another run wrote to the result file.
        """
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        name = short_name(path)
        known = self._checkpoints.get(name)
        if known is None:
            self._checkpoints[name] = digest
            self._write(json.dumps({"checkpoint": name, "sha256": digest}))
        elif known != digest:
            raise ValueError(
                f"{name} is not the checkpoint that played in {self.path}: its SHA-256 is {digest[:12]}..., "
                f"it was {known[:12]}...; give another result file"
            )

    def _write(self, line: str) -> None:
        with self.path.open("ab") as file:
            if file.tell() != self._size:
                raise ValueError(
                    f"{self.path} has {file.tell()} bytes where this run left {self._size}, so another process "
                    "changed it; start this run again to go on from what is there now"
                )
            file.write(f"{line}\n".encode())
            self._size = file.tell()

    def _repair(self) -> int:
        """Ends a last line that lacks only its newline, and cuts off one that a killed run did not finish.

        Returns:
            How long the file is now.
        """
        with self.path.open("r+b") as file:
            content = file.read()
            end = content.rfind(b"\n") + 1
            if end < len(content):
                try:
                    json.loads(content[end:])
                    file.write(b"\n")
                except ValueError:
                    file.truncate(end)
            return file.seek(0, 2)

    def _compare(self, old: dict[str, Any], new: dict[str, Any]) -> None:
        keys = [key for key in {**old, **new} if old.get(key) != new.get(key)]
        if keys:
            differs = "; ".join(f"{key} was {old.get(key)!r}, now {new.get(key)!r}" for key in keys)
            raise ValueError(f"{self.path} holds games of another configuration: {differs}; give another file")


def read_games(path: Path) -> list[GameRecord]:
    """All games of a result file; a last line that a killed run did not finish is left out.

    Raises:
        ValueError: it is no result file or one of another format, or a line cannot be read.
        OSError: there is no such file.
    """
    return [game for _, game in _lines(path) if game]


def _lines(path: Path) -> Iterator[tuple[dict[str, Any], GameRecord | None]]:
    """The lines of a result file, each with its game; None for a configuration and a checkpoint."""
    with path.open("rb") as file:
        begin = file.read(len(HEAD))
        if not HEAD.startswith(begin):
            raise ValueError(f"{path} is no result file: it begins {begin!r}; give another file")
        file.seek(0)
        for number, text in enumerate(file, 1):
            try:
                line = json.loads(text)
            except ValueError:
                if not text.endswith(b"\n"):
                    return
                line = None
            if not isinstance(line, dict):
                raise ValueError(
                    f"{path}, line {number} is no game: {text[:60].decode(errors='replace')!r}; give another file"
                )
            version, game = FORMAT, None
            try:
                if "config" in line:
                    version = line["config"]["format"]
                elif not {"checkpoint", "sha256"} <= line.keys():
                    game = GameRecord.from_json(line)
            except (KeyError, IndexError, TypeError, ValueError) as error:
                raise ValueError(f"{path}, line {number} is no game: {error!r}; give another file") from error
            if version != FORMAT:
                raise ValueError(
                    f"{path} has format version {version!r} and this boop_env reads {FORMAT}; use the one it is of"
                )
            yield line, game
