"""The kernel against the plain reference implementation, step by step."""

from __future__ import annotations

import random

import pytest
from random_positions import random_layout_rules, random_position
from reference import REFERENCE_PRESETS, ReferenceGame, Rules

from boop_env import PRESETS, Game, RuleSet
from boop_env.rules import calls

SHARED_STITCHES = ["1\n1\n1\n1", "1111", "1\n1", "11"]
"""Beds one space wide or high, where two ghost entries share a stitch."""


def compare(game: Game, reference: ReferenceGame) -> None:
    """Everything that both say about a position, and that its text reads back to it."""
    position = game.position()
    assert position == reference.position()
    legal = list(game.legal_actions())
    assert legal == sorted(reference.legal_actions()), position
    tables, words = game.rules.tables, game.state
    assert [n for n in range(game.rules.num_actions) if calls.is_legal(tables, words, n)] == legal, position
    moves = game.legal_moves()
    assert sorted(moves) == sorted(reference.legal_moves()), position
    assert [game.rules.move_to_action(move) for move in moves] == legal
    assert (game.mover, game.phase, game.turn) == (reference.mover, reference.phase, reference.turn)
    assert (game.is_over, game.winner) == (reference.is_over, reference.winner), position
    assert (game.reason and game.reason.name.lower()) == reference.reason, position
    assert Game.from_position(game.rules, position) == game


def play_both(rules: RuleSet, plain: Rules, start: str | None, steps: int, rng: random.Random) -> int:
    """Plays random moves on both, comparing every position; returns how many steps were played."""
    game = Game(rules) if start is None else Game.from_position(rules, start)
    reference = ReferenceGame(plain, start)
    compare(game, reference)
    for played in range(steps):
        if reference.is_over:
            return played
        move = rng.choice(reference.legal_moves())
        game.push(move)
        reference.push(move)
        compare(game, reference)
    return steps


def check_preset(preset: str, games: int, positions: int, seed: int) -> None:
    """Whole random games, and a few steps from random positions."""
    rng = random.Random(f"{preset} {seed}")
    rules, plain = PRESETS[preset], REFERENCE_PRESETS[preset]
    for _ in range(games):
        assert play_both(rules, plain, None, 1000, rng) > 10
    for _ in range(positions):
        play_both(rules, plain, random_position(plain, rng), 3, rng)


def check_odd_rules(count: int, seed: int) -> None:
    """Random layouts and options: the start, and random positions of each."""
    rng = random.Random(seed)
    for _ in range(count):
        plain = random_layout_rules(rng)
        rules = RuleSet(**vars(plain))
        play_both(rules, plain, None, 25, rng)
        for _ in range(3):
            play_both(rules, plain, random_position(plain, rng), 4, rng)


@pytest.mark.parametrize("preset", PRESETS)
def test_presets(preset: str) -> None:
    check_preset(preset, games=3, positions=100, seed=0)


@pytest.mark.parametrize("seed", range(4))
def test_odd_layouts_and_rule_sets(seed: int) -> None:
    check_odd_rules(40, seed)


@pytest.mark.soak
@pytest.mark.parametrize("preset", PRESETS)
def test_presets_for_long(preset: str) -> None:
    check_preset(preset, games=200, positions=10_000, seed=1)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 108))
def test_odd_layouts_and_rule_sets_for_long(seed: int) -> None:
    check_odd_rules(1500, seed)


@pytest.mark.parametrize("layout", SHARED_STITCHES, ids=lambda layout: layout.replace("\n", "/"))
def test_entries_that_share_a_stitch_are_told_apart_by_heading(layout: str) -> None:
    rules = RuleSet(layout=layout, ghosts=True, pieces=3, max_turns=30)
    entries = rules.actions.block("ghost")
    assert entries is not None
    texts = rules.actions.texts[entries.start : entries.stop]
    assert len(set(texts)) == len(texts) == 2 * (layout.count("1") - 1)
    assert {text[-1] for text in texts} == (set("<>") if "\n" in layout else set("v^"))
    rng = random.Random(layout)
    for _ in range(20):
        game = Game(rules)
        while not game.is_over:
            assert Game.from_position(rules, game.position()) == game
            game.push(rng.choice(game.legal_moves()))
        assert Game.from_record(rules, game.record()) == game
