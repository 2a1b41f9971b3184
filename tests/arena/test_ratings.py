"""Ratings from games of known strength, intervals, and the sequential test."""

import itertools
import math

import numpy as np
import pytest

from boop_env.arena.ratings import ELO, fit, rating_among, score_interval
from boop_env.arena.records import GameRecord
from boop_env.arena.sprt import Sprt
from boop_env.rules.ruleset import PRESETS

TRUE = {"random": 0.0, "weak": 150.0, "middle": 210.0, "strong": 480.0}


def result(first, second, winner, number=0):
    return GameRecord(PRESETS["boop"], number, (first, second), "", winner, "three_cats", 20, "", (1, 1), (0.5, 0.25))


def simulate(games, first_seat, draw, seed=0, elo=TRUE):
    """Games of every pairing, both seats, from the model itself."""
    rng = np.random.default_rng(seed)
    found = []
    for a, b in itertools.combinations(elo, 2):
        for first, second in ((a, b), (b, a)):
            strengths = (elo[first] + first_seat) / ELO, elo[second] / ELO
            odds = np.exp([*strengths, math.log(draw) + sum(strengths) / 2])
            outcomes = rng.choice(3, games // 2, p=odds / odds.sum())
            found += [result(first, second, None if outcome == 2 else int(outcome)) for outcome in outcomes]
    return found


@pytest.mark.parametrize("first_seat", [-80.0, 0.0, 60.0])
@pytest.mark.parametrize("draw", [0.02, 0.5])
def test_known_ratings_seat_and_draws_are_recovered(first_seat, draw):
    ratings = fit(simulate(4000, first_seat, draw))
    assert [rating.name for rating in ratings.bots] == ["strong", "middle", "weak", "random"]
    for name, elo in TRUE.items():
        assert ratings[name].elo == pytest.approx(elo, abs=25)
        assert ratings[name].games == 12000
    assert ratings.first_seat[0] == pytest.approx(first_seat, abs=12)
    assert ratings.draw_rate == pytest.approx(draw / (2 + draw), rel=0.2)


def test_intervals_cover_the_truth_about_as_often_as_they_say():
    covered = total = 0
    for seed in range(60):
        ratings = fit(simulate(60, 40.0, 0.1, seed))
        checks = [(ratings[name].low, elo, ratings[name].high) for name, elo in TRUE.items() if name != "random"]
        checks.append((ratings.first_seat[1], 40.0, ratings.first_seat[2]))
        covered += sum(low <= true <= high for low, true, high in checks)
        total += len(checks)
    assert 0.9 <= covered / total <= 0.99


def test_random_is_zero_and_without_it_the_first_name():
    games = simulate(100, 0.0, 0.1)
    ratings = fit(games)
    assert (ratings.anchor, ratings["random"].elo, ratings["random"].low, ratings["random"].high) == ("random", 0, 0, 0)
    moved = fit(games, anchor="strong")
    assert moved["strong"].elo == 0
    difference = ratings["weak"].elo - ratings["strong"].elo
    assert moved["weak"].elo == pytest.approx(difference, abs=0.01)
    assert fit([game for game in games if "random" not in game.seats]).anchor == "middle"
    with pytest.raises(ValueError, match="the anchor 'nobody' played no game"):
        fit(games, anchor="nobody")


def test_likelihood_of_superiority():
    ratings = fit(simulate(1000, 0.0, 0.1))
    assert ratings.superiority("strong", "weak") > 0.999
    assert ratings.superiority("weak", "middle") + ratings.superiority("middle", "weak") == pytest.approx(1)
    even = fit([result("a", "b", k % 2) for k in range(20)] + [result("b", "a", k % 2) for k in range(20)])
    assert even.superiority("a", "b") == pytest.approx(0.5)


def test_an_undefeated_bot_gets_a_finite_rating_that_grows_with_its_wins():
    elo = []
    for games in (10, 100, 1000):
        shut_out = [result("best", "random", 0)] * games + [result("random", "best", 1)] * games
        rating = fit(shut_out)["best"]
        # What half a loss in the same number of games would say.
        assert rating.elo == pytest.approx(ELO * math.log((2 * games + 0.5) / 0.5), rel=0.03)
        assert 0 < rating.low < rating.elo < rating.high < 3000
        elo.append(rating.elo)
    assert elo == sorted(elo)


def test_the_prior_hardly_moves_a_rating_with_games_behind_it():
    games = [result("a", "random", 0)] * 150 + [result("a", "random", 1)] * 50
    games += [result("random", "a", 1)] * 150 + [result("random", "a", 0)] * 50
    assert fit(games)["a"].elo == pytest.approx(400 * math.log10(3), abs=2)


def test_bots_that_never_met_cannot_be_rated_together():
    games = [result("a", "b", 0), result("c", "d", 1)]
    with pytest.raises(ValueError, match="no chain of games connects c, d with a"):
        fit(games)
    with pytest.raises(ValueError, match="there are no games"):
        fit([])


def test_score_and_time_of_a_rating():
    rating = fit([result("a", "b", 0), result("b", "a", None)])["a"]
    assert (rating.games, rating.score, rating.seconds) == (2, 0.75, 0.375)


def test_score_interval_is_wilsons():
    # Newcombe (1998): 81 of 263 gives 0.2553 to 0.3662.
    assert score_interval(81, 0, 182) == pytest.approx((0.2553, 0.3662), abs=1e-4)
    assert score_interval(10, 0, 0)[1] == 1
    assert score_interval(0, 10, 0) == pytest.approx((0.2366, 0.7634), abs=1e-4)
    with pytest.raises(ValueError, match="at least one game"):
        score_interval(0, 0, 0)


def test_sprt_decides_for_what_is_plain_and_waits_else():
    test = Sprt(0, 20)
    assert test.bounds == pytest.approx((-math.log(19), math.log(19)))
    assert test.decide(700, 0, 500) is True
    assert test.decide(500, 0, 700) is False
    assert test.decide(0, 0, 0) is None
    assert test.decide(5, 0, 5) is None
    assert test.ratio(60, 20, 40) > 0 > test.ratio(40, 20, 60)
    # Without draws the fit is exact: counts times the logarithms of two fixed chances.
    chance = 1 / (1 + 10 ** (-20 / 400))
    exact = 30 * math.log(chance / 0.5) + 20 * math.log((1 - chance) / 0.5)
    assert test.ratio(30, 0, 20) == pytest.approx(exact, abs=1e-3)


@pytest.mark.parametrize(("elo", "right"), [(0, False), (50, True)])
def test_sprt_is_seldom_wrong(elo, right):
    rng = np.random.default_rng(0)
    test = Sprt(0, 50)
    win = 1 / (1 + 10 ** (-elo / 400)) - 0.05
    wrong = 0
    for _ in range(100):
        counts = np.zeros(3, int)
        while (verdict := test.decide(*counts)) is None:
            counts += rng.multinomial(10, [win, 0.1, 0.9 - win])
        wrong += verdict is not right
    # 5 % are wrong on average; 12 of 100 would be three standard deviations more.
    assert wrong < 12


@pytest.mark.parametrize("options", [{"elo0": 5, "elo1": 5}, {"elo0": 9, "elo1": 5}, {"alpha": 0}, {"beta": 0.7}])
def test_sprt_refuses_what_is_no_test(options):
    with pytest.raises(ValueError, match=r"elo0=|alpha="):
        Sprt(**options)


def test_rating_among_known_opponents() -> None:
    even = rating_among([(0.0, 50, 100), (400.0, 100 / 11, 100)])
    assert abs(even[0]) < 5 and even[1] < -40 and even[2] > 40
    assert rating_among([(500.0, 50, 100)])[0] == pytest.approx(500)
    assert rating_among([(0.0, 100, 100), (1000.0, 0, 100)])[0] == pytest.approx(500, abs=1)
    narrow, wide = rating_among([(0.0, 500, 1000)]), rating_among([(0.0, 5, 10)])
    assert narrow[2] - narrow[1] < (wide[2] - wide[1]) / 5
    won = rating_among([(0.0, 100, 100)])
    assert 700 < won[0] < 1200  # all won: far above, not infinitely


def test_rating_among_refuses_impossible_scores() -> None:
    with pytest.raises(ValueError, match="no games"):
        rating_among([(0.0, 0, 0)])
    with pytest.raises(ValueError, match="11 points from 10 games against 0 Elo; give 0 to 10"):
        rating_among([(0.0, 11, 10)])
