"""Games and positions as Parquet files, and back again as arrays or a `torch.utils.data.Dataset`.

Two kinds of file: *games*, a row each, from which everything else follows by replaying them; and
*positions*, a row each, ready to learn from. docs/data.md lists their columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

try:
    from boop_env.data.games import StoredGame, read_games, write_games
    from boop_env.data.positions import Positions, read_positions, write_positions
except ModuleNotFoundError as error:
    raise ImportError(
        f"boop_env.data needs {error.name}, which is not installed: pip install 'boop-env[data]'"
    ) from error

if TYPE_CHECKING:
    from boop_env.data.dataset import PositionDataset

__all__ = [
    "PositionDataset",
    "Positions",
    "StoredGame",
    "read_games",
    "read_positions",
    "write_games",
    "write_positions",
]


def __getattr__(name: str) -> Any:
    """`PositionDataset`, whose module imports torch."""
    if name == "PositionDataset":
        from boop_env.data.dataset import PositionDataset

        return PositionDataset
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
