"""Trees of positions that a network evaluates, compiled: nodes, proofs, backups and reuse.

Many games are searched in lock step, each with a pool of nodes and edges of fixed length. A node is a
position that was visited; an edge is a legal step from an expanded one, its child -1 until it is tried.

Results are summed for player_0 and read with the sign of whoever acts, so a turn of several steps needs
no special care. What ends the game, or wins with the next placement, is proven and never shown to the
network; proofs are passed up (MCTS-Solver: Winands, Bjornsson and Saito, 2008).
"""

# mypy: disallow-untyped-defs=False, disallow-untyped-calls=False, disable-error-code=assignment

from __future__ import annotations

import math
from typing import Any

import numpy as np

from boop_env.rules.compiled import compiled
from boop_env.rules.kernel import OVER, PLACEMENT, STATE_WORDS, legal_actions, load, step, store
from boop_env.search.alphabeta import MAX_LEGAL
from boop_env.search.forced import forced_win, longest_answer
from boop_env.search.threats import winning_placement

OPEN, PLAYER_0, PLAYER_1, DRAWN = range(4)
"""What is proven of a node: nothing, who wins, or that the turn cap ends the game."""


def aligned(fields: list[Any]) -> np.dtype[np.void]:
    """A record type whose fields lie where the processor likes them; NumPy does not align `np.record` by itself."""
    return np.dtype((np.record, np.dtype(fields, align=True)))


NODE = aligned(
    [
        ("words", "u8", (STATE_WORDS,)),
        ("total", "f8"),
        ("raw", "f8"),
        ("visits", "i4"),
        ("pending", "i4"),
        ("parent", "i4"),
        ("first", "i4"),
        ("count", "i2"),
        ("settled", "i2"),
        ("action", "i2"),
        ("distance", "i2"),
        ("mover", "i1"),
        ("proven", "i1"),
    ]
)
"""A position: its stored state, sum of results and the network's value (both for player_0), visits, visits
that wait for the network, its parent, its edges (a run of `count` from `first`, `settled` of them proven),
the action that led here, steps to the proven end, who acts, and what is proven."""

EDGE = aligned([("logit", "f8"), ("child", "i4"), ("action", "i2")])
"""A legal step: the logarithm of its prior chance, the node it leads to or -1, and its action number."""

TREE = aligned(
    [
        ("seed", "u8"),
        ("nodes", "i4"),
        ("edges", "i4"),
        ("plan", "i4"),
        ("budget", "i4"),
        ("started", "i4"),
        ("deepest", "i4"),
        ("full", "i1"),
    ]
)
"""One game's search: the state of its random generator, nodes and edges in use, which plan it follows,
simulations to run and begun, the deepest step, and whether it must end early."""


@compiled
def plant(t, proof, tree, nodes, words):
    """Makes a position that is not over the root of a new tree."""
    tree.nodes = 0
    tree.edges = 0
    tree.deepest = 0
    s = load(words)
    add_node(tree, nodes, -1, -1, s)
    meet(t, proof, nodes[0], s)


@compiled
def add_node(tree, nodes, parent, action, s):
    """A node for a state, not yet visited; returns its index."""
    index = np.int64(tree.nodes)
    tree.nodes += 1
    node = nodes[index]
    store(s, node.words)
    node.total = 0.0
    node.raw = 0.0
    node.visits = 0
    node.pending = 0
    node.parent = parent
    node.first = 0
    node.count = 0
    node.settled = 0
    node.action = action
    node.distance = 0
    node.mover = s.mover
    node.proven = OPEN
    return index


@compiled
def meet(t, proof, node, s):
    """Proves a new node if its game is over, or won by force in a few turns."""
    if s.phase == OVER:
        node.proven = DRAWN if s.winner < 0 else PLAYER_0 + s.winner
        return
    _, steps = forced_win(t, proof, s)
    if steps > 0:
        node.proven = PLAYER_0 + s.mover
        node.distance = steps


@compiled
def follow(t, proof, tree, nodes, edges, index, place):
    """The child that an edge leads to, made now if this is the first time; -1 when the pool is full."""
    edge = edges[nodes[index].first + place]
    if edge.child < 0:
        if tree.nodes == len(nodes):
            tree.full = 1
            return -1
        s = step(t, load(nodes[index].words), np.int64(edge.action))
        child = add_node(tree, nodes, index, edge.action, s)
        edge.child = child
        meet(t, proof, nodes[child], s)
    return np.int64(edge.child)


