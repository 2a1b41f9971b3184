"""A run's folder, in which one process trains at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import filelock

LOCK = ".lock"
"""The file in a run's folder that the process training there has locked; it may stay behind, unlocked."""


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Makes the folder of a run where there is none, and keeps other trainers out of it.

    The lock is the operating system's: it ends with the process, even by ``kill -9``.

    Raises:
        OSError: it cannot be written to, or another process trains there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lock = filelock.FileLock(folder / LOCK, timeout=0)
    try:
        lock.acquire()
    except filelock.Timeout:
        raise OSError("another process trains there; stop it, or give another --out") from None
    try:
        yield
    finally:
        lock.release()
