"""League PPO: trains a policy against itself, frozen copies of itself, and scripted bots.

    python -m train.ppo --rules boop --minutes 60 --out runs/boop
    python -m train.ppo --rules boop --quick --out runs/quick      (three minutes, beats random)
    python -m train.ppo --resume --minutes 120 --out runs/boop     (goes on with the settings it began with)
    python -m train.evaluate runs/boop/policy.safetensors greedy alphabeta:depth=2
    tensorboard --logdir runs

The learner plays one seat of every game and its opponents answer inside the environment's step, so what
PPO sees is an ordinary single-agent task: each transition runs from one choice of the learner to its
next, and the loss comes to the learner whoever made the last move. No value is ever negated. A game at
the turn cap is a finished game, worth 0, and not bootstrapped: the cap is one of the rules, and the
network sees how near it is. Whom the learner meets is told in `train.league`; docs/ppo.md says what each
choice is worth, what is logged, and where this differs from the papers.

The state is saved after every update, so the same command, or --resume with the folder alone, goes on with a
run that was stopped in whatever way; at most the rollout in progress is lost, and played again exactly as it
would have been. Other settings are refused, and so is a second process in the folder. Ctrl-C ends training
after the rollout in progress. What is in the folder of a run:

    policy.safetensors    the checkpoint: play it with `boop_env.load_policy`, or with search as az:
    state.pt              what a run goes on from: weights, optimiser, results, games, random generators
    settings.json         the settings
    pool/                 the frozen copies, checkpoints like the first
    rating.png            the rating over time
    tensorboard/          the log
"""

from __future__ import annotations

import argparse
import json
import shlex
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import torch
from matplotlib.figure import Figure
from rich.console import Console
from rich.live import Live
from rich.table import Table
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import Logger
from torch.utils.tensorboard import SummaryWriter

from boop_env.bots.bot import Bot
from boop_env.bots.factory import make_bot
from boop_env.envs.sb3 import BoopVecEnv
from boop_env.policy.checkpoint import Card, Checkpoint, replace_file, write_checkpoint
from boop_env.policy.inference import training_precision
from boop_env.policy.network import NetworkConfig, network_weights
from boop_env.policy.policy_bot import PolicyBot, TorchEvaluator, load_policy
from boop_env.policy.prospects import PROSPECTS_VERSION
from boop_env.policy.sb3 import NetworkPolicy
from boop_env.rules.ruleset import PRESETS, ruleset
from train.folder import alone_in
from train.imitation import Imitation
from train.initial import begin_with, read_initial
from train.league import LATEST, League
from train.rating import ladder_ratings
from train.settings import ABOVE_ZERO, as_flags, check_device, check_ranges, setting

# Settings


