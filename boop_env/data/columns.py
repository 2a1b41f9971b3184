"""Columns of the files: one table that makes the Parquet schema, the docs and the checks on reading."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from boop_env.envs.planes import plane_shape
from boop_env.rules.kernel import STATE_WORDS
from boop_env.rules.ruleset import RuleSet

FORMAT = 1
"""Version of both kinds of file; changes when a reader of today's files could not read tomorrow's."""

FORMAT_KEY = b"boop_env.format"
KIND_KEY = b"boop_env.kind"
RULES_KEY = b"boop_env.rules"


class Column(NamedTuple):
    """One column.

    Attributes:
        name: its name.
        type: its Arrow type.
        description: what it holds; stored in the file beside the name.
        optional: whether a file may lack it.
    """

    name: str
    type: pa.DataType
    description: str
    optional: bool = False


NAME = pa.dictionary(pa.int32(), pa.string())

GAME_COLUMNS = (
    Column("rules", NAME, "a preset's name, or the options of any other rule set as JSON"),
    Column("start", NAME, "position text of where the game began"),
    Column("record", pa.string(), "its moves, the opening's too, as texts with a space between"),
    Column("player_0", NAME, "spec of the bot in the first seat"),
    Column("player_1", NAME, "spec of the bot in the second seat"),
    Column("opening", pa.int16(), "how many moves at the beginning were drawn at random, not chosen"),
    Column("winner", pa.int8(), "0 or 1, -1 when the game was truncated"),
    Column("reason", NAME, "why it ended: a `Reason` in lower case"),
    Column("turns", pa.int32(), "whole turns completed"),
)


def position_columns(rules: RuleSet) -> tuple[Column, ...]:
    """The columns of a file of positions of one rule set."""
    channels, height, width = plane_shape(rules)
    actions = rules.num_actions
    return (
        Column(
            "words",
            pa.list_(pa.uint64(), STATE_WORDS),
            "the position as stored by the rules, from which planes and mask are made: `States.words`",
        ),
        Column("result", pa.int8(), "how the game ended for the player to act: 1 won, -1 lost, 0 truncated"),
        Column("action", pa.int16(), "number of the action that was played", optional=True),
        Column(
            "policy",
            pa.list_(pa.float16(), actions),
            f"chance of each of the {actions} actions after the search, 0 for illegal ones",
            optional=True,
        ),
        Column("value", pa.float32(), "what the search thought it worth to the player to act, -1 to 1", optional=True),
        Column("game", pa.int32(), "which game of the file it is from, counted from 0", optional=True),
        Column("step", pa.int32(), "how many steps of that game came before it", optional=True),
        Column(
            "planes",
            pa.list_(pa.float32(), channels * height * width),
            f"observation of the player to act, {channels}x{height}x{width} in row-major order, "
            "for readers without boop_env",
            optional=True,
        ),
        Column(
            "mask",
            pa.list_(pa.int8(), actions),
            "1 for each legal action; comes with planes",
            optional=True,
        ),
    )


def schema(columns: Sequence[Column], kind: str, rules: str = "") -> pa.Schema:
    """The Arrow schema of some columns, each with its description, and what the file says of itself."""
    fields = [
        pa.field(column.name, column.type, nullable=False, metadata={"description": column.description})
        for column in columns
    ]
    return pa.schema(fields, {FORMAT_KEY: str(FORMAT), KIND_KEY: kind, RULES_KEY: rules})


def file_kind(path: str | Path) -> str:
    """Whether a file holds ``games`` or ``positions``.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is no Parquet file, or none of ours, or of another format version.
    """
    if not Path(path).is_file():
        raise FileNotFoundError(f"there is no file {path}")
    try:
        metadata = pq.read_schema(path).metadata or {}
    except pa.ArrowInvalid as error:
        raise ValueError(f"{path} is no Parquet file, or a damaged one: {error}") from None
    if FORMAT_KEY not in metadata:
        raise ValueError(f"{path} is a Parquet file, but boop_env did not write it")
    version = metadata[FORMAT_KEY].decode()
    if version != str(FORMAT):
        raise ValueError(f"{path} has format version {version} and this boop_env reads {FORMAT}; use the one it is of")
    return str(metadata[KIND_KEY].decode())


def check_kind(path: str | Path, kind: str) -> None:
    """Refuses a file of the other kind with a ValueError that says which reader it is for."""
    found = file_kind(path)
    if found != kind:
        raise ValueError(f"{path} holds {found}, not {kind}; read it with read_{found}")


def type_text(kind: pa.DataType) -> str:
    """A type in words that people of any library know."""
    if pa.types.is_fixed_size_list(kind):
        return f"list of {kind.list_size} {type_text(kind.value_type)}"
    names = {NAME: "string", pa.float16(): "float16", pa.float32(): "float32"}
    return names.get(kind, str(kind))


def markdown(columns: Sequence[Column]) -> str:
    """The columns as a Markdown table."""
    lines = ["| column | type | what it holds |", "|---|---|---|"]
    for column in columns:
        optional = "; optional" if column.optional else ""
        lines.append(f"| `{column.name}` | {type_text(column.type)} | {column.description}{optional} |")
    return "\n".join(lines)
