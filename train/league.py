"""The league that a learner trains in: whom it meets, how often, and what the results say of its strength.

Three kinds of opponents: *latest*, the learner as it is now; *past*, frozen copies of it; and *anchors*, scripted
bots, which do not change and keep the learner from going round in circles. Each kind has its share of the games.

Among frozen copies, those that are hard to beat are met most (prioritised fictitious self-play, Vinyals et al.,
2019): a copy is drawn with a weight of ``(1 - p) ** hardness``, ``p`` being the learner's score against it. Among
anchors, those near the learner's strength are: ``p (1 - p)``, as the paper does for its exploiters. An anchor that
always wins teaches little, and so does one that never does; where that is so of all of them, most of their games go to
the other kinds.

A copy enters the pool every so many steps. When the pool is full, the one that the learner scores best against
leaves it, the newest excepted.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from boop_env.arena.ratings import rating_among
from boop_env.bots.bot import Bot

WINDOW = 400
"""Games against each opponent that scores are taken from, the newest ones."""

ANCHOR_FLOOR = 0.03
"""Added to an anchor's weight, so that none is ever forgotten; the highest weight without it is 0.25."""

LEAST_USE = 0.2
"""What is left of the anchors' share when none of them is near the learner's strength."""

LATEST = "latest"

Kind = Literal["latest", "past", "anchor"]


@dataclass(eq=False)
class Member:
    """An opponent in the league.

    Attributes:
        bot: what plays; its name is the member's.
        kind: what it is.
        elo: its rating, None where it is not known: then it counts for no one else's.
        recent: (reward, learner's steps, learner's seat) of its last games.
        games: how many it played.
    """

    bot: Bot
    kind: Kind
    elo: float | None = None
    recent: deque[tuple[float, int, int]] = field(default_factory=lambda: deque(maxlen=WINDOW))
    games: int = 0

    @property
    def score(self) -> float:
        """The learner's score, 0 to 1, as if one more game had been won and one lost."""
        points = sum((reward + 1) / 2 for reward, _, _ in self.recent)
        return (points + 1) / (len(self.recent) + 2)

    def share(self, reward: int) -> float:
        """Share of recent games that ended with a reward of 1, 0 or -1; 0 when there are none."""
        return sum(found == reward for found, _, _ in self.recent) / max(1, len(self.recent))


