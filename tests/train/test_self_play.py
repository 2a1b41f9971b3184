import os
import signal
import struct
import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
import torch

from boop_env import Game, RuleSet, States, ruleset
from boop_env.policy.network import NetworkConfig, build_network, network_weights
from train.self_play import (
    Actor,
    ActorError,
    ActorHere,
    ActorProcesses,
    Actors,
    Played,
    RayActors,
    SelfPlayConfig,
    Task,
    make_actors,
)

SMALL = RuleSet(layout="1111\n1111\n1111\n1111", pieces=4, max_turns=60)
CONFIG = SelfPlayConfig(
    rules=SMALL,
    network=NetworkConfig("residual", 4, 1),
    games=8,
    simulations=(4, 8),
    quick_simulations=0,
    full_share=0.25,
    considered=4,
    value_scale=1.0,
    proof_turns=2,
    lookahead=0,
    opening=3,
    surprise=False,
    device="cpu",
    backend="torch",
    precision="float32",
    threads=1,
)


def task(config: SelfPlayConfig = CONFIG, positions: int = 60, stage: int = 0) -> Task:
    torch.manual_seed(1)
    return Task(network_weights(build_network(config.rules, config.network)), stage, positions)


def legal(played: Played, rules: RuleSet) -> list[set[int]]:
    return [set(Game.from_state(rules, words).legal_actions()) for words in played.words]


@pytest.mark.parametrize("rules", [SMALL, ruleset("booop"), ruleset("halls")], ids=lambda rules: rules.name)
def test_what_an_actor_hands_over(rules: RuleSet) -> None:
    config = replace(CONFIG, rules=rules)
    played = Actor(config, 3).play(task(config))
    assert len(played.words) >= 60 and len(played.games) >= 1 and played.evaluations > len(played.words)
    assert all(
        set(np.flatnonzero(row)) <= moves for row, moves in zip(played.policies, legal(played, rules), strict=True)
    )
    np.testing.assert_allclose(played.policies.sum(1, np.float32), 1, atol=0.01)
    assert np.abs(played.values).max() <= 1
    assert played.full.all()


def test_results_are_those_of_the_games() -> None:
    played = Actor(CONFIG, 3).play(task(positions=200))
    movers = States(SMALL, played.words).movers
    turns = States(SMALL, played.words).turns
    # A game's positions come together and in order: a turn that is not later begins the next game.
    starts = np.flatnonzero(np.diff(turns, prepend=turns[0] + 1) < 0)
    assert len(starts) == len(played.games)
    for (winner, reason, length), first, last in zip(played.games, starts, [*starts[1:], len(turns)], strict=True):
        wanted = np.zeros(last - first) if winner < 0 else np.where(movers[first:last] == winner, 1, -1)
        np.testing.assert_array_equal(played.results[first:last], wanted)
        assert (reason == "truncated") == (winner < 0)
        final = Game.from_state(SMALL, played.finals[first])
        assert final.is_over and final.turn == length and final.winner == (None if winner < 0 else winner)
        assert (played.finals[first:last] == played.finals[first]).all()
        assert 0 <= length - turns[last - 1] <= 1 and length <= SMALL.max_turns


def test_same_seed_same_games() -> None:
    one, two, other = (Actor(CONFIG, seed).play(task()) for seed in (3, 3, 4))
    np.testing.assert_array_equal(one.words, two.words)
    np.testing.assert_array_equal(one.policies, two.policies)
    assert one.words.shape != other.words.shape or (one.words != other.words).any()


def test_values_see_the_end_coming_with_lookahead() -> None:
    def error(lookahead: int) -> float:
        config = replace(CONFIG, rules=ruleset("boop"), lookahead=lookahead)
        played = Actor(config, 3).play(task(config, 600))
        return float(np.square(played.values - played.results).mean())

    assert error(2) < 0.9 * error(0)  # of a network that knows nothing


def test_quick_searches_are_marked_and_cost_less() -> None:
    config = replace(CONFIG, simulations=(16,), quick_simulations=2)
    played = Actor(config, 3).play(task(config, 300))
    assert 0.15 < played.full.mean() < 0.35
    slow = Actor(replace(config, quick_simulations=0), 3).play(task(config, 300))
    assert slow.full.all()
    assert played.evaluations / len(played.words) < 0.6 * slow.evaluations / len(slow.words)


def test_surprise_repeats_what_the_search_disagreed_with() -> None:
    actor = Actor(replace(CONFIG, surprise=True), 3)
    words = np.arange(6, dtype=np.uint64)
    steps = [(words, np.zeros(1), 0.0, 0, True, surprise) for surprise in (0.0, 0.0, 0.0, 4.0)]
    counts = np.zeros(2)
    for _ in range(400):
        rows = actor.finished([(step[0] + np.uint64(k), *step[1:]) for k, step in enumerate(steps)], 0, words)
        firsts = [int(row[0][0]) for row in rows]
        counts += [sum(first < 3 for first in firsts), sum(first == 3 for first in firsts)]
    # Weights: a half each, and the other half of all four for the one that surprised.
    np.testing.assert_allclose(counts / 400, [1.5, 2.5], atol=0.2)


