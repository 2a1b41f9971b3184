"""Tree search in lock step, on boards small enough to solve."""

from functools import cache

import numpy as np
import pytest

from boop_env import PRESETS, Game, RuleSet, States, ruleset
from boop_env.envs.batch import BatchEnv
from boop_env.rules import calls
from boop_env.search.gumbel import halving_rounds
from boop_env.search.lockstep import TreeSearch, most_legal
from tests.search.test_mates import puzzles

TOYS = {
    # With three pieces a full bed comes soon, and with it a second choice in the same turn.
    "3x3": RuleSet(layout="111\n111\n111", pieces=3, max_turns=7),
    "4x4": RuleSet(layout="1111\n1111\n1111\n1111", pieces=3, max_turns=5),
    "must": RuleSet(layout="111\n111\n111", pieces=3, max_turns=7, full_bed="must"),
    "ghosts": RuleSet(layout="111\n111\n111", pieces=3, max_turns=4, ghosts=True),
}

POSITIONS = {
    "3x3": (
        "CKC/k2/3 0 g 0,0/2,0 - 4",
        "1k1/1kK/Ck1 0 p 0,1/0,0 - 4",
        "3/CKC/cck 1 g 0,0/0,0 - 4",
        "kkk/C2/1K1 0 p 0,1/0,0 - 4",
        "1C1/1C1/cCc 1 p 0,0/0,1 - 5",
        "Kk1/1c1/1cC 0 p 0,1/0,0 - 4",
        "C2/3/cC1 1 p 0,1/0,2 - 5",
        "kK1/1K1/cK1 1 p 0,0/0,1 - 4",
        "2c/KKc/1Kk 1 g 0,0/0,0 - 4",
        "cc1/C1c/K2 0 p 0,1/0,0 - 5",
        "Cc1/k1K/1cC 0 g 0,0/0,0 - 4",
        "k2/CCC/k2 1 p 0,0/0,1 - 5",
    ),
    "4x4": (
        "C3/4/1C2/4 0 p 0,1/0,3 - 3",
        "3C/1c1C/3C/3k 1 p 0,0/0,1 - 3",
        "c2C/c3/c3/4 0 p 0,2/0,0 - 3",
        "1c2/3K/K2c/4 0 p 0,1/0,1 - 3",
        "4/3C/1C1C/4 1 p 0,0/1,2 - 3",
        "C3/2cc/2K1/4 0 p 0,1/0,1 - 3",
        "4/2C1/1C2/C1cc 1 p 0,0/0,1 - 3",
        "1c2/K2c/4/2C1 0 p 0,1/0,1 - 3",
        "1K2/2K1/3C/2cc 1 p 0,0/0,1 - 3",
        "2C1/C2k/4/kC2 1 p 0,0/0,1 - 3",
        "4/K3/cK2/3c 1 p 1,0/0,1 - 3",
        "4/c3/1c2/KK2 0 p 0,1/0,1 - 3",
    ),
    "must": (
        "1c1/1cC/1CC 1 p 0,0/0,1 - 5",
        "2C/1K1/ccc 0 p 0,1/0,0 - 5",
        "3/1c1/c2 0 p 0,3/0,1 - 5",
        "K2/c2/1Kc 0 p 0,1/0,1 - 5",
        "1cK/1C1/Cc1 1 p 0,0/0,1 - 5",
        "C1C/1cC/1k1 1 p 0,0/0,1 - 5",
        "1C1/1C1/1C1 1 p 0,0/1,2 - 5",
        "CC1/1kk/C2 1 p 0,0/0,1 - 5",
        "CCK/c2/1c1 1 p 0,0/0,1 - 5",
        "kCk/C2/C2 1 p 0,0/0,1 - 5",
        "3/c2/1c1 1 p 1,2/0,1 - 5",
        "1Kc/2c/2K 0 p 0,1/0,1 - 5",
    ),
    "ghosts": (
        "ccC/C2/cC1 1 h 0,0/0,0 b2b3</- 2",
        "Kc1/2C/1Cc 1 p 0,0/0,1 -/- 2",
        "1K1/1cK/ccK 0 g 0,0/0,0 -/a1b1v 2",
        "1K1/2c/1cK 1 p 1,0/0,1 -/- 2",
        "c2/1cC/C1k 1 h 0,1/0,0 a2b2v/- 2",
        "1C1/1C1/1C1 1 p 0,0/2,1 a2b2^/- 2",
        "1k1/C2/1C1 0 p 0,1/2,0 -/a2a3> 2",
        "2C/3/2C 0 p 0,1/3,0 -/b3c3^ 2",
        "K1K/c1c/c1K 0 h 0,0/0,0 -/b1b2> 2",
        "c1K/1Kc/K2 0 g 0,0/0,1 -/b1c1v 2",
        "1cc/3/c2 0 p 1,2/0,0 a2a3>/- 2",
        "c1C/cC1/3 1 p 0,1/0,1 c2c3</- 2",
    ),
}
"""Positions near the turn cap in which moves differ in worth; in half of them some player acts twice in a row."""


