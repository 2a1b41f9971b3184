"""Beginning a run with the weights of a checkpoint, which both trainers do with ``--initial``."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import nn

from boop_env.bots.models import find_checkpoint
from boop_env.policy.checkpoint import Checkpoint, read_checkpoint
from boop_env.policy.network import MlpNetwork, Network, NetworkConfig, network_from_checkpoint
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
        CheckpointError: it is for other rules, or its network is of another kind or larger.
    """
    if not name or (folder / "state.pt").is_file():
        return None
    checkpoint = read_checkpoint(find_checkpoint(name))
    checkpoint.check_rules(rules)
    found = network_from_checkpoint(checkpoint).config
    same = (found.kind, found.value_hidden) == (shape.kind, shape.value_hidden)
    if not same or found.width > shape.width or found.depth > shape.depth:
        raise checkpoint.refuse(
            f"is a {found.kind} network of width {found.width} and depth {found.depth}, the run's is {shape.kind}, "
            f"of width {shape.width} and depth {shape.depth}; give --width and --depth as they are there, or more"
        )
    if found.prospects > shape.prospects:
        raise checkpoint.refuse(
            f"looks at prospect planes of version {found.prospects}, and the run's network at version "
            f"{shape.prospects}; give --prospects {found.prospects}"
        )
    return checkpoint


def begin_with(network: Network, initial: Checkpoint) -> None:
    """Gives a network the weights of a checkpoint, whose network has the same kind and no more width, depth or planes.

    A larger network begins with the same outputs, as in Net2Net (Chen, Goodfellow and Shlens, 2016): what it has
    of the smaller one sees none of what is new, whose own weights stay as they were drawn; new blocks and layers
    begin as the identity.
    """
    smaller = network_from_checkpoint(initial)
    assert type(smaller) is type(network)
    weights = smaller.state_dict()
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            if name not in weights:
                continue
            known = weights[name]
            if known.dim() > 1:
                parameter[: known.shape[0], known.shape[1] :] = 0
            parameter[tuple(slice(size) for size in known.shape)] = known
        if isinstance(network, MlpNetwork):  # new residual blocks are the identity anyway
            for layer in network.layers[smaller.config.depth :]:
                assert isinstance(layer, nn.Linear)
                nn.init.eye_(layer.weight)
                nn.init.zeros_(layer.bias)
