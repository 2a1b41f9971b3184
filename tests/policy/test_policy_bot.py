from pathlib import Path

import numpy as np
import pytest
import torch

import boop_env
from boop_env import PRESETS, Game, States, make_bot, ruleset
from boop_env.envs.batch import BatchEnv
from boop_env.policy import Card, CheckpointError, write_checkpoint
from boop_env.policy.network import NetworkConfig, build_network, network_weights
from boop_env.policy.policy_bot import CHUNK, PolicyBot, sample

CONFIGS = (NetworkConfig("residual", 8, 1, 8), NetworkConfig("mlp", 16, 1, 8))


def untrained(path: Path, rules: str = "boop", config: NetworkConfig = CONFIGS[0], seed: int = 1) -> Path:
    """A checkpoint whose network has opinions, but no sense."""
    torch.manual_seed(seed)
    network = build_network(ruleset(rules), config)
    with torch.no_grad():
        network.get_parameter("policy.weight").mul_(30)
    write_checkpoint(path, network_weights(network), Card(ruleset(rules), config.to_dict()))
    return path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return untrained(tmp_path / "a.safetensors")


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.kind)
@pytest.mark.parametrize("rules", PRESETS)
def test_plays_legal_moves_to_the_end(tmp_path: Path, rules: str, config: NetworkConfig) -> None:
    path = untrained(tmp_path / "a.safetensors", rules, config)
    bots = [boop_env.load_policy(path), boop_env.load_policy(path, greedy=True)]
    env = BatchEnv(rules, 32, max_turns=60, seed=1)
    rng = np.random.default_rng(0)
    ended = 0
    for step in range(150):
        # Random moves in between lead to positions that the policies would not find.
        actions = bots[step % 2].choose(env.states, rng) if step % 3 else env.sample()
        ended += int((env.step(actions).outcome > 0).sum())
    assert ended > 20