@dataclass(frozen=True)
class Settings:
    """Everything that can be set; each field is a flag."""

    rules: str = setting("boop", f"what to play: {', '.join(PRESETS)}")
    minutes: float = setting(20.0, "how long to train, all in all", ABOVE_ZERO)
    steps: int = setting(
        0, "steps to learn from, imitated ones included, instead of minutes; such a run is repeatable", 0
    )
    out: str = setting("runs/ppo", "folder of the run")
    seed: int = setting(0, "of weights, games and opponents", 0)
    device: str = setting("cpu", "where the networks run: cpu, cuda, ...")
    precision: str = setting("auto", "float32, bfloat16, or auto: bfloat16 where the processor has instructions for it")
    threads: int = setting(2, "CPU threads of torch; as many as there are cores that nothing else uses", 1)

    initial: str = setting("", "a checkpoint to begin from, by path or model's name; nothing begins with new weights")
    network: str = setting("residual", "kind of network: residual or mlp")
    width: int = setting(32, "channels of the residual network, units a layer of the MLP")
    depth: int = setting(3, "residual blocks, or hidden layers of the MLP")
    prospects: int = setting(
        PROSPECTS_VERSION,
        "let the network see what each placement would do, 2 also what may follow, 0 neither",
        0,
        PROSPECTS_VERSION,
    )

    teacher: str = setting("alphabeta:depth=3", "the scripted bot that is imitated before PPO begins")
    imitation: float = setting(0.3, "share of the run spent on imitating it; 0 starts from nothing", 0, 1)
    imitation_epochs: int = setting(4, "times each position is learned from while imitating", 1)
    imitation_batch: int = setting(512, "positions in one gradient while imitating", 1)
    imitation_rate: float = setting(3e-3, "Adam's rate while imitating, falling to a tenth", ABOVE_ZERO)

    opponents: str = setting("league", "league, or latest: the learner itself and nobody else")
    seat: str = setting("both", "where the learner sits: both, drawn for each game, or first or second")
    latest: float = setting(0.25, "share of games against the learner as it is", 0)
    past: float = setting(0.25, "share of games against frozen copies", 0)
    anchors: float = setting(0.5, "share of games against scripted bots", 0)
    anchor_bots: str = setting("random,greedy,alphabeta:depth=1,alphabeta:depth=2", "the scripted bots")
    snapshot_steps: int = setting(250_000, "steps between two frozen copies", 1)
    pool_size: int = setting(16, "frozen copies in the pool; when it is full, the easiest one leaves", 1)
    active: int = setting(3, "frozen copies met at a time; few keep the networks' batches large", 1)
    hardness: float = setting(2.0, "how much hard copies are preferred: weight (1 - score) ** hardness", 0)
    opening: int = setting(8, "random steps at the start of a game, at most; each number is as likely", 0)
    symmetry: bool = setting(True, "show each position in a random symmetry of the board")

    num_envs: int = setting(512, "games in step; large, so that networks see large batches", 1)
    rollout: int = setting(32, "steps of every game between two updates", 1)
    epochs: int = setting(1, "times each rollout is learned from", 1)
    batch_size: int = setting(2048, "steps in one gradient", 2)
    learning_rate: float = setting(1.5e-3, "Adam's rate at the start, falling to 0 in a straight line over the run", 0)
    gamma: float = setting(0.99, "what a reward one step later is worth", 0, 1)
    gae_lambda: float = setting(0.8, "how far advantages look past the value estimate (GAE)", 0, 1)
    clip: float = setting(0.2, "how far an update may change an action's odds before it gains nothing more", ABOVE_ZERO)
    entropy: float = setting(0.01, "weight of the entropy bonus at the start, which keeps the policy trying things", 0)
    last_entropy: float = setting(0.001, "the same at the end; it falls in a straight line", 0)
    value: float = setting(0.5, "weight of the value loss", 0)
    max_grad_norm: float = setting(0.5, "gradients longer than this are shortened to it", ABOVE_ZERO)


MAY_CHANGE = ("minutes", "steps", "out", "device", "precision", "threads")
"""What may change when a run goes on; all else is as it began."""

VARIANTS: dict[str, dict[str, Any]] = {
    # With ghosts or ornaments a turn is about two steps: half the discount a step is as much a turn, and a teacher of
    # the same depth takes longer.
    name: {"gamma": 0.995, "teacher": "alphabeta:depth=2", "imitation": 0.4} if rules.ghosts or rules.ornaments else {}
    for name, rules in PRESETS.items()
}
"""Settings that differ from the defaults, by rule set; flags come before them."""

QUICK: dict[str, Any] = {"minutes": 3.0, "depth": 2, "teacher": "alphabeta:depth=2", "num_envs": 128, "batch_size": 512}
"""Settings of --quick, before those of the rule set."""

SEATS: dict[str, int | str] = {"both": "random", "first": 0, "second": 1}

CHOICES = {
    "rules": tuple(PRESETS),
    "network": ("residual", "mlp"),
    "precision": ("auto", "float32", "bfloat16"),
    "opponents": ("league", "latest"),
    "seat": tuple(SEATS),
}


