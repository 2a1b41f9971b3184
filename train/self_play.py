"""Self-play for AlphaZero: games in lock step, played here, in processes, or on a Ray cluster.

An `Actor` plays games of the network against itself and hands over those that are finished. `make_actors`
says where actors live: one in this process, several in processes of their own, or on a cluster. All three
work alike: weights go out, positions of finished games come in, and an actor that dies is replaced by a new
one, its unfinished games lost. An actor's exception is no death: it is raised where its games are collected.
"""

from __future__ import annotations

import multiprocessing
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from multiprocessing.connection import wait as first_ready
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
import torch

from boop_env.bots.factory import make_bot
from boop_env.envs.batch import BatchEnv
from boop_env.policy.inference import Backend, Precision, StateEvaluator, make_evaluator
from boop_env.policy.network import NetworkConfig, build_network
from boop_env.rules.game import Reason
from boop_env.rules.ruleset import RuleSet
from boop_env.rules.states import States
from boop_env.search.lockstep import Evaluate, TreeSearch
from boop_env.search.lookahead import with_lookahead
from train.imitation import Imitation

Weights = dict[str, npt.NDArray[np.float32]]

SURPRISE_SHARE = 0.5
"""Share of a game's learning that goes to its positions by how much the search surprised the network."""

MOST_DEATHS = 3
"""Deaths of a process in the same place, with nothing delivered between them, that end the run."""


class ActorError(RuntimeError):
    """An actor raised an exception, or died again and again; the message says which and why."""


@dataclass(frozen=True)
class SelfPlayConfig:
    """How games are played.

    Attributes:
        rules: what to play.
        network: shape of the network.
        games: games in lock step.
        simulations: visits of a search, from the first stage of training to the last.
        quick_simulations: visits of a quick search, from which no policy is learned; 0 for none.
        full_share: share of the searches that are not quick, if there are quick ones.
        considered: moves that a search begins with, at most.
        value_scale: how much values change the policy (c_scale).
        proof_turns: placements that a proven win may need.
        lookahead: turns that alpha-beta looks ahead from each leaf, 0 for none.
        opening: random steps at the start of a game, at most.
        surprise: repeat positions that surprised the network more often.
        device: where the network runs.
        backend: what runs it.
        precision: what it computes in.
        threads: CPU threads of the network.
    """

    rules: RuleSet
    network: NetworkConfig
    games: int
    simulations: tuple[int, ...]
    quick_simulations: int
    full_share: float
    considered: int
    value_scale: float
    proof_turns: int
    lookahead: int
    opening: int
    surprise: bool
    device: str
    backend: Backend
    precision: Precision
    threads: int

    def search(self) -> TreeSearch:
        """The trees of one actor. A quick search is one more plan of the same trees."""
        quick = (self.quick_simulations,) if self.quick_simulations else ()
        return TreeSearch(
            self.rules,
            self.games,
            simulations=(*self.simulations, *quick),
            considered=self.considered,
            value_scale=self.value_scale,
            proof_turns=self.proof_turns,
        )

    @property
    def tree_bytes(self) -> int:
        """Bytes of the trees of one actor."""
        return self.search().nbytes


class Task(NamedTuple):
    """What an actor is asked for.

    Attributes:
        weights: of the network.
        stage: which of the numbers of simulations to search with.
        positions: how many positions of finished games to hand over, at least.
    """

    weights: Weights
    stage: int
    positions: int


class Played(NamedTuple):
    """Positions of finished games, a row each, and what is known of the games.

    Attributes:
        words: stored states, uint64 ``(N, 6)``.
        policies: the searches' policies, float16 ``(N, num_actions)``.
        values: the searches' values for the player to act, float32 ``(N,)``.
        results: how the game ended for that player, -1, 0 or 1, int8 ``(N,)``.
        full: whether the policy is one to learn from, bool ``(N,)``.
        finals: the last positions of the games, uint64 ``(N, 6)``.
        games: (winner or -1, reason, turns) of each game.
        evaluations: positions the network looked at meanwhile.
    """

    words: npt.NDArray[np.uint64]
    policies: npt.NDArray[np.float16]
    values: npt.NDArray[np.float32]
    results: npt.NDArray[np.int8]
    full: npt.NDArray[np.bool_]
    finals: npt.NDArray[np.uint64]
    games: list[tuple[int, str, int]]
    evaluations: int


