"""Rows of other projects' environments, for scale; each needs its library installed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from typing import Any

from boop_env.bench.measure import Row, Work
from boop_env.bench.rows import aec


def rows() -> Iterator[Row]:
    """Rows of whichever peers are installed, PettingZoo's connect_four always."""
    yield Row("AEC, random play", "PettingZoo connect_four_v3 env()", "step", partial(connect_four, "env"))
    yield Row("AEC, random play", "PettingZoo connect_four_v3 raw_env()", "step", partial(connect_four, "raw_env"))
    if find_spec("pyspiel"):
        for game in ("connect_four", "breakthrough(rows=6,columns=6)"):
            yield Row("OpenSpiel, random play in C++", game, "step", partial(open_spiel, game))
    if find_spec("pgx"):
        for game in ("connect_four", "othello"):
            yield Row("Pgx, random play, all threads", f"{game}, 4096 games", "step", partial(pgx, game))


def connect_four(kind: str) -> Work:
    """Masked random play of PettingZoo's own classic."""
    from pettingzoo.classic import connect_four_v3

    return aec(getattr(connect_four_v3, kind)())


def open_spiel(name: str) -> Work:
    """OpenSpiel's own C++ rollouts; their length comes from games played in Python before."""
    import numpy as np
    import pyspiel

    game = pyspiel.load_game(name)
    rng = np.random.default_rng(0)
    lengths = []
    for _ in range(300):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(int(rng.choice(state.legal_actions())))
        lengths.append(state.move_number())
    rollouts = 1000
    evaluator = pyspiel.RandomRolloutEvaluator(rollouts, 0)
    bot = pyspiel.MCTSBot(game, evaluator, 1.0, 1, 100, False, 0, False)
    start = game.new_initial_state()

    def work() -> int:
        # A search of one simulation is one call of the evaluator: a thousand rollouts in C++.
        bot.mcts_search(start)
        return int(rollouts * np.mean(lengths))

    return work


def pgx(name: str) -> Work:
    """Pgx's step on a batch, compiled together with the random choice of a legal action and a restart."""
    import jax
    import jax.numpy as jnp
    import pgx as library
    from pgx.experimental import auto_reset

    env = library.make(name)
    games, repeats = 4096, 16
    step = jax.vmap(auto_reset(env.step, env.init))

    def body(carry: Any, key: Any) -> Any:
        logits = jnp.where(carry.legal_action_mask, 0.0, -jnp.inf)
        actions = jax.random.categorical(key, logits, axis=-1)
        return step(carry, actions, jax.random.split(key, games)), None

    run = jax.jit(lambda state, key: jax.lax.scan(body, state, jax.random.split(key, repeats))[0])
    key = jax.random.PRNGKey(0)
    state = jax.jit(jax.vmap(env.init))(jax.random.split(key, games))

    def work() -> int:
        nonlocal state, key
        key, sub = jax.random.split(key)
        state = run(state, sub)
        jax.block_until_ready(state)
        return games * repeats

    return work