@cache
def solved(rules: RuleSet, words: bytes) -> int:
    """Result for player_0 under best play, by exhaustive search."""
    state = np.frombuffer(words, np.uint64)
    game = Game.from_state(rules, state)
    if game.is_over:
        return 0 if game.winner is None else 1 - 2 * game.winner
    results = [solved(rules, after(rules, state, action)) for action in legal(rules, state)]
    return max(results) if game.mover == 0 else min(results)


def legal(rules: RuleSet, state: np.ndarray) -> np.ndarray:
    actions = np.empty(rules.num_actions, np.int64)
    return actions[: calls.legal_actions(rules.tables, state, actions)]


def after(rules: RuleSet, state: np.ndarray, action: int) -> bytes:
    words = np.empty(6, np.uint64)
    calls.step(rules.tables, state, action, words)
    return words.tobytes()


def positions(toy: str) -> np.ndarray:
    return np.stack([Game.from_position(TOYS[toy], text).state for text in POSITIONS[toy]])


def perfect(states: States) -> tuple[np.ndarray, np.ndarray]:
    """Uniform play, and values by exhaustive search."""
    values = [solved(states.rules, words.tobytes()) for words in states.words] * (1 - 2 * states.movers)
    return np.zeros((len(states), states.rules.num_actions), np.float32), values.astype(np.float32)


def blind(states: States) -> tuple[np.ndarray, np.ndarray]:
    return np.zeros((len(states), states.rules.num_actions), np.float32), np.zeros(len(states), np.float32)


def opinionated(states: States) -> tuple[np.ndarray, np.ndarray]:
    """Odd but fixed opinions of every position."""
    keys = states.words.astype(np.float64).sum(1)[:, None] % 9973
    logits = np.sin(keys * (1 + np.arange(states.rules.num_actions)))
    return logits.astype(np.float32) * 2, np.cos(keys[:, 0]).astype(np.float32)


def search_all(search: TreeSearch, words: np.ndarray, evaluate, seed: int = 0):
    n = len(words)
    search.plant(np.arange(n), words, np.random.default_rng(seed).integers(0, 2**64, n, np.uint64))
    return search.run(evaluate)


@pytest.mark.parametrize("method", ["gumbel", "puct"])
@pytest.mark.parametrize("toy", TOYS)
def test_finds_the_best_move_with_a_perfect_evaluator(toy: str, method: str) -> None:
    rules = TOYS[toy]
    words = positions(toy)
    search = TreeSearch(rules, len(words), method=method, simulations=128, considered=64, noise=0.0)
    found = search_all(search, words, perfect)
    for state, action, value in zip(words, found.actions, found.values, strict=True):
        best = solved(rules, state.tobytes())
        assert solved(rules, after(rules, state, action)) == best, Game.from_state(rules, state)
        sign = 1 - 2 * Game.from_state(rules, state).mover
        assert value * sign == pytest.approx(best, abs=0.35)


