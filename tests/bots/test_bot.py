"""What every bot keeps: legal actions only, one generator, clear errors; and specs."""

import subprocess
import sys
from collections import Counter

import numpy as np
import pytest

from boop_env import PRESETS, Bot, Game, States, make_bot
from boop_env.bots.factory import BOTS, LEVELS

OVER = "6/6/CCC3/6/6/6 0 x 5,0/8,0 - 7"


class Fixed(Bot):
    """Always the same action, legal or not."""

    name = "fixed"

    def __init__(self, action):
        self.action = action

    def choose(self, states, rng):
        return np.full(len(states), self.action)


def some_states(rules, n=200, seed=0):
    """Positions of random games, every phase among them."""
    rng = np.random.default_rng(seed)
    games = []
    while len(games) < n:
        game = Game(rules)
        while not game.is_over and len(games) < n:
            games.append(game.copy())
            game.push(int(rng.choice(game.legal_actions())))
    return games


@pytest.mark.parametrize("spec", ["random", "greedy"])
@pytest.mark.parametrize("rules", PRESETS)
def test_chooses_legal_actions_and_the_same_with_the_same_seed(spec, rules):
    games = some_states(rules)
    bot = make_bot(spec)
    first, again = (bot.choose(States.of(games), np.random.default_rng(5)) for _ in range(2))
    other = bot.choose(States.of(games), np.random.default_rng(6))
    assert first.dtype == np.int64
    assert all(game.is_legal(int(action)) for game, action in zip(games, first, strict=True))
    assert (first == again).all()
    assert (first != other).any()


@pytest.mark.parametrize(
    ("rules", "position"),
    [
        ("boop", "6/6/6/6/6/6 0 p 8,0/8,0 - 0"),
        ("boop", "6/6/2C3/6/6/6 0 p 4,3/8,0 - 4"),
        ("booop", "6/6/6/6/6/5K 0 h 7,0/8,0 -/- 1"),
        ("halls", "-5-/7/7/7/7/7/-5- 0 o 8,0,3/8,0,3 - 0"),
        ("boop", "KKKK2/6/6/6/6/6 0 g 4,0/8,0 - 9"),
    ],
)
def test_random_is_uniform(rules, position):
    game = Game.from_position(rules, position)
    legal = game.legal_actions()
    batch = States(game.rules, np.repeat(game.state[None], 400 * len(legal), axis=0))
    counts = Counter(make_bot("random").choose(batch, np.random.default_rng(1)).tolist())
    assert sorted(counts) == legal.tolist()
    # Five standard deviations of a count of 400.
    assert all(abs(count - 400) < 100 for count in counts.values())


@pytest.mark.parametrize("spec", ["random", "greedy"])
def test_move_is_a_move_text_and_leaves_the_game_alone(spec):
    game = Game("halls")
    move = make_bot(spec).move(game, np.random.default_rng(0))
    assert move == make_bot(spec).move(game, np.random.default_rng(0))
    assert move in game.legal_moves()
    assert game == Game("halls")


def test_an_empty_batch_has_no_actions():
    empty = States(PRESETS["boop"], np.empty((0, 6), np.uint64))
    for bot in (make_bot("random"), make_bot("greedy"), Fixed(0)):
        assert bot.choose(empty, np.random.default_rng(0)).shape == (0,)


@pytest.mark.parametrize(("action", "says"), [(0, r"0 \(Ka1\)"), (36, r"36 \(Ca1\)"), (-1, "-1 in"), (189, "189 in")])
def test_an_illegal_action_is_refused_with_bot_position_and_action(action, says):
    game = Game.from_position("boop", "K5/6/6/6/6/6 1 p 7,0/8,0 - 1")
    with pytest.raises(ValueError, match=rf"fixed chose the illegal action {says}.*K5/6/6/6/6/6 1 p") as refused:
        Fixed(action).move(game)
    assert "\n" not in str(refused.value)


def test_actions_of_another_shape_or_kind_are_refused():
    class Odd(Fixed):
        def choose(self, states, rng):
            return self.action

    game = Game("boop")
    for odd in (np.zeros(2, np.int64), np.zeros(1), np.int64(3)):
        with pytest.raises(ValueError, match="must be int64"):
            Odd(odd).move(game)


def test_a_game_that_is_over_has_no_move():
    over = Game.from_position("boop", OVER)
    for bot in (make_bot("random"), make_bot("greedy"), Fixed(0)):
        with pytest.raises(ValueError, match="the game is over"):
            bot.move(over)
        with pytest.raises(ValueError, match="position 1 of the batch is over"):
            bot.choose(States.of([Game("boop"), over]), np.random.default_rng(0))


