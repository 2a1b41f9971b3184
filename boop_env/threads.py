"""The threads that search many positions at once."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache


def available_cores() -> int:
    """Cores that this process may use, where the system tells, else all there are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_threads(task: Callable[[slice], None], n: int, most: int | None = None) -> None:
    """Runs a task over ``range(n)`` in slices, as many at once as there are cores, or `most` if that is less.

    It returns, or raises what a slice raised, when no slice runs any more.
    """
    cores = available_cores()
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
