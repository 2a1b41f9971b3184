from pathlib import Path

import numpy as np
import pytest

import boop_env
from boop_env import Game
from boop_env.policy import read_checkpoint
from train import ppo_selfplay
from train.ppo_selfplay import advantages

TINY = ["--num-envs=16", "--rollout=16", "--batch-size=64", "--width=8", "--depth=1", "--threads=1"]


@pytest.mark.parametrize("gamma", [1.0, 0.9])
def test_advantages_of_double_moves_are_what_the_acting_player_gains(gamma: float) -> None:
    """Games with turns of one to three steps, against returns counted from the end for player_0."""
    rng = np.random.default_rng(0)
    steps, games = 40, 50
    movers = rng.integers(0, 2, (steps + 1, games)).astype(np.int8)
    dones = rng.random((steps, games)) < 0.15
    rewards = np.where(dones, rng.integers(-1, 2, (steps, games)), 0).astype(np.float32)
    values = rng.normal(size=(steps + 1, games)).astype(np.float32)
    found = advantages(rewards, values, movers, dones, gamma, 1.0)
    sides = np.where(movers == 0, 1.0, -1.0)
    worth = values[steps] * sides[steps]  # to player_0
    for t in reversed(range(steps)):
        worth = np.where(dones[t], 0, gamma * worth) + rewards[t] * sides[t]
        np.testing.assert_allclose(found[t], worth * sides[t] - values[t], atol=1e-4)


def test_the_loser_sees_its_loss_and_a_second_step_of_the_winner_counts_for_the_winner() -> None:
    # player_1 places, player_0 places and then graduates, which wins.
    movers = np.array([[1], [0], [0], [1]], np.int8)
    rewards = np.array([[0], [0], [1]], np.float32)
    dones = np.array([[False], [False], [True]])
    values = np.zeros((4, 1), np.float32)
    assert advantages(rewards, values, movers, dones, 1.0, 1.0)[:, 0].tolist() == [-1, 1, 1]
    # One step of looking ahead: what the values say of the next position, for who acts now.
    values = np.array([[0.0], [0.5], [0.7], [9.0]], np.float32)
    found = advantages(rewards, values, movers, dones, 1.0, 0.0)[:, 0]
    assert found.tolist() == pytest.approx([-0.5, 0.2, 0.3])


@pytest.mark.parametrize("rules", ["boop", "halls"])
def test_a_run_ends_in_a_policy_that_plays(tmp_path: Path, rules: str) -> None:
    assert ppo_selfplay.main([f"--rules={rules}", "--steps=1024", f"--out={tmp_path}", *TINY]) == 0
    path = tmp_path / "policy.safetensors"
    training = read_checkpoint(path).card.training
    assert training["steps"] == 1024
    assert training["command"].startswith(f"python -m train.ppo_selfplay --rules={rules}")
    game = Game(rules)
    assert boop_env.load_policy(path).move(game) in game.legal_moves()


def test_refuses_an_unknown_rule_set(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        ppo_selfplay.main(["--rules=chess"])
    assert "--rules chess: the presets are boop, " in capsys.readouterr().err
