"""Self-play PPO: trains a policy against frozen copies of itself and two scripted bots.

    python -m train.ppo --rules boop --minutes 4 --out runs/demo
    python -m train.ppo --resume --minutes 60 --out runs/demo
    python -m train.evaluate runs/demo/policy.safetensors greedy random
    tensorboard --logdir runs

The learner plays one seat of every game and its opponents answer inside the environment's step, so what
PPO sees is an ordinary single-agent task: each transition runs from one choice of the learner to its
next, and the loss comes to the learner whoever made the last move. No value is ever negated. A game at
the turn cap is a finished game, worth 0, and not bootstrapped: the cap is one of the rules, and the
network sees how near it is.

Ctrl-C ends training after the iteration in progress and saves. What is in the folder of a run:

    policy.safetensors    the checkpoint: play it with `boop_env.load_policy`
    state.pt              what --resume continues from
    settings.json         the settings
    pool/                 the frozen copies the learner plays against
    tensorboard/          the log; what it holds is said where it is written, in `log`
"""

from __future__ import annotations

import argparse
import json
import shlex
import signal
import sys
import time
from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console
from rich.live import Live
from rich.table import Table
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import configure

from boop_env.bots.bot import Bot
from boop_env.bots.factory import make_bot
from boop_env.envs.sb3 import BoopVecEnv
from boop_env.policy.checkpoint import Card, replace_file, write_checkpoint
from boop_env.policy.network import NetworkConfig, network_weights
from boop_env.policy.policy_bot import load_policy
from boop_env.policy.sb3 import NetworkPolicy
from boop_env.rules.ruleset import PRESETS, ruleset

# Settings


def setting(default: Any, help: str) -> Any:
    """A field with its line of explanation, which is also its flag's help."""
    return field(default=default, metadata={"help": help})


@dataclass(frozen=True)
class Settings:
    """Everything that can be set; each field is a flag."""

    rules: str = setting("boop", f"what to play: {', '.join(PRESETS)}")
    minutes: float = setting(4.0, "how long to train; for a resumed run, all in all")
    steps: int = setting(
        0, "how many choices of the learner to train for, instead of minutes; the run is then repeatable"
    )
    out: str = setting("runs/ppo", "folder of the run; an earlier run there is moved aside, unless resumed")
    seed: int = setting(0, "of weights, games and opponents")
    device: str = setting("cpu", "where the networks run: cpu, cuda, ...")
    threads: int = setting(2, "CPU threads of torch; as many as there are cores")

    network: str = setting("residual", "kind of network: residual or mlp")
    width: int = setting(32, "channels of the residual network, units a layer of the MLP")
    depth: int = setting(2, "residual blocks, or hidden layers of the MLP")

    past_self: float = setting(0.8, "share of games against frozen copies, drawn alike")
    greedy: float = setting(0.15, "share of games against the greedy bot")
    random: float = setting(0.05, "share of games against the random bot")
    pool_size: int = setting(4, "frozen copies kept, the newest ones")
    snapshot_steps: int = setting(80_000, "steps between two frozen copies")

    num_envs: int = setting(256, "games in step; large, so that networks see large batches")
    rollout: int = setting(32, "steps of every game between two updates")
    epochs: int = setting(2, "times each rollout is learned from")
    batch_size: int = setting(2048, "steps in one gradient")
    learning_rate: float = setting(2e-3, "Adam's rate at the start, falling to 0 in a straight line over the run")
    gamma: float = setting(0.99, "what a reward one step later is worth")
    gae_lambda: float = setting(0.95, "how far advantages look past the value estimate (GAE)")
    clip: float = setting(0.2, "how far an update may change an action's odds before it gains nothing more")
    entropy: float = setting(0.01, "weight of the entropy bonus, which keeps the policy trying things")
    value: float = setting(0.5, "weight of the value loss")
    max_grad_norm: float = setting(0.5, "gradients longer than this are shortened to it")

    save_seconds: float = setting(30.0, "seconds between two saves")


RESUMED_MAY_CHANGE = ("minutes", "steps", "device", "threads", "save_seconds", "out")
"""What a resumed run may be given anew; all else is as it began."""


