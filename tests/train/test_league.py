import json
from dataclasses import replace

import numpy as np
import pytest

from boop_env.bots.bot import Bot
from train.league import ANCHOR_FLOOR, LEAST_USE, WINDOW, League


class Named(Bot):
    def __init__(self, name: str) -> None:
        self.name = name

    def choose(self, states, rng):
        raise NotImplementedError


SHARES = {"latest": 0.2, "past": 0.5, "anchor": 0.3}


def league(**others) -> League:
    options = {
        "elos": {"a": 0.0, "b": 400.0},
        "shares": SHARES,
        "pool_size": 3,
        "active": 2,
        "hardness": 2.0,
        "rng": np.random.default_rng(0),
    }
    return League(Named("latest"), [Named("a"), Named("b")], **{**options, **others})


def play(found: League, name: str, wins: int, losses: int = 0, draws: int = 0, seat: int = 0) -> None:
    for reward, count in ((1, wins), (-1, losses), (0, draws)):
        for _ in range(count):
            found.note(name, reward, 10, seat)


def shares(found: League) -> dict[str, float]:
    return {bot.name: weight for bot, weight in found.matches()}


def test_kinds_have_their_shares() -> None:
    found = league()
    found.admit(Named("p"), 0.0)
    assert shares(found) == pytest.approx({"latest": 0.2, "p": 0.5, "a": 0.15, "b": 0.15})


def test_a_kind_without_members_leaves_its_games_to_the_others() -> None:
    assert shares(league()) == pytest.approx({"latest": 0.2, "a": 0.15, "b": 0.15})


def test_hard_copies_are_met_most() -> None:
    found = league(active=1)
    for name, wins, losses in (("hard", 1, 3), ("even", 2, 2), ("easy", 4, 0)):
        found.admit(Named(name), 0.0)
        play(found, name, wins, losses)
    scores = {"hard": 2 / 6, "even": 3 / 6, "easy": 5 / 6}  # with a game won and one lost
    total = sum((1 - p) ** 2 for p in scores.values())
    expected = {name: (1 - p) ** 2 / total for name, p in scores.items()}
    assert found.weights("past") == pytest.approx(expected)
    drawn = [name for _ in range(2000) for name in shares(found) if name in scores]
    for name, chance in expected.items():
        assert drawn.count(name) / 2000 == pytest.approx(chance, abs=0.04)


def test_few_copies_are_met_at_a_time_and_each_alike() -> None:
    found = league(pool_size=9)
    for number in range(9):
        found.admit(Named(f"p{number}"), 0.0)
    met = set()
    for _ in range(100):
        past = {name: weight for name, weight in shares(found).items() if name.startswith("p")}
        assert list(past.values()) == [0.25, 0.25]
        met |= past.keys()
    assert len(met) == 9


def test_anchors_near_the_learner_are_met_most_and_none_is_forgotten() -> None:
    found = league()
    play(found, "a", 398)
    play(found, "b", 199, 199)
    p = 399 / 400
    even, easy = 0.25 + ANCHOR_FLOOR, p * (1 - p) + ANCHOR_FLOOR
    assert found.weights("anchor") == pytest.approx({"a": easy / (easy + even), "b": even / (easy + even)})


def test_anchors_out_of_reach_leave_games_to_the_others() -> None:
    found = league()
    for wins_against_a, use in ((0, LEAST_USE), (1, 4 * (2 / 400) * (398 / 400)), (39, 4 * 0.1 * 0.9), (199, 1.0)):
        play(found, "a", wins_against_a, 398 - wins_against_a)
        found.members["b"].recent.clear()
        play(found, "b", 398)
        weights = shares(found)
        assert weights["latest"] == 0.2
        assert weights["a"] + weights["b"] == pytest.approx(0.3 * max(LEAST_USE, use))
        found.members["a"].recent.clear()


def test_the_easiest_copy_leaves_and_never_the_newest() -> None:
    found = league(pool_size=2)
    found.admit(Named("p1"), 0.0)
    found.admit(Named("p2"), 0.0)
    play(found, "p1", 1, 5)
    play(found, "p2", 3, 3)
    found.admit(Named("p3"), 0.0)
    assert found.pool == ["p1", "p3"]
    play(found, "p3", 9, 0)
    found.admit(Named("p4"), 0.0)
    assert found.pool == ["p1", "p4"]


def test_a_copy_that_left_is_kept_for_its_games() -> None:
    found = league(pool_size=1)
    found.admit(Named("p1"), 0.0)
    found.admit(Named("p2"), 0.0)
    found.forget({"p1", "a"})
    found.note("p1", 1, 5, 0)
    assert "p1" not in shares(found)
    found.forget({"p2"})
    assert found.members.keys() == {"latest", "a", "b", "p2"}


def test_scores_are_of_the_newest_games() -> None:
    found = league()
    play(found, "a", 0, 500)
    play(found, "a", WINDOW)
    assert found.members["a"].score == pytest.approx((WINDOW + 1) / (WINDOW + 2))
    assert found.members["a"].games == found.games == 500 + WINDOW
    assert [found.members["a"].share(reward) for reward in (1, 0, -1)] == [1, 0, 0]


def test_the_learner_is_rated_by_opponents_with_a_rating() -> None:
    found = league(elos={"a": 300.0})
    assert found.elo() == (0, 0, 0)
    play(found, "latest", 50)
    play(found, "b", 50)
    assert found.elo() == (0, 0, 0)
    play(found, "a", 100, 100)
    elo, low, high = found.elo()
    assert elo == pytest.approx(300, abs=0.1)
    assert 240 < low < 260 and 340 < high < 360


def test_the_first_seats_score_is_not_the_learners() -> None:
    found = league()
    assert found.first_seat() == 0.5
    play(found, "a", 90, 10, seat=0)
    assert found.first_seat() == 0.5
    play(found, "a", 45, 5, seat=1)  # as good in the other seat, where it sat less often
    assert found.first_seat() == pytest.approx(0.5)
    play(found, "b", 0, 50, seat=1)
    assert found.first_seat() == pytest.approx((0.9 + 1 - 0.45) / 2)
    assert found.mean_steps() == 10


def test_a_state_goes_on_exactly() -> None:
    found = league()
    for number in range(3):
        found.admit(Named(f"p{number}"), 10.0 * number)
        play(found, f"p{number}", number, 2)
    found.matches()
    state = json.loads(json.dumps(found.state_dict()))  # it holds plain values only
    again = league(rng=np.random.default_rng(9))
    again.load_state_dict(state, Named)
    assert again.state_dict() == found.state_dict()
    for _ in range(5):
        assert shares(again) == shares(found)
    assert again.elo() == found.elo()
    for name, member in found.members.items():
        other = again.members[name]
        assert replace(other, bot=member.bot).__dict__ == member.__dict__