def read_settings(arguments: Sequence[str] | None) -> Settings:
    """Settings from flags; ends the program where they make no sense or the folder holds another run."""
    own = [f"{name}: {shlex.join(as_flags(changed))}" for name, changed in VARIANTS.items() if changed]
    quick = f"a run of {QUICK['minutes']:g} minutes: {shlex.join(as_flags(QUICK))}"
    parser = argparse.ArgumentParser(
        prog="python -m train.ppo",
        description=__doc__,
        epilog=f"defaults of their own: {'; '.join(own)}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--resume", action="store_true", help="take all settings not given from the run in the folder")
    parser.add_argument("--quick", action="store_true", help=quick)
    for f in fields(Settings):
        kind: dict[str, Any] = {"type": type(f.default)}
        if isinstance(f.default, bool):
            kind = {"action": argparse.BooleanOptionalAction}
        flag, text = f"--{f.name.replace('_', '-')}", f"{f.metadata['help']} ({f.default})"
        parser.add_argument(flag, default=argparse.SUPPRESS, choices=CHOICES.get(f.name), help=text, **kind)
    given = vars(parser.parse_args(arguments))
    resume, quick = given.pop("resume"), given.pop("quick")
    path = Path(given.get("out", Settings.out)) / "settings.json"
    saved: dict[str, Any] = json.loads(path.read_text()) if path.is_file() else {}
    if resume and not saved:
        parser.error(f"there is no run to resume: no file {path}")
    unknown = sorted(saved.keys() - {f.name for f in fields(Settings)})
    if unknown:
        parser.error(
            f"{path.parent} holds a run of another version, with settings not known here: {', '.join(unknown)}; "
            "give another --out"
        )
    variant = VARIANTS[given.get("rules", Settings.rules)]
    settings = Settings(**({**saved, **given} if resume else {**(QUICK if quick else {}), **variant, **given}))
    check_ranges(parser, settings)
    check_device(parser, settings.device)
    differences = [
        f"--{name.replace('_', '-')} {value} against {saved.get(name)}"
        for name, value in asdict(settings).items()
        if saved and name not in MAY_CHANGE and value != saved.get(name)
    ]
    if differences:
        parser.error(
            f"{path.parent} holds a run with other settings: {', '.join(differences)}; "
            "give the same settings or --resume to go on with it, or another --out"
        )
    return settings


def network_shape(settings: Settings) -> NetworkConfig:
    """The shape of a run's network."""
    kind: Any = settings.network
    return NetworkConfig(kind, settings.width, settings.depth, prospects=settings.prospects)


# The run


