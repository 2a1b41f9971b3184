"""The greedy bot on positions with one right answer, and against brute force."""

import itertools

import numpy as np
import pytest

from boop_env import PRESETS, Game, RuleSet, make_bot
from boop_env.arena.match import play_match

BED = [rules for rules in PRESETS if PRESETS[rules].board.height == 6]
TREE = [rules for rules in PRESETS if PRESETS[rules].board.height == 7]
HUNG = [rules for rules in PRESETS if PRESETS[rules].ornaments]


def start(rules, board, mover, phase, own, other, turn=10):
    """A game; pools are (kittens, cats), an ornament of each hangs on the tree where there are any."""
    kind = PRESETS[rules]
    pools = [list(own), list(other)]
    if kind.ornaments:
        for pool in pools:
            pool.append(2)
    else:
        board = board.replace("O", "1").replace("o", "1")
    board = "/".join(merge(row) for row in board.split("/"))
    ghosts = "-/-" if kind.ghosts else "-"
    text = "/".join(",".join(map(str, pool)) for pool in pools)
    return Game.from_position(rules, f"{board} {mover} {phase} {text} {ghosts} {turn}")


def merge(row):
    """Neighbouring digits of a board row added up."""
    groups = itertools.groupby(row, str.isdigit)
    return "".join(str(sum(map(int, group))) if digit else "".join(group) for digit, group in groups)


def moves(game, seeds=20):
    """The moves that greedy makes with different generators."""
    return {make_bot("greedy").move(game, np.random.default_rng(seed)) for seed in range(seeds)}


def wins(game, move):
    mover = game.mover
    game.push(move)
    won = game.winner == mover
    game.pop()
    return won


BED_WIN = ("6/6/2CC2/6/6/6", 0, "p", (5, 1), (8, 0))
TREE_WIN = ("-5-/7/2CC3/7/2O1o2/7/-5-", 0, "p", (5, 1), (8, 0))


@pytest.mark.parametrize(
    ("rules", "position"), [*((rules, BED_WIN) for rules in BED), *((rules, TREE_WIN) for rules in TREE)]
)
def test_wins_with_the_third_cat(rules, position):
    game = start(rules, *position)
    assert all(wins(game, move) for move in moves(game))


@pytest.mark.parametrize("rules", BED)
def test_wins_by_pushing_a_cat_into_line(rules):
    # d3 is missing between c3 and e3: a cat placed there pushes both away, one on d1 pushes d2 there.
    # Player_1's kittens stand where d2 and another cat could be made a row.
    game = start(rules, "2k1k1/3C2/2C1C1/1k3k/6/6", 0, "p", (4, 1), (4, 0))
    assert {move for move in game.legal_moves() if wins(game, move)} == {"Cd1"}
    assert moves(game) == {"Cd1"}


@pytest.mark.parametrize("rules", [rules for rules in BED if PRESETS[rules].eight_cats_win])
def test_wins_with_the_eighth_cat(rules):
    game = start(rules, "C1C1C1/6/C1C1C1/6/C5/6", 0, "p", (0, 1), (8, 0))
    assert all(wins(game, move) for move in moves(game))


@pytest.mark.parametrize("rules", HUNG)
def test_wins_by_taking_the_last_ornament(rules):
    game = Game.from_position(rules, "-5-/o6/7/7/2O4/7/-5- 0 p 8,0,2/8,0,0 - 10")
    assert all(wins(game, move) for move in moves(game))


@pytest.mark.parametrize("rules", BED)
def test_blocks_the_row_that_would_win(rules):
    # A cat on a3 or d3 wins for player_1; only a cat that boops helps, tempting as a row of kittens is.
    game = start(rules, "6/6/1cc3/6/6/3KK1", 0, "p", (3, 3), (5, 1))
    for move in moves(game):
        after = game.copy()
        after.push(move)
        while after.mover == 0:
            after.push("-")
        assert not can_win(after), move


@pytest.mark.parametrize("rules", HUNG)
def test_moves_its_last_ornament_out_of_reach(rules):
    game = Game.from_position(rules, "-5-/O6/7/7/7/7/-5- 0 p 8,0,0/8,0,3 - 10")
    for move in moves(game):
        after = game.copy()
        after.push(move)
        assert not can_win(after), move


