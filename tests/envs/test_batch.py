"""BatchEnv against Game, step by step, and its other promises."""

from __future__ import annotations

import multiprocessing

import numpy as np
import pytest
import torch
from forks import ends_in_a_fork

from boop_env import PRESETS, Game, IllegalMove, Reason, RuleSet, States
from boop_env.envs.batch import BatchEnv
from boop_env.envs.planes import observe_states

SMALL = RuleSet(layout="\n".join(["1111"] * 4), pieces=4, max_turns=30)
WIDE = RuleSet(layout="\n".join(["11111111"] * 8), ghosts=True, max_turns=60)
TINY = RuleSet(layout="111\n11-", pieces=3, max_turns=20)
RULES = {**PRESETS, "small": SMALL, "wide": WIDE, "tiny": TINY}


@pytest.mark.parametrize("name", RULES)
def test_every_step_is_what_game_says(name: str) -> None:
    rules = RULES[name]
    env = BatchEnv(rules, 16, seed=3, threads=2)
    games = [Game(rules) for _ in range(16)]
    ends = 0
    for _ in range(250):
        actions = env.sample()
        step = env.step(actions)
        for index, game in enumerate(games):
            assert step.acted[index] == game.mover
            game.push(int(actions[index]))
            assert step.terminated[index] == (game.winner is not None)
            assert step.truncated[index] == (game.reason is Reason.TRUNCATED)
            assert step.outcome[index] == (game.reason.value if game.reason else 0)
            assert step.winner[index] == (-1 if game.winner is None else game.winner)
            reward = {None: [0, 0], 0: [1, -1], 1: [-1, 1]}[game.winner]
            assert step.rewards[index].tolist() == reward
            if game.is_over:
                ends += 1
                last = Game.from_state(rules, step.final_states[index])
                assert last.position() == game.position()
                planes, masks = observe_states(States.of([game]))
                assert (step.final_planes[index] == planes[0]).all()
                assert not masks.any()
                games[index] = game = Game(rules)
            assert step.mover[index] == game.mover
            assert env.game(index).position() == game.position()
            assert np.flatnonzero(step.masks[index]).tolist() == game.legal_actions().tolist()
        assert (step.planes == observe_states(States.of(games))[0]).all()
    assert ends > 0


def run(threads: int, seed: int = 5) -> list[bytes]:
    """Everything a run of random play returns."""
    env = BatchEnv("booop", 300, seed=seed, threads=threads, opening_plies=3)
    return [array.tobytes() for _ in range(60) for array in env.step(env.sample())]


def test_same_seed_same_games_whatever_the_threads() -> None:
    assert run(1) == run(4)


def test_another_seed_gives_other_games() -> None:
    assert run(1) != run(1, seed=6)


def test_reset_with_a_seed_begins_again() -> None:
    env = BatchEnv("halls", 50, seed=9)
    first = [env.step(env.sample()).planes.copy() for _ in range(40)]
    env.reset(seed=9)
    assert all((env.step(env.sample()).planes == planes).all() for planes in first)


def test_torch_shares_the_memory() -> None:
    env = BatchEnv("boop", 8)
    tensor = torch.from_numpy(env.planes)
    before = tensor.clone()
    env.step(env.sample())
    assert not torch.equal(before, tensor)
    assert tensor.data_ptr() == env.planes.ctypes.data


def test_states_are_the_compact_form_of_planes_and_masks() -> None:
    full, compact = BatchEnv("halls", 20, seed=2), BatchEnv("halls", 20, seed=2, observation="states")
    for _ in range(150):
        actions = full.sample()
        assert (compact.sample() == actions).all()
        step, small = full.step(actions), compact.step(actions)
        assert small.planes.size == 0
        planes, masks = observe_states(compact.states)
        assert (planes == step.planes).all()
        assert (masks == step.masks).all()
        assert (small.masks == masks).all()
    assert compact.bytes_per_game < full.bytes_per_game / 10


def test_bytes_per_game_counts_every_buffer() -> None:
    channels, height, width = BatchEnv("boop", 2).planes.shape[1:]
    expected = 2 * 4 * channels * height * width + 189 + 2 * 48 + 8 + 8 + 8 + 6
    assert BatchEnv("boop", 128).bytes_per_game == expected


def test_opening_plies_are_played_at_random() -> None:
    env = BatchEnv("boop", 64, seed=1, opening_plies=4)
    assert (env.states.turns == 4).all()
    assert len({env.game(index).position() for index in range(64)}) > 60


def test_an_opening_too_long_for_a_game_stops_before_the_end() -> None:
    env = BatchEnv("boop", 16, seed=1, opening_plies=250, threads=1)
    assert not any(env.game(index).is_over for index in range(16))
    assert (env.states.turns > 5).all()
    for _ in range(3):
        env.step(env.sample())


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
def test_a_forked_process_has_threads_of_its_own() -> None:
    env = BatchEnv("boop", 128, threads=2)
    env.step(env.sample())  # now this process has its threads
    assert ends_in_a_fork(lambda: env.step(env.sample()))


def test_an_illegal_action_names_the_game_and_plays_nothing() -> None:
    env = BatchEnv("boop", 5, seed=1)
    actions = env.sample()
    actions[3] = 188
    before = env.states.words.copy()
    with pytest.raises(IllegalMove, match=r"game 3 of the batch.*there is a piece to place"):
        env.step(actions)
    assert (env.states.words == before).all()


@pytest.mark.parametrize("bad", [-1, 189, 10**9])
def test_an_action_out_of_range_is_refused(bad: int) -> None:
    env = BatchEnv("boop", 2)
    with pytest.raises(IllegalMove, match="out of range"):
        env.step(np.array([0, bad]))


@pytest.mark.parametrize("actions", [np.zeros(3, int), np.zeros(2), np.zeros((2, 1), int), 5])
def test_actions_of_another_shape_or_kind_are_refused(actions: np.ndarray) -> None:
    with pytest.raises(ValueError, match="give 2 integers"):
        BatchEnv("boop", 2).step(actions)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_envs": 0}, "num_envs=0"),
        ({"threads": 0}, "threads=0"),
        ({"opening_plies": -1}, "opening_plies=-1"),
        ({"opening_plies": 5, "max_turns": 5}, "opening_plies=5"),
        ({"observation": "pixels"}, "observation='pixels'"),
        ({"rules": "bop"}, "no preset 'bop'"),
        ({"max_turns": 0}, "max_turns=0"),
    ],
)
def test_bad_arguments_are_named(arguments: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        BatchEnv(**{"rules": "boop", "num_envs": 4, **arguments})


def test_max_turns_truncates() -> None:
    env = BatchEnv("boop", 32, seed=1, max_turns=3)
    for turn in range(1, 7):
        step = env.step(env.sample())
        assert (step.truncated == (turn % 3 == 0)).all()
        assert not step.rewards.any()


@pytest.mark.soak
def test_memory_does_not_grow_over_a_hundred_million_steps() -> None:
    import resource

    env = BatchEnv("booop", 4096, seed=1)
    for _ in range(200):
        env.step(env.sample())
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(100_000_000 // 4096):
        env.step(env.sample())
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 10_000