class Run:
    """One training run: what it has done and what it keeps on disk.

    Args:
        settings: its settings.
        command: the command that started it, for the checkpoint's card.
        initial: the checkpoint to begin from; not needed to go on.
    """

    def __init__(self, settings: Settings, command: str, initial: Checkpoint | None = None) -> None:
        self.settings, self.command = settings, command
        self.folder = Path(settings.out)
        self.rules = ruleset(settings.rules)
        self.network = network_shape(settings)
        self.mixed = training_precision(settings.precision, settings.device) == "bfloat16"  # type: ignore[arg-type]
        self.learning_rate = settings.learning_rate
        self.speed = self.past_seconds = 0.0
        self.imitated = self.next_snapshot = 0
        self.history: list[tuple[int, float, float]] = []
        self.losses: dict[str, float] = {}
        anchors = [make_bot(spec) for spec in settings.anchor_bots.split(",")] if settings.opponents == "league" else []
        self.env = BoopVecEnv(
            self.rules,
            settings.num_envs,
            [make_bot("random")],  # until there is a network; the games then begin anew
            seed=settings.seed,
            seat=SEATS[settings.seat],
            opening_plies=(0, settings.opening),
            turned=settings.symmetry,
        )
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
            vf_coef=settings.value,
            max_grad_norm=settings.max_grad_norm,
            policy_kwargs={"rules": self.rules, "config": self.network, "mixed": self.mixed},
            seed=settings.seed,
            device=settings.device,
        )
        self.policy: NetworkPolicy = self.model.policy  # type: ignore[assignment]
        self.beginning: dict[str, Any] = {}
        if initial:
            begin_with(self.policy.network, initial)
            self.beginning = dict(initial.card.training)
        self.model.set_logger(Logger(None, []))  # it collects what PPO measures, and `log` writes it
        ladder = ladder_ratings(self.rules)
        self.anchor_elos = {bot.name: ladder[bot.name] for bot in anchors if bot.name in ladder}
        self.league = League(
            self.latest(),
            anchors,
            elos=self.anchor_elos,
            shares={"latest": settings.latest, "past": settings.past, "anchor": settings.anchors}
            if settings.opponents == "league"
            else {"latest": 1.0},
            pool_size=settings.pool_size,
            active=settings.active,
            hardness=settings.hardness,
            rng=np.random.default_rng([settings.seed, 3]),
        )
        self.imitation = Imitation(
            self.rules,
            make_bot(settings.teacher),
            settings.num_envs,
            opening=settings.opening,
            seed=settings.seed,
        )
        if (self.folder / "state.pt").is_file():
            self.load()
        else:
            self.env.set_opponents(self.league.matches())
            self.model._last_obs = self.env.reset()  # type: ignore[assignment]  # SB3's own types disagree
            self.model._last_episode_starts = np.ones(settings.num_envs, bool)
        # What was logged after the last save happened in a past that is no more.
        self.writer = SummaryWriter(str(self.folder / "tensorboard"), purge_step=self.seen)
        self.started = time.monotonic()

    def latest(self) -> Bot:
        """The learner as an opponent of itself: it plays with the weights as they are, whenever it is asked."""
        card = Card(self.rules, self.network.to_dict())
        checkpoint = Checkpoint(card, network_weights(self.policy.network), Path(LATEST))
        bot = PolicyBot(checkpoint, device=self.settings.device)
        bot.evaluator = TorchEvaluator(self.policy.network, self.settings.device, mixed=self.mixed)
        bot.name = LATEST
        return bot

    def frozen(self, name: str) -> Bot:
        """The frozen copy of this name, such as ``"pool/0000250000"``."""
        bot = load_policy(self.folder / f"{name}.safetensors", device=self.settings.device)
        assert isinstance(bot.evaluator, TorchEvaluator)
        bot.evaluator.mixed = self.mixed
        bot.name = name
        return bot

    @property
    def steps(self) -> int:
        """Choices the learner has made."""
        return self.model.num_timesteps

    @property
    def seen(self) -> int:
        """Steps learned from: choices of the learner, and of the teacher before."""
        return self.steps + self.imitated

    @property
    def seconds(self) -> float:
        """Time trained, before and after an interruption."""
        return self.past_seconds + time.monotonic() - self.started

    def progress(self) -> float:
        """How much of the run is done, from 0 to 1 or a little more."""
        if self.settings.steps:
            return self.seen / self.settings.steps
        return self.seconds / (60 * self.settings.minutes)

    def time_left(self) -> str:
        """The time left, as text."""
        if self.settings.steps:
            left = (self.settings.steps - self.seen) / self.speed if self.speed else 0.0
        else:
            left = 60 * self.settings.minutes - self.seconds
        minutes, seconds = divmod(max(0, round(left)), 60)
        return f"{minutes}:{seconds:02d} left"

    def iterate(self) -> None:
        """One round of imitation, or one rollout and the update that learns from it.

        Raises:
            ArithmeticError: the network has diverged; it is not to be saved.
        """
        began, seen = time.monotonic(), self.seen
        if self.progress() < self.settings.imitation:
            self.imitate()
        else:
            self.play()
        self.speed = (self.seen - seen) / (time.monotonic() - began)
        if not all(weight.isfinite().all() for weight in self.policy.network.parameters()):
            raise ArithmeticError(
                f"the weights are no longer finite after {self.seen:,} steps; begin from "
                f"{self.settings.out}/policy.safetensors (--initial) in another folder, with a lower --learning-rate"
            )

    def imitate(self) -> None:
        """Games of the teacher, and learning from them."""
        done = self.progress() / self.settings.imitation
        self.learning_rate = self.settings.imitation_rate * (1 - 0.9 * done)
        for group in self.policy.optimizer.param_groups:
            group["lr"] = self.learning_rate
        lessons = self.imitation.play()
        self.losses = self.imitation.learn(
            self.policy.network,
            self.policy.optimizer,
            lessons,
            self.settings.imitation_batch,
            epochs=self.settings.imitation_epochs,
            mixed=self.mixed,
        )
        self.imitated += len(lessons.words)

    def play(self) -> None:
        """A rollout in the league, and PPO's update."""
        self.losses = {}
        if self.settings.opponents == "league" and self.steps >= self.next_snapshot:
            self.take_snapshot()
        self.env.set_opponents(self.league.matches())
        done = min(1.0, self.progress())
        self.learning_rate = self.settings.learning_rate * (1 - done)
        self.model.ent_coef = self.settings.entropy + done * (self.settings.last_entropy - self.settings.entropy)
        self.model.learn(
            self.settings.num_envs * self.settings.rollout,
            callback=self.note_games,
            reset_num_timesteps=False,
            log_interval=None,  # type: ignore[arg-type]  # never: `log` writes instead
        )
        self.league.forget(self.env.games.opponents)
        self.history.append((self.seen, self.seconds, self.league.elo()[0]))

    def note_games(self, local: dict[str, Any], _: dict[str, Any]) -> bool:
        """Takes note of finished games; SB3 calls this after every step of the environment."""
        for index in np.flatnonzero(local["dones"]):
            info = local["infos"][index]
            self.league.note(info["opponent"], info["episode"]["r"], info["episode"]["l"], info["seat"])
        return True

    def take_snapshot(self) -> None:
        """Freezes a copy of the policy and lets it into the pool."""
        name = f"pool/{self.steps:010d}"
        write_checkpoint(self.folder / f"{name}.safetensors", network_weights(self.policy.network), self.card())
        # A network that nobody has met yet is as good as `random`, unless it was taught or trained before.
        unknown = None if self.imitated or self.beginning else 0.0
        self.league.admit(self.frozen(name), self.league.elo()[0] if self.league.games else unknown)
        self.next_snapshot = self.steps + self.settings.snapshot_steps

    def card(self) -> Card:
        """What the checkpoint says about itself."""
        training = {
            "algorithm": "MaskablePPO in a league"
            + (f", after imitating {self.settings.teacher}" * bool(self.imitated)),
            "command": self.command,
            "seconds": round(self.seconds, 1),
            "steps": self.steps,
            "imitated": self.imitated,
            "games": self.league.games,
            "seed": self.settings.seed,
            "scores": {name: round(m.score, 3) for name, m in self.league.members.items() if m.recent},
            "league_elo": [round(elo, 1) for elo in self.league.elo()],
            "settings": asdict(self.settings),
            **({"initial": self.beginning} if self.beginning else {}),
        }
        return Card(self.rules, self.network.to_dict(), training)

    def metrics(self) -> dict[str, float]:
        """What is logged after every update; docs/ppo.md says what each is."""
        league, found = self.league, dict(self.model.logger.name_to_value)
        if "train/entropy_loss" in found:
            found["train/entropy"] = -found.pop("train/entropy_loss")
        found |= {f"imitation/{name}": loss for name, loss in self.losses.items()}
        found |= {f"score/{name}": member.score for name, member in league.members.items() if member.recent}
        found |= {f"weight/{name}": weight for kind in league.shares for name, weight in league.weights(kind).items()}
        elo, low, high = league.elo()
        return found | {
            "rating/elo": elo,
            "rating/low": low,
            "rating/high": high,
            "games/played": league.games,
            "games/steps": league.mean_steps(),
            "games/first_seat": league.first_seat(),
            "time/steps_per_second": self.speed,
            "time/seconds": self.seconds,
            "train/learning_rate": self.learning_rate,
            "train/entropy_weight": self.model.ent_coef,
        }

    def log(self) -> None:
        """Writes the metrics to TensorBoard."""
        for name, value in self.metrics().items():
            self.writer.add_scalar(name, value, self.seen)
        self.writer.flush()

    def save(self) -> None:
        """Writes the checkpoint, and the state that a run goes on from."""
        # SB3 shuffles minibatches with NumPy's global generator.
        generator = np.random.get_state(legacy=False)  # noqa: NPY002
        assert isinstance(generator, dict)
        generator["state"] = {name: np.asarray(value).tolist() for name, value in generator["state"].items()}
        games = self.env.state_dict()
        state = {
            "network": self.policy.network.state_dict(),
            "optimizer": self.policy.optimizer.state_dict(),
            "steps": self.steps,
            "updates": self.model._n_updates,
            "imitated": self.imitated,
            "imitation": {name: plain(value) for name, value in self.imitation.state_dict().items()},
            "seconds": self.seconds,
            "next_snapshot": self.next_snapshot,
            "history": self.history,
            "beginning": json.dumps(self.beginning),
            "league": self.league.state_dict(),
            "games": {name: plain(value) for name, value in games.items()},
            "starts": torch.from_numpy(self.model._last_episode_starts),
            "numpy": json.dumps(generator),
            "torch": torch.get_rng_state(),
            "cuda": [torch.cuda.get_rng_state(number) for number in range(torch.cuda.device_count())],
        }
        # The state comes last: a run that was killed between the two makes the same checkpoint again.
        write_checkpoint(self.folder / "policy.safetensors", network_weights(self.policy.network), self.card())
        replace_file(self.folder / "state.pt", lambda path: torch.save(state, path))
        # Only now does no state on disk need the copies that were forgotten.
        for path in (self.folder / "pool").glob("*.safetensors"):
            if f"pool/{path.stem}" not in self.league.members:
                path.unlink()

    def load(self) -> None:
        """Goes on from a saved state."""
        state = torch.load(self.folder / "state.pt", map_location="cpu", weights_only=True)
        self.policy.network.load_state_dict(state["network"])
        self.policy.optimizer.load_state_dict(state["optimizer"])
        self.model.num_timesteps, self.model._n_updates = state["steps"], state["updates"]
        self.imitated = state["imitated"]
        self.imitation.load_state_dict({name: unplain(value) for name, value in state["imitation"].items()})
        self.past_seconds = state["seconds"]
        self.next_snapshot = state["next_snapshot"]
        self.history = [tuple(row) for row in state["history"]]
        self.beginning = json.loads(state["beginning"])
        self.league.load_state_dict(state["league"], self.frozen)
        bots = {name: member.bot for name, member in self.league.members.items()}
        self.env.load_state_dict({name: unplain(value) for name, value in state["games"].items()}, bots)
        self.model._last_obs = self.env.observe()
        self.model._last_episode_starts = state["starts"].numpy()
        np.random.set_state(json.loads(state["numpy"]))  # noqa: NPY002
        torch.set_rng_state(state["torch"])
        for number, generator in enumerate(state["cuda"][: torch.cuda.device_count()]):
            torch.cuda.set_rng_state(generator, number)

    def plot(self) -> None:
        """Draws the rating over time."""
        figure = Figure(figsize=(8, 4.5), layout="constrained")
        axes = figure.add_subplot()
        axes.plot(
            [seconds / 60 for _, seconds, _ in self.history], [elo for _, _, elo in self.history], label="learner"
        )
        for name, elo in sorted(self.anchor_elos.items(), key=lambda item: item[1]):
            axes.axhline(elo, linestyle=":", color="grey")
            axes.annotate(name, (0, elo), fontsize="small", color="grey", va="bottom")
        axes.set(title=f"{self.settings.rules}: rating in the league", xlabel="minutes", ylabel="Elo, random being 0")
        replace_file(self.folder / "rating.png", lambda path: figure.savefig(path, format="png", dpi=120))


