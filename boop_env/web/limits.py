"""The limits that keep one visitor, or a crowd of them, from taking the server down."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """What one server takes on.

    Attributes:
        body_bytes: of a request.
        steps: of a record.
        values: positions that one request may have valued.
        animated_steps: of a game that is made into a GIF.
        quick_workers: threads for bots that answer in milliseconds, and for drawing positions.
        quick_waiting: such requests that may wait for a thread.
        slow_workers: threads for searches and GIFs.
        slow_waiting: such requests that may wait.
        slow_for_one: such requests of one address at a time, waiting ones counted.
        search_ms: longest search for a move, whatever the level.
        analysis_ms: the search times an analysis may ask for.
    """

    body_bytes: int = 32 * 1024
    steps: int = 1500
    values: int = 40
    animated_steps: int = 400
    quick_workers: int = 2
    quick_waiting: int = 256
    slow_workers: int = 2
    slow_waiting: int = 32
    slow_for_one: int = 4
    search_ms: int = 2000
    analysis_ms: tuple[int, ...] = (200, 1000, 3000)
