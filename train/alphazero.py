"""AlphaZero: self-play by Gumbel search with the network's own averaged weights, and learning from it.

    python -m train.alphazero --rules boop --hours 2 --out runs/az
    python -m train.evaluate "az:runs/az/policy.safetensors?sims=64" greedy alphabeta:depth=2
    tensorboard --logdir runs

The same command goes on with a run that was interrupted, even by ``kill -9``, from its last save; its games
in progress are lost and begun anew. A folder that holds a run with other settings is refused.

Policies are learned from the improved policy of each search (Danihelka et al., 2022), values from a mixture
of how the game ended and what the search thought. Values belong to the player who acts in a position and
are never negated from step to step. Every position is learned in a random one of the board's symmetries.

What is in the folder of a run:

    policy.safetensors    the averaged weights: play them with "az:" or `boop_env.load_policy`
    state.pt              all that a run goes on from: weights, optimiser, replay buffer, counters, generator
    settings.json         the settings
    tensorboard/          the log; what it holds is said where it is written, in `log`

Memory: the replay buffer takes 54 bytes and two for each action number a position: 86 MB for 200,000 of
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
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from rich.console import Console
from rich.live import Live
from rich.table import Table
from torch.utils.tensorboard import SummaryWriter

from boop_env.envs.batch import BatchEnv
from boop_env.envs.planes import observe_states
from boop_env.policy.checkpoint import Card, replace_file, write_checkpoint
from boop_env.policy.inference import StateEvaluator, make_evaluator
from boop_env.policy.network import Network, NetworkConfig, build_network, network_weights
from boop_env.rules.game import Reason
from boop_env.rules.ruleset import PRESETS, RuleSet, ruleset
from boop_env.rules.states import States
from boop_env.rules.symmetry import symmetries, turn_states
from boop_env.search.lockstep import TreeSearch

# Settings


def setting(default: Any, help: str) -> Any:
    """A field with its line of explanation, which is also its flag's help."""
    return field(default=default, metadata={"help": help})


@dataclass(frozen=True)
class Settings:
    """Everything that can be set; each field is a flag."""

    rules: str = setting("boop", f"what to play: {', '.join(PRESETS)}")
    hours: float = setting(2.0, "how long to train, all in all")
    positions: int = setting(0, "how many positions of self-play to train for, instead of hours")
    out: str = setting("runs/alphazero", "folder of the run")
    seed: int = setting(0, "of weights and games")
    device: str = setting("cpu", "where the network runs and learns: cpu, cuda, ...")
    backend: str = setting("auto", "what runs the network in self-play: auto, torch or openvino")
    threads: int = setting(2, "CPU threads of torch; as many as there are cores")

    width: int = setting(64, "channels of the residual network")
    depth: int = setting(4, "residual blocks")

    games: int = setting(64, "games of self-play in lock step; more keep a large GPU busy")
    simulations: int = setting(32, "visits of each search")
    considered: int = setting(16, "moves that a search begins with, at most")
    value_scale: float = setting(0.25, "how much values change the policy in a search (c_scale)")
    opening: int = setting(6, "random steps at the start of a game, at most; each number is as likely")

    iteration: int = setting(4096, "positions of self-play between two rounds of learning")
    buffer: int = setting(200_000, "positions kept to learn from, the newest ones")
    reuse: float = setting(4.0, "times a position is learned from, on average")
    batch_size: int = setting(512, "positions in one gradient")
    learning_rate: float = setting(2e-3, "AdamW's rate at its highest, after a short rise; then it falls to a tenth")
    weight_decay: float = setting(1e-4, "AdamW's weight decay")
    search_value: float = setting(0.5, "share of the search's value in what values are learned from")
    value: float = setting(1.0, "weight of the value loss")
    average: float = setting(0.995, "how much of the averaged weights stays at each gradient")
    max_grad_norm: float = setting(1.0, "gradients longer than this are shortened to it")

    save_seconds: float = setting(120.0, "seconds between two saves")


MAY_CHANGE = ("hours", "positions", "out", "device", "backend", "threads", "save_seconds")
"""What may change when a run goes on; all else is as it began."""

WARM_UP = 100
"""Gradients over which the learning rate rises."""

MOST_STEPS_A_TURN = 3


