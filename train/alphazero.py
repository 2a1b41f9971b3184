"""AlphaZero: self-play by Gumbel search with the network's own averaged weights, and learning from it.

    python -m train.alphazero --rules boop --hours 2 --out runs/az
    python -m train.evaluate "az:runs/az/policy.safetensors?sims=64" greedy alphabeta:depth=2
    tensorboard --logdir runs

The same command goes on with a run that was interrupted, even by ``kill -9``, from its last save; its games
in progress are lost and begun anew. A folder that holds a run with other settings is refused, and so is one
in which another process trains.

Self-play runs in processes beside the learner (`train.self_play`), or with ``--ray`` as actors of a Ray
cluster. How much is learned from each position is fixed (``--reuse``), so whichever side is ahead waits.

Policies are learned from the improved policy of each search (Danihelka et al., 2022), values from a mixture
of how the game ended and what the search thought. Values belong to the player who acts in a position and
are never negated from step to step. Every position is learned in a random one of the board's symmetries.

What is in the folder of a run:

    policy.safetensors    the averaged weights: play them with "az:" or `boop_env.load_policy`
    state.pt              all that a run goes on from: weights, optimiser, replay buffer, counters, generator
    settings.json         the settings
    ratings.json          ratings against fixed bots over time, with and without search; ratings.png draws them
    tensorboard/          the log; what it holds is said where it is written, in `log`

Memory: the replay buffer takes 102 bytes and two for each action number a position: 144 MB for 300,000 of
`boop`. The trees of self-play are stated at the start. Neither grows.
"""

from __future__ import annotations

import argparse
import copy
import json
import math
import shlex
import signal
import sys
import time
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from rich.console import Console
from rich.live import Live
from rich.table import Table
from torch.utils.tensorboard import SummaryWriter

from boop_env.bots.factory import make_bot
from boop_env.envs.planes import observe_states
from boop_env.policy.checkpoint import (
    Card,
    Checkpoint,
    CheckpointError,
    replace_file,
    write_checkpoint,
)
from boop_env.policy.inference import training_precision
from boop_env.policy.network import NetworkConfig, ResidualNetwork, network_weights
from boop_env.policy.prospects import PROSPECTS_VERSION
from boop_env.rules.game import Reason
from boop_env.rules.ruleset import PRESETS, RuleSet, ruleset
from boop_env.rules.states import States
from boop_env.rules.symmetry import symmetries, turn_states
from boop_env.search.forced import SELF_PLAY_PROOF_TURNS
from boop_env.search.lockstep import VALUE_SCALE
from boop_env.search.lookahead import check_lookahead
from train.auxiliary import AuxiliaryHeads, auxiliary_targets
from train.folder import alone_in
from train.initial import begin_with, read_initial
from train.rating import Rater
from train.self_play import ActorError, Actors, Played, SelfPlayConfig, Task, Teacher, make_actors
from train.settings import ABOVE_ZERO, check_device, check_ranges, setting

# Settings