class League:
    """The learner's opponents and its results against them.

    Args:
        latest: the learner itself, as a bot.
        anchors: scripted bots.
        elos: ratings of anchors by name, on the scale that the learner's will be on.
        shares: share of the games of each kind; what a kind cannot use goes to the others.
        pool_size: most frozen copies in the pool.
        active: frozen copies met at a time; few, so that each network sees large batches.
        hardness: the exponent in the weight of a frozen copy.
        rng: draws the copies.

    Attributes:
        members: by name, those included who left the pool while games against them go on.
        pool: names of the frozen copies, oldest first.
        games: games played, by all.
    """

    def __init__(
        self,
        latest: Bot,
        anchors: Sequence[Bot],
        *,
        elos: Mapping[str, float],
        shares: Mapping[Kind, float],
        pool_size: int,
        active: int,
        hardness: float,
        rng: np.random.Generator,
    ) -> None:
        self.members = {latest.name: Member(latest, "latest")}
        self.members |= {bot.name: Member(bot, "anchor", elos.get(bot.name)) for bot in anchors}
        self.shares, self.pool_size, self.active, self.hardness = shares, pool_size, active, hardness
        self.rng = rng
        self.pool: list[str] = []
        self.games = 0

    def admit(self, bot: Bot, elo: float | None) -> None:
        """Lets a frozen copy into the pool, with its rating where known; when it is full, the easiest one leaves."""
        self.members[bot.name] = Member(bot, "past", elo)
        self.pool.append(bot.name)
        if len(self.pool) > self.pool_size:
            self.pool.remove(max(self.pool[:-1], key=lambda name: self.members[name].score))

    def forget(self, playing: set[str]) -> None:
        """Drops copies that left the pool and that no game under way, named by `playing`, is against."""
        for name, member in list(self.members.items()):
            if member.kind == "past" and name not in self.pool and name not in playing:
                del self.members[name]

    def weights(self, kind: Kind) -> dict[str, float]:
        """How often each member of a kind ought to be met, as chances by name."""
        found = {}
        for name, member in self.members.items():
            if member.kind != kind or (kind == "past" and name not in self.pool):
                continue
            p = member.score
            found[name] = {"latest": 1.0, "past": (1 - p) ** self.hardness, "anchor": p * (1 - p) + ANCHOR_FLOOR}[kind]
        total = sum(found.values())
        return {name: weight / total for name, weight in found.items()}

    def use_of_anchors(self) -> float:
        """How much of their share anchors get: 1 when the learner is even with one of them, `LEAST_USE` at least."""
        scores = [member.score for member in self.members.values() if member.kind == "anchor"]
        return max([LEAST_USE, *(4 * p * (1 - p) for p in scores)])

    def matches(self) -> list[tuple[Bot, float]]:
        """The opponents of the games that start from now on, with weights; draws new frozen copies."""
        found: list[tuple[Bot, float]] = []
        for kind, share in self.shares.items():
            weights = self.weights(kind)
            if kind == "anchor":
                share *= self.use_of_anchors()
            if kind == "past" and weights:
                names = list(weights)
                count = min(self.active, len(names))
                drawn = self.rng.choice(len(names), count, replace=False, p=list(weights.values()))
                weights = {names[index]: 1 / count for index in drawn}
            found += [(self.members[name].bot, share * weight) for name, weight in weights.items()]
        return found

    def note(self, name: str, reward: float, steps: int, seat: int) -> None:
        """Takes note of a game that ended."""
        member = self.members[name]
        member.recent.append((float(reward), int(steps), int(seat)))
        member.games += 1
        self.games += 1

    def elo(self) -> tuple[float, float, float]:
        """The learner's rating, from its recent games against opponents with a rating, and its 95 % interval.

        All are 0 before there are such games.
        """
        rated = [
            (member.elo, sum((reward + 1) / 2 for reward, _, _ in member.recent), len(member.recent))
            for member in self.members.values()
            if member.elo is not None and member.recent
        ]
        return rating_among(rated) if rated else (0.0, 0.0, 0.0)

    def mean_steps(self) -> float:
        """Mean length of recent games, in steps of the learner."""
        lengths = [steps for member in self.members.values() for _, steps, _ in member.recent]
        return float(np.mean(lengths)) if lengths else 0.0

    def first_seat(self) -> float:
        """The first seat's score in recent games, the learner's two seats weighing alike; 0.5 without both."""
        found: dict[int, list[float]] = {0: [], 1: []}
        for member in self.members.values():
            for reward, _, seat in member.recent:
                found[seat].append((reward + 1) / 2)
        if not found[0] or not found[1]:
            return 0.5
        return float(np.mean(found[0]) + 1 - np.mean(found[1])) / 2

    def state_dict(self) -> dict[str, Any]:
        """All that the league goes on from, but for the bots, as plain values."""
        return {
            "members": [
                [name, member.kind, member.elo, member.games, [list(game) for game in member.recent]]
                for name, member in self.members.items()
            ],
            "pool": list(self.pool),
            "games": self.games,
            "rng": json.dumps(self.rng.bit_generator.state),
        }

    def load_state_dict(self, state: Mapping[str, Any], load: Callable[[str], Bot]) -> None:
        """Goes on where `state_dict` was taken.

        Args:
            state: what it gave.
            load: makes the bot of a frozen copy from its name.
        """
        members = {}
        for name, kind, elo, games, recent in state["members"]:
            bot = load(name) if kind == "past" else self.members[name].bot
            results = deque(((reward, steps, seat) for reward, steps, seat in recent), maxlen=WINDOW)
            members[name] = Member(bot, kind, elo, results, games)
        self.members = members
        self.pool = list(state["pool"])
        self.games = state["games"]
        self.rng.bit_generator.state = json.loads(state["rng"])
