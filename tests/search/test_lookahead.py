"""Values half from a network and half from alpha-beta a few turns ahead."""

import numpy as np
import pytest

from boop_env import PRESETS, Game, States
from boop_env.bots.alphabeta import AlphaBetaBot
from boop_env.envs.batch import BatchEnv
from boop_env.envs.planes import observe_states
from boop_env.rules.ruleset import RuleSet
from boop_env.search.lookahead import POLICY_SHARE, VALUE_SHARE, with_lookahead
from tests.search.test_mates import DEPTHS, puzzles


def network(states: States) -> tuple[np.ndarray, np.ndarray]:
    """Knows nothing, but that no two positions are alike."""
    mixed = (states.words % np.uint64(1009)).sum(1).astype(np.float64)
    logits = np.sin(mixed[:, None] * np.arange(states.rules.num_actions))
    return logits.astype(np.float32), np.sin(mixed).astype(np.float32)


def some(rules: str | RuleSet, count: int) -> States:
    env = BatchEnv(rules, count, opening_plies=14, seed=5)
    return States(env.rules, env.states.words.copy())


def chances(states: States, logits: np.ndarray) -> np.ndarray:
    """Policies over legal actions."""
    masks = observe_states(states)[1] > 0
    weights = np.where(masks, np.exp(logits - logits.max(1, keepdims=True)), 0)
    return weights / weights.sum(1, keepdims=True)


@pytest.mark.parametrize("rules", PRESETS)
@pytest.mark.parametrize("depth", [1, 2])
def test_both_have_their_share_in_values_and_policies(rules: str, depth: int) -> None:
    states = some(rules, 40)
    logits, values = with_lookahead(network, depth)(states)
    policies, plain_policies = chances(states, logits), chances(states, network(states)[0])
    bot = AlphaBetaBot(depth=depth)
    proven = 0
    for index, words in enumerate(states.words):
        found = bot.analyse(Game.from_state(states.rules, words))
        value = (1 - VALUE_SHARE) * network(states)[1][index] + VALUE_SHARE * found.value
        if found.proven is not None:
            proven += 1
            value = np.sign(found.proven)
        assert values[index] == pytest.approx(value, abs=1e-6)
        policy = (1 - POLICY_SHARE) * plain_policies[index]
        policy[states.rules.move_to_action(found.line[0])] += POLICY_SHARE
        np.testing.assert_allclose(policies[index], policy, atol=1e-5)
    assert proven < 40


def test_what_alpha_beta_proves_counts_in_full() -> None:
    kinds = set()
    for kind, game, _ in puzzles("booop"):
        if kind == "block":
            continue
        kinds.add(kind)
        _, values = with_lookahead(network, DEPTHS[kind])(States.of([game]))
        assert values[0] == 1.0, f"{kind} {game.position()}"
    assert kinds == {"win1", "win2"}


def test_a_position_is_worth_the_same_in_any_company_and_with_any_number_of_threads() -> None:
    states = some("booop", 50)
    look = with_lookahead(network, 2)
    logits, values = look(states)
    alone = [look(states[index : index + 1])[1][0] for index in range(50)]
    np.testing.assert_array_equal(values, alone)
    for together, one_thread in zip((logits, values), with_lookahead(network, 2, threads=1)(states), strict=True):
        np.testing.assert_array_equal(together, one_thread)
    np.testing.assert_array_equal(look(States(states.rules, states.words[::-1].copy()))[1], values[::-1])


def test_without_lookahead_the_network_stays_as_it_is() -> None:
    assert with_lookahead(network, 0) is network


@pytest.mark.parametrize("depth", [-1, 65])
def test_refuses_a_depth_out_of_range(depth: int) -> None:
    with pytest.raises(ValueError, match=f"lookahead={depth} is not a whole number from 0 to 64"):
        with_lookahead(network, depth)


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_does_not_hide_that_a_network_gives_no_number(wrong: float) -> None:
    states = States.of([game for kind, game, _ in puzzles("boop") if kind != "block"])

    def broken(states: States) -> tuple[np.ndarray, np.ndarray]:
        logits, values = network(states)
        return np.full_like(logits, wrong), np.full_like(values, wrong)

    logits, values = with_lookahead(broken, 2)(states)
    assert not np.isfinite(logits).any() and not np.isfinite(values).any()
