from dataclasses import replace

import numpy as np
import pytest

from boop_env import PRESETS, Game, RuleSet, States
from boop_env.envs.planes import observe_states
from boop_env.rules.symmetry import symmetries, turn_states

RULES = {
    **PRESETS,
    "oblong": RuleSet(layout="1111\n1111\n1111", ghosts=True),
    "narrow": RuleSet(layout="11\n11\n11\n11\n11", ghosts=True, pieces=3),
    "holes": RuleSet(layout="1111-\n1111-\n11111\n-1111\n-1111"),
    "ring": RuleSet(layout="111\n1-1\n111", pieces=3),
}


def random_game(rules: RuleSet, rng: np.random.Generator) -> Game:
    game = Game(replace(rules, max_turns=100))
    while not game.is_over:
        game.push(int(rng.choice(game.legal_actions())))
    return game


@pytest.mark.parametrize("name", RULES)
def test_turning_commutes_with_the_rules(name: str) -> None:
    rules = replace(RULES[name], max_turns=100)
    table = symmetries(rules)
    rng = np.random.default_rng(0)
    count = len(table.cells)
    assert count == len(rules.board.symmetries)
    for _ in range(2):
        record = random_game(rules, rng)._actions
        games = [Game(rules) for _ in range(count)]
        for action in record:
            words = np.repeat(games[0].state[None], count, 0)
            turned = turn_states(rules, words, np.arange(count))
            legal = games[0].legal_actions()
            for index, game in enumerate(games):
                np.testing.assert_array_equal(turned[index], game.state)
                assert set(game.legal_actions()) == set(table.actions[index][legal])
                game.push(int(table.actions[index][action]))
        assert len({(game.winner, game.reason, game.turn) for game in games}) == 1


@pytest.mark.parametrize("name", RULES)
def test_tables_are_permutations(name: str) -> None:
    rules = RULES[name]
    for rows in symmetries(rules):
        assert (np.sort(rows, 1) == np.arange(rows.shape[1])).all()
        assert (rows[0] == np.arange(rows.shape[1])).all()


def test_the_bed_and_the_tree_have_eight() -> None:
    assert all(len(symmetries(rules).cells) == 8 for rules in PRESETS.values())
    assert len(symmetries(RULES["oblong"]).cells) == 4
    assert len(symmetries(RULES["holes"]).cells) == 2


@pytest.mark.parametrize("name", PRESETS)
def test_masks_turn_with_the_actions(name: str) -> None:
    rules = replace(PRESETS[name], max_turns=100)
    rng = np.random.default_rng(1)
    states = np.stack(random_game(rules, rng)._states[:-1])
    which = rng.integers(0, 8, len(states))
    _, masks = observe_states(States(rules, states))
    _, turned = observe_states(States(rules, turn_states(rules, states, which)))
    expected = np.empty_like(masks)
    np.put_along_axis(expected, symmetries(rules).actions[which], masks, 1)
    np.testing.assert_array_equal(turned, expected)
