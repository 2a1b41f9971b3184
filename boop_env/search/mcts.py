"""Monte Carlo tree search, compiled: UCT (Kocsis and Szepesvari, 2006) that proves what it can.

A node's value blends the mean of its playouts with the evaluation of its children, passed up by minimax
("implicit minimax backups": Lanctot, Winands, Pepels and Sturtevant, 2014). Playouts of boop. are long and
say little about a single move; without the evaluation the search needs ten times the simulations.

Results are counted for player_0 and read with the sign of whoever acts, so a turn of several steps needs
no special care. Proven wins and losses are passed up (MCTS-Solver: Winands, Bjornsson and Saito, 2008).
Nodes live in one array of fixed length; when it is full the tree stops growing and playouts go on.
"""

# mypy: disallow-untyped-defs=False, disallow-untyped-calls=False, disable-error-code=assignment

from __future__ import annotations

import math
from typing import Any

import numpy as np

from boop_env.rules.compiled import compiled, lowest_bit, random_bits, random_next, scale
from boop_env.rules.kernel import (
    OVER,
    PLACEMENT,
    STATE_WORDS,
    ZERO,
    legal_actions,
    load,
    random_action,
    step,
    store,
)
from boop_env.search.alphabeta import MAX_LEGAL
from boop_env.search.evaluation import NUM_FEATURES, SCORE_SCALE, evaluate
from boop_env.search.threats import sure_wins, winning_placement

MAX_PATH = 400
EXPLORATION = 0.1
"""Weight of the exploration term of UCB1 (Auer, Cesa-Bianchi and Fischer, 2002), results from -1 to 1."""

TRUST = 20.0
"""How many playouts the evaluation of a node counts for in the mean of its playouts."""

BLEND = 0.8
"""Share of the evaluation, passed up by minimax, in the value of a node; playouts have the rest."""

WELL_KNOWN = 10
"""Visits below which a node's best move is not worth telling."""

OPEN, PLAYER_0, PLAYER_1, DRAWN = range(4)
"""What is proven of a node: nothing, who wins, or that the turn cap ends the game."""

NODE = np.dtype(
    (
        np.record,
        [
            ("visits", "i4"),
            ("total", "i4"),
            ("prior", "f4"),
            ("first", "i4"),
            ("count", "i2"),
            ("tried", "i2"),
            ("settled", "i2"),
            ("action", "i2"),
            ("distance", "i2"),
            ("mover", "i1"),
            ("proven", "i1"),
        ],
    ),
    align=True,
)
"""A node: visits, sum of results for player_0, the evaluation as the player who chose this node sees it,
its children (a run of `count` nodes from `first`, the
first `tried` of them visited, `settled` of them proven), the action that leads here, steps to the proven
end, who acts here, and what is proven."""

TREE = np.dtype(
    (
        np.record,
        [
            ("exploration", "f8"),
            ("trust", "f8"),
            ("blend", "f8"),
            ("rings", "u8", (3,)),
            ("weights", "i8", (2 * NUM_FEATURES,)),
            ("features", "i8", (2 * NUM_FEATURES,)),
            ("used", "i8"),
            ("seed", "u8"),
            ("simulations", "i8"),
            ("deepest", "i8"),
            ("words", "u8", (STATE_WORDS,)),
            ("path", "i8", (MAX_PATH,)),
            ("moves", "i8", (MAX_LEGAL,)),
            ("line_length", "i8"),
            ("line", "i8", (MAX_PATH,)),
        ],
    ),
    align=True,
)
"""One search's place besides its nodes."""


def new_tree() -> Any:
    """A `TREE` array of length 1 with the constants of play; rings and weights are left to set."""
    tree: Any = np.zeros(1, TREE)
    tree[0].exploration = EXPLORATION
    tree[0].trust = TRUST
    tree[0].blend = BLEND
    return tree


@compiled
def plant(tables, words, tree, nodes, seed):
    """Begins a tree at a state that is not over."""
    m = tree[0]
    m.words[:] = words
    m.seed = seed
    m.simulations = 0
    m.deepest = 0
    m.used = 1
    s = load(words)
    clear_node(nodes[0])
    meet(tables[0], nodes[0], s)
    expand(tables[0], m, nodes, 0, s)


@compiled
def clear_node(node):
    """A node that was never visited; its action and prior stay."""
    node.visits = 0
    node.total = 0
    node.first = 0
    node.count = 0
    node.tried = 0
    node.settled = 0
    node.distance = 0
    node.mover = 0
    node.proven = OPEN


@compiled
def simulate(tables, tree, nodes, count):
    """Runs `count` simulations more; returns True, perhaps sooner, when the root is proven."""
    t = tables[0]
    m = tree[0]
    for _ in range(count):
        if nodes[0].proven != OPEN:
            return True
        simulate_once(t, m, nodes)
    return nodes[0].proven != OPEN


