"""What a benchmark row is, and how rows are measured: in turns, several times, medians shown."""

from __future__ import annotations

import platform
import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

Work = Callable[[], int]
"""Does a small piece of work and returns how much, in the row's unit."""


@dataclass
class Row:
    """One line of the table.

    Attributes:
        group: what it belongs to, such as ``kernel``.
        name: what is measured.
        unit: what is counted, for a second of it.
        prepare: makes the work; called once, and what it compiles does not count.
        rates: what was measured, one number a round.
        error: why it could not be measured.
    """

    group: str
    name: str
    unit: str
    prepare: Callable[[], Work]
    rates: list[float] = field(default_factory=list)
    error: str = ""

    @property
    def median(self) -> float:
        """Median rate of the rounds."""
        return statistics.median(self.rates)

    def to_dict(self) -> dict[str, Any]:
        """The row as plain values."""
        return {"group": self.group, "name": self.name, "unit": self.unit, "rates": self.rates, "error": self.error}


def measure(rows: Iterable[Row], rounds: int, seconds: float, tell: Callable[[str], None]) -> list[Row]:
    """Measures rows by turns, so that a busy moment of the machine hits all of them alike.

    Args:
        rows: what to measure.
        rounds: how often each row has its turn.
        seconds: how long a turn is, at least.
        tell: called with a line of progress.

    Returns:
        The rows, in the same order; one that failed carries its error.
    """
    rows = list(rows)
    works: dict[int, Work] = {}
    for number, row in enumerate(rows):
        tell(f"preparing {row.group}: {row.name}")
        try:
            works[number] = row.prepare()
            works[number]()
        except Exception as error:
            row.error = f"{type(error).__name__}: {error}"
            works.pop(number, None)
    for turn in range(rounds):
        for number, work in works.items():
            tell(f"round {turn + 1} of {rounds}, {rows[number].group}: {rows[number].name}")
            done, start = 0, time.perf_counter()
            while (passed := time.perf_counter() - start) < seconds or not done:
                done += work()
            rows[number].rates.append(done / passed)
    return rows


def machine() -> dict[str, str]:
    """The machine and the versions, as far as they matter to speed."""
    processor = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [line.split(":")[1].strip() for line in cpuinfo.read_text().splitlines() if "model name" in line]
        processor = f"{len(names)} x {names[0]}" if names else processor
    facts = {"processor": processor, "python": platform.python_version()}
    for package in ("numba", "numpy", "pettingzoo", "gymnasium", "torch", "sb3-contrib", "open_spiel", "jax", "pgx"):
        try:
            facts[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return facts


def human(rate: float) -> str:
    """A rate in three digits, such as ``4.88 M``."""
    for size, letter in ((1e6, " M"), (1e3, " k")):
        if rate >= size:
            return f"{rate / size:.3g}{letter}"
    return f"{rate:.3g}"


def table(rows: list[Row]) -> str:
    """The rows as a Markdown table."""
    lines = ["| | | median | lowest to highest |", "|---|---|---|---|"]
    for row in rows:
        if row.error:
            lines.append(f"| {row.group} | {row.name} | not measured | {row.error} |")
        else:
            spread = f"{human(min(row.rates))} to {human(max(row.rates))}"
            lines.append(f"| {row.group} | {row.name} | {human(row.median)} {row.unit}/s | {spread} |")
    return "\n".join(lines)