class Actor:
    """Games of the network against itself, in lock step.

    Args:
        config: how to play.
        seed: of openings, searches and choices.
    """

    def __init__(self, config: SelfPlayConfig, seed: int) -> None:
        self.config = config
        self.rng = np.random.default_rng(seed)
        self.evaluator = make_evaluator(
            build_network(config.rules, config.network),
            device=config.device,
            backend=config.backend,
            precision=config.precision,
            threads=config.threads,
        )
        env_seed = int(self.rng.integers(2**62))
        self.env = BatchEnv(config.rules, config.games, seed=env_seed, threads=1, observation="states")
        self.search = config.search()
        self.steps: list[list[tuple[Any, ...]]] = [[] for _ in range(config.games)]
        self.all = np.arange(config.games)
        self.play_openings(self.all)

    def play(self, task: Task) -> Played:
        """Plays on until enough games have ended."""
        self.evaluator.load_weights(task.weights)
        network = StateEvaluator(self.evaluator, self.config.rules)
        evaluate = with_lookahead(network, self.config.lookahead, threads=self.config.threads)
        rows: list[tuple[Any, ...]] = []
        games: list[tuple[int, str, int]] = []
        while len(rows) < task.positions:
            self.step(evaluate, task.stage, rows, games)
        words, policies, values, results, full, finals = zip(*rows, strict=True)
        return Played(
            np.stack(words),
            np.stack(policies),
            np.array(values, np.float32),
            np.array(results, np.int8),
            np.array(full),
            np.stack(finals),
            games,
            network.positions,
        )

    def step(
        self, evaluate: Evaluate, stage: int, rows: list[tuple[Any, ...]], games: list[tuple[int, str, int]]
    ) -> None:
        """One step of every game; appends the positions and outcomes of those that end."""
        count = len(self.all)
        words = self.env.states.words.copy()
        movers = States(self.config.rules, words).movers
        full = np.ones(count, np.bool_)
        plans = np.full(count, stage)
        if self.config.quick_simulations:
            full = self.rng.random(count) < self.config.full_share
            plans[~full] = len(self.config.simulations)
        self.search.plant(self.all, words, self.rng.integers(0, 2**64, count, np.uint64), plans)
        found = self.search.run(evaluate)
        policies = found.policies.astype(np.float16)
        for game, steps in enumerate(self.steps):
            steps.append(
                (words[game], policies[game], found.values[game], movers[game], full[game], found.surprises[game])
            )
        outcome, winner = self.env.advance(self.all, found.actions)
        over = np.flatnonzero(outcome)
        turns = States(self.config.rules, self.env.final_states[over]).turns
        for ended, length in zip(over, turns, strict=True):
            rows += self.finished(self.steps[ended], int(winner[ended]), self.env.final_states[ended].copy())
            self.steps[ended] = []
            games.append((int(winner[ended]), Reason(int(outcome[ended])).name.lower(), int(length)))
        self.play_openings(over)

    def finished(
        self, steps: list[tuple[Any, ...]], winner: int, final: npt.NDArray[np.uint64]
    ) -> list[tuple[Any, ...]]:
        """The rows of a finished game; with `surprise`, some are repeated and some left out by chance."""
        rows = [
            (words, policy, value, 0 if winner < 0 else 1 if mover == winner else -1, full, final)
            for words, policy, value, mover, full, _ in steps
        ]
        if not self.config.surprise:
            return rows
        surprises = np.array([step[-1] if step[-2] else 0.0 for step in steps])
        mean = surprises.mean()
        weights = np.ones(len(rows)) if mean <= 0 else 1 - SURPRISE_SHARE + SURPRISE_SHARE * surprises / mean
        times = np.floor(weights + self.rng.random(len(rows))).astype(int)
        return [row for row, count in zip(rows, times, strict=True) for _ in range(count)]

    def play_openings(self, games: npt.NDArray[np.int64]) -> None:
        """Random steps in games that have just begun, each number of them as likely."""
        lengths = self.rng.integers(0, self.config.opening + 1, len(games))
        for number in range(self.config.opening):
            chosen = games[lengths > number]
            if len(chosen):
                self.env.advance(chosen, self.env.sample()[chosen])


