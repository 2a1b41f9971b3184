"""The bots that a page may ask for: the levels, and the checkpoints of one folder. Nothing else can be named."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from boop_env.bots.alphabeta import AlphaBetaBot
from boop_env.bots.bot import Bot
from boop_env.bots.factory import LEVELS, make_bot
from boop_env.bots.models import CHECKPOINT
from boop_env.rules.ruleset import PRESETS, RuleSet

SIMULATIONS = (64, 256)
"""Searches that a network can be asked to play with."""

QUICK = ("random", "easy", "medium")
"""Bots that answer within milliseconds."""


@dataclass(frozen=True)
class Entry:
    """A bot on the list.

    Attributes:
        id: what requests call it.
        label: what people call it.
        presets: names of the rule sets it can play.
        make: makes one.
        checkpoint: its file, None for bots without one.
    """

    id: str
    label: str
    presets: tuple[str, ...]
    make: Callable[[], Bot]
    checkpoint: Path | None = None

    @property
    def is_quick(self) -> bool:
        """Whether it answers within milliseconds."""
        return self.id in QUICK

    @property
    def is_network(self) -> bool:
        """Whether it is a checkpoint's own entry, without a number of simulations; such a one can analyse, too."""
        return self.checkpoint is not None and ":" not in self.id

    def to_json(self) -> dict[str, Any]:
        """What the page lists."""
        return {
            "id": self.id,
            "label": self.label,
            "presets": self.presets,
            "network": self.is_network,
        }


class Roster:
    """The list, and bots to borrow: one may serve one request at a time.

    Args:
        folder: whose checkpoints are on the list, looked through anew each time it is asked for.
        search_ms: longest search of a level, in milliseconds.
    """

    def __init__(self, folder: Path, search_ms: int) -> None:
        self._folder = folder
        self._search_ms = search_ms
        self._levels = [
            Entry("random", "Random moves", tuple(PRESETS), partial(make_bot, "random")),
            *(Entry(level, level.capitalize(), tuple(PRESETS), self._level(level)) for level in LEVELS),
        ]
        self._read: dict[Path, tuple[tuple[int, int], list[Entry]]] = {}
        self._idle: dict[Hashable, list[Bot]] = {}

    def _level(self, level: str) -> Callable[[], Bot]:
        name, _, depth = LEVELS[level].partition(":depth=")
        if name == "alphabeta":
            return partial(AlphaBetaBot, depth=int(depth), most_ms=self._search_ms)
        return partial(make_bot, level)

    def entries(self) -> dict[str, Entry]:
        """The list by id: levels, weakest first, then checkpoints."""
        found = list(self._levels)
        if importlib.util.find_spec("torch") and importlib.util.find_spec("safetensors"):
            for path in sorted(self._folder.glob(f"*{CHECKPOINT}")):
                found += self._checkpoint(path)
        return {entry.id: entry for entry in found}

    def _checkpoint(self, path: Path) -> list[Entry]:
        """Entries of one file, read again when it has changed; none, and a line on stderr, if it is no checkpoint."""
        from boop_env.policy.checkpoint import CheckpointError, read_checkpoint

        try:
            now = path.stat()
        except OSError:
            return []  # gone since the folder was listed
        version = (now.st_mtime_ns, now.st_size)
        if path in self._read and self._read[path][0] == version:
            return self._read[path][1]
        try:
            checkpoint = read_checkpoint(path)
        except (OSError, CheckpointError) as error:
            print(f"boop_env.web: {path.name} is left out: {error}", file=sys.stderr)
            self._read[path] = (version, [])
            return []

        def plays(rules: RuleSet) -> bool:
            try:
                checkpoint.check_rules(rules)
            except CheckpointError:
                return False
            return True

        presets = tuple(name for name, rules in PRESETS.items() if plays(rules))
        name = path.name.removesuffix(CHECKPOINT)
        entries = [Entry(name, f"{name} (network alone)", presets, partial(make_bot, str(path)), path)]
        for simulations in SIMULATIONS:
            spec = f"az:{path}?sims={simulations}"
            label = f"{name} (network, {simulations} simulations)"
            entries.append(Entry(f"{name}:{simulations}", label, presets, partial(make_bot, spec), path))
        self._read[path] = (version, entries)
        return entries

    @contextmanager
    def borrow(self, key: Hashable, make: Callable[[], Bot]) -> Iterator[Bot]:
        """A bot that nobody else uses meanwhile, a new one where none is idle.

        Args:
            key: bots made alike have the same.
            make: makes one.
        """
        idle = self._idle.setdefault(key, [])
        try:
            bot = idle.pop()
        except IndexError:
            bot = make()
        yield bot
        idle.append(bot)