@pytest.mark.parametrize("method", ["gumbel", "puct"])
@pytest.mark.parametrize("toy", TOYS)
def test_proofs_are_true(toy: str, method: str) -> None:
    rules = TOYS[toy]
    words = positions(toy)
    search = TreeSearch(rules, len(words), method=method, simulations=1500, noise=0.0)
    found = search_all(search, words, blind)
    proven = 0
    for index, state in enumerate(words):
        root = search._nodes[index, 0]
        if root.proven:
            proven += 1
            best = solved(rules, state.tobytes())
            assert best == {1: 1, 2: -1, 3: 0}[int(root.proven)]
            assert found.values[index] == best * (1 - 2 * root.mover)
            assert solved(rules, after(rules, state, found.actions[index])) == best
    assert proven > 6


@pytest.mark.parametrize("simulations", [2, 4, 16])
def test_few_simulations_improve_the_policy(simulations: int) -> None:
    rules = TOYS["3x3"]
    words = positions("3x3")
    search = TreeSearch(rules, len(words), simulations=simulations, considered=4)

    def evaluate(states: States) -> tuple[np.ndarray, np.ndarray]:
        return opinionated(states)[0], perfect(states)[1]

    before, reached = np.zeros(len(words)), np.zeros(len(words))
    gains = []
    found = search_all(search, words, evaluate)
    for index, state in enumerate(words):
        sign = 1 - 2 * Game.from_state(rules, state).mover
        worth = np.zeros(rules.num_actions)
        for action in legal(rules, state):
            worth[action] = sign * solved(rules, after(rules, state, action))
        prior = search.prior(index)
        if not prior.any():
            continue
        gains.append((found.policies[index] - prior) @ worth)
        before[index] = prior @ worth
        reached[index] = worth[found.actions[index]]
    assert min(gains) > -1e-6
    assert np.mean(gains) > 0.02
    assert reached.mean() > before.mean()


@pytest.mark.parametrize("method", ["gumbel", "puct"])
@pytest.mark.parametrize("rules", PRESETS)
def test_lock_step_changes_nothing(rules: str, method: str) -> None:
    env = BatchEnv(rules, 6, opening_plies=9, seed=3)
    words = env.states.words.copy()
    seeds = np.arange(6, dtype=np.uint64)
    together = TreeSearch(ruleset(rules), 6, method=method, simulations=24)
    together.plant(np.arange(6), words, seeds)
    found = together.run(opinionated)
    np.testing.assert_allclose(found.policies.sum(1), 1, atol=1e-5)
    assert (found.policies[env.masks == 0] == 0).all()
    assert (np.abs(found.values) <= 1).all()
    for index in range(6):
        alone = TreeSearch(ruleset(rules), 1, method=method, simulations=24)
        alone.plant(np.zeros(1, np.int64), words[index : index + 1], seeds[index : index + 1])
        single = alone.run(opinionated)
        assert single.actions[0] == found.actions[index]
        np.testing.assert_array_equal(single.policies[0], found.policies[index])


def test_same_seeds_same_search_and_noise_explores() -> None:
    rules = ruleset("boop")
    words = np.repeat(BatchEnv(rules, 1, opening_plies=6).states.words, 32, 0)
    search = TreeSearch(rules, 32, simulations=8)
    first, again = (search_all(search, words, opinionated, 1).actions for _ in range(2))
    np.testing.assert_array_equal(first, again)
    assert len(set(first)) > 4
    still = TreeSearch(rules, 32, simulations=8, noise=0.0)
    assert len(set(search_all(still, words, opinionated, 1).actions)) == 1


