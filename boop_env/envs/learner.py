"""One learner against opponents, in many games at once: what `versus` and `sb3` are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from boop_env.bots.bot import Bot
from boop_env.bots.factory import make_bot
from boop_env.envs.batch import BatchEnv, check_actions
from boop_env.envs.planes import observe_sides
from boop_env.rules.game import Game, Reason
from boop_env.rules.position import InvalidPosition
from boop_env.rules.ruleset import RuleSet
from boop_env.rules.states import States

Opponents = str | Bot | Sequence[str | Bot | tuple[str | Bot, float]]
"""A bot or its spec, or several; in a pair with a number, it is met as often as the number says, as a weight."""


@dataclass(frozen=True)
class Ended:
    """A game that ended.

    Attributes:
        index: which of the games.
        reward: the learner's +1, -1, or 0.
        winner: 0, 1, or None.
        reason: why, None where the learner lost by an illegal action.
        seat: where the learner sat.
        opponent: the opponent's name.
        turns: whole turns completed.
        steps: steps of the learner.
        planes: float32 ``(C, H, W)``, the last position seen by the learner.
        words: uint64 ``(6,)``, the last position.
    """

    index: int
    reward: float
    winner: int | None
    reason: Reason | None
    seat: int
    opponent: str
    turns: int
    steps: int
    planes: npt.NDArray[np.float32]
    words: npt.NDArray[np.uint64]

    @property
    def info(self) -> dict[str, object]:
        """The same as plain values, for the info dictionaries of environments."""
        return {
            "winner": self.winner,
            "reason": self.reason.name.lower() if self.reason else "illegal_action",
            "seat": self.seat,
            "opponent": self.opponent,
            "turns": self.turns,
        }


class LearnerGames:
    """N games in which opponents answer until the learner is to act in every one.

    An opponent is asked about all the games that wait for it in one call. A game that ends restarts
    at once, with a new seat and opponent; the reward is the learner's whoever made the last move.

    Args:
        rules: a preset's name or a `RuleSet`.
        num_envs: games.
        opponents: bots or specs, or pairs of one and its weight; one is drawn for each game.
        seed: seeds seats, opponents, openings and what the opponents do.
        seat: the learner's seat, 0, 1, or ``"random"`` for each game.
        max_turns: another turn cap than the rule set's.
        opening_plies: steps played at random at the start of every game, or the fewest and the most of them,
            for games that start with one number after another, drawn at each step; after a reset, the fewest.
        threads: threads of the `BatchEnv`.
        illegal_loses: an illegal action of the learner loses its game instead of raising.

    Raises:
        ValueError: an argument is out of range; the message names it.
    """

    def __init__(
        self,
        rules: str | RuleSet,
        num_envs: int,
        opponents: Opponents,
        *,
        seed: int = 0,
        seat: int | str = "random",
        max_turns: int | None = None,
        opening_plies: int | tuple[int, int] = 0,
        threads: int | None = None,
        illegal_loses: bool = False,
    ) -> None:
        if seat not in (0, 1, "random"):
            raise ValueError(f"seat={seat!r} is not 0, 1 or 'random'")
        self._opening = opening_plies if isinstance(opening_plies, tuple) else (opening_plies, opening_plies)
        if self._opening[0] > self._opening[1]:
            raise ValueError(f"opening_plies={opening_plies} has its fewest above its most")
        self.batch = BatchEnv(
            rules, num_envs, seed=seed, max_turns=max_turns, opening_plies=self._opening[0], threads=threads
        )
        if self.rules.max_turns < self._opening[1] + 2:
            raise ValueError(
                f"max_turns={self.rules.max_turns} leaves the learner no turn after opening_plies={opening_plies}; "
                f"give {self._opening[1] + 2} or more"
            )
        self.illegal_loses = illegal_loses
        self.seat_option = seat
        self.seats = np.zeros(num_envs, np.int8)
        self.set_opponents(opponents)
        self.reset(seed=seed)

    @property
    def rules(self) -> RuleSet:
        """The rule set, with the turn cap that holds."""
        return self.batch.rules

    @property
    def num_envs(self) -> int:
        """How many games."""
        return self.batch.num_envs

    @property
    def planes(self) -> npt.NDArray[np.float32]:
        """float32 ``(N, C, H, W)``, seen by the learner, who is to act; written again by each step."""
        return self.batch.planes

    @property
    def masks(self) -> npt.NDArray[np.int8]:
        """int8 ``(N, num_actions)``; written again by each step."""
        return self.batch.masks

    def sample(self) -> npt.NDArray[np.int64]:
        """A legal action of the learner for every game, each as likely: int64 ``(N,)``, a new array."""
        return self.batch.sample()

    def set_opponents(self, opponents: Opponents) -> None:
        """Changes the pool; games under way go on against whom they began with."""
        several = [opponents] if isinstance(opponents, (str, Bot)) else opponents
        pairs = [pair if isinstance(pair, tuple) else (pair, 1.0) for pair in several]
        weights = np.array([weight for _, weight in pairs], np.float64)
        if not pairs or not (weights >= 0).all() or weights.sum() == 0:
            raise ValueError(f"opponents={opponents!r}: give one or more bots, with weights that are not all 0")
        self._pool = [make_bot(bot) for bot, _ in pairs]
        self._weights = weights / weights.sum()

    @property
    def opponents(self) -> set[str]:
        """Names of the bots that games under way are played against."""
        return {bot.name for bot in self._opponents}

    def state_dict(self) -> dict[str, Any]:
        """All that the games and their chances go on from; arrays are copies, opponents are named.

        Returns:
            ``words``, ``seeds``, ``seats``, ``steps``: arrays ``(N, ...)``; ``opponents``: N names; ``rng``:
            the state of the generator, plain values.
        """
        return {
            "words": self.batch.states.words.copy(),
            "seeds": self.batch.seeds.copy(),
            "seats": self.seats.copy(),
            "steps": self._steps.copy(),
            "opponents": [bot.name for bot in self._opponents],
            "rng": self._rng.bit_generator.state,
        }

    def load_state_dict(self, state: Mapping[str, Any], bots: Mapping[str, Bot]) -> None:
        """Goes on exactly where `state_dict` was taken.

        Args:
            state: what it gave, for as many games.
            bots: the opponents by name; the very bots of the pool, for each bot is asked once for all its games.

        Raises:
            ValueError: the state is for another number of games, or names a bot that is not given.
        """
        if len(state["words"]) != self.num_envs:
            raise ValueError(f"the state holds {len(state['words'])} games, and there are {self.num_envs}")
        missing = set(state["opponents"]) - bots.keys()
        if missing:
            raise ValueError(f"no bot is given for the opponents {', '.join(sorted(missing))}")
        self.batch.states.words[:] = state["words"]
        self.batch.seeds[:] = state["seeds"]
        self.seats[:] = state["seats"]
        self._steps[:] = state["steps"]
        for game, name in enumerate(state["opponents"]):
            self._opponents[game] = bots[name]
        self._rng.bit_generator.state = state["rng"]
        self.batch.observe()

    def reset(self, *, seed: int | None = None, position: str | None = None) -> None:
        """Starts every game anew; with a seed the generators, too.

        Args:
            seed: seeds the generators again; without it they go on.
            position: a position text that every game starts from this once, instead of the beginning.

        Raises:
            InvalidPosition: the position cannot be read, or is over; nothing was reset.
            ValueError: an opponent ends the game from there before the learner is to act; the games have
                then started from the beginning.
        """
        game = None if position is None else Game.from_position(self.rules, position)
        if game is not None and game.is_over:
            raise InvalidPosition("phase", f"{position!r} is over; give a position to play from")
        if seed is not None:
            self._rng = np.random.default_rng([seed, 1])
        self.batch.opening_plies = self._opening[0]
        self.batch.reset(seed=seed)
        if game is not None:
            self.batch.states.words[:] = game.state
        self._opponents = np.empty(self.num_envs, object)
        self._steps = np.zeros(self.num_envs, np.int64)
        self._draw(np.arange(self.num_envs))
        ended: list[Ended] = []
        self._answer(ended)
        if game is not None and ended:
            self.reset()
            raise ValueError(
                f"position={position!r}: the opponent {ended[0].opponent} ends the game before the learner, in seat "
                f"{ended[0].seat}, is to act; give another position or seat"
            )

    def step(self, actions: npt.ArrayLike) -> list[Ended]:
        """Plays the learner's action in every game, then the opponents' until the learner acts in all.

        Args:
            actions: integers ``(N,)``, legal action numbers.

        Returns:
            The games that ended; they have restarted. `planes` and `masks` are written anew.

        Raises:
            ValueError: not N integers.
            IllegalMove: an action is illegal, and does not lose; nothing was played.
        """
        chosen = check_actions(actions, self.num_envs) if self.illegal_loses else self.batch.check(actions)
        games = np.arange(self.num_envs)
        ended: list[Ended] = []
        self._steps += 1
        if self._opening[0] < self._opening[1]:
            self.batch.opening_plies = int(self._rng.integers(self._opening[0], self._opening[1] + 1))
        if self.illegal_loses:
            known = (chosen >= 0) & (chosen < self.rules.num_actions)
            legal = known & (self.masks[games, np.where(known, chosen, 0)] == 1)
            self._forfeit(games[~legal], ended)
            games, chosen = games[legal], chosen[legal]
        outcome, winner = self.batch.advance(games, chosen)
        self._finish(games, outcome, winner, ended)
        self._answer(ended)
        # A game that the opponent ended before the learner had a move is no experience of hers.
        return [end for end in ended if end.steps]

    def _forfeit(self, games: npt.NDArray[np.int64], ended: list[Ended]) -> None:
        """Ends games in which the learner chose an illegal action, where they stand."""
        if not len(games):
            return
        turns = self.batch.states.turns
        for game in games:
            seat = int(self.seats[game])
            ended.append(
                Ended(
                    index=int(game),
                    reward=-1.0,
                    winner=1 - seat,
                    reason=None,
                    seat=seat,
                    opponent=self._opponents[game].name,
                    turns=int(turns[game]),
                    steps=int(self._steps[game]),
                    planes=self.planes[game].copy(),
                    words=self.batch.states.words[game].copy(),
                )
            )
        self.batch.restart(games)
        self._draw(games)

    def _draw(self, games: npt.NDArray[np.int64]) -> None:
        """New seats and opponents for games that start."""
        if self.seat_option == "random":
            self.seats[games] = self._rng.integers(0, 2, len(games))
        else:
            self.seats[games] = self.seat_option
        for game, index in zip(games, self._rng.choice(len(self._pool), len(games), p=self._weights), strict=True):
            self._opponents[game] = self._pool[index]
        self._steps[games] = 0

    def _answer(self, ended: list[Ended]) -> None:
        """Lets the opponents play until the learner is to act everywhere, and looks."""
        words = self.batch.states.words
        while True:
            waiting = np.flatnonzero(self.batch.states.movers != self.seats)
            if not len(waiting):
                break
            bots = self._opponents[waiting]
            for bot in dict.fromkeys(bots):
                games = waiting[bots == bot]
                actions = bot.choose(States(self.rules, words[games]), self._rng)
                outcome, winner = self.batch.advance(games, actions)
                self._finish(games, outcome, winner, ended)
        self.batch.observe()

    def _finish(
        self,
        games: npt.NDArray[np.int64],
        outcome: npt.NDArray[np.int8],
        winner: npt.NDArray[np.int8],
        ended: list[Ended],
    ) -> None:
        """Takes note of the games that ended, and gives the new ones a seat and an opponent."""
        over = np.flatnonzero(outcome)
        if not len(over):
            return
        games, outcome, winner = games[over], outcome[over], winner[over]
        final = States(self.rules, self.batch.final_states[games])
        seen = observe_sides(final, (final.movers != self.seats[games]).astype(np.int8))
        for row, game in enumerate(games):
            seat = int(self.seats[game])
            won = int(winner[row])
            ended.append(
                Ended(
                    index=int(game),
                    reward=0.0 if won < 0 else 1.0 if won == seat else -1.0,
                    winner=None if won < 0 else won,
                    reason=Reason(int(outcome[row])),
                    seat=seat,
                    opponent=self._opponents[game].name,
                    turns=int(final.turns[row]),
                    steps=int(self._steps[game]),
                    planes=seen[row],
                    words=final.words[row],
                )
            )
        self._draw(games)
