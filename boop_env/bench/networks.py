"""Rows of networks and of the searches that ask them; they need the ``policy`` extra."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from boop_env.bench.measure import Row, Work
from boop_env.envs.batch import BatchEnv
from boop_env.rules.game import Game
from boop_env.rules.ruleset import ruleset

SHAPES = ((32, 3), (64, 4))
"""Width and depth of the residual networks."""

GAMES = 64
SIMULATIONS = 32
MOVE_SIMULATIONS = 200


def rows() -> Iterator[Row]:
    """All rows, or none without torch."""
    if not find_spec("torch"):
        return
    backends = ("torch", "openvino") if find_spec("openvino") else ("torch",)
    for width, depth in SHAPES:
        for backend in backends:
            for precision in ("float32", "bfloat16"):
                name = f"{width}x{depth}, {backend}, {precision}"
                work = partial(inference, width, depth, backend, precision)
                yield Row("network, batches of 256, boop", name, "evaluation", work)
    for width, depth in SHAPES:
        group = f"self-play by search, {GAMES} games, {SIMULATIONS} simulations, boop"
        yield Row(group, f"{width}x{depth}, moves", "move", partial(self_play, width, depth, moves=True))
        yield Row(group, f"{width}x{depth}, looks at the network", "evaluation", partial(self_play, width, depth))
    for width, depth in SHAPES:
        group = f"one move, one game, {MOVE_SIMULATIONS} simulations, boop"
        yield Row(group, f"{width}x{depth}", "move", partial(play, width, depth))


def network(width: int, depth: int) -> Any:
    """A new network."""
    from boop_env.policy.network import NetworkConfig, build_network

    return build_network(ruleset("boop"), NetworkConfig("residual", width, depth))


def inference(width: int, depth: int, backend: Any, precision: Any) -> Work:
    """The network alone, all threads."""
    from boop_env.policy.inference import make_evaluator

    evaluate = make_evaluator(network(width, depth), backend=backend, precision=precision)
    planes = BatchEnv("boop", 256, opening_plies=12).planes.copy()
    return lambda: len(evaluate(planes)[1])


def self_play(width: int, depth: int, *, moves: bool = False) -> Work:
    """Games that a new network plays against itself, as in training: search, network and rules."""
    from boop_env.policy.inference import StateEvaluator, make_evaluator, native_precision
    from boop_env.search.forced import SELF_PLAY_PROOF_TURNS
    from boop_env.search.lockstep import TreeSearch

    rules = ruleset("boop")
    evaluate = StateEvaluator(make_evaluator(network(width, depth), precision=native_precision()), rules)
    env = BatchEnv(rules, GAMES, seed=0, threads=1, observation="states")
    search = TreeSearch(rules, GAMES, simulations=SIMULATIONS, proof_turns=SELF_PLAY_PROOF_TURNS)
    every, rng = np.arange(GAMES), np.random.default_rng(0)

    def work() -> int:
        before = evaluate.positions
        search.plant(every, env.states.words.copy(), rng.integers(0, 2**64, GAMES, np.uint64))
        env.advance(every, search.run(evaluate).actions)
        return GAMES if moves else evaluate.positions - before

    return work


def play(width: int, depth: int) -> Work:
    """Moves of the ``az:`` bot in one game, the tree kept from move to move as in play."""
    from boop_env.policy.az import AzBot
    from boop_env.policy.checkpoint import Card, read_checkpoint, write_checkpoint
    from boop_env.policy.network import network_weights

    made = network(width, depth)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "made.safetensors"
        write_checkpoint(path, network_weights(made), Card(ruleset("boop"), made.config.to_dict(), {}))
        bot = AzBot(read_checkpoint(path), simulations=MOVE_SIMULATIONS)
    game = Game("boop")

    def work() -> int:
        nonlocal game
        if game.is_over:
            game = Game("boop")
        game.push(bot.move(game))
        return 1

    return work