@pytest.mark.parametrize("spec", ["random", "greedy", "alphabeta:depth=2", "alphabeta:ms=5", "mcts:30", "mcts:ms=5"])
def test_a_bot_is_named_by_its_spec(spec):
    assert make_bot(spec).name == spec


def test_a_bot_is_returned_as_it_is_and_levels_are_specs():
    bot = Fixed(0)
    assert make_bot(bot) is bot
    assert [make_bot(level).name for level in LEVELS] == list(LEVELS.values())


@pytest.mark.parametrize(
    ("spec", "fault"),
    [
        ("gready", "there is no bot 'gready'"),
        ("", "there is no bot ''"),
        (7, "neither a spec nor a Bot"),
    ],
)
def test_a_bad_spec_is_named_with_its_fault_and_what_there_is(spec, fault):
    text = refusal(spec)
    assert fault in text
    assert all(known in text for known in ("random", "greedy", "alphabeta:depth=N", "mcts:N", "safetensors", "expert"))


@pytest.mark.parametrize(
    ("spec", "fault"),
    [
        ("random:3", "random takes no argument, so '3' means nothing"),
        ("greedy:", "greedy takes no argument"),
        ("alphabeta", ": no limit is given;"),
        ("mcts:", ": no limit is given;"),
        ("openspiel", ": no search is given;"),
        ("openspiel:uct", "'uct' is not mcts?sims=N"),
        ("alphabeta:4", "'4' is not one whole number"),
        ("alphabeta:depth=0", "'depth=0' is not"),
        ("alphabeta:depth=2,ms=3", "'depth=2,ms=3' is not"),
        ("mcts:many", "'many' is not"),
        ("mcts:-5", "'-5' is not"),
        ("az:boop-ppo?sims=0", "option sims=0 is not one of the whole numbers above 0"),
        ("az:boop-ppo?greedy", "option greedy is not one of sims=N, ms=N"),
        ("az:models/a.safetensors", "there is no checkpoint file models/a.safetensors"),
        ("az:no-such?sims=8", "there is no checkpoint 'no-such'; those that come with boop_env are "),
    ],
)
def test_a_bad_argument_is_named_with_its_fault_and_how_that_kind_is_written(spec, fault):
    text = refusal(spec)
    assert fault in text
    assert text.endswith(f"; write {BOTS[spec.partition(':')[0]].usage}")
    assert "expert" not in text and text.count("boop-ppo") <= 1 + spec.count("boop-ppo")


def refusal(spec):
    """What `make_bot` says of a bad spec; it names the spec."""
    with pytest.raises(ValueError) as refused:
        make_bot(spec)
    text = str(refused.value)
    assert repr(spec) in text
    return text


def test_a_missing_checkpoint_lists_those_there_are(tmp_path):
    (tmp_path / "good.safetensors").touch()
    with pytest.raises(ValueError, match=r"there is no checkpoint file .*bad\.safetensors; .* has .*good\.safetensors"):
        make_bot(str(tmp_path / "bad.safetensors"))


@pytest.mark.parametrize(
    "option", ["heat=3", "temperature=hot", "temperature=-1", "temperature", "greedy=1", "symmetric=8"]
)
def test_a_bad_option_of_a_checkpoint_is_named(tmp_path, option):
    path = tmp_path / "a.safetensors"
    path.touch()
    with pytest.raises(ValueError, match=rf"option {option}.* is not one of temperature=NUMBER, greedy, symmetric"):
        make_bot(f"{path}?{option}")


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ("temperature=0", "temperature=0 is not a number above 0; ?greedy plays the best move"),
        ("temperature=" + 400 * "9", "is not a number above 0"),
        ("temperature=0.5&greedy", "greedy play has no temperature; give one of temperature=NUMBER, greedy"),
        ("greedy&temperature=1", "greedy play has no temperature"),
        ("temperature", "option temperature is not one of"),
    ],
)
def test_a_bad_temperature_of_a_checkpoint_is_refused_with_the_remedy(tmp_path, options, fault):
    path = tmp_path / "a.safetensors"
    path.touch()
    assert fault in refusal(f"{path}?{options}")


def test_making_a_scripted_bot_loads_no_torch():
    script = (
        "import boop_env, sys; boop_env.make_bot('random'); boop_env.make_bot('greedy'); "
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", script], check=True)
