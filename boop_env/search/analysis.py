"""`Analysis`, what a search found out, and the threads that search many positions at once."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True)
class Analysis:
    """What a search found out about a position.

    Attributes:
        value: what the player to act can expect, from -1 (loss) to 1 (win).
        proven: if proven, steps to the player's win (> 0) or loss (< 0), at most that many for the
            winner, steps of both players counted; else None.
        line: best play for both as move texts, as far as it is known; never empty.
        nodes: positions visited, or simulations run.
        depth: turns searched in full, or the deepest step of the tree.
        seconds: time taken.
    """

    value: float
    proven: int | None
    line: tuple[str, ...]
    nodes: int
    depth: int
    seconds: float

    @property
    def nodes_per_second(self) -> float:
        """Nodes a second."""
        return self.nodes / max(self.seconds, 1e-9)

    def __str__(self) -> str:
        worth = f"{self.value:+.2f}"
        if self.proven is not None:
            worth = f"{'win' if self.proven > 0 else 'loss'} in {abs(self.proven)}"
        return (
            f"{worth}  {' '.join(self.line)}  (depth {self.depth}, {self.nodes} nodes, "
            f"{self.nodes_per_second:.0f} a second)"
        )


def only_limit(**limits: int | None) -> tuple[str, int]:
    """Name and value of the one limit that is given.

    Raises:
        ValueError: none or several are given, or the value is not a whole number above 0.
    """
    given = [(name, value) for name, value in limits.items() if value is not None]
    if len(given) != 1:
        found = ", ".join(f"{name}={value}" for name, value in given) or "none"
        raise ValueError(f"give exactly one of {', '.join(limits)}; given: {found}")
    name, value = given[0]
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ValueError(f"{name}={value!r} is not a whole number above 0")
    return name, value


def in_threads(task: Callable[[slice], None], n: int, most: int | None = None) -> None:
    """Runs a task over ``range(n)`` in slices, as many at once as there are cores, or `most` if that is less.

    It returns, or raises what a slice raised, when no slice runs any more.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    threads = min(cores, n, cores if most is None else most)
    if threads <= 1:
        task(slice(0, n))
        return
    size = max(1, n // (4 * threads))
    slices = deque(slice(at, min(at + size, n)) for at in range(0, n, size))

    def work() -> None:
        try:
            while True:
                try:
                    part = slices.popleft()
                except IndexError:
                    return
                task(part)
        except BaseException:
            slices.clear()
            raise

    others = [thread_pool(cores - 1).submit(work) for _ in range(threads - 1)]
    try:
        work()  # this thread as well, so that one works whoever else has those of the pool
    finally:
        slices.clear()
        wait([other for other in others if not other.cancel()])
    for other in others:
        if not other.cancelled():
            other.result()


@cache
def thread_pool(threads: int) -> ThreadPoolExecutor:
    """Threads that wait for work; they are kept, because making them takes as long as a shallow search."""
    return ThreadPoolExecutor(threads, "boop-search")


if hasattr(os, "register_at_fork"):
    # A forked process has the pool, but not its threads.
    os.register_at_fork(after_in_child=thread_pool.cache_clear)
