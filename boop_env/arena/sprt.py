"""The sequential probability ratio test: stop as soon as the games say which bot is better.

The generalised test of win, draw and loss, as engine testing uses it: the outcome chances are fitted
twice, once under each hypothesis on the score, and the logarithm of their likelihood ratio is
compared with Wald's bounds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq

Floats = npt.NDArray[np.float64]

SCORES = np.array([0.0, 0.5, 1.0])

UNSEEN = 1e-3
"""Games added to each outcome, so that one not seen yet is not impossible."""


@dataclass(frozen=True)
class Sprt:
    """A test of whether a bot is `elo1` rather than `elo0` stronger than another.

    Attributes:
        elo0: the difference if the null hypothesis holds.
        elo1: the difference if the alternative holds, larger than `elo0`.
        alpha: chance of accepting the alternative when the null hypothesis holds.
        beta: chance of accepting the null hypothesis when the alternative holds.

    Raises:
        ValueError: the hypotheses or the chances make no test.
    """

    elo0: float = 0.0
    elo1: float = 20.0
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise ValueError(f"elo0={self.elo0} is not below elo1={self.elo1}")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise ValueError(f"alpha={self.alpha} and beta={self.beta} are not both between 0 and 0.5")

    @property
    def bounds(self) -> tuple[float, float]:
        """Log-likelihood ratios at which the null hypothesis and the alternative are accepted."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def ratio(self, wins: int, draws: int, losses: int) -> float:
        """Log-likelihood ratio of the alternative over the null hypothesis."""
        counts = np.array([losses, draws, wins]) + UNSEEN
        return float(np.sum(counts * (_log_chances(counts, self.elo1) - _log_chances(counts, self.elo0))))

    def decide(self, wins: int, draws: int, losses: int) -> bool | None:
        """True for the alternative, False for the null hypothesis, None while neither is clear."""
        low, high = self.bounds
        ratio = self.ratio(wins, draws, losses)
        return True if ratio >= high else False if ratio <= low else None


def _log_chances(counts: Floats, elo: float) -> Floats:
    """Logarithms of the outcome chances likeliest to give `counts` whose mean score is that of `elo`.

    They are ``p / (1 + x (score - mean))`` with the one x that gives the mean (Owen, 2001).
    """
    shares = counts / counts.sum()
    away = SCORES - 1 / (1 + 10 ** (-elo / 400))
    edge = 1e-12
    x: float = brentq(lambda x: np.sum(shares * away / (1 + x * away)), -1 / away[-1] + edge, -1 / away[0] - edge)
    return np.asarray(np.log(shares / (1 + x * away)))