@pytest.mark.parametrize("rules", [rules for rules in BED if not PRESETS[rules].safe_rows_only])
def test_takes_a_graduation(rules):
    game = start(rules, "6/6/2KK2/6/6/6", 0, "p", (6, 0), (8, 0))
    # A row of three, then three cats in the pool.
    assert moves(game) <= {"Kb3", "Ke3"}


def test_takes_a_row_rather_than_a_single_and_a_kitten_rather_than_a_decline():
    row = Game.from_position("boop", "KKK3/6/K1K1K1/6/K1K3/6 0 g 0,0/8,0 - 20")
    assert moves(row) == {"+a1c1"}
    single = Game.from_position("boop", "K1K1K1/6/K1K1K1/6/K1K3/6 0 g 0,0/8,0 - 20")
    assert all(len(move) == 3 for move in moves(single))


def test_places_a_ghost_where_its_next_move_helps():
    # From a1a2 it comes to b1b2, and what stands on b1 falls off the bed.
    assert moves(Game.from_position("booop", "1k4/6/6/6/6/6 0 h 8,0/7,0 -/- 2")) == {"Ga1a2"}
    assert "Ga1a2" not in moves(Game.from_position("booop", "1K4/6/6/6/6/6 0 h 7,0/8,0 -/- 2"))


def can_win(game):
    """Whether the mover, at the start of a turn, can win in it: brute force."""
    if game.is_over:
        return False
    mover = game.mover
    for move in game.legal_moves():
        before = game.phase
        game.push(move)
        found = game.winner == mover or (before == "o" and can_win(game))
        game.pop()
        if found:
            return True
    return False


def has_safe_turn(game, mover):
    """Whether the mover can end the turn so that the other player cannot win at once: brute force."""
    for move in game.legal_moves():
        game.push(move)
        if game.is_over:
            safe = game.winner != 1 - mover
        elif game.mover == mover:
            safe = has_safe_turn(game, mover)
        else:
            safe = not can_win(game)
        game.pop()
        if safe:
            return True
    return False


def play_turn(bot, game, rng):
    mover = game.mover
    while not game.is_over and game.mover == mover:
        game.push(bot.move(game, rng))


@pytest.mark.parametrize("rules", PRESETS)
def test_brute_force_finds_no_missed_win_and_no_missed_block(rules):
    bot, chance = make_bot("greedy"), make_bot("random")
    rng = np.random.default_rng(3)
    won = blocked = 0
    for _ in range(200):
        if won >= 20 and blocked >= 20:
            break
        game = Game(rules)
        while not game.is_over:
            mover = game.mover
            # Only where either side has cats or few ornaments left is there anything to find.
            if late(game):
                could_win = can_win(game)
                after = game.copy()
                play_turn(bot, after, rng)
                if could_win:
                    assert after.winner == mover, game
                    won += 1
                elif blocked < 20 and threatened(game, rng):
                    assert not can_win(after) or not has_safe_turn(game, mover), game
                    blocked += 1
            # Some random moves, so that the games differ and wins are not always taken.
            play_turn(chance if rng.random() < 0.2 else bot, game, rng)
    assert won >= 20
    assert blocked >= 20


def late(game):
    """Whether somebody owns three cats or is down to one ornament."""
    words = int(game.state[5])
    cats = max(words & 15, words >> 4 & 15)
    return cats >= 3 or (game.rules.ornaments > 0 and min(words >> 8 & 15, words >> 12 & 15) == 1)


def threatened(game, rng):
    """Whether most random turns lose at once."""
    lost = 0
    for _ in range(4):
        after = game.copy()
        play_turn(make_bot("random"), after, rng)
        lost += can_win(after)
    return lost >= 2


@pytest.mark.parametrize("rules", PRESETS)
def test_beats_random(rules):
    games = play_match("greedy", "random", rules, games=100)
    assert sum(game.score("greedy") for game in games) >= 95


def test_plays_other_layouts():
    small = RuleSet(layout="\n".join(["1111"] * 4), pieces=4)
    games = play_match("greedy", "random", small, games=40)
    assert sum(game.score("greedy") for game in games) > 30
