"""`TreeSearch`: searches of many positions in lock step, whose leaves a network looks at in one batch."""

# mypy: disallow-untyped-defs=False, disallow-untyped-calls=False, disable-error-code=assignment

from __future__ import annotations

import math
from collections.abc import Callable
from time import perf_counter
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from boop_env.rules.compiled import compiled
from boop_env.rules.kernel import load
from boop_env.rules.ruleset import RuleSet
from boop_env.rules.states import States
from boop_env.search import gumbel, puct
from boop_env.search.alphabeta import MAX_LEGAL
from boop_env.search.analysis import Analysis
from boop_env.search.forced import PROOF, PROOF_TURNS, PROOF_WIDTH, forced_win
from boop_env.search.trees import (
    DRAWN,
    EDGE,
    NODE,
    OPEN,
    PLAYER_0,
    PLAYER_1,
    TREE,
    add_pending,
    back_up,
    descend,
    exact,
    expand,
    follow,
    line,
    plant,
    sign,
    worth,
)

Evaluate = Callable[[States], tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]]
"""Positions to logits ``(N, num_actions)`` and values ``(N,)`` for whoever acts in each."""

VALUE_SCALE = 1.0
"""The paper's ``c_scale``: how much values from -1 to 1 change the policy."""

CONSIDERED = 16
"""Root actions that Gumbel search begins with, at most."""

PUCT_LEAVES = 8
"""Leaves of one tree that PUCT gathers for a batch, at most."""

IDLE_VISITS = 1000
"""A search ends when so many visits in a row met proven nodes only, as PUCT's may for ever near a draw."""

MAX_LINE = 64
BLOCKED = -1


class Found(NamedTuple):
    """What searches found, a row a tree.

    Attributes:
        actions: the steps to play, int64 ``(games,)``.
        policies: chances of all actions after the search, float32 ``(games, num_actions)``.
        values: what the player to act can expect, float32 ``(games,)``.
        surprises: how far the policy is from the network's, as a Kullback-Leibler divergence in nats,
            float32 ``(games,)``; 0 where the network was not asked.
    """

    actions: npt.NDArray[np.int64]
    policies: npt.NDArray[np.float32]
    values: npt.NDArray[np.float32]
    surprises: npt.NDArray[np.float32]


