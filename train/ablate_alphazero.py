"""Measure what the choices of the AlphaZero trainer are worth: equal time, then games of all against all.

    python -m train.ablate_alphazero --minutes 10 --out runs/ablation
    python -m train.ablate_alphazero --only base no-surprise auxiliary

Each run is one process with one thread, which plays and learns by turns, so that runs beside one another take
nothing from each other while there are as many free cores. Nothing else should run meanwhile. The same command goes
on after any stop: runs that are done are kept.
"""

from __future__ import annotations

import argparse
import itertools
import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from boop_env.arena.match import Match
from boop_env.arena.ratings import fit
from boop_env.arena.report import ratings_text
from boop_env.bots.factory import make_bot
from boop_env.rules.ruleset import PRESETS

CHOICES: dict[str, tuple[str, ...]] = {
    "base": (),
    "value-scale-0.25": ("--value-scale", "0.25"),
    "stages": ("--first-simulations", "16"),
    "quick-searches": ("--quick-simulations", "8", "--simulations", "64"),
    "lookahead": ("--lookahead", "2"),
    "no-prospects": ("--prospects", "0"),
    "no-surprise": ("--surprise", "0"),
    "auxiliary": ("--auxiliary", "0.3"),
    "results-only": ("--search-value", "0"),
    "reuse-3": ("--reuse", "3"),
    "reuse-12": ("--reuse", "12"),
    "64x4": ("--width", "64", "--depth", "4"),
    "teacher": ("--teacher-positions", "150000"),
}
"""The trainer's flags of each run, by its name."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Trains and compares; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m train.ablate_alphazero",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--rules", choices=list(PRESETS), default="boop", help="preset to learn")
    parser.add_argument("--minutes", type=float, default=10, help="of training for each choice")
    parser.add_argument("--only", nargs="+", choices=list(CHOICES), default=list(CHOICES), help="choices to measure")
    parser.add_argument("--simulations", type=int, default=32, help="of the searches they play with; 0 for none")
    parser.add_argument("--games", type=int, default=60, help="games of each pairing")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="runs at a time; no more than free cores")
    parser.add_argument("--seed", type=int, default=0, help="of the runs and of the openings")
    parser.add_argument("--out", type=Path, default=Path("runs/ablation"), help="folder of the runs")
    options = parser.parse_args(arguments)

    def run(name: str) -> int:
        folder = options.out / name
        command = [sys.executable, "-m", "train.alphazero", "--rules", options.rules, *CHOICES[name]]
        command += ["--hours", str(options.minutes / 60), "--rate-minutes", "0", "--seed", str(options.seed)]
        command += ["--actors", "0", "--threads", "1", "--out", str(folder)]
        folder.mkdir(parents=True, exist_ok=True)
        with open(folder / "log.txt", "a") as log:
            return subprocess.run(command, stdout=log, stderr=log).returncode

    with ThreadPoolExecutor(options.jobs) as pool:
        for name, status in zip(options.only, pool.map(run, options.only), strict=True):
            print(f"{name}: " + (f"failed; see {options.out / name / 'log.txt'}" if status else "done"), flush=True)
            if status:
                return status
    checkpoints = [options.out / name / "policy.safetensors" for name in options.only]
    specs = [
        f"az:{path}?sims={options.simulations}&lookahead=0" if options.simulations else f"{path}?greedy"
        for path in checkpoints
    ]
    match = Match([*map(make_bot, specs), "alphabeta:depth=2"], options.rules, seed=options.seed)
    games = match.play(dict.fromkeys(itertools.combinations(match.names, 2), options.games))
    print(ratings_text(fit(games)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
