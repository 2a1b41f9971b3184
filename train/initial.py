"""Beginning a run with the weights of a checkpoint, which both trainers do with ``--initial``."""

from __future__ import annotations

from pathlib import Path

from boop_env.bots.models import find_checkpoint
from boop_env.policy.checkpoint import Checkpoint, read_checkpoint
from boop_env.policy.network import NetworkConfig
from boop_env.rules.ruleset import RuleSet


def read_initial(name: str, folder: Path, rules: RuleSet, shape: NetworkConfig) -> Checkpoint | None:
    """The checkpoint that a run begins from, or nothing where it has none or is to go on.

    Args:
        name: path or model's name, empty for none.
        folder: of the run.
        rules: what it plays.
        shape: of its network.

    Raises:
        FileNotFoundError: there is no such checkpoint.
        CheckpointError: it is for other rules, or its network has another shape.
    """
    if not name or (folder / "state.pt").is_file():
        return None
    checkpoint = read_checkpoint(find_checkpoint(name))
    checkpoint.check_rules(rules)
    found = NetworkConfig(**checkpoint.card.network)
    if found != shape:
        raise checkpoint.refuse(
            f"is a {found.kind} network of width {found.width} and depth {found.depth}, the run's is {shape.kind}, "
            f"of width {shape.width} and depth {shape.depth}; give --width and --depth as they are there"
        )
    return checkpoint