@pytest.mark.parametrize("method", ["gumbel", "puct"])
def test_the_pool_is_never_outgrown(method: str) -> None:
    rules = ruleset("halls")
    words = BatchEnv(rules, 8, opening_plies=12).states.words
    search = TreeSearch(rules, 8, method=method, simulations=500, nodes=40)
    size = search.nbytes
    found = search_all(search, words, opinionated)
    assert (search._trees["nodes"] <= 40).all() and search._trees["full"].any()
    assert search.nbytes == size
    for state, action in zip(words, found.actions, strict=True):
        assert calls.is_legal(rules.tables, state, action)


@pytest.mark.parametrize("method", ["gumbel", "puct"])
def test_a_kept_tree_is_the_subtree(method: str) -> None:
    rules = ruleset("booop")
    words = BatchEnv(rules, 1, opening_plies=8, seed=5).states.words
    search = TreeSearch(rules, 1, method=method, simulations=100, noise=0.0, nodes=600)
    state, action = words[0].copy(), int(search_all(search, words, opinionated).actions[0])
    kept = 0
    for _ in range(6):
        root = search._nodes[0, 0]
        edges = search._edges[0, root.first : root.first + root.count]
        child = edges["child"][list(edges["action"]).index(action)]
        visits, total = (search._nodes[0, child][name] for name in ("visits", "total"))
        if not search.keep(0, action, np.uint64(0)):
            break
        kept += 1
        state = np.frombuffer(after(rules, state, action), np.uint64)
        root = search._nodes[0, 0]
        np.testing.assert_array_equal(root.words, state)
        assert (root.visits, root.total, root.parent) == (visits, total, -1)
        check_tree(search)
        found = search.run(opinionated)
        if root.proven:
            break
        assert search._nodes[0, 0].visits == visits + 100
        assert (found.policies[0][legal(rules, state)].sum()) == pytest.approx(1, abs=1e-5)
        check_tree(search)
        action = int(found.actions[0])
    assert kept > 1


def check_tree(search: TreeSearch) -> None:
    """Every node's state follows from its parent's, and its visits from its children's."""
    tree, nodes, edges = search._trees[0], search._nodes[0], search._edges[0]
    seen = 0
    for index in range(tree.nodes):
        node = nodes[index]
        assert node.pending == 0
        visits = 0
        for edge in edges[node.first : node.first + node.count]:
            if edge.child >= 0:
                seen += 1
                child = nodes[edge.child]
                assert child.parent == index and child.action == edge.action
                assert after(search.rules, node.words, edge.action) == child.words.tobytes()
                visits += child.visits
        assert node.visits == visits + 1 or (node.count == 0 and node.visits >= 1)
    assert seen == tree.nodes - 1


def test_a_win_at_hand_needs_no_network() -> None:
    game = Game.from_position("boop", "CC4/6/6/6/6/5k 0 p 5,1/7,0 - 20")

    def never(states: States) -> tuple[np.ndarray, np.ndarray]:
        raise AssertionError("asked about a position that is won")

    search = TreeSearch(game.rules, 1)
    search.plant(np.zeros(1, np.int64), game.state[None], np.zeros(1, np.uint64))
    found = search.run(never)
    game.push(int(found.actions[0]))
    assert game.winner == 0 and found.values[0] == 1 and found.policies[0, found.actions[0]] == 1


@pytest.mark.parametrize("preset", PRESETS)
def test_a_forced_win_needs_no_network(preset: str) -> None:
    won = 0
    for kind, game, good in puzzles(preset):
        if kind != "win2":
            continue
        search = TreeSearch(game.rules, 1)
        search.plant(np.zeros(1, np.int64), game.state[None], np.zeros(1, np.uint64))
        if len(search.request()):  # the proof was not found
            continue
        won += 1
        found, analysis = search.found(), search.analysis(0, 1.0)
        assert analysis.line[0] in good and found.values[0] == analysis.value == 1
        assert analysis.proven is not None and analysis.proven >= 3
        assert game.rules.action_to_move(int(found.actions[0])) == analysis.line[0]
        winner = game.mover
        for move in analysis.line:  # best play of both, to the end
            game.push(move)
        assert game.winner == winner and len(analysis.line) <= analysis.proven
    assert won > 2


