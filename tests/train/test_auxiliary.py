import numpy as np
import pytest
import torch

from boop_env import Game, ruleset
from boop_env.rules.symmetry import symmetries, turn_states
from train.auxiliary import AuxiliaryHeads, auxiliary_targets


def test_targets_of_a_game_worked_out_by_hand() -> None:
    game = Game.from_position("boop", "CC4/6/6/3k2/6/6 0 p 5,1/7,0 - 20")
    early = Game.from_position("boop", "6/6/6/6/6/6 1 p 8,0/8,0 - 7")
    start = game.state.copy()
    game.push("Cc1")
    assert game.is_over
    finals = np.stack([game.state, game.state])
    owners, left = auxiliary_targets(ruleset("boop"), np.stack([start, early.state]), finals)
    assert owners.shape == (2, 2, 6, 6) and owners.dtype == left.dtype == np.float32
    assert np.argwhere(owners[0, 0]).tolist() == [[0, 0], [0, 1], [0, 2]]
    assert np.argwhere(owners[0, 1]).tolist() == [[3, 3]]
    # Player 1 sees the same spaces with the sides exchanged.
    np.testing.assert_array_equal(owners[1], owners[0, ::-1])
    assert left.tolist() == [game.turn - 20, game.turn - 7]


@pytest.mark.parametrize("rules", ["boop", "halls"])
def test_targets_turn_with_the_board(rules: str) -> None:
    game = Game(rules)
    rng = np.random.default_rng(3)
    while not game.is_over:
        game.push(int(rng.choice(game.legal_actions())))
    start = Game(rules).state[None]
    table = symmetries(ruleset(rules))
    plain, _ = auxiliary_targets(ruleset(rules), start, game.state[None])
    for index, cells in enumerate(table.cells):
        which = np.array([index])
        owners, _ = auxiliary_targets(
            ruleset(rules),
            turn_states(ruleset(rules), start, which),
            turn_states(ruleset(rules), game.state[None], which),
        )
        wanted = np.empty_like(plain.reshape(2, -1))
        wanted[:, cells] = plain.reshape(2, -1)
        np.testing.assert_array_equal(owners.reshape(2, -1), wanted)


def test_heads_can_learn_their_targets() -> None:
    torch.manual_seed(0)
    heads = AuxiliaryHeads(8)
    trunk = torch.randn(64, 8, 6, 6)
    owners = (trunk[:, :2] > 0).float()
    left = torch.full((64,), 12.0)
    optimizer = torch.optim.Adam(heads.parameters(), 0.05)
    first = heads.loss(trunk, owners, left).item()
    for _ in range(200):
        optimizer.zero_grad()
        loss = heads.loss(trunk, owners, left)
        loss.backward()
        optimizer.step()
    assert loss.item() < 0.2 < 0.6 < first
