"""Ratings: one maximum-likelihood fit over all games, with intervals, and what one score says.

The model is Bradley and Terry's with Davidson's draws (Davidson, 1970) and a first-seat term. With
strengths ``a`` of player_0 and ``b`` of player_1, both natural logarithms of odds::

    win of player_0 : win of player_1 : draw  =  e^(a + h) : e^b : v * e^((a + h + b) / 2)

Elo is a strength times 400 / ln 10. A truncated game counts as a draw, worth half a win.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq, minimize
from scipy.sparse.csgraph import connected_components
from scipy.special import expit
from scipy.stats import norm

from boop_env.arena.records import GameRecord, pairing

ELO = 400 / math.log(10)
"""Elo points of one natural logarithm of odds."""

CONFIDENCE = 0.95

VIRTUAL_WINS = 0.5
"""The prior: each side of a pairing that met is given this much of a win over the other.

It keeps the rating of an undefeated bot finite, at about what half a loss would say, and weighs
next to nothing beside a hundred games.
"""

SEAT_PRIOR = 1.0
"""Standard deviation of the normal prior of the first-seat term, 174 Elo."""

DRAW_PRIOR = (-3.0, 3.0)
"""Mean and standard deviation of the normal prior of ``log v``; the mean is one draw in 40 games."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Rating:
    """One bot's rating.

    Attributes:
        name: the bot.
        elo: its rating; the anchor's is 0.
        low: the lower end of the 95 % interval of its distance from the anchor.
        high: the upper end.
        games: games it played.
        score: share of points it won, a draw half a point.
        seconds: processor time for one of its moves.
    """

    name: str
    elo: float
    low: float
    high: float
    games: int
    score: float
    seconds: float


@dataclass(frozen=True)
class Ratings:
    """A fit over many games.

    Attributes:
        bots: the ratings, best first.
        anchor: the bot whose rating is 0.
        first_seat: what moving first is worth, in Elo, with the ends of its 95 % interval.
        draw_rate: share of draws between equal bots.
    """

    bots: tuple[Rating, ...]
    anchor: str
    first_seat: tuple[float, float, float]
    draw_rate: float
    _names: tuple[str, ...]
    _covariance: Floats

    def __getitem__(self, name: str) -> Rating:
        """One bot's rating; KeyError if it did not play."""
        for rating in self.bots:
            if rating.name == name:
                return rating
        raise KeyError(name)

    def deviation(self, a: str, b: str) -> float:
        """Standard error of the difference of two ratings, in Elo."""
        i, j = self._names.index(a), self._names.index(b)
        c = self._covariance
        return ELO * math.sqrt(max(0.0, c[i, i] + c[j, j] - 2 * c[i, j]))

    def superiority(self, a: str, b: str) -> float:
        """Likelihood that a is the stronger of two bots."""
        deviation = self.deviation(a, b)
        difference = self[a].elo - self[b].elo
        return float(norm.cdf(difference / deviation)) if deviation else 0.5


def fit(games: Sequence[GameRecord], anchor: str | None = None) -> Ratings:
    """Ratings from all games, taken as independent of one another.

    Args:
        games: games of two or more bots on one rule set.
        anchor: the bot whose rating is 0; ``random`` if it played, else the first by name.

    Raises:
        ValueError: no games, an anchor that did not play, or bots that no chain of games connects.
    """
    names = sorted({name for game in games for name in game.seats})
    if not names:
        raise ValueError("there are no games to rate")
    if anchor is None:
        anchor = "random" if "random" in names else names[0]
    if anchor not in names:
        raise ValueError(f"the anchor {anchor!r} played no game; the bots are {', '.join(names)}")
    features, counts = _outcomes(games, names)
    _refuse_islands(games, names)
    free = [k for k in range(len(names) + 2) if k != names.index(anchor)]

    def loss(parameters: Floats) -> tuple[float, Floats, Floats]:
        full = np.zeros(len(names) + 2)
        full[free] = parameters
        value, gradient, hessian = _negative_log_posterior(full, features, counts)
        return value, gradient[free], hessian[np.ix_(free, free)]

    start = np.zeros(len(free))
    start[-1] = DRAW_PRIOR[0]
    found = minimize(
        lambda x: loss(x)[:2], start, jac=True, hess=lambda x: loss(x)[2], method="trust-exact", options={"gtol": 1e-8}
    )
    estimate = np.zeros(len(names) + 2)
    estimate[free] = found.x
    covariance = np.zeros((len(names) + 2, len(names) + 2))
    covariance[np.ix_(free, free)] = np.linalg.inv(loss(found.x)[2])
    z = float(norm.ppf((1 + CONFIDENCE) / 2))
    width = ELO * z * np.sqrt(np.diag(covariance))
    elo = ELO * estimate
    ratings = [_rating(name, elo[k], width[k], games) for k, name in enumerate(names)]
    seat = len(names)
    draws = math.exp(estimate[-1])
    return Ratings(
        bots=tuple(sorted(ratings, key=lambda rating: (-rating.elo, rating.name))),
        anchor=anchor,
        first_seat=(float(elo[seat]), float(elo[seat] - width[seat]), float(elo[seat] + width[seat])),
        draw_rate=draws / (2 + draws),
        _names=tuple(names),
        _covariance=covariance,
    )


