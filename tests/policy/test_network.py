from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from boop_env import PRESETS, RuleSet, ruleset
from boop_env.envs.batch import BatchEnv
from boop_env.envs.planes import plane_shape
from boop_env.policy import Card, Checkpoint, CheckpointError
from boop_env.policy.network import (
    NetworkConfig,
    ResidualNetwork,
    action_order,
    build_network,
    network_from_checkpoint,
    network_weights,
)
from boop_env.policy.prospects import PROSPECTS_VERSION, prospect_planes

SMALL = {
    "residual": NetworkConfig("residual", 8, 1, 8),
    "mlp": NetworkConfig("mlp", 16, 2, 8),
    "residual with prospects": NetworkConfig("residual", 8, 1, 8, prospects=1),
    "mlp with prospects": NetworkConfig("mlp", 16, 1, 8, prospects=2),
}
RULES = [*PRESETS.values(), RuleSet(layout="1111\n1-11\n1111"), RuleSet(layout="111\n111", ghosts=True)]


def checkpoint(rules: RuleSet, config: NetworkConfig) -> Checkpoint:
    network = build_network(rules, config)
    return Checkpoint(Card(rules, config.to_dict()), network_weights(network), Path("some.safetensors"))


@pytest.mark.parametrize("config", SMALL.values(), ids=SMALL)
@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.name)
def test_shapes_and_ranges(rules: RuleSet, config: NetworkConfig) -> None:
    network = build_network(rules, config)
    planes = torch.rand(5, *plane_shape(rules))
    logits, values = network(planes)
    assert logits.shape == (5, rules.num_actions) and logits.dtype == torch.float32
    assert values.shape == (5,) and (values.abs() <= 1).all()
    torch.testing.assert_close(network.value(planes), values)


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.name)
def test_every_action_has_its_own_score(rules: RuleSet) -> None:
    order, planes = action_order(rules)
    assert len(order) == rules.num_actions
    assert len(set(order)) == len(order)
    assert order.max() == order[-1] == planes * rules.board.num_cells


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.name)
def test_an_action_listens_to_its_plane_and_cell(rules: RuleSet) -> None:
    """Each action plane in turn is given its cell's name as score; every action reads its own cell."""
    board = rules.board
    network = build_network(rules, SMALL["residual"])
    assert isinstance(network, ResidualNetwork)
    cells = torch.arange(board.num_cells, dtype=torch.float32).reshape(board.height, board.width)
    directions = {(0, 1): 0, (1, 0): 1, (1, 1): 2, (1, -1): 3}
    plane, planes = 0, action_order(rules)[1]
    read = np.full(rules.num_actions, -1)

    def logits(number: int) -> np.ndarray:
        scores = torch.full((1, planes, board.height, board.width), -1.0)
        scores[0, number] = cells
        flat = torch.cat([scores.flatten(1), torch.full((1, 1), -1.0)], 1)
        return flat.index_select(1, network.order)[0].numpy()

    read = np.stack([logits(number) for number in range(planes)])
    for block in rules.actions.blocks:
        numbers = range(block.start, block.stop)
        if block.kind == "pass":
            assert (read[:, block.start] == -1).all()
        elif block.kind == "row":
            for action, (first, middle, _) in zip(numbers, board.rows, strict=True):
                step = (
                    divmod(middle, board.width)[0] - divmod(first, board.width)[0],
                    middle % board.width - first % board.width,
                )
                assert read[plane + directions[step], action] == middle
            plane += 4
        elif block.kind == "ghost":
            for action, entry in zip(numbers, board.entries, strict=True):
                assert read[plane + "v^><".index(entry.heading), action] == entry.stitches[0][0]
            plane += 4
        else:
            assert (read[plane, block.start : block.stop] == np.arange(board.num_cells)).all()
            plane += 1
    assert plane == planes
    assert ((read >= 0).sum(0)[:-1] == 1).all()