# Where actors live


class Actors(Protocol):
    """One or more actors."""

    def start(self, task: Task) -> None:
        """Gives the task to every actor that has none."""

    def collect(self, wait: bool) -> list[Played]:
        """What has been played since; with `wait`, not before there is something, unless nobody plays."""

    def close(self) -> None:
        """Ends all actors."""


class ActorHere:
    """One actor in this process, which plays when its games are collected."""

    def __init__(self, config: SelfPlayConfig, seeds: Callable[[], int]) -> None:
        self.actor = Actor(config, seeds())
        self.task: Task | None = None

    def start(self, task: Task) -> None:
        """See `Actors.start`."""
        self.task = task

    def collect(self, wait: bool) -> list[Played]:
        """See `Actors.collect`."""
        task, self.task = self.task, None
        return [self.actor.play(task)] if task and wait else []

    def close(self) -> None:
        """See `Actors.close`."""
        self.actor.env.close()


class ActorProcesses:
    """Actors in processes of their own, each with one thread.

    Args:
        count: how many.
        config: how to play.
        seeds: gives each new actor its seed.

    `start` and `collect` raise an `ActorError` where an actor raised an exception or died too often.
    """

    def __init__(self, count: int, config: SelfPlayConfig, seeds: Callable[[], int]) -> None:
        self.config, self.seeds = replace(config, threads=1), seeds
        self.context = multiprocessing.get_context("spawn")
        self.connections: list[Connection] = []
        self.processes: list[Any] = []
        self.busy: set[int] = set()
        self.deaths = [0] * count  # since something was delivered
        for _ in range(count):
            self.hire(len(self.connections))

    def hire(self, index: int) -> None:
        """Starts an actor in a place, in the room of one that died if it is taken."""
        ours, theirs = self.context.Pipe()
        process = self.context.Process(target=work, args=(theirs, self.config, self.seeds()), daemon=True)
        process.start()
        theirs.close()
        self.connections[index : index + 1] = [ours]
        self.processes[index : index + 1] = [process]
        self.busy.discard(index)

    def replace_dead(self, index: int) -> None:
        """Puts a new actor in the place of a dead one and says so."""
        self.processes[index].join()
        code = self.processes[index].exitcode
        count_death(self.deaths, index, f"exit code {code}")
        self.connections[index].close()
        self.hire(index)

    def receive(self, index: int) -> list[Played]:
        """What an actor has sent, or nothing where it died."""
        try:
            answer = self.connections[index].recv()
        except (EOFError, OSError):  # an OSError where it died while it sent
            self.replace_dead(index)
            return []
        if isinstance(answer, str):
            raise ActorError(f"actor {index} failed: {answer}")
        self.busy.discard(index)
        self.deaths[index] = 0
        return [answer]

    def start(self, task: Task) -> None:
        """See `Actors.start`."""
        for index in range(len(self.connections)):
            if index not in self.busy:
                try:
                    self.connections[index].send(task)
                    self.busy.add(index)
                except OSError:
                    self.receive(index)  # it is dead, and may have said why

    def collect(self, wait: bool) -> list[Played]:
        """See `Actors.collect`."""
        found: list[Played] = []
        waiting = {self.connections[index]: index for index in self.busy}
        for connection in first_ready(list(waiting), None if wait else 0.0) if waiting else []:
            index = waiting[connection]  # type: ignore[index]  # only connections are waited for
            found += self.receive(index)
        return found

    def close(self) -> None:
        """See `Actors.close`."""
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            process.join()


def count_death(deaths: list[int], index: int, how: str) -> None:
    """Counts and tells an actor's death; an `ActorError` where it is one too many."""
    deaths[index] += 1
    if deaths[index] == MOST_DEATHS:
        raise ActorError(
            f"actor {index} died {MOST_DEATHS} times without playing (the last time: {how}); see whether "
            "there is enough memory, or give fewer --actors"
        )
    print(f"self-play: actor {index} died ({how}); a new one takes its place", file=sys.stderr)


