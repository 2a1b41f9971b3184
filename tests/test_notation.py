"""Games as text."""

from __future__ import annotations

import numpy as np
import pytest

from boop_env import PRESETS, Game, RuleSet, make_bot
from boop_env.notation import read_game, write_game


@pytest.mark.parametrize("rules", PRESETS)
def test_what_is_written_is_read(rules: str) -> None:
    rng, bot = np.random.default_rng(1), make_bot("random")
    game = Game(rules)
    while not game.is_over:
        game.push(bot.move(game, rng))
    again = read_game(write_game(game))
    assert again.record() == game.record()
    assert again.rules == game.rules
    middle = Game.from_position(rules, Game.from_record(rules, game.record()[:6]).position())
    for move in game.record()[6:]:
        middle.push(move)
    again = read_game(write_game(middle))
    assert (again.start_position(), again.record()) == (middle.start_position(), middle.record())


def test_turns_are_numbered_and_the_usual_start_is_left_out() -> None:
    game = Game.from_record("booop", "Kc3 Ga1b1 Kd4 -")
    assert write_game(game) == "rules booop\n1. Kc3 Ga1b1 2. Kd4 -\n"
    assert write_game(Game("halls")) == "rules halls\n"
    assert read_game("rules halls\n") == Game("halls")


def test_bare_records_and_positions_are_read_by_the_rules_given() -> None:
    assert read_game("Kc3\n  Kd4\n", "halls_no_ornaments").record() == ["Kc3", "Kd4"]
    text = "6/1K4/6/3k2/6/6 0 p 7,0/7,0 - 2"
    game = read_game(f"{text}\n1. Ka1", "boop")
    assert (game.start_position(), game.record()) == (text, ["Ka1"])


def test_a_byte_order_mark_is_no_part_of_the_game() -> None:
    assert read_game("\ufeffrules booop\n1. Kc3 -\n").record() == ["Kc3", "-"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no game in this text"),
        ("rules chess\nKc3", "no preset 'chess'"),
        ("Kc3 Kc3", "step 2 of the record"),
        ("hello there", "step 1 of the record"),
        ("6/6 0 p", "position field"),
    ],
)
def test_what_cannot_be_read_is_named(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read_game(text)


def test_rules_without_a_name_are_not_written() -> None:
    with pytest.raises(ValueError, match="only games of presets"):
        write_game(Game(RuleSet(pieces=5)))
