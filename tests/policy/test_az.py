from pathlib import Path

import numpy as np
import pytest
import torch

from boop_env import PRESETS, Game, States, make_bot, ruleset
from boop_env.arena.match import play_match
from boop_env.envs.batch import BatchEnv
from boop_env.policy import Card, CheckpointError, read_checkpoint, write_checkpoint
from boop_env.policy.az import AzBot
from boop_env.policy.network import NetworkConfig, build_network, network_weights
from boop_env.search.lookahead import LOOKAHEAD


def untrained(path: Path, rules: str = "boop") -> Path:
    torch.manual_seed(1)
    config = NetworkConfig("residual", 8, 1, 8)
    network = build_network(ruleset(rules), config)
    with torch.no_grad():
        network.policy.weight.mul_(30)
        network.value_out.weight.mul_(30)
    write_checkpoint(path, network_weights(network), Card(ruleset(rules), config.to_dict()))
    return path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return untrained(tmp_path / "a.safetensors")


@pytest.mark.parametrize("rules", PRESETS)
def test_plays_legal_moves(tmp_path: Path, rules: str) -> None:
    bot = make_bot(f"az:{untrained(tmp_path / 'a.safetensors', rules)}?sims=8")
    env = BatchEnv(rules, 16, max_turns=60, seed=1)
    rng = np.random.default_rng(0)
    for step in range(40):
        env.step(env.sample() if step % 4 else bot.choose(env.states, rng))


@pytest.mark.parametrize(
    "options", ["sims=8", "sims=8&search=puct", "sims=8&symmetric", "sims=8&symmetric&lookahead=1", "ms=5"]
)
def test_name_is_the_spec(path: Path, options: str) -> None:
    bot = make_bot(f"az:{path}?{options}")
    assert bot.name == f"az:{path}?{options}"
    states = BatchEnv("boop", 3, opening_plies=4).states
    assert bot.choose(states, np.random.default_rng(0)).shape == (3,)


def test_default_is_64_simulations(path: Path) -> None:
    bot = make_bot(f"az:{path}")
    assert bot.name == f"az:{path}?sims=64"
    assert bot.analyse(Game("boop")).nodes == 64


def test_looks_ahead_unless_told_not_to(path: Path) -> None:
    assert make_bot(f"az:{path}?sims=16&lookahead={LOOKAHEAD}").name == f"az:{path}?sims=16"
    ahead, alone = make_bot(f"az:{path}?sims=16"), make_bot(f"az:{path}?sims=16&lookahead=0")
    games = play_match(ahead, alone, games=20)
    assert sum(game.score(ahead.name) for game in games) >= 17  # of a network that knows nothing
    with pytest.raises(ValueError, match="lookahead=99 is not a whole number from 0 to 64"):
        make_bot(f"az:{path}?lookahead=99")


@pytest.mark.parametrize("search", ["gumbel", "puct"])
def test_a_batch_is_played_as_its_games_are(path: Path, search: str) -> None:
    bot = AzBot(read_checkpoint(path), simulations=16, search=search, backend="torch")
    states = BatchEnv("boop", 20, opening_plies=12).states
    together = bot.choose(states, np.random.default_rng(0))
    alone = [int(bot.choose(states[index : index + 1], np.random.default_rng(1))[0]) for index in range(20)]
    # Batches of other sizes round differently, so the odd near tie may fall the other way.
    assert (together == alone).mean() >= 0.9
    moves = [bot.move(game) for game in states.games()]
    texts = [states.rules.action_to_move(action) for action in alone]
    assert np.mean([move == text for move, text in zip(moves, texts, strict=True)]) >= 0.9


@pytest.mark.parametrize("options", ["sims=32", "sims=32&search=puct", "ms=20"])
def test_a_game_with_a_kept_tree(path: Path, options: str) -> None:
    bot = make_bot(f"az:{path}?{options}")
    game = Game("boop")
    kept = 0
    for _ in range(12):
        if game.is_over:
            break
        before = bot._kept
        game.push(bot.move(game))
        kept += bot._kept is before
    assert kept >= 8
    other = Game("boop")  # another game is not taken for this one
    assert bot.move(other) in other.legal_moves()


@pytest.mark.parametrize("search", ["gumbel", "puct"])
def test_analysis(path: Path, search: str) -> None:
    bot = make_bot(f"az:{path}?sims=100&search={search}")
    game = Game("boop")
    found = bot.analyse(game)
    assert -1 <= found.value <= 1 and found.proven is None and found.nodes == 100 and found.depth >= 1
    assert found.line[0] == bot.move(Game("boop"))
    for chances in (found.prior, found.policy):
        assert sum(chances.values()) == pytest.approx(1, abs=1e-4)
        assert set(chances) <= set(game.legal_moves())
        assert list(chances.values()) == sorted(chances.values(), reverse=True)
    for move in found.line:
        game.push(move)


def test_analysis_of_a_win(path: Path) -> None:
    game = Game.from_position("boop", "CC4/6/6/6/6/5k 0 p 5,1/7,0 - 20")
    found = make_bot(f"az:{path}?sims=10").analyse(game)
    assert (found.value, found.proven, len(found.line)) == (1, 1, 1)
    assert set(found.prior) == set(game.legal_moves())
    assert sum(found.prior.values()) == pytest.approx(1, abs=1e-4)
    assert found.policy == {found.line[0]: 1}
    game.push(found.line[0])
    assert game.winner == 0
    with pytest.raises(ValueError, match="the game is over"):
        make_bot(f"az:{path}").analyse(game)
    with pytest.raises(ValueError, match="the game is over"):
        make_bot(f"az:{path}").move(game)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("sims=0", "option sims=0 is not one of"),
        ("search=best", "option search=best is not one of"),
        ("temperature=1", "is not one of sims=N, ms=N"),
        ("ms=5&sims=5", "give one limit"),
        ("ms=5&search=gumbel", "give one limit"),
    ],
)
def test_refuses_options(path: Path, options: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_bot(f"az:{path}?{options}")


def test_refuses_files_and_rules(path: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"there is no checkpoint file .*b\.safetensors; .* has .*a\.safetensors"):
        make_bot(f"az:{tmp_path / 'b.safetensors'}")
    with pytest.raises(CheckpointError, match="cannot play 'halls'"):
        make_bot(f"az:{path}").move(Game("halls"))
    assert make_bot(f"az:{path}?sims=4").move(Game("boop_expert")) in Game("boop_expert").legal_moves()
    assert States.of([Game("boop")]).rules == ruleset("boop")