def read_settings(arguments: Sequence[str] | None) -> Settings:
    """Settings from flags; ends the program where they make no sense or the folder holds another run."""
    parser = argparse.ArgumentParser(
        prog="python -m train.alphazero", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for f in fields(Settings):
        help_text = f"{f.metadata['help']} ({f.default})"
        parser.add_argument(f"--{f.name.replace('_', '-')}", type=type(f.default), default=f.default, help=help_text)
    settings = Settings(**vars(parser.parse_args(arguments)))
    if settings.rules not in PRESETS:
        parser.error(f"--rules {settings.rules}: the presets are {', '.join(PRESETS)}")
    least = settings.games * MOST_STEPS_A_TURN * ruleset(settings.rules).max_turns
    if settings.buffer < least:
        parser.error(f"--buffer {settings.buffer} could lose positions of games in progress; give {least} or more")
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


# What is learned from


class ReplayBuffer:
    """The newest positions of self-play, as arrays that never grow.

    A position is written before its game is over and learned from only afterwards.

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
            "finished": np.zeros(capacity, np.bool_),
        }
        self.written = 0

    def add(
        self, words: npt.NDArray[np.uint64], policies: npt.NDArray[np.float32], values: npt.NDArray[np.float32]
    ) -> npt.NDArray[np.int64]:
        """Writes positions with what their searches found; returns their rows, int64 ``(N,)``."""
        rows = (self.written + np.arange(len(words))) % len(self.arrays["words"])
        self.arrays["words"][rows] = words
        self.arrays["policies"][rows] = policies
        self.arrays["values"][rows] = values
        self.arrays["finished"][rows] = False
        self.written += len(words)
        return rows

    def finish(self, rows: npt.NDArray[np.int64], winner: int) -> None:
        """Notes how the game of these positions ended: 0 or 1 won, or -1 for nobody."""
        movers = States(self.rules, self.arrays["words"][rows]).movers
        self.arrays["results"][rows] = 0 if winner < 0 else np.where(movers == winner, 1, -1)
        self.arrays["finished"][rows] = True

    def __len__(self) -> int:
        return int(self.arrays["finished"].sum())

    def draw(
        self, batch_size: int, search_value: float, rng: np.random.Generator
    ) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
        """Positions of finished games at random, each in a random symmetry of the board.

        Returns:
            Planes ``(N, C, H, W)``, masks ``(N, num_actions)``, policies ``(N, num_actions)`` and values
            ``(N,)`` to learn; all for the player who acts.
        """
        rows = rng.choice(np.flatnonzero(self.arrays["finished"]), batch_size)
        table = symmetries(self.rules)
        which = rng.integers(0, len(table.cells), batch_size)
        planes, masks = observe_states(States(self.rules, turn_states(self.rules, self.arrays["words"][rows], which)))
        policies = np.empty((batch_size, self.rules.num_actions), np.float32)
        np.put_along_axis(policies, table.actions[which], self.arrays["policies"][rows].astype(np.float32), 1)
        results = self.arrays["results"][rows].astype(np.float32)
        values = (1 - search_value) * results + search_value * self.arrays["values"][rows]
        return planes, masks, policies, values


class SelfPlay:
    """Games of the network against itself, in lock step.

    Args:
        rules: what to play.
        settings: the run's.
        buffer: where positions go.
        rng: the source of chance.

    Attributes:
        games: games finished.
        recent: (winner, reason, turns) of the last games.
    """

    def __init__(self, rules: RuleSet, settings: Settings, buffer: ReplayBuffer, rng: np.random.Generator) -> None:
        self.buffer, self.rng, self.opening = buffer, rng, settings.opening
        seed = int(rng.integers(2**62))
        self.env = BatchEnv(rules, settings.games, seed=seed, threads=1, observation="states")
        self.search = TreeSearch(
            rules,
            settings.games,
            simulations=settings.simulations,
            considered=settings.considered,
            value_scale=settings.value_scale,
        )
        self.rows: list[list[int]] = [[] for _ in range(settings.games)]
        self.all = np.arange(settings.games)
        self.games = 0
        self.recent: deque[tuple[int, str, int]] = deque(maxlen=1000)
        self.play_openings(self.all)

    def play_openings(self, games: npt.NDArray[np.int64]) -> None:
        """Random steps in games that have just begun, each number of them as likely."""
        lengths = self.rng.integers(0, self.opening + 1, len(games))
        for number in range(self.opening):
            chosen = games[lengths > number]
            if len(chosen):
                self.env.advance(chosen, self.env.sample()[chosen])

    def step(self, evaluate: StateEvaluator) -> None:
        """One step of every game."""
        words = self.env.states.words.copy()
        self.search.plant(self.all, words, self.rng.integers(0, 2**64, len(words), np.uint64))
        found = self.search.run(evaluate)
        for rows, row in zip(self.rows, self.buffer.add(words, found.policies, found.values).tolist(), strict=True):
            rows.append(row)
        outcome, winner = self.env.advance(self.all, found.actions)
        over = np.flatnonzero(outcome)
        turns = States(self.env.rules, self.env.final_states[over]).turns
        for ended, length in zip(over, turns, strict=True):
            self.buffer.finish(np.array(self.rows[ended]), int(winner[ended]))
            self.rows[ended] = []
            self.recent.append((int(winner[ended]), Reason(int(outcome[ended])).name.lower(), int(length)))
        self.games += len(over)
        self.play_openings(over)


# The run


class Run:
    """One training run: what it has done and what it keeps on disk.

    Args:
        settings: its settings.
        command: the command that started it, for the checkpoint's card.
    """

    def __init__(self, settings: Settings, command: str) -> None:
        self.settings, self.command = settings, command
        self.folder = Path(settings.out)
        self.rules = ruleset(settings.rules)
        self.config = NetworkConfig("residual", settings.width, settings.depth)
        torch.manual_seed(settings.seed)
        self.rng = np.random.default_rng(settings.seed)
        self.network: Network = build_network(self.rules, self.config).to(settings.device)
        self.averaged = copy.deepcopy(self.network).requires_grad_(False)
        self.optimizer = torch.optim.AdamW(
            self.network.parameters(), settings.learning_rate, weight_decay=settings.weight_decay
        )
        self.buffer = ReplayBuffer(self.rules, settings.buffer)
        self.games = self.gradients = 0
        self.owed = 0.0
        self.past_seconds = 0.0
        self.rates: dict[str, float] = {}
        self.losses: dict[str, float] = {}
        if (self.folder / "state.pt").is_file():
            self.load()
        self.self_play = SelfPlay(self.rules, settings, self.buffer, self.rng)
        # What was logged after the last save happened in a past that is no more.
        self.writer = SummaryWriter(str(self.folder / "tensorboard"), purge_step=self.positions)
        self.started = time.monotonic()

    @property
    def positions(self) -> int:
        """Positions of self-play, those of lost games included."""
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

    def iterate(self) -> None:
        """Self-play, and the learning that its positions pay for."""
        began, positions, games = time.monotonic(), self.positions, self.self_play.games
        runner = make_evaluator(
            self.averaged,
            self.rules,
            device=self.settings.device,
            backend=self.settings.backend,  # type: ignore[arg-type]
        )
        evaluate = StateEvaluator(runner, self.rules)
        while self.positions < positions + self.settings.iteration:
            self.self_play.step(evaluate)
        played = time.monotonic()
        self.games += self.self_play.games - games
        self.owed += (self.positions - positions) * self.settings.reuse / self.settings.batch_size
        if len(self.buffer) >= self.settings.batch_size:
            self.learn(int(self.owed))
            self.owed %= 1
        self.rates = {
            "games": (self.self_play.games - games) / (played - began),
            "evaluations": evaluate.positions / (played - began),
            "learning": (time.monotonic() - played) / (time.monotonic() - began),
        }
        self.log()

    def learning_rate(self) -> float:
        """A short rise, then half a cosine down to a tenth."""
        fall = 0.55 + 0.45 * math.cos(math.pi * min(1.0, self.progress()))
        return self.settings.learning_rate * min(1.0, (self.gradients + 1) / WARM_UP) * fall

    def learn(self, gradients: int) -> None:
        """So many gradients, with the averaged weights following."""
        sums = {"policy": 0.0, "value": 0.0, "entropy": 0.0}
        device = self.settings.device
        for _ in range(gradients):
            for group in self.optimizer.param_groups:
                group["lr"] = self.learning_rate()
            batch = self.buffer.draw(self.settings.batch_size, self.settings.search_value, self.rng)
            planes, masks, policies, values = (torch.from_numpy(array).to(device) for array in batch)
            logits, predicted = self.network(planes)
            log_probs = logits.masked_fill(masks == 0, -1e8).log_softmax(1)
            policy_loss = -(policies * log_probs).sum(1).mean()
            value_loss = torch.nn.functional.mse_loss(predicted, values)
            self.optimizer.zero_grad()
            (policy_loss + self.settings.value * value_loss).backward()
            torch.nn.utils.clip_grad_norm_(self.network.parameters(), self.settings.max_grad_norm)
            self.optimizer.step()
            self.gradients += 1
            # Early on, when every gradient makes a better network, the average looks back less far.
            stays = min(self.settings.average, (1 + self.gradients) / (10 + self.gradients))
            with torch.no_grad():
                for mean, weight in zip(self.averaged.parameters(), self.network.parameters(), strict=True):
                    mean.lerp_(weight, 1 - stays)
            sums["policy"] += policy_loss.item()
            sums["value"] += value_loss.item()
            sums["entropy"] -= (log_probs.exp() * log_probs).sum(1).mean().item()
        self.losses = {name: total / max(1, gradients) for name, total in sums.items()}

    def statistics(self) -> dict[str, float]:
        """Of recent games: mean turns, the first seat's score, and the share of each reason to end."""
        recent = self.self_play.recent
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
        ``loss/entropy`` that of the network's policy; ``games/*`` describes recent games, see `statistics`;
        ``rate/games`` and ``rate/evaluations`` are self-play's a second, ``rate/learning`` the share of
        time spent on learning; ``run/*`` counts.
        """
        counts = {"games": self.games, "gradients": self.gradients, "learning_rate": self.learning_rate()}
        groups = {"loss": self.losses, "games": self.statistics(), "rate": self.rates, "run": counts}
        for group, values in groups.items():
            for name, value in values.items():
                self.writer.add_scalar(f"{group}/{name}", value, self.positions)
        self.writer.flush()

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
        }
        return Card(self.rules, self.config.to_dict(), training)

    def save(self) -> None:
        """Writes the state, in one step, and then the checkpoint that is made from it."""
        state = {
            "network": self.network.state_dict(),
            "averaged": self.averaged.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "buffer": {name: torch.from_numpy(self.in_use(array)) for name, array in self.buffer.arrays.items()},
            "written": self.buffer.written,
            "games": self.games,
            "gradients": self.gradients,
            "owed": self.owed,
            "seconds": self.seconds,
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
        self.optimizer.load_state_dict(state["optimizer"])
        for name, array in self.buffer.arrays.items():
            saved = state["buffer"][name].cpu().numpy()
            array[: len(saved)] = saved.view(array.dtype)
        self.buffer.written = state["written"]
        self.games, self.gradients, self.owed = state["games"], state["gradients"], state["owed"]
        self.past_seconds = state["seconds"]
        self.rng.bit_generator.state = json.loads(state["generator"])


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
    # Set up
    settings = read_settings(arguments)
    torch.set_num_threads(settings.threads)
    given = sys.argv[1:] if arguments is None else arguments
    folder = Path(settings.out)
    text = json.dumps(asdict(settings), indent=2)
    try:
        replace_file(folder / "settings.json", lambda path: path.write_text(text + "\n"))
        for part in folder.glob(".*.part"):  # what a killed run was writing
            part.unlink()
        run = Run(settings, shlex.join(["python", "-m", "train.alphazero", *given]))
    except OSError as error:
        print(f"alphazero: cannot use the folder {folder}: {error}", file=sys.stderr)
        return 1
    console = Console()
    console.print_json(text)
    trees, buffer = run.self_play.search.nbytes, sum(array.nbytes for array in run.buffer.arrays.values())
    print(f"alphazero: replay buffer {buffer / 1e6:.0f} MB, trees {trees / 1e6:.0f} MB", flush=True)
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
        run.save()
    except OSError as error:
        print(f"alphazero: cannot write to {folder}: {error}; the last save is whole", file=sys.stderr)
        return 1
    finally:
        signal.signal(signal.SIGINT, before)
        run.self_play.env.close()
        run.writer.close()

    console.print(report(run))
    print(f"alphazero: {run.games:,} games in {run.seconds:.0f} s", end=", ")
    print(f"{'interrupted; the same command goes on' if stop else 'done'}: {folder / 'policy.safetensors'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
