from pathlib import Path

import pytest
import torch

from boop_env import ruleset
from boop_env.envs.batch import BatchEnv
from boop_env.envs.planes import plane_shape
from boop_env.policy import Card, Checkpoint, CheckpointError, read_checkpoint, write_checkpoint
from boop_env.policy.network import Network, NetworkConfig, build_network, network_weights
from train.initial import begin_with, read_initial


def noisy(config: NetworkConfig, seed: int = 0) -> Network:
    """A network no part of which is zero or the identity."""
    torch.manual_seed(seed)
    network = build_network(ruleset("booop"), config)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.add_(0.05 * torch.randn_like(parameter))
    return network


def checkpoint_of(network: Network, path: Path) -> Checkpoint:
    write_checkpoint(path, network_weights(network), Card(ruleset("booop"), network.config.to_dict()))
    return read_checkpoint(path)


def some_planes() -> torch.Tensor:
    return torch.rand(16, *plane_shape(ruleset("booop")))


@pytest.mark.parametrize("kind", ["residual", "mlp"])
@pytest.mark.parametrize(("width", "depth"), [(8, 2), (13, 2), (8, 4), (16, 3)])
def test_a_larger_network_begins_with_the_same_outputs(tmp_path: Path, kind: str, width: int, depth: int) -> None:
    small, large = noisy(NetworkConfig(kind, 8, 2)), noisy(NetworkConfig(kind, width, depth), 1)
    if kind == "residual":  # new blocks are zero in their second half, as they are built
        for block in large.blocks[2:]:
            torch.nn.init.zeros_(block.second.weight)
            torch.nn.init.zeros_(block.second.bias)
    planes = some_planes()
    assert not torch.allclose(small(planes)[0], large(planes)[0], atol=1e-3)
    begin_with(large, checkpoint_of(small, tmp_path / "small.safetensors"))
    for told, expected in zip(large(planes), small(planes), strict=True):
        torch.testing.assert_close(told, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("before", [0, 1])
@pytest.mark.parametrize("kind", ["residual", "mlp"])
def test_a_network_that_is_given_prospects_begins_with_the_same_outputs(tmp_path: Path, kind: str, before: int) -> None:
    plain = noisy(NetworkConfig(kind, 8, 2, prospects=before))
    seeing = noisy(NetworkConfig(kind, 8, 2, prospects=before + 1), 1)
    planes = torch.from_numpy(BatchEnv("booop", 16, opening_plies=20).planes)
    begin_with(seeing, checkpoint_of(plain, tmp_path / "plain.safetensors"))
    for told, expected in zip(seeing(planes), plain(planes), strict=True):
        torch.testing.assert_close(told, expected, rtol=1e-4, atol=1e-5)


def test_a_network_does_not_lose_its_prospects(tmp_path: Path) -> None:
    path = tmp_path / "seeing.safetensors"
    checkpoint_of(noisy(NetworkConfig("residual", 8, 2, prospects=1)), path)
    with pytest.raises(CheckpointError, match="of version 1, and the run's network at version 0; give --prospects 1"):
        read_initial(str(path), tmp_path / "run", ruleset("booop"), NetworkConfig("residual", 8, 2))


@pytest.mark.parametrize("kind", ["residual", "mlp"])
def test_all_of_a_larger_network_learns(tmp_path: Path, kind: str) -> None:
    checkpoint = checkpoint_of(noisy(NetworkConfig(kind, 8, 1)), tmp_path / "small.safetensors")
    torch.manual_seed(1)
    large = build_network(ruleset("booop"), NetworkConfig(kind, 16, 2))
    begin_with(large, checkpoint)
    before = {name: parameter.detach().clone() for name, parameter in large.named_parameters()}
    optimizer = torch.optim.SGD(large.parameters(), 0.1)
    planes = some_planes()
    for _ in range(3):
        logits, values = large(planes)
        optimizer.zero_grad()
        (logits.square().mean() + (values - 0.5).square().mean()).backward()
        optimizer.step()
    for name, parameter in large.named_parameters():
        changed = parameter != before[name]
        # Some units are off for every position; but no block of rows or columns, old or new, may stand still.
        halves = [half for axis in range(changed.dim()) for half in changed.chunk(2, axis) if changed.shape[axis] > 1]
        assert all(half.any() for half in halves), name


@pytest.mark.parametrize(
    "shape", [NetworkConfig("mlp", 8, 2), NetworkConfig("residual", 7, 2), NetworkConfig("residual", 8, 1)]
)
def test_a_network_neither_shrinks_nor_changes_its_kind(tmp_path: Path, shape: NetworkConfig) -> None:
    path = tmp_path / "small.safetensors"
    checkpoint_of(noisy(NetworkConfig("residual", 8, 2)), path)
    with pytest.raises(CheckpointError, match=f"residual network of width 8 and depth 2, the run's is {shape.kind}"):
        read_initial(str(path), tmp_path / "run", ruleset("booop"), shape)