def rating_among(scores: Sequence[tuple[float, float, int]]) -> tuple[float, float, float]:
    """The rating of a player whose opponents' ratings are known, with its 95 % interval.

    Bradley and Terry's model, a draw worth half a win, with the same prior as `fit` has.

    Args:
        scores: of each opponent its Elo, the points won against it, and the games.

    Returns:
        Elo and the ends of its interval, the opponents' ratings taken as exact.

    Raises:
        ValueError: there are no games, or more points than games.
    """
    if not sum(games for _, _, games in scores):
        raise ValueError("there are no games to rate")
    for elo, points, games in scores:
        if not 0 <= points <= games:
            raise ValueError(f"{points} points from {games} games against {elo:.0f} Elo; give 0 to {games}")
    played = [(elo / ELO, points + VIRTUAL_WINS, games + 2 * VIRTUAL_WINS) for elo, points, games in scores if games]

    def missing(strength: float) -> float:
        return float(sum(points - games * expit(strength - other) for other, points, games in played))

    others = [other for other, _, _ in played]
    strength = brentq(missing, min(others) - 20, max(others) + 20)
    chances = [(games, float(expit(strength - other))) for other, _, games in played]
    information = sum(games * chance * (1 - chance) for games, chance in chances)
    width = float(norm.ppf((1 + CONFIDENCE) / 2)) / math.sqrt(information)
    return ELO * strength, ELO * (strength - width), ELO * (strength + width)


def _rating(name: str, elo: float, width: float, games: Iterable[GameRecord]) -> Rating:
    own = [game for game in games if name in game.seats]
    seats = [game.seats.index(name) for game in own]
    moves = sum(game.moves[seat] for game, seat in zip(own, seats, strict=True))
    seconds = sum(game.seconds[seat] for game, seat in zip(own, seats, strict=True))
    return Rating(
        name=name,
        elo=float(elo),
        low=float(elo - width),
        high=float(elo + width),
        games=len(own),
        score=sum(game.score(name) for game in own) / len(own),
        seconds=seconds / max(1, moves),
    )


def _outcomes(games: Sequence[GameRecord], names: Sequence[str]) -> tuple[Floats, Floats]:
    """The games as a multinomial logit: each outcome's odds are the exponential of a linear form.

    Returns:
        Features ``(P, 3, K)`` and counts ``(P, 3)`` for P kinds of games (who sits where), the
        outcomes win of player_0, win of player_1 and draw, and K parameters: a strength for each
        name, the first-seat term, and ``log v``.
    """
    seen: Counter[tuple[str, str, int]] = Counter()
    for game in games:
        seen[(*game.seats, 2 if game.winner is None else game.winner)] += 1
    seatings = sorted({(first, second) for first, second, _ in seen})
    pairs = sorted({pairing(*seats) for seats in seatings})
    seat, draw = len(names), len(names) + 1
    features = np.zeros((len(seatings) + len(pairs), 3, len(names) + 2))
    counts = np.zeros((len(seatings) + len(pairs), 3))
    for row, (first, second) in enumerate([*seatings, *pairs]):
        features[row, 0, names.index(first)] = 1
        features[row, 1, names.index(second)] = 1
        if row < len(seatings):
            features[row, 0, seat] = 1
            features[row, 2] = (features[row, 0] + features[row, 1]) / 2
            features[row, 2, draw] = 1
            counts[row] = [seen[(first, second, outcome)] for outcome in range(3)]
        else:
            # The prior: games without seats or draws.
            features[row, 2] = -np.inf
            counts[row] = (VIRTUAL_WINS, VIRTUAL_WINS, 0)
    return features, counts


def _negative_log_posterior(parameters: Floats, features: Floats, counts: Floats) -> tuple[float, Floats, Floats]:
    """Value, gradient ``(K,)`` and Hessian ``(K, K)`` for K parameters."""
    impossible = np.isinf(features[:, :, 0])
    finite = np.where(np.isinf(features), 0.0, features)
    scores = np.where(impossible, -np.inf, finite @ parameters)
    top = scores.max(axis=1, keepdims=True)
    odds = np.exp(scores - top)
    chances = odds / odds.sum(axis=1, keepdims=True)
    logs = scores - top - np.log(odds.sum(axis=1, keepdims=True))
    total = counts.sum(axis=1)
    value = -float(np.sum(counts * np.where(impossible, 0.0, logs)))
    expected = np.einsum("po,pok->pk", chances, finite)
    gradient = np.einsum("p,pk->k", total, expected) - np.einsum("po,pok->k", counts, finite)
    hessian = np.einsum("p,po,pok,pol->kl", total, chances, finite, finite)
    hessian -= np.einsum("p,pk,pl->kl", total, expected, expected)
    for k, mean, deviation in ((-2, 0.0, SEAT_PRIOR), (-1, *DRAW_PRIOR)):
        away = (parameters[k] - mean) / deviation
        value += away**2 / 2
        gradient[k] += away / deviation
        hessian[k, k] += 1 / deviation**2
    return value, gradient, hessian


def _refuse_islands(games: Sequence[GameRecord], names: Sequence[str]) -> None:
    met = np.zeros((len(names), len(names)), bool)
    for game in games:
        met[names.index(game.seats[0]), names.index(game.seats[1])] = True
    count, island = connected_components(met, directed=False)
    if count > 1:
        apart = [names[k] for k in range(len(names)) if island[k] != island[0]]
        raise ValueError(f"no chain of games connects {', '.join(apart)} with {names[0]}; play some")


def score_interval(wins: int, draws: int, losses: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a score.

    A draw counts half a win. As draws make a score vary less than wins and losses do, the interval
    is a little wide where there are many.

    Raises:
        ValueError: no games.
    """
    n = wins + draws + losses
    if n == 0:
        raise ValueError("an interval needs at least one game")
    score = (wins + draws / 2) / n
    z2 = float(norm.ppf((1 + CONFIDENCE) / 2)) ** 2
    centre = (score + z2 / (2 * n)) / (1 + z2 / n)
    width = math.sqrt(z2 * (score * (1 - score) / n + z2 / (4 * n * n))) / (1 + z2 / n)
    return max(0.0, centre - width), min(1.0, centre + width)
