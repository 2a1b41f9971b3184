"""Rows of the Parquet files and of the torch Dataset over them; they need the ``data`` extra."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from boop_env.bench.measure import Row, Work
from boop_env.envs.batch import BatchEnv

MANY = 1_000_000
FEWER = 200_000
"""Positions in a file without and with policies, which take 378 bytes each."""


def rows() -> Iterator[Row]:
    """All rows, or none without pyarrow and torch."""
    if not (find_spec("pyarrow") and find_spec("torch")):
        return
    for policies in (False, True):
        what = "200,000 with policies and values" if policies else "1,000,000 with results and actions"
        yield Row("data, positions of boop as Parquet", f"write {what}", "position", partial(write, policies))
        yield Row("data, positions of boop as Parquet", f"read {what}", "position", partial(read, policies))
    yield Row("data, PositionDataset of boop", "batches of 1024, planes and targets", "position", batches)


def random_positions(policies: bool) -> Any:
    """`Positions` of random games, whose policies are random over the legal actions."""
    from boop_env.data import Positions

    count = FEWER if policies else MANY
    env = BatchEnv("boop", 4096, seed=1, observation="states")
    rng = np.random.default_rng(0)
    words, actions, chances = [], [], []
    for _ in range(-(-count // env.num_envs)):
        words.append(env.states.words.copy())
        if policies:
            weights = env.observe().masks * rng.random((env.num_envs, env.num_actions), np.float32)
            chances.append((weights / weights.sum(1, keepdims=True)).astype(np.float16))
        actions.append(env.sample())
        env.step(actions[-1])
    return Positions(
        env.rules,
        np.concatenate(words)[:count],
        rng.integers(-1, 2, count, np.int8),
        actions=np.concatenate(actions)[:count].astype(np.int16),
        policies=np.concatenate(chances)[:count] if policies else None,
        values=rng.random(count, np.float32) if policies else None,
    )


def write(policies: bool) -> Work:
    """Writing a file."""
    from boop_env.data import write_positions

    positions, folder = random_positions(policies), tempfile.TemporaryDirectory()

    def work() -> int:
        write_positions(Path(folder.name) / "positions.parquet", positions)
        return len(positions)

    return work


def read(policies: bool) -> Work:
    """Reading it into arrays."""
    from boop_env.data import read_positions, write_positions

    folder = tempfile.TemporaryDirectory()
    path = Path(folder.name) / "positions.parquet"
    write_positions(path, random_positions(policies))

    # The folder lives as long as the work, which is why the path is made from it anew.
    return lambda: len(read_positions(Path(folder.name) / path.name))


def batches() -> Work:
    """Batches through a `DataLoader` with a batch sampler, in random order."""
    from torch.utils.data import BatchSampler, DataLoader, RandomSampler

    from boop_env.data import PositionDataset

    data = PositionDataset(random_positions(False))
    sampler = BatchSampler(RandomSampler(data, num_samples=100 * 1024), 1024, drop_last=False)
    loader: Any = DataLoader(data, sampler=sampler, batch_size=None)
    return lambda: sum(len(batch["value"]) for batch in loader)