@pytest.mark.parametrize("config", SMALL.values(), ids=SMALL)
def test_a_checkpoint_gives_the_same_network(config: NetworkConfig) -> None:
    rules = ruleset("booop")
    network = build_network(rules, config)
    loaded = network_from_checkpoint(
        Checkpoint(Card(rules, config.to_dict()), network_weights(network), Path("some.safetensors"))
    )
    planes = torch.from_numpy(BatchEnv(rules, 8, opening_plies=9).planes)
    for ours, theirs in zip(network(planes), loaded(planes), strict=True):
        assert torch.equal(ours, theirs)


@pytest.mark.parametrize("version", range(1, PROSPECTS_VERSION + 1))
@pytest.mark.parametrize("kind", ["residual", "mlp"])
def test_a_network_makes_its_prospects_itself_or_takes_them(kind: str, version: int) -> None:
    rules = ruleset("halls")
    network = build_network(rules, NetworkConfig(kind, 8, 1, 8, prospects=version))
    planes = torch.from_numpy(BatchEnv(rules, 8, opening_plies=9).planes)
    seen = network.inputs(planes)
    assert seen.shape[1:] == network.input_shape
    assert seen.shape[1] == planes.shape[1] + len(prospect_planes(rules, version))
    assert network.inputs(seen) is seen
    for ours, theirs in zip(network(planes), network(seen), strict=True):
        assert torch.equal(ours, theirs)
    blind = seen.clone()
    blind[:, planes.shape[1] :] = 0
    assert not torch.equal(network(blind)[0], network(planes)[0])


def test_untrained_networks_are_near_uniform_and_near_a_draw() -> None:
    network = build_network(ruleset("boop"), NetworkConfig())
    logits, values = network(torch.from_numpy(BatchEnv("boop", 16, opening_plies=20).planes))
    assert logits.std(1).max() < 0.2
    assert values.abs().max() < 0.3


@pytest.mark.parametrize(
    ("network", "message"),
    [
        ({"kind": "transformer"}, "kind 'transformer' is not one of residual, mlp"),
        ({"kind": "mlp", "width": 10**9}, "width=1000000000"),
        ({"kind": "mlp", "depth": "deep"}, "depth='deep'"),
        ({"kind": "mlp", "heads": 3}, "heads"),
        ({"kind": "mlp", "prospects": 99}, "prospects=99 is not a whole number from 0 to 2"),
        ({"kind": "residual", "width": 4096, "depth": 64}, "weight 'blocks.0"),
    ],
)
def test_cards_of_networks_we_do_not_know(network: dict[str, object], message: str) -> None:
    good = checkpoint(ruleset("boop"), SMALL["mlp"])
    with pytest.raises(CheckpointError, match=rf"some\.safetensors .*{message}"):
        network_from_checkpoint(replace(good, card=replace(good.card, network=network)))


def test_weights_that_do_not_fit() -> None:
    good = checkpoint(ruleset("boop"), SMALL["mlp"])
    weights = dict(good.weights)
    bias = weights.pop("policy.bias")
    with pytest.raises(CheckpointError, match=r"weight 'policy\.bias' is missing and the network has \(189,\)"):
        network_from_checkpoint(replace(good, weights=weights))
    with pytest.raises(CheckpointError, match=r"weight 'policy\.bias' is \(188,\) and the network has \(189,\)"):
        network_from_checkpoint(replace(good, weights=weights | {"policy.bias": bias[1:]}))
    with pytest.raises(CheckpointError, match=r"weight 'extra' is \(1,\) and the network has none"):
        network_from_checkpoint(replace(good, weights={**good.weights, "extra": np.zeros(1, np.float32)}))
    with pytest.raises(CheckpointError, match=r"weight 'policy\.bias' that is not finite"):
        network_from_checkpoint(replace(good, weights=weights | {"policy.bias": bias * np.float32("nan")}))


def test_a_card_whose_planes_are_no_longer_ours() -> None:
    good = checkpoint(ruleset("boop"), SMALL["mlp"])
    with pytest.raises(CheckpointError, match="planes version 99"):
        network_from_checkpoint(replace(good, card=replace(good.card, planes_version=99)))