def read_settings(arguments: Sequence[str] | None) -> tuple[Settings, bool]:
    """Settings from flags, on top of the run's own when it is resumed, and whether it is."""
    parser = argparse.ArgumentParser(
        prog="python -m train.ppo", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--resume", action="store_true", help="go on with the run in the folder")
    for f in fields(Settings):
        parser.add_argument(
            f"--{f.name.replace('_', '-')}",
            type=type(f.default),
            default=argparse.SUPPRESS,
            help=f"{f.metadata['help']} ({f.default})",
        )
    given = vars(parser.parse_args(arguments))
    resume = given.pop("resume")
    saved: dict[str, Any] = {}
    if resume:
        path = Path(given.get("out", Settings.out)) / "settings.json"
        if not path.is_file():
            parser.error(f"there is no run to resume: no file {path}")
        saved = json.loads(path.read_text())
        for name, value in given.items():
            if name not in RESUMED_MAY_CHANGE and saved.get(name) != value:
                parser.error(f"--{name.replace('_', '-')} {value}: the run in {path.parent} has {saved.get(name)}")
    settings = Settings(**{**saved, **given})
    if settings.rules not in PRESETS:
        parser.error(f"--rules {settings.rules}: the presets are {', '.join(PRESETS)}")
    return settings, resume


# What is watched


class Scores:
    """Results of the learner's recent games, by opponent.

    Attributes:
        games: games finished since the start.
        recent: (reward, learner's steps, seat) of the last games against each opponent.
    """

    PAST_SELF = "past selves"

    def __init__(self, anchors: Sequence[Bot]) -> None:
        self.anchors = {bot.name for bot in anchors}
        self.games = 0
        self.recent: dict[str, deque[tuple[float, int, int]]] = defaultdict(lambda: deque(maxlen=400))

    def __call__(self, local: dict[str, Any], _: dict[str, Any]) -> bool:
        """Takes note of finished games; SB3 calls this after every step of the environment."""
        for index in np.flatnonzero(local["dones"]):
            info = local["infos"][index]
            opponent = info["opponent"] if info["opponent"] in self.anchors else self.PAST_SELF
            self.recent[opponent].append((info["episode"]["r"], info["episode"]["l"], info["seat"]))
            self.games += 1
        return True

    def wins(self) -> dict[str, float]:
        """Share of recent games won, by opponent."""
        return {name: float(np.mean([r > 0 for r, _, _ in games])) for name, games in sorted(self.recent.items())}

    def mean(self, column: int) -> float:
        """Mean of one column of `recent` over all opponents."""
        values = [game[column] for games in self.recent.values() for game in games]
        return float(np.mean(values)) if values else 0.0


def report(run: Run) -> Table:
    """The live display."""
    table = Table(title=f"{run.settings.rules}: {run.steps:,} steps, {run.speed:,.0f} a second, {run.time_left()}")
    for heading in ("opponent", "games", "won", "drawn", "lost"):
        table.add_column(heading, justify="left" if heading == "opponent" else "right")
    for name, games in sorted(run.scores.recent.items()):
        rewards = np.array([reward for reward, _, _ in games])
        shares = [f"{np.mean(rewards == sign):.0%}" for sign in (1, 0, -1)]
        table.add_row(name, f"last {len(rewards)}", *shares)
    return table


def report_line(run: Run) -> str:
    """The display where there is no terminal to draw on."""
    wins = ", ".join(f"{share:.0%} against {name}" for name, share in run.scores.wins().items())
    return f"{run.steps:,} steps, {run.speed:,.0f} a second, {run.time_left()}: won {wins or 'nothing yet'}"


# The run


class Run:
    """One training run: what it has done and what it keeps on disk.

    Args:
        settings: its settings.
        command: the command that started it, for the checkpoint's card.
    """

    def __init__(self, settings: Settings, command: str) -> None:
        self.settings = settings
        self.command = command
        self.folder = Path(settings.out)
        self.rules = ruleset(settings.rules)
        self.network = NetworkConfig(settings.network, settings.width, settings.depth)  # type: ignore[arg-type]
        self.anchors = [(make_bot("greedy"), settings.greedy), (make_bot("random"), settings.random)]
        self.scores = Scores([bot for bot, _ in self.anchors])
        self.pool: list[Bot] = []
        self.pool_files: list[str] = []
        self.next_snapshot = 0
        self.learning_rate = settings.learning_rate
        self.speed = 0.0
        self.past_seconds = 0.0
        self.started = time.monotonic()
        self.env = BoopVecEnv(self.rules, settings.num_envs, self.anchors, seed=settings.seed)
        self.model = MaskablePPO(
            NetworkPolicy,
            self.env,
            learning_rate=lambda _: self.learning_rate,
            n_steps=settings.rollout,
            batch_size=settings.batch_size,
            n_epochs=settings.epochs,
            gamma=settings.gamma,
            gae_lambda=settings.gae_lambda,
            clip_range=settings.clip,
            ent_coef=settings.entropy,
            vf_coef=settings.value,
            max_grad_norm=settings.max_grad_norm,
            policy_kwargs={"rules": self.rules, "config": self.network},
            seed=settings.seed,
            device=settings.device,
        )
        self.policy: NetworkPolicy = self.model.policy  # type: ignore[assignment]
        self.model.set_logger(configure(str(self.folder / "tensorboard"), ["tensorboard"]))

    @property
    def steps(self) -> int:
        """Choices the learner has made."""
        return self.model.num_timesteps

    @property
    def seconds(self) -> float:
        """Time trained, before and after resuming."""
        return self.past_seconds + time.monotonic() - self.started

    def progress(self) -> float:
        """How much of the run is done, from 0 to 1 or a little more."""
        if self.settings.steps:
            return self.steps / self.settings.steps
        return self.seconds / (60 * self.settings.minutes)

    def time_left(self) -> str:
        """The time left, as text."""
        if self.settings.steps:
            left = (self.settings.steps - self.steps) / self.speed if self.speed else 0.0
        else:
            left = 60 * self.settings.minutes - self.seconds
        minutes, seconds = divmod(max(0, round(left)), 60)
        return f"{minutes}:{seconds:02d} left"

    def iterate(self) -> None:
        """One rollout and the update that learns from it."""
        began, steps = time.monotonic(), self.steps
        if self.steps >= self.next_snapshot:
            self.take_snapshot()
        self.learning_rate = self.settings.learning_rate * max(0.0, 1 - self.progress())
        self.model.learn(
            self.settings.num_envs * self.settings.rollout,
            callback=self.scores,
            reset_num_timesteps=False,
            log_interval=None,  # type: ignore[arg-type]  # never: `log` writes instead
        )
        self.speed = (self.steps - steps) / (time.monotonic() - began)
        self.log()

    def take_snapshot(self) -> None:
        """Freezes a copy of the policy and lets it into the pool, the oldest making room."""
        name = f"pool/{self.steps:010d}.safetensors"
        write_checkpoint(self.folder / name, network_weights(self.policy.network), self.card())
        self.next_snapshot = self.steps + self.settings.snapshot_steps
        self.set_pool([*self.pool_files, name][-self.settings.pool_size :])

    def set_pool(self, files: list[str]) -> None:
        """Makes these copies the opponents of the games that start from now on."""
        known = dict(zip(self.pool_files, self.pool, strict=True))
        device = self.settings.device
        self.pool = [known.get(file) or load_policy(self.folder / file, device=device) for file in files]
        self.pool_files = files
        share = self.settings.past_self / len(files)
        self.env.set_opponents([*((bot, share) for bot in self.pool), *self.anchors])

    def card(self) -> Card:
        """What the checkpoint says about itself."""
        training = {
            "algorithm": "MaskablePPO against frozen copies of itself, greedy and random",
            "command": self.command,
            "seconds": round(self.seconds, 1),
            "steps": self.steps,
            "games": self.scores.games,
            "seed": self.settings.seed,
            "recent_wins": self.scores.wins(),
            "settings": asdict(self.settings),
        }
        return Card(self.rules, self.network.to_dict(), training)

    def log(self) -> None:
        """Writes to TensorBoard, after every iteration.

        ``score/*`` is the share of recent games won against each opponent, ``games/*`` their mean length
        in learner's steps and the learner's share of first seats, ``time/*`` the speed, and ``train/*``
        what SB3 measures while it learns: losses, entropy over legal actions, explained variance, the
        share of clipped odds and the KL divergence of an update.
        """
        logger = self.model.logger
        for name, share in self.scores.wins().items():
            logger.record(f"score/{name.replace(' ', '_')}", share)
        logger.record("games/length", self.scores.mean(1))
        logger.record("games/first_seat", 1 - self.scores.mean(2))
        logger.record("time/steps_per_second", self.speed)
        logger.record("time/seconds", self.seconds)
        logger.dump(self.steps)

    def save(self) -> None:
        """Writes the checkpoint, and the state that a resumed run continues from."""
        write_checkpoint(self.folder / "policy.safetensors", network_weights(self.policy.network), self.card())
        state = {
            "network": self.policy.network.state_dict(),
            "optimizer": self.policy.optimizer.state_dict(),
            "steps": self.steps,
            "seconds": self.seconds,
            "games": self.scores.games,
            "pool": self.pool_files,
            "next_snapshot": self.next_snapshot,
        }
        replace_file(self.folder / "state.pt", lambda path: torch.save(state, path))
        # Only now does no state on disk need the copies that left the pool.
        for path in (self.folder / "pool").iterdir():
            if f"pool/{path.name}" not in self.pool_files:
                path.unlink()

    def load(self) -> None:
        """Continues from a saved state, with new games."""
        state = torch.load(self.folder / "state.pt", map_location=self.settings.device, weights_only=True)
        self.policy.network.load_state_dict(state["network"])
        self.policy.optimizer.load_state_dict(state["optimizer"])
        self.model.num_timesteps = state["steps"]
        self.scores.games = state["games"]
        self.past_seconds = state["seconds"]
        self.next_snapshot = state["next_snapshot"]
        self.set_pool(state["pool"])


def move_aside(folder: Path) -> None:
    """Renames the folder of an earlier run to the first free ``NAME.1``, ``NAME.2``, ..."""
    number = 1
    while (aside := folder.with_name(f"{folder.name}.{number}")).exists():
        number += 1
    folder.rename(aside)
    print(f"ppo: the earlier run in {folder} is now in {aside}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Trains; returns the exit code."""
    # Set up
    settings, resume = read_settings(arguments)
    torch.set_num_threads(settings.threads)
    folder = Path(settings.out)
    if not resume and (folder / "settings.json").exists():
        move_aside(folder)
    given = sys.argv[1:] if arguments is None else arguments
    run = Run(settings, shlex.join(["python", "-m", "train.ppo", *given]))
    text = json.dumps(asdict(settings), indent=2)
    replace_file(folder / "settings.json", lambda path: path.write_text(text + "\n"))
    if resume:
        run.load()
    console = Console()
    console.print_json(text)

    # The first Ctrl-C ends training after the iteration in progress; the second ends the process.
    stop = False

    def interrupt(*_: object) -> None:
        nonlocal stop
        stop = True
        signal.signal(signal.SIGINT, signal.default_int_handler)

    before = signal.signal(signal.SIGINT, interrupt)

    # Train
    saved = shown = run.started = time.monotonic()
    try:
        with Live(console=console, auto_refresh=False, transient=True) as live:
            while run.progress() < 1 and not stop:
                run.iterate()
                now = time.monotonic()
                if console.is_terminal:
                    live.update(report(run), refresh=True)
                elif now - shown > 10:
                    shown = now
                    print(report_line(run), flush=True)
                if now - saved > settings.save_seconds:
                    saved = now
                    run.save()
    finally:
        signal.signal(signal.SIGINT, before)

    # Save
    run.save()
    run.env.close()
    console.print(report(run))
    print(f"ppo: {run.steps:,} steps and {run.scores.games:,} games in {run.seconds:.0f} s", end=", ")
    print(f"{'interrupted; --resume continues it' if stop else 'done'}: {folder / 'policy.safetensors'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