def test_same_generator_same_actions(path: Path) -> None:
    bot = boop_env.load_policy(path)
    states = BatchEnv("boop", 64, opening_plies=6).states
    first, again, other = (bot.choose(states, np.random.default_rng(seed)) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_greedy_plays_the_likeliest_legal_move(path: Path) -> None:
    bot = boop_env.load_policy(path, greedy=True)
    env = BatchEnv("boop", 64, opening_plies=6)
    logits, _ = bot.evaluator(env.planes)
    expected = np.where(env.masks, logits, -np.inf).argmax(1)
    np.testing.assert_array_equal(bot.choose(env.states, np.random.default_rng(0)), expected)
    np.testing.assert_array_equal(bot.choose(env.states, np.random.default_rng(1)), expected)


def test_sampling_follows_the_policy(path: Path) -> None:
    bot = boop_env.load_policy(path, temperature=0.7)
    game = Game("boop")
    states = States.of([game])
    many = states[np.zeros(20_000, np.intp)]
    env = BatchEnv("boop", 1)
    logits, _ = bot.evaluator(env.planes)
    chances = np.exp(np.where(env.masks, logits, -np.inf)[0].astype(np.float64) / 0.7)
    chances /= chances.sum()
    counts = np.bincount(bot.choose(many, np.random.default_rng(0)), minlength=189)
    expected = 20_000 * chances
    legal = chances > 0
    assert counts[~legal].sum() == 0
    chi_square = ((counts - expected)[legal] ** 2 / expected[legal]).sum()
    assert chi_square < 2 * legal.sum()  # mean k - 1, and far beyond what chance gives


def test_low_temperature_is_greedy(path: Path) -> None:
    env = BatchEnv("boop", 64, opening_plies=6)
    bot = boop_env.load_policy(path, temperature=1e-6)
    logits = np.where(env.masks, bot.evaluator(env.planes)[0], -np.inf)
    chosen = logits[np.arange(64), bot.choose(env.states, np.random.default_rng(0))]
    np.testing.assert_allclose(chosen, logits.max(1), atol=1e-4)


@pytest.mark.parametrize("temperature", [5e-324, 1e-46, 1e39, 1.7e308])
def test_extreme_temperatures_play_legally(path: Path, temperature: float) -> None:
    env = BatchEnv("boop", 64, opening_plies=6)
    bot = boop_env.load_policy(path, temperature=temperature)
    chosen = bot.choose(env.states, np.random.default_rng(0))
    assert env.masks[np.arange(64), chosen].all()
    if temperature < 1:
        logits = np.where(env.masks, bot.evaluator(env.planes)[0], -np.inf)
        np.testing.assert_allclose(logits[np.arange(64), chosen], logits.max(1), atol=1e-4)
    else:
        assert len(set(bot.choose(env.states[np.zeros(64, np.intp)], np.random.default_rng(0)))) > 1


@pytest.mark.parametrize("temperature", [5e-324, 1e-07, 0.12345678, 1 / 3, 2, 1e7, 1e39])
def test_name_gives_the_temperature(path: Path, temperature: float) -> None:
    bot = boop_env.load_policy(path, temperature=temperature)
    again = make_bot(bot.name)
    assert isinstance(again, PolicyBot)
    assert (again.name, again.temperature) == (bot.name, temperature)


def test_batches_larger_than_a_chunk(path: Path) -> None:
    bot = boop_env.load_policy(path, greedy=True)
    states = BatchEnv("boop", 50, opening_plies=6).states
    many = states[np.arange(CHUNK + 25) % 50]
    one = bot.choose(states, np.random.default_rng(0))
    np.testing.assert_array_equal(bot.choose(many, np.random.default_rng(0)), one[np.arange(CHUNK + 25) % 50])


def test_sample_never_draws_what_has_no_weight() -> None:
    weights = np.float32([[0, 1, 0, 2, 0], [0, 0, 0, 0, 1e-30], [3, 0, 0, 0, 0]])

    class Edge:
        def __init__(self, value: float) -> None:
            self.value = value

        def random(self, n: int) -> np.ndarray:
            return np.full(n, self.value)

    for value in (0.0, 0.5, 1 - 2**-53):
        drawn = sample(weights, Edge(value))  # type: ignore[arg-type]
        assert (weights[np.arange(3), drawn] > 0).all()


@pytest.mark.parametrize("spec", ["", "?greedy", "?temperature=0.5", "?symmetric", "?greedy&symmetric"])
def test_name_is_the_spec(path: Path, spec: str) -> None:
    bot = make_bot(f"{path}{spec}")
    assert bot.name == f"{path}{spec}"
    assert bot.move(Game("boop")) in Game("boop").legal_moves()


def test_other_presets_of_the_same_board(path: Path) -> None:
    bot = boop_env.load_policy(path)
    for rules in ("boop_bga", "boop_overview", "boop_expert"):
        assert bot.move(Game(rules)) in Game(rules).legal_moves()


@pytest.mark.parametrize("rules", ["booop", "halls", "halls_flat", "halls_no_ornaments"])
def test_refuses_rules_it_cannot_play(path: Path, rules: str) -> None:
    with pytest.raises(
        CheckpointError,
        match=rf"a\.safetensors was trained on 'boop' and cannot play '{rules}': planes.*it plays boop, ",
    ):
        boop_env.load_policy(path).move(Game(rules))


@pytest.mark.parametrize("temperature", [0.0, -1.0, float("inf"), float("nan")])
def test_refuses_temperatures(path: Path, temperature: float) -> None:
    with pytest.raises(ValueError, match="is not a number above 0; greedy=True"):
        boop_env.load_policy(path, temperature=temperature)


def test_a_network_that_gives_no_numbers(path: Path) -> None:
    bot = boop_env.load_policy(path)
    bot.evaluator = lambda planes: (np.full((len(planes), 189), np.nan, np.float32), np.zeros(1, np.float32))
    with pytest.raises(ValueError, match=r"a\.safetensors gives logits that are not finite"):
        bot.move(Game("boop"))
