"""The threads that search many positions at once."""

import multiprocessing
import os
import threading
import time

import numpy as np
import pytest
from forks import ends_in_a_fork

from boop_env.threads import in_threads


@pytest.fixture(autouse=True)
def cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four cores, whatever there are."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 3}, raising=False)


def counted(n: int, most: int | None = None) -> list[int]:
    """How often a task over ``range(n)`` was given each number."""
    counts = np.zeros(n, np.int64)

    def count(part: slice) -> None:
        counts[part] += 1

    in_threads(count, n, most)
    return counts.tolist()


@pytest.mark.parametrize("n", [0, 1, 2, 7, 100])
@pytest.mark.parametrize("most", [None, 1, 2])
def test_every_number_is_given_once(n: int, most: int | None) -> None:
    assert counted(n, most) == [1] * n


def test_several_threads_work_at_once() -> None:
    meeting = threading.Barrier(4, timeout=20)
    in_threads(lambda _: meeting.wait() and None, 4)


def test_an_error_in_a_thread_reaches_the_caller_when_no_slice_runs_any_more() -> None:
    running: set[int] = set()

    def fail_or_take_time(part: slice) -> None:
        if part.start == 1:
            raise ArithmeticError("one")
        running.add(part.start)
        time.sleep(0.05)
        running.remove(part.start)

    with pytest.raises(ArithmeticError, match="one"):
        in_threads(fail_or_take_time, 8)
    assert not running
    assert counted(8) == [1] * 8


def test_a_task_may_use_threads_itself() -> None:
    counts = np.zeros((8, 8), np.int64)

    def rows(part: slice) -> None:
        for row in range(part.start, part.stop):
            counts[row] = counted(8)

    in_threads(rows, 8)
    assert (counts == 1).all()


def test_batches_of_all_sizes_share_their_threads() -> None:
    counted(64)
    before = threading.active_count()
    for n in range(64, 0, -1):
        counted(n)
    assert threading.active_count() <= before + 3


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
def test_a_forked_process_has_threads_of_its_own() -> None:
    counted(8)  # now this process has its threads
    assert ends_in_a_fork(lambda: counted(8))
