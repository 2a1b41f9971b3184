r"""Put a run's checkpoint among the models that come with the package, with its learning curve.

    python -m train.ship runs/az boop-az

Copies policy.safetensors to models/NAME.safetensors, its last rating on its card and runs/NAME there as its
folder, and the plot of its ratings to models/NAME.png. Then rate it with the others and write the pages. A ladder
is of the bots named, and replaces the old one of those rules: name the new agent and all that the ladder has.

    python -m train.evaluate random greedy alphabeta:depth={1,2,3,4} alphabeta:nodes=30000 mcts:{400,2000} \
        "boop-ppo?greedy" "boop-ppo?greedy&symmetric" "boop-az?greedy" "boop-az?greedy&symmetric" \
        "az:boop-az?sims=64" "az:boop-az?sims=64&lookahead=0" --games 1680 --ladder boop
    python -m train.cards
"""

from __future__ import annotations

import argparse
import json
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from boop_env.bots.models import CHECKPOINT
from boop_env.policy.checkpoint import read_checkpoint, replace_file, write_checkpoint

MOST_BYTES = 5_000_000
"""What a checkpoint in the repository may weigh."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Copies the files; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m train.ship", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", type=Path, help="folder of a run")
    parser.add_argument("name", help="name of the model, such as boop-az")
    parser.add_argument("--models", type=Path, default=Path("models"), help="where the models are (models)")
    options = parser.parse_args(arguments)
    try:
        ship(options.run, options.models, options.name)
    except (ValueError, OSError) as error:
        print(f"ship: {error}", file=sys.stderr)
        return 2
    return 0


def ship(run: Path, models: Path, name: str) -> None:
    """Copies a run's checkpoint and its curve.

    Raises:
        ValueError: the name is no file name, the checkpoint is damaged, or it is too large.
        FileNotFoundError: the run has no checkpoint.
    """
    if not name or Path(name).name != name or name.endswith(CHECKPOINT):
        raise ValueError(f"{name!r} is not a bare name such as boop-az")
    source = run / f"policy{CHECKPOINT}"
    checkpoint = read_checkpoint(source)
    if source.stat().st_size > MOST_BYTES:
        raise ValueError(f"{source} has {source.stat().st_size:,} bytes; {MOST_BYTES:,} is the most a model may have")
    curve: list[dict[str, Any]] = []
    if (run / "ratings.json").is_file():
        curve = json.loads((run / "ratings.json").read_text())
    # The last rating of the network alone; how it plays with search comes after it.
    alone = [row["elo"] for row in curve if row["way"] == "alone"]
    card = replace(checkpoint.card, rating=round(alone[-1]) if alone else checkpoint.card.rating)
    card = replace(card, training=portable(card.training, name))
    write_checkpoint(models / f"{name}{CHECKPOINT}", checkpoint.weights, card)
    print(f"{models / name}{CHECKPOINT}: {source.stat().st_size:,} bytes, rated {card.rating}")
    shown = models / f"{name}.png"
    plots = [plot for plot in (run / "ratings.png", run / "rating.png") if plot.is_file()]
    if plots:
        replace_file(shown, lambda part: shutil.copyfile(plots[0], part))
    else:
        shown.unlink(missing_ok=True)  # of what had this name before


def portable(training: Mapping[str, Any], name: str) -> dict[str, Any]:
    """What a card says of training, with a folder of this machine replaced by one that anybody has."""
    told = dict(training)
    folders = {"out": f"runs/{name}", "initial": f"runs/{name}/initial/policy.safetensors"}
    words = shlex.split(told.get("command", ""))
    for option, folder in folders.items():
        for at, word in enumerate(words):
            if word == f"--{option}":
                words[at + 1 : at + 2] = [folder]
            elif word.startswith(f"--{option}="):
                words[at] = f"--{option}={folder}"
        if told.get("settings", {}).get(option):
            told["settings"] = {**told["settings"], option: folder}
    if words:
        told["command"] = shlex.join(words)
    if "initial" in told:
        told["initial"] = portable(told["initial"], f"{name}/initial")
    return told


if __name__ == "__main__":
    sys.exit(main())
