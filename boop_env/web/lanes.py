"""Threads that think, with room for a few requests to wait and no more, so that the server itself never does.

Compiled searches and networks run without the GIL, so threads are enough.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class Busy(Exception):
    """Too much is waiting already; asking again later will do."""


class Lane:
    """A thread pool that refuses work rather than let it pile up; used from one event loop only.

    Args:
        workers: threads.
        waiting: tasks that may wait for one.
        for_one: tasks of one client at a time, running or waiting; None for no such limit.
    """

    def __init__(self, workers: int, waiting: int, for_one: int | None = None) -> None:
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="boop-web")
        self._room = workers + waiting
        self._for_one = for_one
        self._tasks: Counter[str] = Counter()

    async def run(
        self, client: str, task: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> Result:
        """The result of a task, run in a thread. A task that is cancelled while it waits never runs.

        Args:
            client: on whose behalf.
            task: what to run.
            *args: for it.
            **kwargs: for it.

        Raises:
            Busy: there is no room; the message says whose fault that is.
        """
        if self._for_one is not None and self._tasks[client] >= self._for_one:
            raise Busy(f"you have {self._for_one} searches running already; wait for one of them")
        if self._tasks.total() >= self._room:
            raise Busy("too many others are thinking right now; try again in a moment")
        loop = asyncio.get_running_loop()
        self._tasks[client] += 1
        future = self._pool.submit(task, *args, **kwargs)
        # Not when this coroutine ends: a task that is running goes on when the client has left.
        future.add_done_callback(lambda _: loop.call_soon_threadsafe(self._leave, client))
        return await asyncio.wrap_future(future)

    def _leave(self, client: str) -> None:
        self._tasks[client] -= 1
        if not self._tasks[client]:
            del self._tasks[client]

    def close(self) -> None:
        """Drops what waits, and waits for what runs."""
        self._pool.shutdown(wait=True, cancel_futures=True)
