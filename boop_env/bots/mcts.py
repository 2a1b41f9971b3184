"""The Monte Carlo tree search bot."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt

from boop_env.bots.bot import Bot, seeds
from boop_env.rules.game import Game
from boop_env.rules.ruleset import RuleSet
from boop_env.rules.states import States
from boop_env.search import mcts
from boop_env.search.analysis import Analysis, only_limit
from boop_env.search.evaluation import rings, weights
from boop_env.threads import in_threads

POOL_NODES = 1 << 21
"""Nodes of one tree: 56 MiB, of which only what a search fills is ever touched."""

SLICE = 100
"""Simulations between two looks at the clock, about a millisecond."""


class MctsBot(Bot):
    """Grows a tree of moves by random playouts and the fitted evaluation.

    Exactly one limit is given. `choose` grows a new tree for every position, so the same seed and the same
    number of simulations give the same move. `move` and `analyse` keep the tree and go on with the part
    that the moves played since lead to, if the game is the same; what they find then depends on that, too.
    Each thread that searches, and the kept tree twice, take 56 MiB at most.

    Example:
        >>> MctsBot(simulations=400).move(Game("booop"))  # doctest: +SKIP
        'Kc4'

    Args:
        simulations: playouts for each position.
        ms: milliseconds a position.

    Raises:
        ValueError: none or both limits, or one that is below 1.
    """

    def __init__(self, simulations: int | None = None, ms: int | None = None) -> None:
        self._limit, self._amount = only_limit(simulations=simulations, ms=ms)
        self.name = f"mcts:{self._amount}" if self._limit == "simulations" else f"mcts:ms={ms}"
        self._idle: list[_Tree] = []
        self._kept: _Tree | None = None

    def choose(self, states: States, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """One action for each position; see `Bot.choose`. With `ms`, each gets that much time."""
        actions = np.empty(len(states), np.int64)
        seed = seeds(rng, len(states))

        def search(part: slice) -> None:
            tree = self._idle.pop() if self._idle else _Tree()
            if self._limit == "ms":
                for index in range(part.start, part.stop):
                    tree.plant(states.rules, states.words[index], seed[index])
                    self._grow(tree)
                    actions[index] = tree.line()[0]
            else:
                tree.prepare(states.rules)
                mcts.simulate_many(
                    states.rules.tables,
                    states.words[part],
                    seed[part],
                    tree.tree,
                    tree.nodes,
                    self._amount,
                    actions[part],
                )
            self._idle.append(tree)

        in_threads(search, len(states))
        return actions

    def move(self, game: Game, rng: np.random.Generator | None = None) -> str:
        """The move text for one game; see `Bot.move`."""
        if game.is_over:
            raise ValueError(f"the game is over ({game.position()}), so {self.name} has no move to make")
        rng = np.random.default_rng() if rng is None else rng
        tree = self._tree_for(game, seeds(rng, 1)[0])
        self._grow(tree)
        self._kept = tree
        return game.rules.action_to_move(int(tree.line()[0]))

    def analyse(self, game: Game) -> Analysis:
        """Searches a game's position and says what was found.

        Raises:
            ValueError: the game is over.
        """
        if game.is_over:
            raise ValueError(f"the game is over ({game.position()}); there is nothing to analyse")
        start = perf_counter()
        tree = self._tree_for(game, np.uint64(0))
        self._grow(tree)
        found = tree.analysis(perf_counter() - start)
        self._kept = tree
        return found

    def _tree_for(self, game: Game, seed: np.uint64) -> _Tree:
        tree, self._kept = self._kept, None
        if tree is None:
            tree = _Tree()
        if not tree.follow(game):
            tree.plant(game.rules, game.state, seed)
            tree.begin(game)
        return tree

    def _grow(self, tree: _Tree) -> None:
        if self._limit == "simulations":
            tree.simulate(self._amount)
            return
        deadline = perf_counter() + self._amount / 1000
        while not tree.simulate(SLICE) and perf_counter() < deadline:
            pass


class _Tree:
    """The memory of one tree, and the game it was grown for."""

    def __init__(self) -> None:
        self.tree: Any = mcts.new_tree()
        self.nodes: Any = np.empty(POOL_NODES, mcts.NODE)
        self._spare: Any = None
        self._rules: RuleSet | None = None
        self._start = ""
        self._record: list[str] = []

    def prepare(self, rules: RuleSet) -> None:
        """Sets the evaluation."""
        if self._rules is not rules:
            self.tree[0].rings[:] = rings(rules)
            self.tree[0].weights[:] = weights(rules)
            self._rules = rules

    def plant(self, rules: RuleSet, words: npt.NDArray[np.uint64], seed: np.uint64) -> None:
        """A new tree for a position."""
        self.prepare(rules)
        self._record = []
        self._start = ""
        mcts.plant(rules.tables, words, self.tree, self.nodes, seed)

    def begin(self, game: Game) -> None:
        """Notes the game, for `follow`."""
        self._start, self._record = game.start_position(), game.record()

    def follow(self, game: Game) -> bool:
        """Makes the game's position the root; False where the tree does not reach it."""
        record = game.record()
        known = len(self._record)
        same = self._rules == game.rules and self._start == game.start_position()
        if not same or record[:known] != self._record:
            return False
        for move in record[known:]:
            if self._spare is None:
                self._spare = np.empty(POOL_NODES, mcts.NODE)
            action = game.rules.move_to_action(move)
            if not mcts.descend(game.rules.tables, self.tree, self.nodes, self._spare, action):
                return False
            self.nodes, self._spare = self._spare, self.nodes
        self._record = record
        self.tree[0].simulations = 0
        self.tree[0].deepest = 0
        return True

    def simulate(self, count: int) -> bool:
        """Runs simulations; True when nothing is left to find out."""
        assert self._rules is not None
        return bool(mcts.simulate(self._rules.tables, self.tree, self.nodes, count))

    def line(self) -> npt.NDArray[np.int64]:
        """Action numbers of the best line, never empty."""
        assert self._rules is not None
        mcts.best_line(self._rules.tables, self.tree, self.nodes)
        found: npt.NDArray[np.int64] = self.tree[0].line[: self.tree[0].line_length]
        return found

    def analysis(self, seconds: float) -> Analysis:
        """What the tree knows."""
        assert self._rules is not None
        rules, tree, root = self._rules, self.tree[0], self.nodes[0]
        line = tuple(rules.action_to_move(int(action)) for action in self.line())
        mover = int(root.mover)
        proven = None
        if root.proven in (mcts.PLAYER_0, mcts.PLAYER_1):
            won = root.proven == mcts.PLAYER_0 + mover
            value = 1.0 if won else -1.0
            proven = int(root.distance) if won else -int(root.distance)
        elif root.proven == mcts.DRAWN:
            value = 0.0
        else:
            child = self.nodes[mcts.best_child(self.nodes, 0)]
            value = (1 - 2 * mover) * int(child.total) / int(child.visits)
        return Analysis(value, proven, line, int(tree.simulations), int(tree.deepest), seconds)