def work(connection: Connection, config: SelfPlayConfig, seed: int) -> None:
    """Plays what is asked for until the other end is gone; the main function of an actor's process.

    An exception ends it, too, and is sent as text.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; the learner decides
    torch.set_num_threads(config.threads)
    try:
        actor = Actor(config, seed)
        while True:
            connection.send(actor.play(connection.recv()))
    except Exception as error:
        with suppress(OSError):  # the other end is gone
            connection.send(f"{type(error).__name__}: {error}")


class RayActors:
    """Actors on a Ray cluster, one core each.

    Args:
        address: of the cluster; ``"local"`` begins one on this machine.
        count: how many actors.
        config: how to play.
        seeds: gives each new actor its seed.

    `collect` raises an `ActorError` where an actor raised an exception or died too often.

    Raises:
        ImportError: Ray is not installed.
    """

    def __init__(self, address: str, count: int, config: SelfPlayConfig, seeds: Callable[[], int]) -> None:
        import ray

        self.ray = ray
        self.config, self.seeds = replace(config, threads=1), seeds
        if not ray.is_initialized():
            ray.init(address, log_to_driver=False, include_dashboard=False)
        self.actors = [self.hire() for _ in range(count)]
        self.playing: dict[Any, int] = {}
        self.deaths = [0] * count  # since something was delivered

    def hire(self) -> Any:
        """A new actor."""
        return self.ray.remote(num_cpus=1)(Actor).remote(self.config, self.seeds())

    def start(self, task: Task) -> None:
        """See `Actors.start`."""
        idle = set(range(len(self.actors))) - set(self.playing.values())
        if idle:
            shared = self.ray.put(task)
            for index in idle:
                self.playing[self.actors[index].play.remote(shared)] = index

    def collect(self, wait: bool) -> list[Played]:
        """See `Actors.collect`."""
        if not self.playing:
            return []
        ready, _ = self.ray.wait(list(self.playing), num_returns=1, timeout=None if wait else 0)
        found = []
        for reference in ready:
            index = self.playing.pop(reference)
            try:
                found.append(self.ray.get(reference))
                self.deaths[index] = 0
            except self.ray.exceptions.RayActorError as error:
                count_death(self.deaths, index, str(error))
                self.actors[index] = self.hire()
            except self.ray.exceptions.RayTaskError as error:
                raise ActorError(f"actor {index} failed: {error.cause!r}") from error
        return found

    def close(self) -> None:
        """See `Actors.close`."""
        for actor in self.actors:
            self.ray.kill(actor)


class Teacher:
    """A scripted bot that plays in the actors' place, for a run to begin with.

    Its moves are the policies, and how the games ended are the values.

    Args:
        rules: what to play.
        bot: the spec of the bot.
        games: games in step.
        opening: random steps at the start of a game, at most.
        seed: of games and chance.
    """

    def __init__(self, rules: RuleSet, bot: str, games: int, opening: int, seed: int) -> None:
        self.rules = rules
        self.lessons = Imitation(rules, make_bot(bot), games, opening=opening, seed=seed)

    def start(self, task: Task) -> None:
        """See `Actors.start`."""

    def collect(self, wait: bool) -> list[Played]:
        """See `Actors.collect`."""
        if not wait:
            return []
        lessons = self.lessons.play()
        over = lessons.finished
        policies = np.zeros((int(over.sum()), self.rules.num_actions), np.float16)
        policies[np.arange(len(policies)), lessons.actions[over]] = 1
        values = lessons.values[over]
        full = np.ones(len(values), np.bool_)
        results = values.astype(np.int8)
        return [Played(lessons.words[over], policies, values, results, full, lessons.finals[over], [], 0)]

    def close(self) -> None:
        """See `Actors.close`."""
        self.lessons.env.close()


def make_actors(
    config: SelfPlayConfig, seeds: Callable[[], int], *, processes: int = 0, ray_address: str = ""
) -> Actors:
    """The actors asked for: on a cluster, in processes, or one here when there are to be no processes."""
    if ray_address:
        return RayActors(ray_address, max(1, processes), config, seeds)
    return ActorProcesses(processes, config, seeds) if processes else ActorHere(config, seeds)
