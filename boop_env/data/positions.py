"""Files of positions of one rule set: a row each, with what there is to learn from it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from boop_env.arena.records import rules_from_json
from boop_env.data.columns import RULES_KEY, Column, check_kind, position_columns, schema
from boop_env.data.games import StoredGame, rules_text
from boop_env.data.replay import replay_games
from boop_env.envs.planes import observe_states
from boop_env.policy.checkpoint import replace_file
from boop_env.rules.game import Reason
from boop_env.rules.position import read_position
from boop_env.rules.ruleset import PRESETS, RuleSet
from boop_env.rules.states import States

REASONS = {reason.name.lower(): reason.value for reason in Reason}

ROW_GROUP = 1 << 15
"""Rows written at a time, which bounds the memory that planes take: 66 MB for `boop`."""


@dataclass(frozen=True, eq=False)
class Positions:
    """N positions of one rule set and how their games went on, as arrays.

    A self-play trainer's replay buffer makes one as it is:
    ``Positions(rules, words, results, policies=policies, values=values)``.

    Attributes:
        rules: their rule set.
        words: uint64 ``(N, 6)``, the stored states.
        results: int8 ``(N,)``, 1 if the player to act won, -1 if the other did, 0 if nobody.
        actions: int16 ``(N,)``, what was played, None if not known.
        policies: float16 ``(N, num_actions)``, None without a search.
        values: float32 ``(N,)``, what the search thought, None without one.
        games: int32 ``(N,)``, which game each is from, None if not known.
        steps: int32 ``(N,)``, how far into it, None if not known.

    Raises:
        ValueError: an array has another dtype or shape.
    """

    rules: RuleSet
    words: npt.NDArray[np.uint64]
    results: npt.NDArray[np.int8]
    actions: npt.NDArray[np.int16] | None = None
    policies: npt.NDArray[np.float16] | None = None
    values: npt.NDArray[np.float32] | None = None
    games: npt.NDArray[np.int32] | None = None
    steps: npt.NDArray[np.int32] | None = None

    def __post_init__(self) -> None:
        for column, array in self.arrays():
            listed = pa.types.is_fixed_size_list(column.type)
            shape = (len(self.words), column.type.list_size) if listed else (len(self.words),)
            dtype = (column.type.value_type if listed else column.type).to_pandas_dtype()
            if array.shape != shape or array.dtype != dtype:
                raise ValueError(
                    f"{column.name} is {array.dtype} {array.shape}; for {len(self.words)} positions "
                    f"of {self.rules.name} it must be {np.dtype(dtype)} {shape}"
                )

    def __len__(self) -> int:
        return len(self.words)

    @property
    def states(self) -> States:
        """The positions alone."""
        return States(self.rules, self.words)

    def arrays(self) -> list[tuple[Column, npt.NDArray[Any]]]:
        """The arrays there are, each with the column it is stored as."""
        by_name: dict[str, npt.NDArray[Any] | None] = {
            "words": self.words,
            "result": self.results,
            "action": self.actions,
            "policy": self.policies,
            "value": self.values,
            "game": self.games,
            "step": self.steps,
        }
        pairs = ((column, by_name.get(column.name)) for column in position_columns(self.rules))
        return [(column, array) for column, array in pairs if array is not None]

    @classmethod
    def from_games(cls, games: Sequence[StoredGame]) -> Positions:
        """Every position of some games in which a player chose, openings left out, by replaying them.

        Raises:
            ValueError: no games, several rule sets, or a game that does not go as it says.
        """
        if not games:
            raise ValueError("no games given; positions take their rule set from the first game")
        rules = games[0].rules
        other = next((game.rules for game in games if game.rules != rules), None)
        if other is not None:
            raise ValueError(f"games of {rules.name} and of {other.name} in one file; make one for each rule set")
        numbers = rules.actions.numbers
        try:
            actions = [[numbers[move] for move in game.record.split()] for game in games]
        except KeyError:
            actions = [[rules.move_to_action(move) for move in game.record.split()] for game in games]
        starts = {text: read_position(rules, text) for text in {game.start for game in games}}
        firsts = np.zeros(len(games) + 1, np.int64)
        np.cumsum([len(moves) for moves in actions], out=firsts[1:])
        flat = np.fromiter((action for moves in actions for action in moves), np.int64, int(firsts[-1]))
        words = np.empty((len(flat), 6), np.uint64)
        ends = np.empty((len(games), 3), np.int64)
        bad = replay_games(rules.tables, firsts, flat, words, np.stack([starts[game.start] for game in games]), ends)
        said = [(REASONS.get(game.reason, 0), -1 if game.winner is None else game.winner, game.turns) for game in games]
        if bad >= 0 or (ends != said).any():
            for game in games:
                game.replay()  # says what is wrong
        lengths = np.diff(firsts)
        number = np.repeat(np.arange(len(games), dtype=np.int32), lengths)
        step = (np.arange(len(flat)) - np.repeat(firsts[:-1], lengths)).astype(np.int32)
        winner = np.array([-1 if game.winner is None else game.winner for game in games], np.int8)[number]
        results = np.where(winner < 0, 0, np.where(States(rules, words).movers == winner, 1, -1)).astype(np.int8)
        chosen = step >= np.array([game.opening for game in games], np.int32)[number]
        return cls(
            rules=rules,
            words=words[chosen],
            results=results[chosen],
            actions=flat[chosen].astype(np.int16),
            games=number[chosen],
            steps=step[chosen],
        )


def write_positions(path: str | Path, positions: Positions, *, planes: bool = False) -> None:
    """Writes a file of positions; a file of that name is replaced in one step or not at all.

    Args:
        path: where to.
        positions: what to write.
        planes: write planes and masks, too, for readers that do not have boop_env.
    """
    pairs = positions.arrays()
    columns = [column for column, _ in pairs]
    columns += [column for column in position_columns(positions.rules) if planes and column.name in ("planes", "mask")]
    shape = schema(columns, "positions", rules_text(positions.rules))
    dictionaries = [column.name for column in columns if column.name in ("words", "action", "result")]

    def write(part: Path) -> None:
        # Policies, values and planes hardly repeat, so looking for repetitions is only time lost.
        with pq.ParquetWriter(part, shape, compression="zstd", use_dictionary=dictionaries) as writer:
            for first in range(0, max(1, len(positions)), ROW_GROUP):
                rows = slice(first, first + ROW_GROUP)
                arrays = [array[rows] for _, array in pairs]
                if planes:
                    arrays += observe_states(positions.states[rows])
                table = [_to_arrow(column, array) for column, array in zip(columns, arrays, strict=True)]
                writer.write_batch(pa.record_batch(table, schema=shape))

    replace_file(path, write)


def read_positions(path: str | Path) -> Positions:
    """The positions of a file; planes and masks are left to `observe_states`, which is faster than reading them.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is no file of positions.
    """
    check_kind(path, "positions")
    with pq.ParquetFile(path) as file:
        text = file.schema_arrow.metadata[RULES_KEY].decode()
        rules = rules_from_json(text if text in PRESETS else json.loads(text))
        present = set(file.schema_arrow.names)
        names = [column.name for column in position_columns(rules) if column.name in present]
        table = file.read([name for name in names if name not in ("planes", "mask")])
    arrays = {name: _to_numpy(table[name]) for name in table.column_names}
    return Positions(
        rules=rules,
        words=arrays["words"],
        results=arrays["result"],
        actions=arrays.get("action"),
        policies=arrays.get("policy"),
        values=arrays.get("value"),
        games=arrays.get("game"),
        steps=arrays.get("step"),
    )


def _to_arrow(column: Column, array: npt.NDArray[Any]) -> pa.Array:
    """An array as a column, rows of several numbers as lists of that length."""
    flat = pa.array(np.ascontiguousarray(array).reshape(-1))
    return pa.FixedSizeListArray.from_arrays(flat, type=column.type) if array.ndim > 1 else flat


def _to_numpy(column: pa.ChunkedArray) -> npt.NDArray[Any]:
    """A column as an array of its own, which may be written to; lists become rows."""
    array = column.combine_chunks()
    if pa.types.is_fixed_size_list(array.type):
        return np.array(array.flatten()).reshape(len(array), array.type.list_size)
    return np.array(array)