@compiled
def simulate_once(t, m, nodes):
    """Down the tree, a playout, and back up."""
    m.simulations += 1
    s = load(m.words)
    index = 0
    depth = 0
    m.path[0] = 0
    while True:
        node = nodes[index]
        if node.proven != OPEN:
            break
        if node.count == 0:
            if node.visits == 0:
                meet(t, node, s)
                break
            if depth + 1 == MAX_PATH or m.used + MAX_LEGAL > len(nodes):
                break
            expand(t, m, nodes, index, s)
        index = select(m, nodes, index)
        s = step(t, s, np.int64(nodes[index].action))
        depth += 1
        m.path[depth] = index
    m.deepest = max(m.deepest, depth)
    proven = nodes[index].proven
    if proven == OPEN:
        result, m.seed = rollout(t, s, m.seed)
    else:
        result = 1 if proven == PLAYER_0 else -1 if proven == PLAYER_1 else 0
    back_up(m, nodes, depth, result)


@compiled
def meet(t, node, s):
    """First visit: who acts, and whether the game is over or won with the next placement."""
    node.mover = s.mover
    if s.phase == OVER:
        node.proven = DRAWN if s.winner < 0 else PLAYER_0 + s.winner
    elif s.phase == PLACEMENT and winning_placement(t, s) >= 0:
        node.proven = PLAYER_0 + s.mover
        node.distance = 1


@compiled
def expand(t, m, nodes, index, s):
    """Gives a node its children, the most promising ones first."""
    count = legal_actions(t, s, m.moves)
    first = m.used
    nodes[index].first = first
    nodes[index].count = count
    for place in range(count):
        action = m.moves[place]
        m.seed = random_next(m.seed)
        prior = promise(t, m, s, step(t, s, action)) + 1e-6 * scale(random_bits(m.seed), 1000)
        at = first + place
        while at > first and nodes[at - 1].prior < prior:
            nodes[at].prior = nodes[at - 1].prior
            nodes[at].action = nodes[at - 1].action
            at -= 1
        nodes[at].prior = prior
        nodes[at].action = action
    for place in range(count):
        clear_node(nodes[first + place])
    m.used += count


@compiled
def promise(t, m, s, after):
    """What the mover of `s` can expect of a state after their step, from -1 to 1, without a search."""
    if after.phase == OVER:
        value = 0.0 if after.winner < 0 else 1.0
        return value if after.winner == s.mover else -value
    value = math.tanh(evaluate(t, m, after) / SCORE_SCALE)
    return value if after.mover == s.mover else -value


@compiled
def select(m, nodes, index):
    """The child to visit: the one with the best upper confidence bound."""
    node = nodes[index]
    first, tried = np.int64(node.first), np.int64(node.tried)
    sign = 1.0 if node.mover == 0 else -1.0
    lost = PLAYER_1 if node.mover == 0 else PLAYER_0
    explore = m.exploration * m.exploration * math.log(1.0 + node.visits)
    trust = m.trust
    blend = m.blend
    best = -1
    best_bound = -1e9
    for child in range(first, first + tried):
        other = nodes[child]
        if other.proven == lost:
            continue
        visits = np.float64(other.visits)
        mean = (sign * other.total + trust * other.prior) / (visits + trust)
        mean += blend * (other.prior - mean)
        bound = mean + math.sqrt(explore / (visits + 1.0))
        if bound > best_bound:
            best_bound = bound
            best = child
    if tried < node.count and (best < 0 or best_bound < nodes[first + tried].prior + math.sqrt(explore)):
        best = first + tried
        node.tried += 1
    return best


@compiled
def rollout(t, s, seed):
    """Random play to the end, wins taken where one cat completes a row.

    Returns:
        (result for player_0, generator state).
    """
    while s.phase != OVER:
        wins = sure_wins(t, s) if s.phase == PLACEMENT else ZERO
        if wins != ZERO:
            action = t.first_cat + t.cell[lowest_bit(wins)]
        else:
            action, seed = random_action(t, s, seed)
        s = step(t, s, action)
    return 0 if s.winner < 0 else 1 - 2 * s.winner, seed


@compiled
def back_up(m, nodes, depth, result):
    """Adds a result along the path, passes evaluations up, and proves what the leaf's proof decides."""
    leaf = nodes[m.path[depth]]
    solved = leaf.proven != OPEN and leaf.visits == 0
    changed = True
    for level in range(depth, -1, -1):
        node = nodes[m.path[level]]
        if solved and level < depth:
            solved = prove(nodes, node, nodes[m.path[level + 1]])
        node.visits += 1
        node.total += result
        if level > 0 and (changed or solved) and (node.count > 0 or node.proven != OPEN):
            value = node_value(nodes, node)
            value = value if node.mover == nodes[m.path[level - 1]].mover else -value
            # The node above the leaf may have got its children just now; further up, news must come from below.
            changed = level == depth or value != node.prior
            node.prior = value


