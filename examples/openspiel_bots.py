"""Our bots and OpenSpiel's search against each other, in OpenSpiel's own loop and in our arena's way.

pip install "boop-env[openspiel]"
python examples/openspiel_bots.py --rules booop --sims 200
"""

import argparse

import numpy as np
import pyspiel

import boop_env
from boop_env.bridges.openspiel import SpielBot, search


def main() -> None:
    """Plays one game in each way and prints how it ended."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rules", default="boop", choices=boop_env.PRESETS, help="preset to play")
    parser.add_argument("--bot", default="greedy", help="spec of our bot")
    parser.add_argument("--sims", type=int, default=100, help="simulations of OpenSpiel's search for each choice")
    parser.add_argument("--max-turns", type=int, default=300, help="turn cap of OpenSpiel's game")
    arguments = parser.parse_args()

    # OpenSpiel's way: its game, made from text; its search; our bot as one of its bots.
    game = pyspiel.load_game(f"python_boop(rules={arguments.rules},max_turns={arguments.max_turns})")
    its = search(game, arguments.sims, np.random.default_rng(0))
    returns = pyspiel.evaluate_bots(game.new_initial_state(), [SpielBot(arguments.bot), its], 0)
    print(f"in OpenSpiel: {arguments.bot} {returns[0]:+.0f}, MCTSBot {returns[1]:+.0f}")

    # Our way: its search by its spec, as in `python -m train.evaluate greedy "openspiel:mcts?sims=100"`.
    bots = (boop_env.make_bot(f"openspiel:mcts?sims={arguments.sims}"), boop_env.make_bot(arguments.bot))
    ours = boop_env.Game(arguments.rules)
    while not ours.is_over and ours.turn < arguments.max_turns:
        ours.push(bots[ours.mover].move(ours))
    winner = "nobody" if ours.winner is None else bots[ours.winner].name
    print(f"in boop_env: {winner} won after {ours.turn} turns")


if __name__ == "__main__":
    main()
