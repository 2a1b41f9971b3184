"""Runs against an installed wheel with the ``policy`` extra, outside the checkout; see `check_core`."""

import sys
from pathlib import Path

import numpy as np

import boop_env
from boop_env.policy import available


def main() -> None:
    assert Path(sys.prefix) in Path(boop_env.__file__).parents
    game = boop_env.Game("boop")
    for name in available():
        policy = boop_env.load_policy(name, greedy=True)
        start = boop_env.Game(policy.checkpoint.card.rules)
        assert policy.move(start) in start.legal_moves()
        assert policy.name == f"{name}?greedy"
    searching = boop_env.make_bot("az:boop-ppo?sims=8")
    assert searching.move(game, np.random.default_rng(0)) in game.legal_moves()
    print(f"policy install: {', '.join(available())} found by name and played")


if __name__ == "__main__":
    main()
