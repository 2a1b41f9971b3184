"""Write what an AlphaZero run has in its replay buffer as Parquet: positions, policies, values and results.

    python -m train.export runs/az positions.parquet

Quick searches are left out: they are no policy to learn from. docs/data.md describes the columns.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from boop_env.data import Positions, write_positions
from boop_env.rules.ruleset import ruleset


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes the file; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m train.export", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", type=Path, help="folder of a run of train.alphazero")
    parser.add_argument("file", type=Path, help="the Parquet file to write")
    options = parser.parse_args(arguments)
    try:
        positions = kept_positions(options.run)
        write_positions(options.file, positions)
    except (ValueError, OSError) as error:
        print(f"export: {error}", file=sys.stderr)
        return 2
    print(f"{options.file}: {len(positions):,} positions of {positions.rules.name}")
    return 0


def kept_positions(run: Path) -> Positions:
    """The positions in a run's saved replay buffer whose policies are to be learned from.

    Raises:
        FileNotFoundError: there is no saved run.
        ValueError: what is there is no state of an AlphaZero run.
    """
    settings = json.loads((run / "settings.json").read_text())
    buffer = torch.load(run / "state.pt", weights_only=True, map_location="cpu").get("buffer")
    if buffer is None or "rules" not in settings:
        raise ValueError(f"{run} holds no run of train.alphazero, which alone keeps a replay buffer")
    arrays = {name: tensor.numpy() for name, tensor in buffer.items()}
    kept = arrays["full"]
    return Positions(
        ruleset(settings["rules"]),
        arrays["words"].view(np.uint64)[kept],  # torch stores uint64 as int64
        arrays["results"][kept],
        policies=arrays["policies"][kept],
        values=arrays["values"][kept],
    )


if __name__ == "__main__":
    sys.exit(main())
