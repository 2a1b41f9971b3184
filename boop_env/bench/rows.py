"""Our rows."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from boop_env.bench.measure import Row, Work
from boop_env.bots.factory import make_bot
from boop_env.envs import boop_v0, steps
from boop_env.envs.batch import BatchEnv
from boop_env.envs.versus import VersusEnv, VersusVectorEnv
from boop_env.rules import kernel
from boop_env.rules.compiled import compiled
from boop_env.rules.game import Game, perft
from boop_env.rules.ruleset import PRESETS, ruleset


def rows() -> Iterator[Row]:
    """Every row of the suite itself."""
    for preset in PRESETS:
        yield Row("kernel, random play, one core", preset, "step", partial(playouts, preset, count_steps=True))
    yield Row("kernel, random play, one core", "boop, games", "game", partial(playouts, "boop", count_steps=False))
    for preset in ("boop", "booop", "halls"):
        yield Row("perft, one core", preset, "node", partial(perft_nodes, preset))
    for games in (1, 64, 1024, 4096):
        yield Row("BatchEnv, planes and masks, one thread", f"boop, {games} games", "step", partial(batch, games, 1))
    for preset in ("boop", "booop", "halls"):
        yield Row(
            "BatchEnv, planes and masks, all threads",
            f"{preset}, 4096 games",
            "step",
            partial(batch, 4096, None, preset),
        )
    yield Row(
        "BatchEnv, states and masks, all threads",
        "boop, 4096 games",
        "step",
        partial(batch, 4096, None, "boop", "states"),
    )
    for part in ("check", "random action, check, rules and mask", "mask", "planes and mask", "random action"):
        yield Row("parts of a step, 4096 games, one thread", f"boop, {part}", "game", partial(step_part, part))
    yield Row("AEC, random play", "boop_v0 env()", "step", lambda: aec(boop_v0.env()))
    yield Row("AEC, random play", "boop_v0 raw_env()", "step", lambda: aec(boop_v0.raw_env()))
    yield Row("versus, random opponent", "VersusEnv", "learner step", versus)
    yield Row("versus, random opponent", "VersusVectorEnv, 256 games", "learner step", versus_vector)
    for opponent in ("random", "greedy"):
        yield Row(f"SB3 VecEnv, {opponent} opponent", "256 games", "learner step", partial(vec_env, opponent))
    yield Row("MaskablePPO, MLP 256x256, 256 games", "rollout", "learner step", partial(maskable_ppo, train=False))
    yield Row(
        "MaskablePPO, MLP 256x256, 256 games", "rollout and update", "learner step", partial(maskable_ppo, train=True)
    )
    for spec in ("random", "greedy"):
        yield Row("bots, one core", f"{spec}, boop", "decision", partial(decisions, spec))
    for preset in ("boop", "booop", "halls"):
        yield Row("alpha-beta, one core", preset, "node", partial(alphabeta, preset))
        yield Row("MCTS, one core", preset, "rollout", partial(mcts, preset))


@compiled
def play_games(tables: Any, games: Any, seed: Any) -> Any:
    """Random games from the start; returns (generator state, steps)."""
    t = tables[0]
    total = 0
    for _ in range(games):
        _, seed, steps = kernel.playout(t, kernel.initial(t), seed)
        total += steps
    return seed, total


def playouts(rules: str, *, count_steps: bool) -> Work:
    """Random games in the kernel alone."""
    tables = ruleset(rules).tables
    seed = np.uint64(1)

    def work() -> int:
        nonlocal seed
        state, steps = play_games(tables, 1000, seed)
        seed = np.uint64(state)
        return int(steps) if count_steps else 1000

    return work


def perft_nodes(rules: str) -> Work:
    """Leaves of the first four steps."""
    game = Game(rules)
    return lambda: perft(game, 4)


def batch(games: int, threads: int | None, rules: str = "boop", observation: str = "planes") -> Work:
    """Random play of a `BatchEnv`, the choice of actions included."""
    env = BatchEnv(rules, games, seed=1, threads=threads, observation=observation)
    repeats = max(1, 4096 // games)

    def work() -> int:
        for _ in range(repeats):
            env.step(env.sample())
        return repeats * games

    return work


def step_part(part: str) -> Work:
    """One part of a `BatchEnv` step alone, in the middle of random games."""
    observation = "planes" if part == "planes and mask" else "states"
    env = BatchEnv("boop", 4096, seed=1, threads=1, opening_plies=20, observation=observation)
    tables, words, actions = env.rules.tables, env.states.words, env.sample()

    def work() -> int:
        if part == "check":
            steps.first_illegal(tables, words, actions)
        elif part == "random action, check, rules and mask":
            env.step(env.sample())
        elif part == "random action":
            env.sample()
        else:
            env.observe()
        return env.num_envs

    return work


def aec(env: Any) -> Work:
    """One game of masked random play through PettingZoo's interface, ours or another's."""
    rng = np.random.default_rng(0)
    env.reset(seed=0)

    def work() -> int:
        env.reset()
        steps = 0
        for _agent in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            legal = np.flatnonzero(observation["action_mask"])
            env.step(int(legal[rng.integers(len(legal))]))
            steps += 1
        return steps

    return work


def versus() -> Work:
    """A game of masked random play against a random opponent."""
    env = VersusEnv("boop", opponent="random")
    rng = np.random.default_rng(0)
    env.reset(seed=0)

    def work() -> int:
        _, info = env.reset()
        steps, over = 0, False
        while not over:
            legal = np.flatnonzero(info["action_mask"])
            _, _, terminated, truncated, info = env.step(int(legal[rng.integers(len(legal))]))
            over = terminated or truncated
            steps += 1
        return steps

    return work


def versus_vector() -> Work:
    """Masked random play of 256 games against a random opponent."""
    env = VersusVectorEnv(256, "boop", opponent="random")
    env.reset(seed=0)

    def work() -> int:
        env.step(env.sample())
        return env.num_envs

    return work


def vec_env(opponent: str) -> Work:
    """Masked random play of 256 games on the SB3 environment, masks fetched as MaskablePPO does."""
    from boop_env.envs.sb3 import BoopVecEnv

    env = BoopVecEnv("boop", 256, [make_bot(opponent)], seed=1)
    env.reset()

    def work() -> int:
        np.stack(env.env_method("action_masks"))
        env.step(env.sample())
        return env.num_envs

    return work


def maskable_ppo(*, train: bool) -> Work:
    """Rollouts of sb3-contrib's MaskablePPO with its own MLP, with or without the update."""
    import torch
    from sb3_contrib import MaskablePPO

    from boop_env.envs.sb3 import BoopVecEnv

    env = BoopVecEnv("boop", 256, [make_bot("random")], seed=1)
    steps = 32
    model = MaskablePPO(
        "MlpPolicy",
        env,
        n_steps=steps,
        batch_size=1024,
        n_epochs=2,
        policy_kwargs={"net_arch": [256, 256]},
        device="cpu",
        seed=1,
    )
    torch.set_num_threads(2)
    if not train:
        model.train = lambda: None  # type: ignore[method-assign]  # rollouts alone

    def work() -> int:
        model.learn(steps * env.num_envs, reset_num_timesteps=False)
        return steps * env.num_envs

    return work


def decisions(spec: str) -> Work:
    """A bot's choices in 4096 positions of random play."""
    bot = make_bot(spec)
    env = BatchEnv("boop", 4096, seed=1, opening_plies=20, observation="states")
    rng = np.random.default_rng(0)

    def work() -> int:
        bot.choose(env.states, rng)
        return env.num_envs

    return work


def positions(rules: str) -> Iterator[Game]:
    """Positions 2, 4, ... 32 steps into random games, over and over."""
    games = [BatchEnv(rules, 1, seed=plies, opening_plies=plies).game(0) for plies in range(2, 34, 2)]
    return itertools.cycle(games)


def alphabeta(rules: str) -> Work:
    """Nodes of alpha-beta searches limited by nodes, fewer where the game is proven before."""
    from boop_env.bots.alphabeta import AlphaBetaBot

    bot, games = AlphaBetaBot(nodes=200_000), positions(rules)
    return lambda: bot.analyse(next(games)).nodes


def mcts(rules: str) -> Work:
    """Simulations of tree searches, each with a rollout to the end of the game."""
    from boop_env.bots.mcts import MctsBot

    bot, games = MctsBot(simulations=10_000), positions(rules)
    return lambda: bot.analyse(next(games)).nodes
