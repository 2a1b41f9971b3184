"""`BatchEnv`: many games of one rule set in step, arrays in and arrays out."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from boop_env.envs import steps
from boop_env.envs.planes import plane_shape
from boop_env.rules import kernel
from boop_env.rules.game import Game
from boop_env.rules.moves import IllegalMove
from boop_env.rules.ruleset import RuleSet, ruleset
from boop_env.rules.states import States
from boop_env.threads import available_cores

MIN_CHUNK = 64
"""Fewest games worth a thread of their own: handing them over costs about as much as stepping them."""


class BatchStep(NamedTuple):
    """What one step of every game brought; all arrays are the `BatchEnv`'s own buffers.

    They are written again by the next step: copy what must last.

    Attributes:
        planes: float32 ``(N, C, H, W)``, seen by the player who acts next; a finished game has
            restarted already. Empty, ``(N, 0, H, W)``, with ``observation="states"``.
        masks: int8 ``(N, num_actions)`` for that player.
        rewards: float32 ``(N, 2)``: +1 and -1 for player_0 and player_1 where a game was won, else 0.
        acted: int8 ``(N,)``, the player whose action this step was.
        mover: int8 ``(N,)``, the player who acts next.
        terminated: bool ``(N,)``, won on this step.
        truncated: bool ``(N,)``, reached the turn cap on this step.
        outcome: int8 ``(N,)``, 0 while a game goes on, else the value of its `Reason`.
        winner: int8 ``(N,)``, 0 or 1, -1 for none.
        final_states: uint64 ``(N, 6)``, the last position of the games that ended on this step; of
            others, whatever ended before.
        final_planes: float32 ``(N, C, H, W)``, its planes seen by its mover: the winner as a rule, and
            after truncation the player who would have moved.
    """

    planes: npt.NDArray[np.float32]
    masks: npt.NDArray[np.int8]
    rewards: npt.NDArray[np.float32]
    acted: npt.NDArray[np.int8]
    mover: npt.NDArray[np.int8]
    terminated: npt.NDArray[np.bool_]
    truncated: npt.NDArray[np.bool_]
    outcome: npt.NDArray[np.int8]
    winner: npt.NDArray[np.int8]
    final_states: npt.NDArray[np.uint64]
    final_planes: npt.NDArray[np.float32]


class BatchEnv:
    """N games of one rule set, stepped together; a finished game restarts by itself.

    One compiled call, without the GIL, steps every game and writes planes and masks into buffers
    that are allocated once. Same seed and same actions give the same games, whatever the number of
    threads. `torch.from_numpy` shares the memory of every array.

    Memory: the buffers and nothing else. A game takes ``8 C H W + num_actions + 126`` bytes with
    planes (`bytes_per_game` has the exact figure): 4.2 KiB for `boop`, 9.2 KiB for `halls`; and 0.3 KiB
    with ``observation="states"``.

    Example:
        >>> env = BatchEnv("boop", 1024, seed=1)
        >>> planes, masks = env.reset()
        >>> for _ in range(100):
        ...     step = env.step(env.sample())

    Args:
        rules: a preset's name or a `RuleSet`.
        num_envs: games, 1 or more.
        seed: seeds restarts, openings and `sample`.
        max_turns: another turn cap than the rule set's.
        threads: threads to step with; all cores this process may use when not given.
        opening_plies: steps played at random at the start of every game, for variety. An opening that ends the
            game is drawn again, and the hundredth stops before its last step, so very long ones may be shorter.
        observation: ``"planes"``, or ``"states"`` for those who store or ship positions: then planes
            stay empty, and the compact integer form is `states`, six uint64 words a game, from which
            `planes.observe_states` makes the very planes and masks whenever they are needed.

    Raises:
        ValueError: an argument is out of range; the message names it.
    """

    def __init__(
        self,
        rules: str | RuleSet = "boop",
        num_envs: int = 1024,
        *,
        seed: int = 0,
        max_turns: int | None = None,
        threads: int | None = None,
        opening_plies: int = 0,
        observation: str = "planes",
    ) -> None:
        rules = ruleset(rules)
        self.rules = rules if max_turns is None else replace(rules, max_turns=max_turns)
        for name, value, low in (
            ("num_envs", num_envs, 1),
            ("threads", threads, 1),
            ("opening_plies", opening_plies, 0),
        ):
            if value is not None and value < low:
                raise ValueError(f"{name}={value} is too small; give {low} or more")
        if opening_plies >= self.rules.max_turns:
            raise ValueError(
                f"opening_plies={opening_plies} could use up all of max_turns={self.rules.max_turns}; give fewer"
            )
        if observation not in ("planes", "states"):
            raise ValueError(f"observation={observation!r} is neither 'planes' nor 'states'")
        self.num_envs = num_envs
        self.num_actions = self.rules.num_actions
        self.opening_plies = opening_plies
        self.threads = threads or available_cores()
        self._make_pool()
        channels, height, width = plane_shape(self.rules)
        channels = channels if observation == "planes" else 0
        self._states = np.zeros((num_envs, kernel.STATE_WORDS), np.uint64)
        self._seeds = np.zeros(num_envs, np.uint64)
        self._actions = np.zeros(num_envs, np.int64)
        self._step = BatchStep(
            planes=np.zeros((num_envs, channels, height, width), np.float32),
            masks=np.zeros((num_envs, self.num_actions), np.int8),
            rewards=np.zeros((num_envs, 2), np.float32),
            acted=np.zeros(num_envs, np.int8),
            mover=np.zeros(num_envs, np.int8),
            terminated=np.zeros(num_envs, np.bool_),
            truncated=np.zeros(num_envs, np.bool_),
            outcome=np.zeros(num_envs, np.int8),
            winner=np.zeros(num_envs, np.int8),
            final_states=np.zeros((num_envs, kernel.STATE_WORDS), np.uint64),
            final_planes=np.zeros((num_envs, channels, height, width), np.float32),
        )
        # The compiled code sees all planes, and all masks, as one run of cells.
        self._planes = self._step.planes.reshape(-1)
        self._final_planes = self._step.final_planes.reshape(-1)
        self._masks = self._step.masks.reshape(-1)
        if channels:
            steps.write_all_fixed_planes(self.rules.tables, self._planes, num_envs)
            steps.write_all_fixed_planes(self.rules.tables, self._final_planes, num_envs)
        self.reset(seed=seed)

    @property
    def states(self) -> States:
        """The current positions; its words are this environment's own buffer."""
        return States(self.rules, self._states)

    @property
    def seeds(self) -> npt.NDArray[np.uint64]:
        """uint64 ``(N,)``, the state of each game's own generator, this environment's own buffer.

        With `states` it is all that the games go on from.
        """
        return self._seeds

    @property
    def planes(self) -> npt.NDArray[np.float32]:
        """float32 ``(N, C, H, W)``, as in `BatchStep`."""
        return self._step.planes

    @property
    def masks(self) -> npt.NDArray[np.int8]:
        """int8 ``(N, num_actions)``, as in `BatchStep`."""
        return self._step.masks

    @property
    def mover(self) -> npt.NDArray[np.int8]:
        """int8 ``(N,)``, the player to act in each game."""
        return self._step.mover

    @property
    def bytes_per_game(self) -> int:
        """Bytes of buffers for each game."""
        arrays = (*self._step, self._states, self._seeds, self._actions)
        return sum(array.nbytes for array in arrays) // self.num_envs

    def game(self, index: int) -> Game:
        """One of the games, as a `Game` that starts at its current position."""
        return Game.from_state(self.rules, self._states[index])

    def reset(self, *, seed: int | None = None) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int8]]:
        """Starts every game anew.

        Args:
            seed: seeds the generators again; without it they go on.

        Returns:
            Planes and masks, as in `BatchStep`.
        """
        if seed is not None:
            self._seeds[:] = np.random.SeedSequence(seed).generate_state(self.num_envs, np.uint64)
        self.restart(np.arange(self.num_envs))
        self.observe()
        return self._step.planes, self._step.masks

    def observe(self) -> BatchStep:
        """Writes planes, masks and movers of the current positions; for those who changed `states`."""
        steps.observe_games(self.rules.tables, self._states, self._planes, self._masks, self._step.mover)
        return self._step

    def step(self, actions: npt.ArrayLike) -> BatchStep:
        """Plays one action in every game.

        Args:
            actions: integers ``(N,)``, legal action numbers.

        Returns:
            The environment's buffers, written anew; see `BatchStep`.

        Raises:
            ValueError: not N actions.
            IllegalMove: an action is illegal; the message names the game, and nothing was played.
        """
        self._actions[:] = self.check(actions)
        self._run(0, self.num_envs)
        return self._step

    def check(self, actions: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """The actions of a `step` as int64 ``(N,)``, a new array; raises what `step` would, and plays nothing."""
        checked = check_actions(actions, self.num_envs)
        bad = steps.first_illegal(self.rules.tables, self._states, checked)
        if bad >= 0:
            self._refuse(bad, int(checked[bad]))
        return checked

    def sample(self) -> npt.NDArray[np.int64]:
        """A legal action for every game, each as likely: int64 ``(N,)``, a new array."""
        actions = np.empty(self.num_envs, np.int64)
        steps.sample_actions(self.rules.tables, self._states, self._seeds, actions)
        return actions

    def advance(
        self, games: npt.NDArray[np.int64], actions: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
        """Plays one action in some of the games, restarts those that end, and writes no planes.

        For adapters in which opponents answer before the learner looks; `observe` comes after.

        Args:
            games: int64 ``(K,)``, indices of games.
            actions: int64 ``(K,)``, legal action numbers.

        Returns:
            Outcome and winner of each of these games, int8 ``(K,)``, as in `BatchStep`; the last
            position of those that ended is in `final_states`.

        Raises:
            IllegalMove: an action is illegal; the message names the game, and nothing was played.
        """
        outcome = np.empty(len(games), np.int8)
        winner = np.empty(len(games), np.int8)
        bad = steps.advance_games(
            self.rules.tables,
            self.opening_plies,
            games,
            actions,
            self._states,
            self._seeds,
            outcome,
            winner,
            self._step.final_states,
        )
        if bad >= 0:
            self._refuse(int(games[bad]), int(actions[bad]))
        return outcome, winner

    def restart(self, games: npt.NDArray[np.int64]) -> None:
        """Starts some games anew, int64 ``(K,)`` indices, and writes no planes; `observe` comes after."""
        steps.restart_games(self.rules.tables, self.opening_plies, games, self._states, self._seeds)

    @property
    def final_states(self) -> npt.NDArray[np.uint64]:
        """uint64 ``(N, 6)``, the last position of the game that ended last in each place."""
        return self._step.final_states

    def close(self) -> None:
        """Ends the threads; the environment cannot step any more."""
        if self._pool:
            self._pool.shutdown()

    def _make_pool(self) -> None:
        self._pool = ThreadPoolExecutor(self.threads - 1) if self.threads > 1 else None
        self._pool_process = os.getpid()

    def _refuse(self, index: int, action: int) -> None:
        try:
            self.game(index).push(action)
        except IllegalMove as error:
            raise IllegalMove(f"game {index} of the batch, at {self.game(index)}: {error}") from None

    def _run(self, low: int, high: int) -> None:
        """Steps all games, in as many chunks as there are threads and enough games for."""
        if self._pool_process != os.getpid():  # a forked process has the pool, but not its threads
            self._make_pool()
        chunks = max(1, min(self.threads, (high - low) // MIN_CHUNK))
        bounds = np.linspace(low, high, chunks + 1).astype(int)
        pairs = list(pairwise(bounds))
        pending = [self._pool.submit(self._run_chunk, *pair) for pair in pairs[1:]] if self._pool else []
        self._run_chunk(*pairs[0])
        for future in pending:
            future.result()

    def _run_chunk(self, low: int, high: int) -> None:
        steps.step_games(
            self.rules.tables,
            self.opening_plies,
            low,
            high,
            self._actions,
            self._states,
            self._seeds,
            self._planes,
            self._masks,
            self._step.rewards,
            self._step.acted,
            self._step.mover,
            self._step.terminated,
            self._step.truncated,
            self._step.outcome,
            self._step.winner,
            self._step.final_states,
            self._final_planes,
        )


def check_actions(actions: npt.ArrayLike, num_envs: int) -> npt.NDArray[np.int64]:
    """The actions as int64 ``(num_envs,)``; ValueError when there are not so many, or no integers."""
    given = np.asarray(actions)
    if given.shape != (num_envs,) or given.dtype.kind not in "iu":
        raise ValueError(f"actions are {given.dtype} {given.shape}; give {num_envs} integers, one a game")
    return given.astype(np.int64)