@compiled
def expand(t, tree, nodes, edges, index, logits, value, moves):
    """Gives a node its edges and the network's opinion of them.

    Steps after which the other player wins at once get no edge. Where all steps are such, the node is proven
    lost; a root keeps them all then, so that there is something to play.

    Args:
        t: the rule set's tables.
        tree: one `TREE`.
        nodes: its nodes.
        edges: its edges.
        index: a node without edges that is not proven.
        logits: float32 ``(num_actions,)``.
        value: the network's value for the player who acts there.
        moves: scratch, ``int64 (MAX_LEGAL,)``.

    Returns:
        False when a logit or the value is not finite; nothing was done then.
    """
    node = nodes[index]
    node.raw = value if node.mover == 0 else -value
    s = load(node.words)
    legal = legal_actions(t, s, moves)
    count = drop_blunders(t, s, moves, legal)
    if count == 0 and index > 0:
        node.proven = PLAYER_1 - node.mover
        node.distance = 2
        return True
    count = legal if count == 0 else count
    if tree.edges + count > len(edges):
        tree.full = 1
        return True
    if not math.isfinite(value):
        return False
    highest = -math.inf
    for place in range(count):
        logit = np.float64(logits[moves[place]])
        if not math.isfinite(logit):
            return False
        highest = max(highest, logit)
    mass = 0.0
    for place in range(count):
        mass += math.exp(np.float64(logits[moves[place]]) - highest)
    shift = highest + math.log(mass)
    for place in range(count):
        edge = edges[tree.edges + place]
        edge.logit = np.float64(logits[moves[place]]) - shift
        edge.action = moves[place]
        edge.child = -1
    node.first = tree.edges
    node.count = count
    tree.edges += count
    return True


@compiled
def drop_blunders(t, s, moves, count):
    """Moves the actions after which the other player wins with the next placement behind the others.

    Args:
        t: the rule set's tables.
        s: a state whose game goes on.
        moves: int64, the legal actions, put in another order.
        count: how many there are.

    Returns:
        How many of them do not lose at once; they come first, in their old order.
    """
    kept = 0
    for place in range(count):
        action = moves[place]
        after = step(t, s, action)
        if after.phase == OVER:
            loses = after.winner == 1 - s.mover
        else:
            loses = after.mover != s.mover and after.phase == PLACEMENT and winning_placement(t, after) >= 0
        if not loses:
            moves[place] = moves[kept]
            moves[kept] = action
            kept += 1
    return kept


@compiled
def exact(node):
    """Value of a proven node for player_0."""
    return 1.0 if node.proven == PLAYER_0 else -1.0 if node.proven == PLAYER_1 else 0.0


@compiled
def worth(node):
    """Value of a visited node for player_0: proven, or the mean of its results."""
    return exact(node) if node.proven != OPEN else node.total / node.visits


@compiled
def sign(mover):
    """1.0 for player_0, -1.0 for player_1."""
    return 1.0 if mover == 0 else -1.0


@compiled
def is_lost(parent, child):
    """Whether a child is a proven loss for the player who acts at its parent."""
    return child.proven == PLAYER_1 - parent.mover


@compiled
def back_up(nodes, edges, leaf, value):
    """Adds a result for player_0 along the path to the root, and proves what the leaf's proof decides."""
    solved = nodes[leaf].proven != OPEN and nodes[leaf].visits == 0
    index = np.int64(leaf)
    child = np.int64(-1)
    while index >= 0:
        node = nodes[index]
        if child >= 0 and solved:
            solved = node.proven == OPEN and prove(nodes, edges, node, nodes[child])
            if solved:
                value = exact(node)
        node.visits += 1
        node.total += value
        child = index
        index = np.int64(node.parent)


@compiled
def prove(nodes, edges, node, child):
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
    for at in range(node.first, node.first + node.count):
        other = nodes[edges[at].child]
        drawn = drawn or other.proven == DRAWN
        longest = max(longest, np.int64(other.distance))
    node.proven = DRAWN if drawn else PLAYER_1 - node.mover
    node.distance = longest + 1
    return True


