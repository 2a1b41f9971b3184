"""Measure what each feature of the alpha-beta search is worth, in games with it against without it.

Both sides get the same number of nodes, so a feature's cost in time does not count here; the speed of
the search without it is printed beside.

    python -m train.ablate_search --games 400 --nodes 5000
    python -m train.ablate_search --rules booop --only table reductions
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from boop_env.arena.match import play_match
from boop_env.arena.report import score, scores_text
from boop_env.bots.alphabeta import AlphaBetaBot
from boop_env.rules.game import Game
from boop_env.rules.ruleset import PRESETS
from boop_env.search.alphabeta import SWITCHES


class Without(AlphaBetaBot):
    """The alpha-beta bot with one feature of the search switched off."""

    def __init__(self, feature: str, nodes: int) -> None:
        super().__init__(nodes=nodes)
        self.name = f"without {feature}"
        self._switches: npt.NDArray[np.int64] = np.array([name != feature for name in SWITCHES], np.int64)

    def _borrow(self):  # type: ignore[no-untyped-def]
        memory = super()._borrow()
        memory.work[0].use[:] = self._switches
        return memory


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command."""
    options = parser().parse_args(arguments)
    full = AlphaBetaBot(nodes=options.nodes)
    game = Game(options.rules)
    scores = []
    for feature in options.only:
        reduced = Without(feature, options.nodes)
        games = play_match(full, reduced, options.rules, games=options.games, seed=options.seed)
        scores.append(score(full.name, reduced.name, games))
        print(f"{reduced.name}: {reduced.analyse(game).nodes_per_second / 1e6:.1f} M nodes a second", flush=True)
    print(scores_text(scores))


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="python -m train.ablate_search", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    made.add_argument("--rules", choices=list(PRESETS), default="boop", help="preset to play")
    made.add_argument("--games", type=int, default=400, help="games for each feature")
    made.add_argument("--nodes", type=int, default=5000, help="nodes a step")
    made.add_argument("--seed", type=int, default=0, help="seed of openings and ties")
    made.add_argument("--only", nargs="+", choices=SWITCHES, default=SWITCHES, help="features to measure")
    return made


if __name__ == "__main__":
    main()
