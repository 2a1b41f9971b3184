"""Limits, repeatability and memory of the searches."""

from __future__ import annotations

from time import perf_counter

import numpy as np
import pytest

from boop_env.bots.alphabeta import AlphaBetaBot
from boop_env.bots.bot import Bot
from boop_env.bots.mcts import MctsBot
from boop_env.rules.game import Game
from boop_env.rules.ruleset import PRESETS, ruleset
from boop_env.rules.states import States
from boop_env.search import alphabeta, mcts
from boop_env.search.evaluation import FEATURES, rings, weights

BOTS = [AlphaBetaBot(nodes=3000), AlphaBetaBot(depth=2), MctsBot(simulations=200)]


def some_games(rules: str, count: int) -> list[Game]:
    """Games after some random steps."""
    rng = np.random.default_rng(5)
    games: list[Game] = []
    while len(games) < count:
        game = Game(rules)
        for _ in range(int(rng.integers(40))):
            if not game.is_over:
                game.push(int(rng.choice(game.legal_actions())))
        if not game.is_over:
            games.append(game)
    return games


@pytest.mark.parametrize("rules", PRESETS)
@pytest.mark.parametrize("bot", BOTS, ids=repr)
def test_same_seed_same_moves_in_any_company(bot: Bot, rules: str) -> None:
    games = some_games(rules, 12)
    states = States.of(games)
    first = bot.choose(states, np.random.default_rng(1))
    again = bot.choose(states, np.random.default_rng(1))
    assert (first == again).all()
    assert all(game.is_legal(int(action)) for game, action in zip(games, first, strict=True))


@pytest.mark.parametrize("rules", ["boop", "booop", "halls"])
def test_alphabeta_stopped_at_any_node_has_a_legal_move(rules: str) -> None:
    game = some_games(rules, 1)[0]
    for nodes in [*range(1, 60), 100, 333, 1000]:
        analysis = AlphaBetaBot(nodes=nodes).analyse(game)
        assert analysis.nodes <= nodes
        copy = game.copy()
        for move in analysis.line:
            copy.push(move)
    for simulations in (1, 2, 3, 10, 50):
        copy = game.copy()
        for move in MctsBot(simulations=simulations).analyse(game).line:
            copy.push(move)


def test_slices_do_not_change_the_search() -> None:
    """A search that is left and taken up again at every node ends as one that is not."""
    game = some_games("boop", 1)[0]
    found = []
    for size in (1, 7, 1 << 40):
        work = prepared_work("boop", depth=4)
        table = np.zeros((1 << 12, 2), np.uint64)
        tables = game.rules.tables
        alphabeta.start_search(tables, game.state, work, table, np.uint64(3))
        while not alphabeta.continue_search(tables, work, table, size):
            pass
        found.append((int(work[0].value), int(work[0].nodes), work[0].line[: work[0].line_length].tolist()))
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("bot", [AlphaBetaBot(ms=20), MctsBot(ms=20)], ids=repr)
def test_time_limit_is_kept(bot: AlphaBetaBot | MctsBot) -> None:
    game = Game("boop")
    bot.analyse(game)
    times = []
    for _ in range(5):
        start = perf_counter()
        game.push(bot.move(game, np.random.default_rng(0)))
        times.append(perf_counter() - start)
    assert min(times) < 0.1


def test_table_may_be_tiny() -> None:
    game = some_games("booop", 1)[0]
    values = set()
    for entries in (2, 1 << 14):
        work = prepared_work("booop", depth=2)
        table = np.zeros((entries, 2), np.uint64)
        alphabeta.start_search(game.rules.tables, game.state, work, table, np.uint64(3))
        assert alphabeta.continue_search(game.rules.tables, work, table, 1 << 40)
        values.add(int(work[0].value))
    assert len(values) == 1


def test_full_pool_stops_the_tree_not_the_search() -> None:
    game = Game("boop")
    tree = mcts.new_tree()
    tree[0].rings[:] = rings(game.rules)
    tree[0].weights[:] = weights(game.rules)
    nodes = np.zeros(1000, mcts.NODE)
    guard = nodes.copy()
    mcts.plant(game.rules.tables, game.state, tree, nodes[:600], np.uint64(1))
    mcts.simulate(game.rules.tables, tree, nodes[:600], 2000)
    mcts.best_line(game.rules.tables, tree, nodes[:600])
    assert tree[0].simulations == 2000 and tree[0].used <= 600
    assert (nodes[600:] == guard[600:]).all()
    assert game.is_legal(int(tree[0].line[0]))


def test_tree_is_kept_between_moves() -> None:
    bot, fresh = MctsBot(simulations=2000), MctsBot(simulations=2000)
    game = Game("booop")
    rng = np.random.default_rng(0)
    for _ in range(6):
        game.push(bot.move(game, rng))
    assert bot._kept is not None
    before = int(bot._kept.nodes[0].visits)
    analysis = bot.analyse(game)
    kept = int(bot._kept.nodes[0].visits) - analysis.nodes
    assert before > 2000 or kept > 0
    assert fresh.analyse(game).nodes == 2000
    other = Game("boop")
    other.push("Kc3")
    assert other.is_legal(bot.move(other, rng))


def test_turn_cap_is_a_draw() -> None:
    game = Game.from_position("boop", "6/6/2K3/6/6/6 1 p 7,0/8,0 - 299")
    for bot in (AlphaBetaBot(depth=3), MctsBot(simulations=2000)):
        analysis = bot.analyse(game)
        assert analysis.value == 0 and analysis.proven is None


def test_limits_are_checked() -> None:
    for bot in (AlphaBetaBot, MctsBot):
        with pytest.raises(ValueError, match="exactly one"):
            bot()
        with pytest.raises(ValueError, match="above 0"):
            bot(ms=0)
    with pytest.raises(ValueError, match="exactly one"):
        AlphaBetaBot(depth=3, ms=10)
    with pytest.raises(ValueError, match="deepest"):
        AlphaBetaBot(depth=65)
    with pytest.raises(ValueError, match="over"):
        AlphaBetaBot(depth=1).analyse(Game.from_position("boop", "CCC3/6/6/6/6/6 0 x 5,0/8,0 - 9"))


def test_weights_are_complete() -> None:
    for rules in PRESETS.values():
        assert weights(rules).shape == (2 * len(FEATURES),) and weights(rules).any()


def prepared_work(rules: str, depth: int) -> np.ndarray:
    """A search record with limits set."""
    work = np.zeros(1, alphabeta.WORK)
    work[0].rings[:] = rings(ruleset(rules))
    work[0].weights[:] = weights(ruleset(rules))
    work[0].use[:] = 1
    work[0].max_depth = depth
    work[0].max_nodes = 1 << 60
    return work