@pytest.mark.parametrize("toy", TOYS)
def test_a_search_without_end_ends(toy: str) -> None:
    words = positions(toy)
    search = TreeSearch(TOYS[toy], len(words), method="puct", simulations=1 << 30, nodes=3000)
    found = search_all(search, words, blind)
    for state, action in zip(words, found.actions, strict=True):
        assert calls.is_legal(TOYS[toy].tables, state, action)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_refuses_answers_that_are_no_numbers(bad: float) -> None:
    rules = ruleset("boop")
    words = BatchEnv(rules, 2).states.words
    search = TreeSearch(rules, 2)

    def sick(states: States) -> tuple[np.ndarray, np.ndarray]:
        logits, values = blind(states)
        values[-1] = bad
        return logits, values

    with pytest.raises(ValueError, match="not finite"):
        search_all(search, words, sick)


@pytest.mark.parametrize(
    ("considered", "simulations"), [(16, 32), (16, 64), (16, 200), (7, 20), (2, 9), (1, 5), (50, 16)]
)
def test_halving_visits_whole_rounds(considered: int, simulations: int) -> None:
    rounds = halving_rounds(considered, simulations)
    assert len(rounds) == simulations
    counts = np.zeros(considered, int)
    for number in rounds:
        counts[np.flatnonzero(counts == number)[0]] += 1  # there is such an action, always
    assert counts.sum() == simulations
    if simulations >= considered:
        assert counts.min() >= 1
    if considered == 16 and simulations == 32:
        assert list(counts) == [4] * 4 + [2] * 4 + [1] * 8


@pytest.mark.parametrize("rules", PRESETS)
def test_no_position_has_more_legal_actions_than_said(rules: str) -> None:
    env = BatchEnv(rules, 64, seed=2)
    most = 0
    for _ in range(150):
        most = max(most, env.step(env.sample()).masks.sum(1).max())
    assert most <= most_legal(ruleset(rules))


@pytest.mark.parametrize(
    ("name", "value"),
    [("games", 0), ("simulations", 0), ("considered", 0), ("nodes", 1), ("proof_turns", 0), ("method", "best")],
)
def test_refuses_arguments(name: str, value: object) -> None:
    with pytest.raises(ValueError, match=f"{name}="):
        TreeSearch(ruleset("boop"), **{"games": 1, name: value})


def loses_at_once(game: Game, move: str) -> bool:
    """Whether the other player can win with the placement that follows a move."""
    after = game.copy()
    after.push(move)
    if after.is_over or after.mover == game.mover:
        return after.is_over and after.winner == 1 - game.mover
    for reply in set(after.legal_moves()) - {"-"}:
        answered = after.copy()
        answered.push(reply)
        if answered.is_over and answered.winner == after.mover:
            return True
    return False


@pytest.mark.parametrize("toy", ["3x3", "4x4", "must"])
def test_steps_that_lose_at_once_are_left_out(toy: str) -> None:
    rules, dropped = TOYS[toy], 0
    for text in POSITIONS[toy]:
        game = Game.from_position(rules, text)
        search = TreeSearch(rules, 1, simulations=1)
        search_all(search, game.state[None], opinionated)
        kept = {rules.action_to_move(int(action)) for action in np.flatnonzero(search.prior(0))}
        if not kept:  # the win is proven without a search
            assert solved(rules, game.state.tobytes()) == 1 - 2 * game.mover
            continue
        good = {move for move in game.legal_moves() if not loses_at_once(game, move)}
        assert kept == (good or set(game.legal_moves()))
        dropped += len(good) < len(game.legal_moves())
    assert dropped > 0