class TreeSearch:
    """Trees for up to `games` positions at once, each in a pool of fixed size.

    Each `request` walks every tree to leaves that the network has not seen, as many as can be told apart
    without its answer, and `receive` takes the answers. Gumbel search asks for a whole round of sequential
    halving at once: its visits lie below different root actions, so none of them waits for another. PUCT
    takes visits that wait for lost ones ("virtual loss": Chaslot, Winands and van den Herik, 2008).

    A tree whose pool is full ends its search early, as does one that meets nothing but proven positions. A
    proven root needs no further search either.

    Memory: ``nodes * (96 + 16 * most legal actions)`` bytes a tree, 79 KiB for `boop` with 64 simulations
    and as little of it touched as the search fills; `nbytes` has the exact figure.

    Example:
        >>> search = TreeSearch(rules, 64, simulations=32)  # doctest: +SKIP
        >>> search.plant(np.arange(64), words, seeds)  # doctest: +SKIP
        >>> search.run(evaluate).actions  # doctest: +SKIP

    Args:
        rules: their rule set.
        games: trees.
        method: ``"gumbel"`` or ``"puct"``.
        simulations: visits of a search, or several such numbers for `plant` to choose from.
        considered: root actions that Gumbel search begins with, at most.
        value_scale: the paper's ``c_scale``.
        noise: scale of the Gumbel noise: 1 to explore, 0 to play what the network and the search think best.
        nodes: nodes of each pool; enough for one search of a new tree when not given.
        proof_turns: placements that the winner may need in the proofs made of every node; 1 sees only wins with
            the next one.

    Raises:
        ValueError: an argument is out of range; the message names it.
    """

    def __init__(
        self,
        rules: RuleSet,
        games: int,
        *,
        method: Literal["gumbel", "puct"] = "gumbel",
        simulations: int | tuple[int, ...] = 64,
        considered: int = CONSIDERED,
        value_scale: float = VALUE_SCALE,
        noise: float = 1.0,
        nodes: int | None = None,
        proof_turns: int = PROOF_TURNS,
    ) -> None:
        budgets = (simulations,) if isinstance(simulations, int) else simulations
        nodes = max(budgets) + 1 if nodes is None else nodes
        if method not in ("gumbel", "puct"):
            raise ValueError(f"method={method!r} is neither 'gumbel' nor 'puct'")
        for name, value, low in (
            ("games", games, 1),
            ("simulations", min(budgets), 1),
            ("considered", considered, 1),
            ("nodes", nodes, 2),
            ("proof_turns", proof_turns, 1),
        ):
            if value < low:
                raise ValueError(f"{name}={value} is too small; give {low} or more")
        self.rules = rules
        self.budgets = np.array(budgets, np.int64)
        self._is_gumbel = method == "gumbel"
        self._noise_scale, self._value_scale = float(noise), float(value_scale)
        rounds = [gumbel.halving_table(considered, max(budgets))] if self._is_gumbel else [np.zeros((1, 1), np.int64)]
        if self._is_gumbel:
            rounds = [
                np.pad(gumbel.halving_table(considered, n), ((0, 0), (0, max(budgets) - n)), "edge") for n in budgets
            ]
        self._rounds = np.stack(rounds)
        self._leaves = considered if self._is_gumbel else PUCT_LEAVES
        self._trees: Any = np.zeros(games, TREE)
        self._nodes: Any = np.empty((games, nodes), NODE)
        self._edges: Any = np.empty((games, nodes * most_legal(rules)), EDGE)
        self._noise = np.zeros((games, MAX_LEGAL))
        self._taken = np.zeros((games, MAX_LEGAL), np.int32)
        self._waiting = np.empty((games * self._leaves, 2), np.int64)
        self._words = np.empty((games * self._leaves, 6), np.uint64)
        self._proof: Any = np.zeros(1, PROOF)
        self._proof["most_turns"], self._proof["width"] = proof_turns, PROOF_WIDTH
        self._count = 0

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays; they never grow."""
        arrays = (
            self._trees,
            self._nodes,
            self._edges,
            self._noise,
            self._taken,
            self._waiting,
            self._words,
            self._rounds,
        )
        return sum(array.nbytes for array in arrays)

    def plant(
        self,
        games: npt.NDArray[np.int64],
        words: npt.NDArray[np.uint64],
        seeds: npt.NDArray[np.uint64],
        plans: npt.NDArray[np.int64] | None = None,
    ) -> None:
        """Begins new trees.

        Args:
            games: which trees, int64 ``(K,)``.
            words: positions that are not over, uint64 ``(K, 6)``.
            seeds: states of random generators, uint64 ``(K,)``.
            plans: which of the numbers of simulations each gets, int64 ``(K,)``; the first when not given.
        """
        plans = np.zeros(len(games), np.int64) if plans is None else plans
        plant_many(
            self.rules.tables,
            self._proof,
            self._trees,
            self._nodes,
            self._taken,
            games,
            words,
            seeds,
            plans,
            self.budgets[plans],
        )

    def keep(self, game: int, action: int, seed: np.uint64) -> bool:
        """Goes on with the part of a tree that an action leads to, and begins a new search there.

        Returns:
            False where there is no such part, or its pool is too full for a search; `plant` a new tree then.
        """
        return bool(
            keep_one(
                self.rules.tables,
                self._trees,
                self._nodes,
                self._edges,
                self._noise,
                self._taken,
                game,
                action,
                seed,
                self._noise_scale,
            )
        )

    def request(self) -> States:
        """The leaves that wait for the network, as many as there are at most; none when all is done.

        They are this search's own buffer, written again by the next request.
        """
        self._count = request(
            self.rules.tables,
            self._proof,
            self._trees,
            self._nodes,
            self._edges,
            self._noise,
            self._taken,
            self._rounds,
            self._is_gumbel,
            self._leaves,
            self._value_scale,
            self._waiting,
            self._words,
        )
        return States(self.rules, self._words[: self._count])

    def receive(self, logits: npt.NDArray[np.float32], values: npt.NDArray[np.float32]) -> None:
        """Takes the network's answers to the last `request`.

        Raises:
            ValueError: there are not as many as leaves, or one is not finite.
        """
        if logits.shape != (self._count, self.rules.num_actions) or values.shape != (self._count,):
            raise ValueError(
                f"answers {logits.shape} and {values.shape} to {self._count} leaves; "
                f"they must be ({self._count}, {self.rules.num_actions}) and ({self._count},)"
            )
        bad = receive(
            self.rules.tables,
            self._trees,
            self._nodes,
            self._edges,
            self._noise,
            self._noise_scale,
            self._waiting[: self._count],
            logits,
            values,
        )
        if bad >= 0:
            raise ValueError("the network gives logits or values that are not finite")

    def run(self, evaluate: Evaluate, deadline: float = np.inf) -> Found:
        """Searches to the end.

        Args:
            evaluate: the network.
            deadline: `perf_counter` time to stop at; every root is evaluated all the same.
        """
        while len(leaves := self.request()):
            self.receive(*evaluate(leaves))
            if perf_counter() >= deadline:
                break
        return self.found()

    def found(self) -> Found:
        """What the trees know; every root must be evaluated or proven."""
        games = len(self._trees)
        actions = np.empty(games, np.int64)
        policies = np.zeros((games, self.rules.num_actions), np.float32)
        values = np.empty(games, np.float32)
        surprises = np.zeros(games, np.float32)
        write_found(
            self.rules.tables,
            self._proof,
            self._nodes,
            self._edges,
            self._noise,
            self._taken,
            self._is_gumbel,
            self._value_scale,
            actions,
            policies,
            values,
            surprises,
        )
        return Found(actions, policies, values, surprises)

    def analysis(self, game: int, seconds: float) -> Analysis:
        """What one tree knows, as `Analysis`."""
        nodes, edges, tree = self._nodes[game], self._edges[game], self._trees[game]
        root = nodes[0]
        found = self.found()
        moves = np.empty(MAX_LINE, np.int64)
        length = write_line(self.rules.tables, self._proof, nodes, edges, int(found.actions[game]), moves)
        proven = None
        if root.proven not in (OPEN, DRAWN):
            won = root.proven == PLAYER_0 + root.mover
            proven = int(root.distance) if won else -int(root.distance)
        texts = tuple(self.rules.action_to_move(int(action)) for action in moves[:length])
        value = float(found.values[game])
        return Analysis(value, proven, texts, int(tree.started), int(tree.deepest), seconds)

    def prior(self, game: int) -> npt.NDArray[np.float32]:
        """The network's chances of the root's actions before the search, float32 ``(num_actions,)``."""
        policy = np.zeros(self.rules.num_actions, np.float32)
        root = self._nodes[game, 0]
        edges = self._edges[game, root.first : root.first + root.count]
        policy[edges["action"]] = np.exp(edges["logit"])
        return policy


def most_legal(rules: RuleSet) -> int:
    """An upper bound of the legal actions of any position of a rule set."""
    return max(2 * len(rules.board.spaces), 48)


@compiled
def plant_many(tables, proof, trees, nodes, taken, games, words, seeds, plans, budgets):
    """See `TreeSearch.plant`."""
    for k in range(len(games)):
        game = games[k]
        tree = trees[game]
        plant(tables[0], proof[0], tree, nodes[game], words[k])
        begin(tree, taken[game], seeds[k], plans[k], budgets[k])


@compiled
def begin(tree, taken, seed, plan, budget):
    """A new search of a tree."""
    tree.seed = seed
    tree.plan = plan
    tree.budget = budget
    tree.started = 0
    tree.full = 0
    taken[:] = 0


@compiled
def keep_one(tables, trees, nodes, edges, noise, taken, game, action, seed, noise_scale):
    """See `TreeSearch.keep`."""
    tree = trees[game]
    if nodes[game, 0].count == 0 or not descend(tree, nodes[game], edges[game], action):
        return False
    root = nodes[game, 0]
    if root.proven == PLAYER_1 - root.mover and root.count == 0:
        return False
    room = len(nodes[game]) - tree.nodes
    if room < min(np.int64(tree.budget), len(nodes[game]) // 2) and root.proven == OPEN:
        return False
    begin(tree, taken[game], seed, tree.plan, tree.budget)
    tree.deepest = 0
    gumbel.draw_noise(tree, noise[game], np.int64(root.count), noise_scale)
    return True


@compiled
def request(
    tables, proof, trees, nodes, edges, noise, taken, rounds, is_gumbel, most_leaves, value_scale, waiting, words
):
    """See `TreeSearch.request`; writes (game, node) of each leaf and its state, and returns how many."""
    t = tables[0]
    scratch = np.empty(MAX_LEGAL, np.float64)
    total = 0
    for game in range(len(trees)):
        tree = trees[game]
        root = nodes[game, 0]
        found = 0
        idle = 0
        round_now = -1
        while found < most_leaves and root.proven == OPEN:
            leaf = np.int64(0)
            if root.count > 0:
                if tree.started >= tree.budget or tree.full:
                    break
                place = 0
                if is_gumbel:
                    considered = min(np.int64(root.count), rounds.shape[1] - 1)
                    following = rounds[tree.plan, considered, tree.started]
                    if found > 0 and following != round_now:
                        break
                    round_now = following
                    place = gumbel.select_root(
                        nodes[game], edges[game], noise[game], taken[game], following, value_scale, scratch
                    )
                else:
                    place = puct.select(nodes[game], edges[game], 0)
                leaf = walk(t, proof[0], tree, nodes[game], edges[game], place, is_gumbel, value_scale, scratch)
                if leaf == BLOCKED:
                    break
                taken[game, place] += 1
                tree.started += 1
            elif found > 0:
                break
            if nodes[game, leaf].proven != OPEN:
                back_up(nodes[game], edges[game], leaf, exact(nodes[game, leaf]))
                idle += 1
                if idle == IDLE_VISITS:
                    tree.full = 1
                continue
            add_pending(nodes[game], leaf, 1)
            waiting[total, 0] = game
            waiting[total, 1] = leaf
            words[total] = nodes[game, leaf].words
            total += 1
            found += 1
            idle = 0
    return total


@compiled
def walk(t, proof, tree, nodes, edges, place, is_gumbel, value_scale, scratch):
    """From a root edge down to a node that is proven or has no edges yet.

    Returns:
        Its index, or ``BLOCKED`` when the pool is full or the node waits for the network already.
    """
    index = np.int64(0)
    depth = 0
    while True:
        index = follow(t, proof, tree, nodes, edges, index, place)
        if index < 0:
            return BLOCKED
        depth += 1
        node = nodes[index]
        if node.proven != OPEN or node.count == 0:
            break
        if is_gumbel:
            place = gumbel.select_inner(nodes, edges, index, value_scale, scratch)
        else:
            place = puct.select(nodes, edges, index)
    if node.proven == OPEN and node.pending > 0:
        return BLOCKED
    tree.deepest = max(np.int64(tree.deepest), depth)
    return index


@compiled
def receive(tables, trees, nodes, edges, noise, noise_scale, waiting, logits, values):
    """See `TreeSearch.receive`; returns the first leaf whose answer is not finite, or -1."""
    moves = np.empty(MAX_LEGAL, np.int64)
    for k in range(len(waiting)):
        game, leaf = waiting[k]
        tree = trees[game]
        node = nodes[game, leaf]
        add_pending(nodes[game], leaf, -1)
        if not expand(tables[0], tree, nodes[game], edges[game], leaf, logits[k], np.float64(values[k]), moves):
            return k
        if leaf == 0:
            gumbel.draw_noise(tree, noise[game], np.int64(node.count), noise_scale)
        back_up(nodes[game], edges[game], leaf, node.raw if node.proven == OPEN else exact(node))
    return -1


@compiled
def write_found(
    tables, proof, nodes, edges, noise, taken, is_gumbel, value_scale, actions, policies, values, surprises
):
    """See `TreeSearch.found`."""
    scratch = np.empty(MAX_LEGAL, np.float64)
    for game in range(len(actions)):
        root = nodes[game, 0]
        side = sign(root.mover)
        if root.count == 0:
            actions[game], _ = forced_win(tables[0], proof[0], load(root.words))
            policies[game, actions[game]] = 1.0
            values[game] = side * worth(root) if root.visits > 0 else side * exact(root)
            continue
        if is_gumbel:
            place = gumbel.choose(nodes[game], edges[game], noise[game], taken[game], value_scale, scratch)
        else:
            place = puct.choose(nodes[game], edges[game])
        actions[game] = edges[game, root.first + place].action
        values[game] = side * worth(root)
        if root.proven == PLAYER_0 + root.mover:
            policies[game, actions[game]] = 1.0
            surprises[game] = -edges[game, root.first + place].logit
            continue
        if is_gumbel:
            _, value = gumbel.improved_logits(nodes[game], edges[game], 0, value_scale, scratch)
            gumbel.softmax(scratch, np.int64(root.count))
            if root.proven == OPEN:
                values[game] = value
        else:
            write_shares(nodes[game], edges[game], place, scratch)
        for k in range(root.count):
            edge = edges[game, root.first + k]
            policies[game, edge.action] = scratch[k]
            if scratch[k] > 0.0:
                surprises[game] += scratch[k] * (math.log(scratch[k]) - edge.logit)


@compiled
def write_shares(nodes, edges, place, out):
    """Shares of the root's visits by edge; all on one edge while there are none."""
    root = nodes[0]
    total = 0.0
    for k in range(root.count):
        child = edges[root.first + k].child
        out[k] = 1.0 * nodes[child].visits if child >= 0 else 0.0
        total += out[k]
    if total == 0.0:
        out[place] = total = 1.0
    for k in range(root.count):
        out[k] /= total


@compiled
def write_line(tables, proof, nodes, edges, action, out):
    """The best line, from an action on; see `trees.line`."""
    root = nodes[0]
    place = -1
    for k in range(root.count):
        if edges[root.first + k].action == action:
            place = k
    return line(tables[0], proof[0], nodes, edges, place, out)
