"""What a request may say, read and checked before anything is done with it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from starlette.requests import ClientDisconnect, Request

from boop_env.rules.game import Game
from boop_env.rules.ruleset import PRESETS
from boop_env.web.limits import Limits

TEXT_CHARACTERS = 20_000
"""Longest text to paste."""

POSITION_CHARACTERS = 200
MOVE_CHARACTERS = 8


class Refused(Exception):
    """A request that is not carried out.

    Args:
        status: HTTP status.
        message: what is wrong and what would be right, for people.
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


async def read_body(request: Request, limits: Limits) -> dict[str, Any]:
    """The JSON object that a request holds.

    Raises:
        Refused: 415 for another content type, 413 when too large, 400 when it is no JSON object, 499 when the
            client left before it had sent all.
    """
    # A form of another site cannot send this type without asking first.
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise Refused(415, "send JSON, with the header Content-Type: application/json")
    body = bytearray()
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > limits.body_bytes:
                raise Refused(413, f"the request is larger than {limits.body_bytes} bytes")
    except ClientDisconnect:
        raise Refused(499, "the client has left") from None
    try:
        found = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise Refused(400, f"the request is not JSON: {error}") from None
    if not isinstance(found, dict):
        raise Refused(400, "the request is not a JSON object")
    return found


@dataclass(frozen=True)
class Fields:
    """A request's JSON object, read field by field; every wrong one is `Refused` by its name."""

    body: dict[str, Any]
    limits: Limits

    def only(self, *names: str) -> None:
        """Refuses fields that mean nothing here."""
        unknown = sorted(set(self.body) - set(names))
        if unknown:
            raise Refused(400, f"unknown field {unknown[0]!r}; the fields are {', '.join(names)}")

    def text(self, name: str, most: int) -> str:
        """A text of so many characters at most."""
        value = self.body.get(name)
        if not isinstance(value, str) or len(value) > most:
            raise Refused(400, f"field {name!r} is not a text of at most {most} characters")
        return value

    def number(self, name: str, low: int, high: int, default: int | None = None) -> int:
        """A whole number."""
        value = self.body.get(name, default)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise Refused(400, f"field {name!r} is not a whole number from {low} to {high}")
        return value

    def theme(self) -> str:
        """``light`` or ``dark``."""
        theme = self.text("theme", 10)
        if theme not in ("light", "dark"):
            raise Refused(400, f"theme {theme!r} is neither 'light' nor 'dark'")
        return theme

    def rules(self) -> str:
        """A preset's name."""
        name = self.text("rules", 40)
        if name not in PRESETS:
            raise Refused(400, f"no rules {name!r}; there are {', '.join(PRESETS)}")
        return name

    def record(self) -> list[str]:
        """Move texts, not yet played."""
        record = self.body.get("record", [])
        if not isinstance(record, list) or not all(isinstance(m, str) and len(m) <= MOVE_CHARACTERS for m in record):
            raise Refused(400, f"field 'record' is not a list of move texts of at most {MOVE_CHARACTERS} characters")
        if len(record) > self.limits.steps:
            raise Refused(413, f"the record has {len(record)} steps; {self.limits.steps} at most are read")
        return record

    def game(self) -> tuple[str, str | None, list[str]]:
        """What `play` makes the game from: rules, start and record."""
        start = None if self.body.get("start") is None else self.text("start", POSITION_CHARACTERS)
        return self.rules(), start, self.record()


def play(rules: str, start: str | None, record: list[str]) -> Game:
    """The game of a request, replayed by the rules.

    Raises:
        Refused: 400, with what the rules say is wrong.
    """
    try:
        return Game.from_record(rules, record, start)
    except ValueError as error:
        raise Refused(400, str(error)) from None