@pytest.fixture(params=["here", "processes", "ray"])
def actors(request: pytest.FixtureRequest) -> Iterator[Actors]:
    seeds = np.random.default_rng(0)
    made: Actors
    if request.param == "ray":
        ray = pytest.importorskip("ray", reason="Ray is not installed")
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
        made = make_actors(CONFIG, lambda: int(seeds.integers(2**62)), processes=2, ray_address="local")
    else:
        count = 0 if request.param == "here" else 2
        made = make_actors(CONFIG, lambda: int(seeds.integers(2**62)), processes=count)
    yield made
    made.close()
    if request.param == "ray":
        ray.shutdown()


def gather(actors: Actors, pieces: int) -> list[Played]:
    found: list[Played] = []
    deadline = time.monotonic() + 600
    while len(found) < pieces:
        assert time.monotonic() < deadline
        actors.start(task())
        found += actors.collect(wait=True)
    return found


def test_actors_play_on_and_on(actors: Actors) -> None:
    assert actors.collect(wait=True) == []  # nobody was asked for anything
    found = gather(actors, 4)
    assert all(len(played.words) >= 60 for played in found)
    texts = {played.words.tobytes() for played in found}
    assert len(texts) == len(found)  # no two actors, and no two pieces of work, are the same


@pytest.mark.filterwarnings("default::pytest.PytestUnraisableExceptionWarning")
def test_a_dead_actor_is_replaced(actors: Actors, capfd: pytest.CaptureFixture[str]) -> None:
    if isinstance(actors, ActorHere):
        pytest.skip("the actor in this process lives as long as we do")
    gather(actors, 2)
    if isinstance(actors, ActorProcesses):
        os.kill(actors.processes[0].pid, signal.SIGKILL)
    else:
        actors.ray.kill(actors.actors[0])
    assert len(gather(actors, 6)) >= 6
    assert "actor 0 died" in capfd.readouterr().err
    assert len(actors.actors if hasattr(actors, "actors") else actors.processes) == 2


@pytest.mark.filterwarnings("default::pytest.PytestUnraisableExceptionWarning")
def test_an_exception_on_a_cluster_is_raised_and_deaths_are_counted(capfd: pytest.CaptureFixture[str]) -> None:
    ray = pytest.importorskip("ray", reason="Ray is not installed")
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
    good = task()
    actors = RayActors("local", 1, CONFIG, lambda: 3)
    actors.start(good._replace(weights={name: np.full_like(w, np.nan) for name, w in good.weights.items()}))
    with pytest.raises(ActorError, match="actor 0 failed: ValueError"):
        actors.collect(wait=True)
    actors.close()
    # An actor that cannot be made is one that died, as Ray tells it.
    actors = RayActors("local", 1, replace(CONFIG, backend="openvino", device="cuda"), lambda: 3)
    with pytest.raises(ActorError, match=r"actor 0 died 3 times without playing"):
        gather(actors, 1)
    assert capfd.readouterr().err.count("a new one takes its place") == 2
    ray.shutdown()


@pytest.fixture
def process() -> Iterator[ActorProcesses]:
    made = ActorProcesses(1, CONFIG, lambda: 3)
    yield made
    made.close()


def test_an_actor_killed_while_it_sends_is_replaced(process: ActorProcesses, capfd: pytest.CaptureFixture[str]) -> None:
    process.processes[0].kill()
    process.connections[0].close()
    process.connections[0], theirs = process.context.Pipe()
    os.write(theirs.fileno(), struct.pack("!i", 1000) + b"half of a message")
    theirs.close()
    process.busy.add(0)
    assert process.collect(wait=True) == []
    assert "actor 0 died (exit code -9); a new one takes its place" in capfd.readouterr().err
    assert len(gather(process, 1)) == 1


def test_an_exception_of_an_actor_is_raised(process: ActorProcesses) -> None:
    good = task()
    process.start(good._replace(weights={name: np.full_like(w, np.nan) for name, w in good.weights.items()}))
    with pytest.raises(ActorError, match="actor 0 failed: ValueError: "):
        process.collect(wait=True)


def test_an_actor_that_cannot_be_made_says_why() -> None:
    actors = ActorProcesses(1, replace(CONFIG, backend="openvino", device="cuda"), lambda: 3)
    with pytest.raises(ActorError, match="actor 0 failed: ValueError: OpenVINO runs networks on the CPU"):
        gather(actors, 1)
    actors.close()


def test_an_actor_that_dies_again_and_again_is_given_up(process: ActorProcesses) -> None:
    def die() -> None:
        process.processes[0].kill()
        process.processes[0].join()
        process.start(task())

    die()
    die()
    gather(process, 1)  # so that these two do not count
    die()
    die()
    with pytest.raises(ActorError, match=r"actor 0 died 3 times without playing \(the last time: exit code -9\)"):
        die()
