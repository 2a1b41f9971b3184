"""Files of games: a row each, with all that is needed to play it again."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from boop_env.arena.records import GameRecord, rules_from_json, rules_to_json
from boop_env.data.columns import GAME_COLUMNS, check_kind, schema
from boop_env.policy.checkpoint import replace_file
from boop_env.rules.game import Game
from boop_env.rules.ruleset import PRESETS, RuleSet

ROW_GROUP = 1 << 16


@dataclass(frozen=True)
class StoredGame:
    """One finished game.

    Attributes:
        rules: its rule set.
        start: position text of where it began.
        record: all its moves, as text.
        players: specs of the bots, player_0 first.
        opening: how many moves at the beginning nobody chose.
        winner: the seat that won, None for a truncated game.
        reason: a `Reason`'s name in lower case.
        turns: whole turns completed.
    """

    rules: RuleSet
    start: str
    record: str
    players: tuple[str, str]
    opening: int
    winner: int | None
    reason: str
    turns: int

    @classmethod
    def from_record(cls, record: GameRecord) -> StoredGame:
        """A game of the arena."""
        return cls(
            rules=record.rules,
            start=Game(record.rules).position(),
            record=record.record,
            players=record.seats,
            opening=len(record.opening.split()),
            winner=record.winner,
            reason=record.reason,
            turns=record.turns,
        )

    def replay(self) -> Game:
        """Plays the game again.

        Raises:
            ValueError: a move is illegal, or the game ends otherwise than it says.
        """
        game = Game.from_record(self.rules, self.record, self.start)
        found = (game.winner, game.reason and game.reason.name.lower(), game.turn)
        if found != (self.winner, self.reason, self.turns):
            raise ValueError(
                f"game {self.record[:40]!r}... says it ended {(self.winner, self.reason, self.turns)}, "
                f"replaying it gives {found}"
            )
        return game


def write_games(path: str | Path, games: Iterable[StoredGame]) -> int:
    """Writes a file of games; a file of that name is replaced in one step or not at all.

    Returns:
        How many there are.
    """
    games = list(games)
    texts = {rules: rules_text(rules) for rules in {game.rules for game in games}}
    values = {
        "rules": [texts[game.rules] for game in games],
        "start": [game.start for game in games],
        "record": [game.record for game in games],
        "player_0": [game.players[0] for game in games],
        "player_1": [game.players[1] for game in games],
        "opening": [game.opening for game in games],
        "winner": [-1 if game.winner is None else game.winner for game in games],
        "reason": [game.reason for game in games],
        "turns": [game.turns for game in games],
    }
    columns = [pa.array(values[column.name], column.type) for column in GAME_COLUMNS]
    table = pa.table(columns, schema=schema(GAME_COLUMNS, "games"))
    replace_file(path, lambda part: pq.write_table(table, part, row_group_size=ROW_GROUP, compression="zstd"))
    return len(games)


def read_games(path: str | Path) -> list[StoredGame]:
    """All games of a file.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is no file of games.
    """
    check_kind(path, "games")
    table = pq.read_table(path)
    known: dict[str, RuleSet] = {}
    games = []
    for row in zip(*(table[column.name].to_pylist() for column in GAME_COLUMNS), strict=True):
        rules, start, record, first, second, opening, winner, reason, turns = row
        if rules not in known:
            known[rules] = rules_from_json(rules if rules in PRESETS else json.loads(rules))
        found = None if winner < 0 else winner
        games.append(StoredGame(known[rules], start, record, (first, second), opening, found, reason, turns))
    return games


def rules_text(rules: RuleSet) -> str:
    """A preset's name, or the options as JSON."""
    value = rules_to_json(rules)
    return value if isinstance(value, str) else json.dumps(value)