def plain(value: Any) -> Any:
    """An array as a tensor, uint64 as int64; what holds no array as JSON, for integers too large for torch's files."""
    if isinstance(value, np.ndarray):
        return torch.from_numpy(value.view(np.int64) if value.dtype == np.uint64 else value)
    return json.dumps(value)


def unplain(value: Any) -> Any:
    """What `plain` was given, except that uint64 stays int64."""
    return value.numpy() if isinstance(value, torch.Tensor) else json.loads(value)


# What is shown


def report(run: Run) -> Table:
    """The live display."""
    values = run.metrics()
    table = Table(title=f"{run.settings.rules}: {run.seen:,} steps, {run.speed:,.0f} a second, {run.time_left()}")
    for heading in ("opponent", "Elo", "weight", "games", "won", "drawn", "lost"):
        table.add_column(heading, justify="left" if heading == "opponent" else "right")
    for name, member in run.league.members.items():
        if member.recent:
            shares = [f"{member.share(reward):.0%}" for reward in (1, 0, -1)]
            elo = "" if member.elo is None else f"{member.elo:.0f}"
            table.add_row(name, elo, f"{values.get(f'weight/{name}', 0):.0%}", f"{member.games:,}", *shares)
    table.caption = imitation_line(run) or (
        f"rating {values['rating/elo']:.0f} Elo ({values['rating/low']:.0f} to {values['rating/high']:.0f}), "
        f"entropy {values.get('train/entropy', 0):.2f}, "
        f"explained variance {values.get('train/explained_variance', 0):.2f}, "
        f"{values['games/steps']:.0f} steps a game, first seat {values['games/first_seat']:.0%}"
    )
    return table


