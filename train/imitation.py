"""Learning to play as a scripted bot does, before learning by playing: a warm start for PPO.

A teacher plays both seats of many games. Now and then a random move is played in place of the teacher's, so that
the positions are not only those that the teacher would come to (as in DART, Laskey et al., 2017); what is learned
is the teacher's move all the same. Values are learned from how the games end. AlphaGo began like this, with people
as teachers (Silver et al., 2016).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from boop_env.bots.bot import Bot
from boop_env.envs.batch import BatchEnv
from boop_env.envs.planes import observe_states
from boop_env.policy.network import Network
from boop_env.rules.ruleset import RuleSet
from boop_env.rules.states import States
from boop_env.rules.symmetry import symmetries, turn_states

NOISE = 0.15
"""Share of random moves."""

PLIES = 64
"""Steps of every game between two rounds of learning."""

ILLEGAL = -1e8
"""Logit of an illegal action."""


class Lessons(NamedTuple):
    """Positions and what to learn in them.

    Attributes:
        words: stored states, uint64 ``(N, 6)``.
        actions: the teacher's, int64 ``(N,)``.
        values: how the game ended for the player who acts, float32 ``(N,)``, 0 where it was not over yet.
        finished: whether it was, bool ``(N,)``.
        finals: the last position of its game, uint64 ``(N, 6)``, zeros where it was not over yet.
    """

    words: npt.NDArray[np.uint64]
    actions: npt.NDArray[np.int64]
    values: npt.NDArray[np.float32]
    finished: npt.NDArray[np.bool_]
    finals: npt.NDArray[np.uint64]


class Imitation:
    """Games of a teacher, and learning from them.

    Args:
        rules: what to play.
        teacher: who is imitated.
        num_envs: games in step.
        opening: most random steps at the start of a game.
        seed: of games, noise and the teacher's chance.
    """

    def __init__(self, rules: RuleSet, teacher: Bot, num_envs: int, *, opening: int, seed: int) -> None:
        self.rules, self.teacher, self.opening = rules, teacher, opening
        self.env = BatchEnv(rules, num_envs, seed=seed, observation="states")
        self.rng = np.random.default_rng([seed, 4])

    def play(self) -> Lessons:
        """`PLIES` steps of every game."""
        count = self.env.num_envs
        words = np.empty((PLIES, count, 6), np.uint64)
        actions = np.empty((PLIES, count), np.int64)
        movers = np.empty((PLIES, count), np.int8)
        ends = np.zeros((PLIES, count), np.int8)
        winners = np.empty((PLIES, count), np.int8)
        finals = np.zeros((PLIES, count, 6), np.uint64)
        for ply in range(PLIES):
            self.env.opening_plies = int(self.rng.integers(0, self.opening + 1))
            words[ply] = self.env.states.words
            movers[ply] = self.env.states.movers
            actions[ply] = self.teacher.choose(self.env.states, self.rng)
            noise = self.rng.random(count) < NOISE
            played = np.where(noise, self.env.sample(), actions[ply])
            ends[ply], winners[ply] = self.env.advance(np.arange(count), played)
            finals[ply] = self.env.final_states
        values, finished = outcomes(ends, winners, movers)
        for ply in reversed(range(PLIES - 1)):
            going_on = ends[ply] == 0
            finals[ply, going_on] = finals[ply + 1, going_on]
        finals[~finished] = 0
        return Lessons(
            words.reshape(-1, 6), actions.reshape(-1), values.reshape(-1), finished.reshape(-1), finals.reshape(-1, 6)
        )

    def learn(
        self,
        network: Network,
        optimizer: torch.optim.Optimizer,
        lessons: Lessons,
        batch_size: int,
        *,
        epochs: int = 1,
        mixed: bool = False,
    ) -> dict[str, float]:
        """Learns every position `epochs` times, in a random symmetry of the board; `mixed` as in `Network.look`.

        Returns:
            Means over the batches: cross-entropy and accuracy of the policy, squared error of the value.
        """
        table = symmetries(self.rules)
        device = next(network.parameters()).device
        found: list[tuple[float, float, float]] = []
        count = len(lessons.words)
        order = np.concatenate([self.rng.permutation(count) for _ in range(epochs)])
        for rows in np.array_split(order, max(1, len(order) // batch_size)):
            which = self.rng.integers(0, len(table.cells), len(rows))
            states = States(self.rules, turn_states(self.rules, lessons.words[rows], which))
            planes, masks = (torch.from_numpy(array).to(device) for array in observe_states(states))
            actions = torch.from_numpy(table.actions[which, lessons.actions[rows]]).to(device)
            values = torch.from_numpy(lessons.values[rows]).to(device)
            finished = torch.from_numpy(lessons.finished[rows]).to(device)
            logits, guessed = network.look(planes, mixed=mixed)
            logits = logits.masked_fill(masks == 0, ILLEGAL)
            policy_loss = torch.nn.functional.cross_entropy(logits, actions)
            value_loss = ((guessed - values).square() * finished).sum() / finished.sum().clamp(min=1)
            optimizer.zero_grad()
            (policy_loss + value_loss).backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            accuracy = (logits.argmax(1) == actions).float().mean()
            found.append((policy_loss.item(), accuracy.item(), value_loss.item()))
        means = np.mean(found, axis=0)
        return dict(zip(("policy_loss", "accuracy", "value_loss"), map(float, means), strict=True))

    def state_dict(self) -> dict[str, Any]:
        """All that the games and their chances go on from."""
        return {
            "words": self.env.states.words.copy(),
            "seeds": self.env.seeds.copy(),
            "rng": json.dumps(self.rng.bit_generator.state),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Goes on where `state_dict` was taken."""
        self.env.states.words[:] = state["words"]
        self.env.seeds[:] = state["seeds"]
        self.rng.bit_generator.state = json.loads(state["rng"])


def outcomes(
    ends: npt.NDArray[np.int8], winners: npt.NDArray[np.int8], movers: npt.NDArray[np.int8]
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
    """How the game of each position ended, for the player who acts in it.

    Args:
        ends: int8 ``(T, N)``, not 0 where a game ended on that step.
        winners: int8 ``(T, N)``, 0, 1, or -1 for nobody, where it did.
        movers: int8 ``(T, N)``, who acted.

    Returns:
        Values of 1, -1 and 0, float32 ``(T, N)``, and whether the game ended at all, bool ``(T, N)``.
    """
    values = np.zeros(ends.shape, np.float32)
    finished = np.zeros(ends.shape, np.bool_)
    winner = np.full(ends.shape[1], -1, np.int8)
    over = np.zeros(ends.shape[1], np.bool_)
    for ply in reversed(range(len(ends))):
        now = ends[ply] != 0
        winner = np.where(now, winners[ply], winner)
        over |= now
        values[ply] = np.where(winner < 0, 0, np.where(winner == movers[ply], 1, -1))
        finished[ply] = over
    return values, finished
