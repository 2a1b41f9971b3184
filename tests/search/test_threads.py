"""The threads that search many positions at once."""

import multiprocessing
import warnings

import numpy as np
import pytest

from boop_env.search.analysis import in_threads


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


def test_an_error_in_a_thread_reaches_the_caller_and_the_threads_work_on() -> None:
    def fail(part: slice) -> None:
        raise ArithmeticError(f"{part.start}")

    with pytest.raises(ArithmeticError):
        in_threads(fail, 8)
    assert counted(8) == [1] * 8


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
def test_a_forked_process_has_threads_of_its_own() -> None:
    counted(8)  # now this process has its threads
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Python says what this test is about
        child = multiprocessing.get_context("fork").Process(target=counted, args=(8,))
        child.start()
    child.join(20)
    stuck = child.is_alive()
    child.kill()
    assert not stuck
    assert child.exitcode == 0
