"""Train a checkpoint again from its card: same rules, settings, seed and amount of training.

    python -m train.reproduce boop-ppo --out runs/again
    python -m train.reproduce models/boop-ppo.safetensors --out runs/again --device cuda
    python -m train.reproduce boop-ppo --print

The card's time limit is replaced by the number of steps or positions that the run had when the checkpoint
was written, so that a slower machine trains as much. A run that began from another checkpoint follows the run
which that one is from. Whatever else is given goes to the trainer and comes before the card. docs/reproduce.md
says what may still differ.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from boop_env.bots.models import find_checkpoint
from boop_env.policy.checkpoint import Checkpoint, library_versions, read_checkpoint
from boop_env.rules.ruleset import ruleset
from train import alphazero, ppo
from train.settings import as_flags


@dataclass(frozen=True)
class Trainer:
    """A trainer whose runs can be repeated.

    Attributes:
        main: runs it with a list of flags; returns the exit code.
        settings: its dataclass of settings.
        amount: the setting that limits the amount of training, in place of a time.
        done: how much of that a card says there was.
        before: settings that older cards do not have, with what was done before there were such settings.
    """

    main: Callable[[Sequence[str]], int]
    settings: type
    amount: str
    done: Callable[[Mapping[str, Any]], int]
    before: Mapping[str, Any] = field(default_factory=dict)


TRAINERS = {
    "train.ppo": Trainer(
        ppo.main,
        ppo.Settings,
        "steps",
        lambda told: told["steps"] + told.get("imitated", 0),
        {"prospects": 0},
    ),
    "train.alphazero": Trainer(
        alphazero.main,
        alphazero.Settings,
        "positions",
        lambda told: told["positions"],
        {"proof_turns": 1, "lookahead": 0, "prospects": 0},
    ),
}
"""By the module in the command on a card; nothing else on it is ever run."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Trains again; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m train.reproduce", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("checkpoint", help="a checkpoint's path, or the name of one that comes with the package")
    parser.add_argument("--out", default="runs/again", help="folder of the new run (runs/again)")
    parser.add_argument("--print", action="store_true", help="print the trainer's command and run nothing")
    options, rest = parser.parse_known_args(arguments)
    try:
        checkpoint = read_checkpoint(find_checkpoint(options.checkpoint))
        runs = commands(checkpoint, options.out)
    except (ValueError, OSError) as error:
        print(f"reproduce: {error}", file=sys.stderr)
        return 2
    for module, flags in runs:
        print(shlex.join(["python", "-m", module, *flags, *rest]))
    if options.print:
        return 0
    for line in differences(checkpoint):
        print(f"reproduce: {line}", file=sys.stderr)
    for module, flags in runs:
        code = TRAINERS[module].main([*flags, *rest])
        if code:
            return code
    again = f"{options.out}/policy.safetensors"
    print(f"reproduce: compare them with: python -m train.evaluate {options.checkpoint} {again} --games 400")
    return 0


def commands(checkpoint: Checkpoint, out: str) -> list[tuple[str, list[str]]]:
    """The trainer's module and flags of each run that led to a checkpoint, the first one first.

    A run that began from a checkpoint follows the one which that checkpoint is from, in the folder ``initial``
    of its own.

    Raises:
        CheckpointError: see `command`.
    """
    module, flags = command(checkpoint)
    before = checkpoint.card.training.get("initial")
    runs = []
    if before:
        runs = commands(replace(checkpoint, card=replace(checkpoint.card, training=before)), f"{out}/initial")
        flags[flags.index("--initial") + 1] = f"{out}/initial/policy.safetensors"
    return [*runs, (module, [*flags, "--out", out])]


def command(checkpoint: Checkpoint) -> tuple[str, list[str]]:
    """The trainer's module, and the flags that repeat the run a checkpoint is from.

    Raises:
        CheckpointError: the card does not say how it was trained, or today's trainer has no such
            settings or rules; the message says which.
    """
    card, told = checkpoint.card, checkpoint.card.training
    words = str(told.get("command", "")).split()
    module = next((word for word in words if word in TRAINERS), None)
    if module is None or not isinstance(told.get("settings"), Mapping):
        raise checkpoint.refuse(f"does not say how it was trained by one of {', '.join(TRAINERS)}")
    trainer = TRAINERS[module]
    known = {f.name for f in fields(trainer.settings)}
    unknown = sorted(told["settings"].keys() - known)
    if unknown:
        version = card.versions.get("boop-env", "the version that wrote it")
        raise checkpoint.refuse(
            f"was trained with settings that {module} no longer has: {', '.join(unknown)}; use boop_env {version} "
            f"as it was then, whose command was: {told['command']}"
        )
    if ruleset(told["settings"]["rules"]) != card.rules:
        raise checkpoint.refuse(f"was trained on {told['settings']['rules']!r} as it was then, with other options")
    settings = {name: value for name, value in {**trainer.before, **told["settings"]}.items() if name != "out"}
    settings["prospects"] = int(settings["prospects"])  # train.ppo used to say whether, not which
    settings[trainer.amount] = trainer.done(told)
    if not told["settings"].get("steps") and "imitated" in told:
        settings["imitation"] = told["imitated"] / trainer.done(told)  # it was a share of the time
    return module, as_flags(settings)


def differences(checkpoint: Checkpoint) -> list[str]:
    """What is not as it was when the checkpoint was trained, a line each."""
    here, then = library_versions(), checkpoint.card.versions
    return [
        f"{name} was {then[name]}, here it is {here.get(name, 'not installed')}"
        for name in then
        if then[name] != here.get(name)
    ]


if __name__ == "__main__":
    sys.exit(main())