@compiled
def add_pending(nodes, leaf, change):
    """Notes along the path to the root that a visit waits for the network (1), or no longer does (-1)."""
    index = np.int64(leaf)
    while index >= 0:
        nodes[index].pending += change
        index = np.int64(nodes[index].parent)


@compiled
def proven_place(nodes, edges, node):
    """Place of the edge to play at a proven node with edges: the shortest win, a draw, the longest defence."""
    best, best_worth = 0, -(1 << 20)
    for place in range(node.count):
        at = edges[node.first + place].child
        if at < 0 or nodes[at].proven == OPEN:
            continue
        child = nodes[at]
        distance = np.int64(child.distance)
        merit = distance - (1 << 18) if is_lost(node, child) else 0 if child.proven == DRAWN else (1 << 18) - distance
        if merit > best_worth:
            best, best_worth = place, merit
    return best


@compiled
def most_visited(nodes, edges, index):
    """Place of the edge visited most among those not lost, -1 if none was visited."""
    node = nodes[index]
    best, most = -1, 0
    for place in range(node.count):
        at = edges[node.first + place].child
        if at >= 0 and nodes[at].visits > most and not is_lost(node, nodes[at]):
            best, most = place, np.int64(nodes[at].visits)
    return best


@compiled
def line(t, proof, nodes, edges, place, out):
    """Writes the line that a tree thinks best.

    Args:
        t: the rule set's tables.
        proof: the `PROOF` that the nodes were met with.
        nodes: a tree's nodes.
        edges: its edges.
        place: the edge to start with at the root, -1 at a root without edges.
        out: ``int64 (length,)``, action numbers of both players.

    Returns:
        How many were written, 1 or more.
    """
    index = np.int64(0)
    length = 0
    while length < len(out):
        node = nodes[index]
        if node.count == 0:
            if node.proven == PLAYER_0 + node.mover:
                length = forced_line(t, proof, load(node.words), out, length)
            return length
        if length > 0:
            place = proven_place(nodes, edges, node) if node.proven != OPEN else most_visited(nodes, edges, index)
            if place < 0:
                return length
        edge = edges[node.first + place]
        out[length] = edge.action
        length += 1
        if edge.child < 0:
            return length
        index = np.int64(edge.child)
    return length


@compiled
def forced_line(t, proof, s, out, length):
    """Appends a forced win of the player to act, to the end of the game, to a line; returns its new length."""
    moves = np.empty(MAX_LEGAL, np.int64)
    winner = s.mover
    while s.phase != OVER and length < len(out):
        action = np.int64(-1)
        if s.mover == winner:
            action, _ = forced_win(t, proof, s)
            if action < 0:
                break
        else:
            action = longest_answer(t, proof, s, moves)
        out[length] = action
        length += 1
        s = step(t, s, action)
    return length


@compiled
def descend(tree, nodes, edges, action):
    """Makes the child that an action leads to the root, and closes the ranks behind it.

    Parents come before their children and edges lie in the order of their nodes, so that everything
    moves towards the front and nothing is overwritten before it has moved.

    Args:
        tree: one `TREE`.
        nodes: its nodes.
        edges: its edges.
        action: an action number.

    Returns:
        Whether the child was there; if not, nothing was done.
    """
    root = nodes[0]
    chosen = np.int64(-1)
    for at in range(root.first, root.first + root.count):
        if edges[at].action == action:
            chosen = np.int64(edges[at].child)
    if chosen < 0:
        return False
    moved = np.full(tree.nodes, -1, np.int64)
    moved[chosen] = 0
    used = 1
    for index in range(chosen + 1, tree.nodes):
        if moved[nodes[index].parent] >= 0:
            moved[index] = used
            used += 1
    used_edges = 0
    for index in range(chosen, tree.nodes):
        to = moved[index]
        if to < 0:
            continue
        first, count = np.int64(nodes[index].first), np.int64(nodes[index].count)
        parent = np.int64(nodes[index].parent)
        nodes[to] = nodes[index]
        nodes[to].parent = moved[parent] if to > 0 else -1
        nodes[to].first = used_edges
        for at in range(first, first + count):
            child = np.int64(edges[at].child)
            edges[used_edges] = edges[at]
            edges[used_edges].child = moved[child] if child >= 0 else -1
            used_edges += 1
    tree.nodes = used
    tree.edges = used_edges
    return True
