"""What is seen from all sides turns with the board."""

from pathlib import Path

import numpy as np
import pytest

from boop_env import PRESETS, States, load_policy, make_bot, ruleset
from boop_env.envs.batch import BatchEnv
from boop_env.envs.planes import observe_states
from boop_env.policy.policy_bot import TorchEvaluator
from boop_env.policy.symmetric import AT_ONCE, seen_from_all_sides
from boop_env.rules.symmetry import symmetries, turn_states
from tests.policy.test_policy_bot import CONFIGS, untrained


def looking(path: Path):
    """What looks at positions as they stand."""
    evaluator = load_policy(path).evaluator
    assert isinstance(evaluator, TorchEvaluator)
    return lambda states: evaluator(observe_states(states)[0])


@pytest.mark.parametrize("rules", PRESETS)
def test_logits_and_values_turn_with_the_board(tmp_path: Path, rules: str) -> None:
    one = looking(untrained(tmp_path / "a.safetensors", rules, CONFIGS[1]))
    look = seen_from_all_sides(one)
    states = BatchEnv(rules, 12, opening_plies=11, seed=3).states
    logits, values = look(states)
    assert logits.shape == (12, ruleset(rules).num_actions) and values.shape == (12,)
    actions = symmetries(states.rules).actions
    for side in range(len(actions)):
        turned = States(states.rules, turn_states(states.rules, states.words, np.full(12, side)))
        turned_logits, turned_values = look(turned)
        np.testing.assert_allclose(turned_logits[:, actions[side]], logits, atol=1e-4)
        np.testing.assert_allclose(turned_values, values, atol=1e-5)
    assert np.abs(one(turned)[0][:, actions[side]] - one(states)[0]).max() > 0.1  # no network does so by itself


def test_it_is_the_mean_of_what_is_seen_from_each_side(tmp_path: Path) -> None:
    one = looking(untrained(tmp_path / "a.safetensors", "booop"))
    states = BatchEnv("booop", AT_ONCE + 9, opening_plies=12).states
    logits, values = seen_from_all_sides(one)(states)
    actions = symmetries(states.rules).actions
    sides = [
        one(States(states.rules, turn_states(states.rules, states.words, np.full(len(states), side))))
        for side in range(len(actions))
    ]
    expected = np.mean([side_logits[:, actions[side]] for side, (side_logits, _) in enumerate(sides)], 0)
    np.testing.assert_allclose(logits, expected, atol=1e-4)
    np.testing.assert_allclose(values, np.mean([side_values for _, side_values in sides], 0), atol=1e-5)


@pytest.mark.parametrize("spec", ["{}?greedy&symmetric", "az:{}?sims=8&symmetric"])
def test_bots_play_a_turned_position_as_the_position(tmp_path: Path, spec: str) -> None:
    bot = make_bot(spec.format(untrained(tmp_path / "a.safetensors", "booop")))
    states = BatchEnv("booop", 64, opening_plies=13).states
    chosen = bot.choose(states, np.random.default_rng(0))
    actions = symmetries(states.rules).actions
    same = []
    for side in range(len(actions)):
        turned = States(states.rules, turn_states(states.rules, states.words, np.full(64, side)))
        same.append(bot.choose(turned, np.random.default_rng(0)) == actions[side][chosen])
    assert np.mean(same) > 0.9  # near ties, and proven wins of equal length, may fall the other way