@dataclass(frozen=True)
class Settings:
    """Everything that can be set; each field is a flag."""

    rules: str = setting("boop", f"what to play: {', '.join(PRESETS)}")
    hours: float = setting(2.0, "how long to train, all in all", ABOVE_ZERO)
    positions: int = setting(0, "how many positions to train for, instead of hours", 0)
    out: str = setting("runs/alphazero", "folder of the run")
    seed: int = setting(0, "of weights and games", 0)
    device: str = setting("cpu", "where the network runs and learns: cpu, cuda, ...")
    backend: str = setting("auto", "what runs the network in self-play: auto, torch or openvino")
    precision: str = setting("auto", "float32, bfloat16, or auto: bfloat16 where the processor has instructions for it")
    threads: int = setting(1, "CPU threads for learning, and for self-play where that has no processes", 1)
    actors: int = setting(2, "processes of self-play, one thread each; 0 plays and learns by turns in one process", 0)
    ray: str = setting("", 'address of a Ray cluster for the actors, or "local"')

    initial: str = setting("", "a checkpoint to begin from, by path or model's name; nothing begins with new weights")
    width: int = setting(32, "channels of the residual network")
    depth: int = setting(3, "residual blocks")
    prospects: int = setting(
        1, "let the network see what each placement would do, 2 also what may follow, 0 neither", 0, PROSPECTS_VERSION
    )

    games: int = setting(64, "games in lock step of each actor; more keep a large GPU busy")
    simulations: int = setting(32, "visits of each search, in the end")
    first_simulations: int = setting(0, "visits at the start; they double at equal intervals; 0 for no such stages", 0)
    quick_simulations: int = setting(0, "visits of quick searches, which teach values only; 0 for none", 0)
    full_share: float = setting(0.25, "share of searches that are not quick, where there are quick ones", 0, 1)
    considered: int = setting(16, "moves that a search begins with, at most")
    value_scale: float = setting(VALUE_SCALE, "how much values change the policy in a search (c_scale)")
    proof_turns: int = setting(
        SELF_PLAY_PROOF_TURNS, "a search proves wins that need so many placements; 1 only the next one"
    )
    lookahead: int = setting(0, "turns that alpha-beta looks ahead from each leaf of a search; 0 for none")
    opening: int = setting(6, "random steps at the start of a game, at most; each number is as likely", 0)
    surprise: int = setting(1, "learn more from positions where the search disagreed with the network; 0 not to")

    teacher: str = setting("alphabeta:nodes=3000", "the scripted bot that plays before self-play begins")
    teacher_positions: int = setting(0, "positions it plays; 0 begins from nothing", 0)

    iteration: int = setting(2048, "positions between two rounds of learning", 1)
    buffer: int = setting(300_000, "positions kept to learn from, the newest ones", 1)
    reuse: float = setting(6.0, "times a position is learned from, on average", ABOVE_ZERO)
    batch_size: int = setting(256, "positions in one gradient", 1)
    learning_rate: float = setting(2e-3, "AdamW's rate at its highest, after a short rise; then it falls to a tenth", 0)
    weight_decay: float = setting(1e-4, "AdamW's weight decay", 0)
    search_value: float = setting(0.5, "share of the search's value in what values are learned from", 0, 1)
    value: float = setting(1.0, "weight of the value loss", 0)
    auxiliary: float = setting(0.0, "weight of the auxiliary losses: who stands where at the end, and turns left", 0)
    average: float = setting(0.998, "how much of the averaged weights stays at each gradient", 0, 1)
    max_grad_norm: float = setting(1.0, "gradients longer than this are shortened to it", ABOVE_ZERO)

    save_seconds: float = setting(120.0, "seconds between two saves", 0)
    rate_minutes: float = setting(10.0, "minutes between two ratings against the anchors; 0 for none", 0)
    rate_games: int = setting(24, "games against each anchor in a rating, for each way to play", 1)


MAY_CHANGE = (
    "hours", "positions", "out", "device", "backend", "precision", "threads", "actors", "ray", "save_seconds",
    "rate_minutes", "rate_games",
)  # fmt: skip
"""What may change when a run goes on; all else is as it began."""

CHOICES = {
    "rules": tuple(PRESETS),
    "backend": ("auto", "torch", "openvino"),
    "precision": ("auto", "float32", "bfloat16"),
}

WARM_UP = 100
"""Gradients over which the learning rate rises."""

MOST_OWED = 3
"""Actors wait while so many rounds of learning are to be caught up with."""

TEACHER_GAMES = 512
"""Games that a teacher plays in step."""

LEARN_AT_ONCE = 16
"""Gradients between two looks at what the actors have played, at most."""


