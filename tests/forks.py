"""Forked processes, for tests of what has threads."""

import multiprocessing
import warnings
from collections.abc import Callable


def ends_in_a_fork(task: Callable[[], object]) -> bool:
    """Whether a task ends, and well, in a process forked from this one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Python says what these tests are about
        child = multiprocessing.get_context("fork").Process(target=task)
        child.start()
    child.join(20)
    ended = child.exitcode == 0
    child.kill()
    return ended