def report_line(run: Run) -> str:
    """The display where there is no terminal to draw on."""
    members = run.league.members.values()
    scores = ", ".join(f"{m.score:.0%} {m.bot.name}" for m in members if m.recent and m.kind != "past")
    values = run.metrics()
    return f"{run.seen:,} steps, {run.speed:,.0f} a second, {run.time_left()}: " + (
        imitation_line(run)
        or f"{values['rating/elo']:.0f} Elo, entropy {values['train/entropy']:.2f}, "
        f"explained variance {values['train/explained_variance']:.2f}; {scores}"
    )


def imitation_line(run: Run) -> str:
    """What is to be told while the teacher is imitated, and nothing afterwards."""
    told = ", ".join(f"{name.replace('_', ' ')} {loss:.2f}" for name, loss in run.losses.items())
    return told and f"imitates {run.settings.teacher}: {told}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Trains; returns the exit code."""
    settings = read_settings(arguments)
    given = sys.argv[1:] if arguments is None else arguments
    try:
        with alone_in(Path(settings.out)):
            return train(settings, shlex.join(["python", "-m", "train.ppo", *given]))
    except OSError as error:
        print(f"ppo: cannot use the folder {settings.out}: {error}", file=sys.stderr)
        return 1


def train(settings: Settings, command: str) -> int:
    """Trains in a folder that no other process uses; returns the exit code.

    Args:
        settings: all of them.
        command: what was typed, for the card.
    """
    # Set up
    torch.set_num_threads(settings.threads)
    folder = Path(settings.out)
    text = json.dumps(asdict(settings), indent=2)
    try:
        initial = read_initial(settings.initial, folder, ruleset(settings.rules), network_shape(settings))
        for part in folder.rglob(".*.part"):  # what a killed run was writing
            part.unlink()
        run = Run(settings, command, initial)
        # Only now is it known that a run can be made of the settings.
        replace_file(folder / "settings.json", lambda path: path.write_text(text + "\n"))
    except (ValueError, FileNotFoundError) as error:  # of bots, games and checkpoints
        print(f"ppo: cannot begin: {error}", file=sys.stderr)
        return 1
    console = Console()
    console.print_json(text)
    if run.seen:
        print(f"ppo: goes on after {run.league.games:,} games and {run.seen:,} steps", flush=True)

    # The first Ctrl-C ends training after the iteration in progress; the second ends the process.
    stop = False

    def interrupt(*_: object) -> None:
        nonlocal stop
        stop = True
        signal.signal(signal.SIGINT, signal.default_int_handler)

    before = signal.signal(signal.SIGINT, interrupt)

    # Train
    shown = plotted = run.started
    try:
        with Live(console=console, auto_refresh=False, transient=True) as live:
            while run.progress() < 1 and not stop:
                run.iterate()
                run.log()
                run.save()
                now = time.monotonic()
                if console.is_terminal:
                    live.update(report(run), refresh=True)
                elif now - shown > 10:
                    shown = now
                    print(report_line(run), flush=True)
                if now - plotted > 60:
                    plotted = now
                    run.plot()
        run.plot()
    except OSError as error:
        print(f"ppo: cannot write to {folder}: {error}; the last save is whole", file=sys.stderr)
        return 1
    except ArithmeticError as error:
        print(f"ppo: {error}; the last save is whole", file=sys.stderr)
        return 1
    finally:
        signal.signal(signal.SIGINT, before)
        run.env.close()
        run.imitation.env.close()
        run.writer.close()

    console.print(report(run))
    print(f"ppo: {run.seen:,} steps and {run.league.games:,} games in {run.seconds:.0f} s", end=", ")
    print(f"{'interrupted; the same command goes on' if stop else 'done'}: {folder / 'policy.safetensors'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