@compiled
def node_value(nodes, node):
    """What the player who acts at an expanded or proven node can expect by evaluation alone."""
    if node.proven != OPEN:
        return 0.0 if node.proven == DRAWN else 1.0 if node.proven == PLAYER_0 + node.mover else -1.0
    value = -1.0
    # The untried children are in order, so the first of them stands for all.
    for child in range(node.first, node.first + min(node.tried + 1, node.count)):
        value = max(value, np.float64(nodes[child].prior))
    return value


@compiled
def prove(nodes, node, child):
    """Draws the conclusion from a newly proven child; returns whether the node is proven now."""
    node.settled += 1
    won = PLAYER_0 + node.mover
    if child.proven == won:
        node.proven = won
        node.distance = child.distance + 1
        return True
    if node.settled < node.count:
        return False
    longest, drawn = 0, False
    for index in range(node.first, node.first + node.count):
        drawn = drawn or nodes[index].proven == DRAWN
        longest = max(longest, nodes[index].distance)
    node.proven = DRAWN if drawn else PLAYER_1 - node.mover
    node.distance = longest + 1
    return True


@compiled
def best_child(nodes, index):
    """The child to play: a proven win, else the most visited that is not lost, else the longest defence."""
    node = nodes[index]
    won = PLAYER_0 + node.mover
    best = -1
    best_worth = -(1 << 40)
    for child in range(node.first, node.first + node.tried):
        other = nodes[child]
        worth = np.int64(other.visits)
        if other.proven == won:
            worth = (1 << 39) - other.distance
        elif other.proven == DRAWN and node.proven == DRAWN:
            worth = 1 << 38
        elif other.proven == PLAYER_1 - node.mover:
            worth = other.distance - (1 << 39)
        if worth > best_worth:
            best_worth = worth
            best = child
    return best


@compiled
def best_line(tables, tree, nodes):
    """Writes the line that the tree thinks best into ``tree[0].line``; its first move is legal, always."""
    t = tables[0]
    m = tree[0]
    s = load(m.words)
    index = 0
    m.line_length = 0
    while s.phase != OVER and m.line_length < MAX_PATH:
        node = nodes[index]
        if m.line_length > 0 and node.proven == OPEN and node.visits < WELL_KNOWN:
            return
        action = -1
        if node.proven != OPEN and node.distance == 1 and s.phase == PLACEMENT:
            action = winning_placement(t, s)
        if action < 0:
            if node.count == 0 or (node.tried == 0 and index > 0):
                return
            index = best_child(nodes, index) if node.tried > 0 else np.int64(node.first)
            action = np.int64(nodes[index].action)
        m.line[m.line_length] = action
        m.line_length += 1
        s = step(t, s, action)


@compiled
def descend(tables, tree, nodes, other, action):
    """Makes the child that `action` leads to the root of a tree in `other`.

    Args:
        tables: the rule set's tables.
        tree: ``TREE (1,)``, brought up to date.
        nodes: where the tree is.
        other: where it goes, as long as `nodes`.
        action: a legal action of the root.

    Returns:
        Whether the child had been visited; if not, `plant` a new tree.
    """
    m = tree[0]
    root = nodes[0]
    for child in range(root.first, root.first + root.tried):
        if nodes[child].action == action and nodes[child].count > 0:
            other[0] = nodes[child]
            used = 1
            index = 0
            while index < used:
                first, count = np.int64(other[index].first), np.int64(other[index].count)
                if count > 0:
                    for place in range(count):
                        other[used + place] = nodes[first + place]
                    other[index].first = used
                    used += count
                index += 1
            m.used = used
            store(step(tables[0], load(m.words), action), m.words)
            return True
    return False


@compiled
def simulate_many(tables, states, seeds, tree, nodes, count, actions):
    """Searches positions one after the other, each with a tree of its own.

    Args:
        tables: the rule set's tables.
        states: ``uint64 (N, 6)``.
        seeds: ``uint64 (N,)``.
        tree: ``TREE (1,)``.
        nodes: ``NODE (length,)``.
        count: simulations for each.
        actions: ``int64 (N,)``, written.
    """
    for index in range(len(states)):
        plant(tables, states[index], tree, nodes, seeds[index])
        simulate(tables, tree, nodes, count)
        best_line(tables, tree, nodes)
        actions[index] = tree[0].line[0]
