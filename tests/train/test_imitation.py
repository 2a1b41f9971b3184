import numpy as np
import pytest
import torch

from boop_env import make_bot, ruleset
from boop_env.bots.bot import Bot
from boop_env.policy.network import NetworkConfig, build_network
from boop_env.rules.states import States
from train.imitation import PLIES, Imitation, outcomes


def imitation(rules: str = "boop", teacher: Bot | None = None, seed: int = 0) -> Imitation:
    return Imitation(ruleset(rules), teacher or make_bot("greedy"), 16, opening=4, seed=seed)


def test_outcomes_are_for_who_acts_and_reach_back_to_the_last_end() -> None:
    # One column a game: won by player_1 on the third step; won by player_0, then nobody; not over.
    ends = np.array([[0, 1, 0], [0, 0, 0], [1, 2, 0], [0, 0, 0]], np.int8)
    winners = np.array([[-1, 0, -1], [-1, -1, -1], [1, -1, -1], [-1, -1, -1]], np.int8)
    movers = np.array([[0, 0, 0], [1, 0, 1], [1, 1, 0], [0, 0, 1]], np.int8)
    values, finished = outcomes(ends, winners, movers)
    assert values.tolist() == [[-1, 1, 0], [1, 0, 0], [1, 0, 0], [0, 0, 0]]
    assert finished.tolist() == [[True, True, False], [True, True, False], [True, True, False], [False] * 3]


@pytest.mark.parametrize("rules", ["boop", "booop", "halls"])
def test_lessons_are_the_teachers_moves(rules: str) -> None:
    class Last(Bot):
        name = "last"

        def choose(self, states: States, rng: np.random.Generator) -> np.ndarray:
            return np.array([game.legal_actions()[-1] for game in states.games()])

    lessons = imitation(rules, Last()).play()
    assert len(lessons.words) == PLIES * 16
    again = Last().choose(States(ruleset(rules), lessons.words), np.random.default_rng(0))
    np.testing.assert_array_equal(lessons.actions, again)
    assert lessons.finished.any() and set(np.unique(lessons.values)) <= {-1, 0, 1}


@pytest.mark.parametrize("kind", ["residual", "mlp"])
def test_a_network_learns_to_play_alike_and_to_tell_the_winner(kind: str) -> None:
    torch.manual_seed(0)
    rules = ruleset("boop")
    network = build_network(rules, NetworkConfig(kind, 32, 1, 16))
    optimizer = torch.optim.Adam(network.parameters(), 5e-3)
    lessons = Imitation(rules, make_bot("greedy"), 48, opening=4, seed=0)
    shown = lessons.play()
    rounds = [lessons.learn(network, optimizer, shown, 256) for _ in range(12)]
    assert rounds[-1]["policy_loss"] < 0.85 * rounds[0]["policy_loss"]
    assert rounds[-1]["accuracy"] > rounds[0]["accuracy"] + 0.02
    assert rounds[-1]["value_loss"] < 0.97 * rounds[0]["value_loss"]


def test_a_state_goes_on_exactly() -> None:
    one, other = imitation(seed=1), imitation(seed=2)
    one.play()
    other.load_state_dict(one.state_dict())
    for a, b in zip(one.play(), other.play(), strict=True):
        np.testing.assert_array_equal(a, b)


def test_each_lesson_is_learned_as_often_as_asked() -> None:
    rules = ruleset("boop")
    network = build_network(rules, NetworkConfig("mlp", 8, 1, 8))
    steps = 0

    class Counting(torch.optim.SGD):
        def step(self, closure: None = None) -> None:
            nonlocal steps
            steps += 1
            super().step(closure)

    lessons = imitation()
    shown = lessons.play()
    optimizer = Counting(network.parameters(), 0.01)
    lessons.learn(network, optimizer, shown, 128, epochs=3)
    assert steps == 3 * len(shown.words) // 128
