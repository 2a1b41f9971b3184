"""``python -m boop_env.bench``: how fast everything is, on this machine, in one table."""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from pathlib import Path

from boop_env.bench import data, networks, peers, rows
from boop_env.bench.measure import machine, measure, table


def main() -> None:
    """Runs the benchmark and prints its table."""
    parser = argparse.ArgumentParser(prog="python -m boop_env.bench", description=__doc__)
    parser.add_argument("--peers", action="store_true", help="measure PettingZoo, OpenSpiel and Pgx in the same run")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every measurement there, too")
    parser.add_argument("--only", default="", metavar="TEXT", help="only rows whose group or name holds this text")
    parser.add_argument("--rounds", type=int, default=5, help="turns of each row (default 5)")
    parser.add_argument("--seconds", type=float, default=1.0, help="length of a turn (default 1)")
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error(f"--rounds {options.rounds} leaves nothing to measure; give 1 or more")
    if not 0 < options.seconds < math.inf:
        parser.error(f"--seconds {options.seconds:g} is no length of a turn; give more than 0")
    if options.json and options.json.is_dir():
        parser.error(f"--json {options.json} is a folder; give the name of a file")
    if options.json and not (options.json.parent.is_dir() and os.access(options.json.parent, os.W_OK)):
        parser.error(f"--json {options.json}: {options.json.parent} is no folder to write to; make it, or give another")
    every = [*rows.rows(), *networks.rows(), *data.rows(), *(peers.rows() if options.peers else ())]
    # Rows of one group stand, and are measured, together: peers beside ours.
    groups = list(dict.fromkeys(row.group for row in every))
    chosen = sorted(
        (row for row in every if options.only.lower() in f"{row.group} {row.name}".lower()),
        key=lambda row: groups.index(row.group),
    )
    if not chosen:
        parser.error(f"--only {options.only!r} matches no row; the groups are: {'; '.join(groups)}")
    progress = sys.stderr.isatty()

    def tell(line: str) -> None:
        if progress:
            print(f"\r\033[K{line}", end="", file=sys.stderr, flush=True)

    measured = measure(chosen, options.rounds, options.seconds, tell)
    tell("")
    facts = machine()
    print(", ".join(f"{name} {value}" for name, value in facts.items()))
    print(f"{options.rounds} rounds of {options.seconds:g} s, all rows in turn; medians\n")
    print(table(measured))
    if options.json:
        text = json.dumps({"machine": facts, "rows": [row.to_dict() for row in measured]}, indent=1)
        partial = options.json.with_name(options.json.name + ".partial")
        partial.write_text(text + "\n")
        partial.replace(options.json)


if __name__ == "__main__":
    main()
