"""Positions as a `torch.utils.data.Dataset`: planes are made when they are asked for, a batch in one call."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch.utils.data import Dataset

from boop_env.data.columns import file_kind
from boop_env.data.games import read_games
from boop_env.data.positions import Positions, read_positions
from boop_env.envs.planes import observe_states

Sample = dict[str, torch.Tensor]


class PositionDataset(Dataset[Sample]):
    """Positions with what there is to learn from them.

    Only the stored states are kept, 48 bytes a position and what the file has of policies and values;
    planes and masks are made from them. ``len(data)`` is the number of positions, ``data[i]`` is one
    of them, and ``data[[3, 1, 4]]`` or ``data[10:20]`` is a batch made in one compiled call. A plain
    `DataLoader` works, and one with a batch sampler skips its putting together of single samples.

    A sample is a dictionary of tensors:

    - ``planes``: float32 ``(C, H, W)``, seen by the player to act.
    - ``mask``: int8 ``(num_actions,)``, 1 for each legal action.
    - ``policy``: float32 ``(num_actions,)``, the search's where the file has it, else 1 at the action played.
    - ``value``: float32 scalar, how the game ended for the player to act: 1, 0 or -1.
    - ``search_value``: float32 scalar, what the search thought, where the file has it.

    Example:
        >>> from torch.utils.data import BatchSampler, DataLoader, RandomSampler
        >>> data = PositionDataset("games.parquet")  # doctest: +SKIP
        >>> sampler = BatchSampler(RandomSampler(data), 1024, drop_last=True)  # doctest: +SKIP
        >>> for batch in DataLoader(data, sampler=sampler, batch_size=None):  # doctest: +SKIP
        ...     logits, values = network(batch["planes"])

    Args:
        source: a file of games or of positions, or positions themselves.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file is none of ours, or holds neither policies nor actions.
    """

    def __init__(self, source: str | Path | Positions) -> None:
        if isinstance(source, Positions):
            positions = source
        elif file_kind(source) == "games":
            positions = Positions.from_games(read_games(source))
        else:
            positions = read_positions(source)
        if positions.policies is None and positions.actions is None:
            raise ValueError("the positions have neither policies nor actions, so there is no policy to learn")
        self.positions = positions
        self.rules = positions.rules

    def __len__(self) -> int:
        return len(self.positions)

    def __getitem__(self, index: int | slice | Sequence[int]) -> Sample:
        """One sample, or a batch of them for a slice or a list of indices."""
        if isinstance(index, slice):
            return self._batch(np.arange(len(self))[index])
        if isinstance(index, (int, np.integer)):
            return {name: tensor[0] for name, tensor in self._batch(np.array([index])).items()}
        return self._batch(np.asarray(index, np.int64))

    def __getitems__(self, indices: list[int]) -> list[Sample]:
        """Several samples, which is what a `DataLoader` asks for; their planes are made in one call."""
        batch = self._batch(np.asarray(indices, np.int64))
        columns = (tensor.unbind() for tensor in batch.values())
        return [dict(zip(batch, row, strict=True)) for row in zip(*columns, strict=True)]

    def _batch(self, rows: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Sample:
        positions = self.positions
        planes, masks = observe_states(positions.states[rows])
        if positions.policies is not None:
            policy = positions.policies[rows].astype(np.float32)
        else:
            assert positions.actions is not None
            policy = np.zeros((len(rows), self.rules.num_actions), np.float32)
            policy[np.arange(len(rows)), positions.actions[rows]] = 1
        batch = {
            "planes": torch.from_numpy(planes),
            "mask": torch.from_numpy(masks),
            "policy": torch.from_numpy(policy),
            "value": torch.from_numpy(positions.results[rows].astype(np.float32)),
        }
        if positions.values is not None:
            batch["search_value"] = torch.from_numpy(positions.values[rows])
        return batch