def read_settings(arguments: Sequence[str] | None) -> Settings:
    """Settings from flags; ends the program where they make no sense or the folder holds another run."""
    parser = argparse.ArgumentParser(
        prog="python -m train.alphazero", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for f in fields(Settings):
        help_text = f"{f.metadata['help']} ({f.default})"
        flag, choices = f"--{f.name.replace('_', '-')}", CHOICES.get(f.name)
        parser.add_argument(flag, type=type(f.default), default=f.default, choices=choices, help=help_text)
    settings = Settings(**vars(parser.parse_args(arguments)))
    check_ranges(parser, settings)
    check_device(parser, settings.device)
    for name in ("iteration", "batch_size"):
        if settings.buffer < getattr(settings, name):
            parser.error(f"--buffer {settings.buffer} is less than --{name.replace('_', '-')}; give more")
    try:
        check_lookahead(settings.lookahead)
        self_play_config(settings).search()  # an actor would stumble over what this refuses, and so would the next one
    except ValueError as error:
        name, equals, rest = str(error).removeprefix("network ").partition("=")
        parser.error(f"--{name.replace('_', '-')}{equals}{rest}")
    if settings.teacher_positions and not (Path(settings.out) / "state.pt").is_file():
        try:
            make_bot(settings.teacher)
        except (ValueError, ImportError) as error:
            parser.error(f"--teacher: {error}")
    path = Path(settings.out) / "settings.json"
    if path.is_file():
        saved = json.loads(path.read_text())
        now = asdict(settings)
        differences = [
            f"--{name.replace('_', '-')} {now.get(name)} against {saved.get(name)}"
            for name in sorted(now.keys() | saved.keys())
            if name not in MAY_CHANGE and now.get(name) != saved.get(name)
        ]
        if differences:
            parser.error(
                f"{path.parent} holds a run with other settings: {', '.join(differences)}; "
                "give the same settings to go on with it, or another --out"
            )
    return settings


def network_shape(settings: Settings) -> NetworkConfig:
    """The shape of a run's network."""
    return NetworkConfig("residual", settings.width, settings.depth, prospects=settings.prospects)


def self_play_config(settings: Settings) -> SelfPlayConfig:
    """How the actors of a run play."""
    return SelfPlayConfig(
        rules=ruleset(settings.rules),
        network=network_shape(settings),
        games=settings.games,
        simulations=stages(settings.first_simulations, settings.simulations),
        quick_simulations=settings.quick_simulations,
        full_share=settings.full_share,
        considered=settings.considered,
        value_scale=settings.value_scale,
        proof_turns=settings.proof_turns,
        lookahead=settings.lookahead,
        opening=settings.opening,
        surprise=bool(settings.surprise),
        device=settings.device,
        backend=settings.backend,  # type: ignore[arg-type]
        precision=training_precision(settings.precision, settings.device),  # type: ignore[arg-type]
        threads=settings.threads,
    )


# What is learned from


class ReplayBuffer:
    """The newest positions of finished games, as arrays that never grow.

    Args:
        rules: the rule set of the positions.
        capacity: how many are kept.
    """

    def __init__(self, rules: RuleSet, capacity: int) -> None:
        self.rules = rules
        self.arrays: dict[str, npt.NDArray[Any]] = {
            "words": np.zeros((capacity, 6), np.uint64),
            "policies": np.zeros((capacity, rules.num_actions), np.float16),
            "values": np.zeros(capacity, np.float32),
            "results": np.zeros(capacity, np.int8),
            "full": np.zeros(capacity, np.bool_),
            "finals": np.zeros((capacity, 6), np.uint64),
        }
        self.written = 0

    def add(self, played: Played) -> None:
        """Takes positions, in the place of the oldest."""
        capacity = len(self.arrays["words"])
        rows = (self.written + np.arange(len(played.words))) % capacity
        for name, array in self.arrays.items():
            array[rows] = getattr(played, name)
        self.written += len(rows)

    def __len__(self) -> int:
        return min(self.written, len(self.arrays["words"]))

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return sum(array.nbytes for array in self.arrays.values())

    def draw(
        self, batch_size: int, search_value: float, rng: np.random.Generator, *, auxiliary: bool = False
    ) -> list[npt.NDArray[Any]]:
        """Positions at random, each in a random symmetry of the board.

        Returns:
            Planes ``(N, C, H, W)``, masks ``(N, num_actions)``, policies ``(N, num_actions)``, values ``(N,)``
            to learn, whether the policy is to be learned, bool ``(N,)``, and if asked the two `auxiliary_targets`;
            all for the player who acts.
        """
        rows = rng.integers(0, len(self), batch_size)
        table = symmetries(self.rules)
        which = rng.integers(0, len(table.cells), batch_size)
        words = turn_states(self.rules, self.arrays["words"][rows], which)
        planes, masks = observe_states(States(self.rules, words))
        policies = np.empty((batch_size, self.rules.num_actions), np.float32)
        np.put_along_axis(policies, table.actions[which], self.arrays["policies"][rows].astype(np.float32), 1)
        results = self.arrays["results"][rows].astype(np.float32)
        values = (1 - search_value) * results + search_value * self.arrays["values"][rows]
        drawn: list[npt.NDArray[Any]] = [planes, masks, policies, values, self.arrays["full"][rows]]
        if auxiliary:
            finals = turn_states(self.rules, self.arrays["finals"][rows], which)
            drawn += auxiliary_targets(self.rules, words, finals)
        return drawn


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
        self.config = network_shape(settings)
        self.self_play = self_play_config(settings)
        self.mixed = self.self_play.precision == "bfloat16"
        torch.manual_seed(settings.seed)
        self.rng = np.random.default_rng(settings.seed)
        self.network = ResidualNetwork(self.rules, self.config).to(settings.device)
        self.beginning: dict[str, Any] = {}
        if initial:
            begin_with(self.network, initial)
            self.beginning = dict(initial.card.training)
        self.averaged = copy.deepcopy(self.network).requires_grad_(False)
        self.auxiliary = AuxiliaryHeads(settings.width).to(settings.device)
        self.learned = [*self.network.parameters(), *(self.auxiliary.parameters() if settings.auxiliary else [])]
        self.optimizer = torch.optim.AdamW(self.learned, settings.learning_rate, weight_decay=settings.weight_decay)
        self.buffer = ReplayBuffer(self.rules, settings.buffer)
        self.games = self.gradients = 0
        self.owed = 0.0
        self.past_seconds = 0.0
        self.rated = 0.0
        self.recent: deque[tuple[int, str, int]] = deque(maxlen=1000)
        self.rates: dict[str, float] = {}
        self.losses: dict[str, float] = {}
        self.rater = Rater(self.folder, self.rules, settings.rate_games, settings.seed)
        self.ratings: dict[str, float] = {}
        if (self.folder / "state.pt").is_file():
            self.load()
        self.actors = make_actors(
            self.self_play,
            lambda: int(self.rng.integers(2**62)),
            processes=settings.actors,
            ray_address=settings.ray,
        )
        self.teacher: Teacher | None = None
        if self.positions < settings.teacher_positions:
            self.teacher = Teacher(
                self.rules, settings.teacher, TEACHER_GAMES, settings.opening, int(self.rng.integers(2**31))
            )
        # What was logged after the last save happened in a past that is no more.
        self.writer = SummaryWriter(str(self.folder / "tensorboard"), purge_step=self.positions)
        self.started = time.monotonic()

    @property
    def positions(self) -> int:
        """Positions of finished games, those that the replay buffer has forgotten included."""
        return self.buffer.written

    @property
    def seconds(self) -> float:
        """Time trained, before and after an interruption."""
        return self.past_seconds + time.monotonic() - self.started

    def progress(self) -> float:
        """How much of the run is done, from 0 to 1 or a little more."""
        if self.settings.positions:
            return self.positions / self.settings.positions
        return self.seconds / (3600 * self.settings.hours)

    def task(self) -> Task:
        """What actors are asked for now."""
        numbers = len(stages(self.settings.first_simulations, self.settings.simulations))
        stage = min(numbers - 1, int(self.progress() * numbers))
        share = self.settings.iteration // max(1, self.settings.actors)
        return Task(network_weights(self.averaged), stage, max(1, share))

    def iterate(self) -> None:
        """Takes positions of self-play, and learns as much as they pay for."""
        began, learned = time.monotonic(), 0.0
        positions = games = evaluations = 0
        taught = self.positions < self.settings.teacher_positions
        source: Actors = self.teacher if self.teacher and taught else self.actors
        while positions < self.settings.iteration:
            can_learn = self.owed >= 1 and len(self.buffer) >= self.settings.batch_size
            # Actors that are far ahead of the learner would play with old weights: they wait, if it can learn.
            if not can_learn or self.owed <= MOST_OWED * self.owed_by(self.settings.iteration):
                source.start(self.task())
            for played in source.collect(wait=not can_learn):
                self.buffer.add(played)
                self.recent.extend(played.games)
                positions += len(played.words)
                games += len(played.games)
                evaluations += played.evaluations
                self.owed += self.owed_by(len(played.words))
            if len(self.buffer) >= self.settings.batch_size and self.owed >= 1:
                now = time.monotonic()
                gradients = min(int(self.owed), LEARN_AT_ONCE)
                self.learn(gradients)
                self.owed -= gradients
                learned += time.monotonic() - now
        self.games += games
        seconds = time.monotonic() - began
        self.rates = {"games": games / seconds, "evaluations": evaluations / seconds, "learning": learned / seconds}
        self.log()

    def owed_by(self, positions: int) -> float:
        """Gradients that so many new positions pay for."""
        return positions * self.settings.reuse / self.settings.batch_size

    def learning_rate(self) -> float:
        """A short rise, then half a cosine down to a tenth."""
        fall = 0.55 + 0.45 * math.cos(math.pi * min(1.0, self.progress()))
        return self.settings.learning_rate * min(1.0, (self.gradients + 1) / WARM_UP) * fall

    def learn(self, gradients: int) -> None:
        """So many gradients, with the averaged weights following.

        Raises:
            FloatingPointError: the loss or its gradient is not finite; the weights are as they were before it.
        """
        given, device = self.settings, self.settings.device
        has_auxiliary = given.auxiliary > 0
        sums = dict.fromkeys(("policy", "value", "entropy", *(["auxiliary"] if has_auxiliary else [])), 0.0)
        for _ in range(gradients):
            for group in self.optimizer.param_groups:
                group["lr"] = self.learning_rate()
            batch = self.buffer.draw(given.batch_size, given.search_value, self.rng, auxiliary=has_auxiliary)
            planes, *others = map(torch.from_numpy, batch)
            planes = self.network.inputs(planes).to(device)
            masks, policies, values, full, *auxiliary = (tensor.to(device) for tensor in others)
            with torch.autocast(torch.device(device).type, torch.bfloat16, enabled=self.mixed):
                trunk = self.network.trunk(planes)
                logits, predicted = self.network.heads(trunk)
            trunk, logits, predicted = trunk.float(), logits.float(), predicted.float()
            log_probs = logits.masked_fill(masks == 0, -1e8).log_softmax(1)
            policy_loss = -((policies * log_probs).sum(1) * full).sum() / full.sum().clamp(min=1)
            value_loss = torch.nn.functional.mse_loss(predicted, values)
            loss = policy_loss + given.value * value_loss
            if has_auxiliary:
                auxiliary_loss = self.auxiliary.loss(trunk, *auxiliary)
                loss = loss + given.auxiliary * auxiliary_loss
                sums["auxiliary"] += auxiliary_loss.item()
            self.optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            norm = torch.nn.utils.clip_grad_norm_(self.learned, given.max_grad_norm)
            if not (loss.isfinite() and norm.isfinite()):
                raise FloatingPointError(
                    f"the loss is {loss.item()} and its gradient's length {norm.item()} in step {self.gradients + 1}; "
                    f"begin from {given.out}/policy.safetensors (--initial) in another folder, with a --learning-rate "
                    f"below {given.learning_rate}"
                )
            self.optimizer.step()
            self.gradients += 1
            # Early on, when every gradient makes a better network, the average looks back less far.
            stays = min(given.average, (1 + self.gradients) / (10 + self.gradients))
            with torch.no_grad():
                for mean, weight in zip(self.averaged.parameters(), self.network.parameters(), strict=True):
                    mean.lerp_(weight, 1 - stays)
            sums["policy"] += policy_loss.item()
            sums["value"] += value_loss.item()
            sums["entropy"] -= (log_probs.exp() * log_probs).sum(1).mean().item()
        self.losses = {name: total / max(1, gradients) for name, total in sums.items()}

    def statistics(self) -> dict[str, float]:
        """Of recent games: mean turns, the first seat's score, and the share of each reason to end."""
        recent = self.recent
        if not recent:
            return {}
        reasons = Counter(reason for _, reason, _ in recent)
        return {
            "turns": float(np.mean([turns for _, _, turns in recent])),
            "first_seat": float(np.mean([{0: 1.0, 1: 0.0}.get(winner, 0.5) for winner, _, _ in recent])),
            **{reason.name.lower(): reasons[reason.name.lower()] / len(recent) for reason in Reason},
        }

    def log(self) -> None:
        """Writes to TensorBoard, after every iteration.

        ``loss/policy`` is the cross-entropy from the searches' policies, ``loss/value`` the squared error,
        ``loss/entropy`` that of the network's policy, ``loss/auxiliary`` see `train.auxiliary`; ``games/*``
        describes recent games, see `statistics`; ``rate/games`` and ``rate/evaluations`` are self-play's a
        second, ``rate/learning`` the share of time spent on learning; ``rating/*`` is the last rating of each
        way to play; ``run/*`` counts.
        """
        counts = {"games": self.games, "gradients": self.gradients, "learning_rate": self.learning_rate()}
        groups = {
            "loss": self.losses,
            "games": self.statistics(),
            "rate": self.rates,
            "rating": self.ratings,
            "run": counts,
        }
        for group, values in groups.items():
            for name, value in values.items():
                self.writer.add_scalar(f"{group}/{name}", value, self.positions)
        self.writer.flush()

    def rate(self) -> None:
        """Plays the saved checkpoint against the anchors and draws the curve."""
        self.ratings = self.rater.rate(self.seconds)
        self.rated = self.seconds
        for name, elo in self.ratings.items():
            print(f"alphazero: {elo:.0f} Elo {name} after {self.seconds / 60:.0f} min", flush=True)

    def card(self) -> Card:
        """What the checkpoint says about itself."""
        training = {
            "algorithm": "Gumbel AlphaZero",
            "command": self.command,
            "seconds": round(self.seconds, 1),
            "games": self.games,
            "positions": self.positions,
            "gradients": self.gradients,
            "settings": asdict(self.settings),
            **({"initial": self.beginning} if self.beginning else {}),
        }
        return Card(self.rules, self.config.to_dict(), training)

    def save(self) -> None:
        """Writes the state, in one step, and then the checkpoint that is made from it."""
        state = {
            "network": self.network.state_dict(),
            "averaged": self.averaged.state_dict(),
            "auxiliary": self.auxiliary.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "buffer": {name: torch.from_numpy(self.in_use(array)) for name, array in self.buffer.arrays.items()},
            "written": self.buffer.written,
            "games": self.games,
            "gradients": self.gradients,
            "owed": self.owed,
            "seconds": self.seconds,
            "beginning": json.dumps(self.beginning),
            "generator": json.dumps(self.rng.bit_generator.state),
        }
        replace_file(self.folder / "state.pt", lambda path: torch.save(state, path))
        write_checkpoint(self.folder / "policy.safetensors", network_weights(self.averaged), self.card())

    def in_use(self, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The rows of a replay buffer's array that were written; torch stores uint64 as int64."""
        used = array[: min(self.buffer.written, len(array))]
        return used.view(np.int64) if used.dtype == np.uint64 else used

    def load(self) -> None:
        """Goes on from a saved state."""
        state = torch.load(self.folder / "state.pt", map_location=self.settings.device, weights_only=True)
        self.network.load_state_dict(state["network"])
        self.averaged.load_state_dict(state["averaged"])
        self.auxiliary.load_state_dict(state["auxiliary"])
        self.optimizer.load_state_dict(state["optimizer"])
        for name, array in self.buffer.arrays.items():
            saved = state["buffer"][name].cpu().numpy()
            array[: len(saved)] = saved.view(array.dtype)
        self.buffer.written = state["written"]
        self.games, self.gradients, self.owed = state["games"], state["gradients"], state["owed"]
        self.past_seconds = self.rated = state["seconds"]
        self.beginning = json.loads(state["beginning"])
        self.rng.bit_generator.state = json.loads(state["generator"])


def stages(first: int, last: int) -> tuple[int, ...]:
    """Numbers of visits from the first to the last, each double the one before.

    Example:
        >>> stages(16, 64)
        (16, 32, 64)
    """
    numbers = [last]
    while first and numbers[0] // 2 >= first:
        numbers.insert(0, numbers[0] // 2)
    return tuple(numbers)


def report(run: Run) -> Table:
    """The live display."""
    minutes = run.seconds / 60
    table = Table(title=f"{run.settings.rules}: {min(1.0, run.progress()):.0%} after {minutes:.1f} min")
    for heading in ("games", "positions", "games/s", "evaluations/s", "policy", "value", "entropy", "turns"):
        table.add_column(heading, justify="right")
    statistics = run.statistics()
    table.add_row(
        f"{run.games:,}",
        f"{run.positions:,}",
        f"{run.rates.get('games', 0):.2f}",
        f"{run.rates.get('evaluations', 0):,.0f}",
        *(f"{run.losses.get(name, math.nan):.3f}" for name in ("policy", "value", "entropy")),
        f"{statistics.get('turns', math.nan):.0f}",
    )
    shares = ", ".join(f"{name} {share:.0%}" for name, share in statistics.items() if name != "turns")
    table.caption = shares or None
    return table


def report_line(run: Run) -> str:
    """The display where there is no terminal to draw on."""
    losses = ", ".join(f"{name} {loss:.3f}" for name, loss in run.losses.items())
    return (
        f"{run.games:,} games, {run.positions:,} positions, {run.rates['games']:.2f} games/s, "
        f"{run.rates['evaluations']:,.0f} evaluations/s, {losses}"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Trains; returns the exit code."""
    settings = read_settings(arguments)
    given = sys.argv[1:] if arguments is None else arguments
    try:
        with alone_in(Path(settings.out)):
            return train(settings, shlex.join(["python", "-m", "train.alphazero", *given]))
    except OSError as error:
        print(f"alphazero: cannot use the folder {settings.out}: {error}", file=sys.stderr)
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
        replace_file(folder / "settings.json", lambda path: path.write_text(text + "\n"))
        for part in folder.glob(".*.part"):  # what a killed run was writing
            part.unlink()
        run = Run(settings, command, initial)
    except (CheckpointError, FileNotFoundError) as error:
        print(f"alphazero: cannot begin: {error}", file=sys.stderr)
        return 1
    console = Console()
    console.print_json(text)
    trees = max(1, settings.actors) * run.self_play.tree_bytes
    print(f"alphazero: replay buffer {run.buffer.nbytes / 1e6:.0f} MB, trees {trees / 1e6:.0f} MB", flush=True)
    if run.positions:
        print(f"alphazero: goes on after {run.games:,} games and {run.positions:,} positions", flush=True)

    # The first Ctrl-C ends training after the iteration in progress; the second ends the process.
    stop = False

    def interrupt(*_: object) -> None:
        nonlocal stop
        stop = True
        signal.signal(signal.SIGINT, signal.default_int_handler)

    before = signal.signal(signal.SIGINT, interrupt)

    # Train
    saved = run.started
    try:
        with Live(console=console, auto_refresh=False, transient=True) as live:
            while run.progress() < 1 and not stop:
                run.iterate()
                if console.is_terminal:
                    live.update(report(run), refresh=True)
                else:
                    print(report_line(run), flush=True)
                if time.monotonic() - saved > settings.save_seconds:
                    run.save()
                    saved = time.monotonic()
                if settings.rate_minutes and run.seconds - run.rated > 60 * settings.rate_minutes:
                    run.save()
                    run.rate()
        run.save()
        if settings.rate_minutes and not stop:
            run.rate()
    except (ActorError, FloatingPointError) as error:
        print(f"alphazero: {error}; what was saved in {folder} is intact", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"alphazero: cannot write to {folder}: {error}; the last save is whole", file=sys.stderr)
        return 1
    finally:
        signal.signal(signal.SIGINT, before)
        run.actors.close()
        run.writer.close()

    console.print(report(run))
    print(f"alphazero: {run.games:,} games in {run.seconds:.0f} s", end=", ")
    print(f"{'interrupted; the same command goes on' if stop else 'done'}: {folder / 'policy.safetensors'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
