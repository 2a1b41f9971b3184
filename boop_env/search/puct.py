"""How AlphaZero chooses (Silver et al., 2018), compiled: PUCT, for analysis and large budgets."""

# mypy: disallow-untyped-defs=False, disallow-untyped-calls=False, disable-error-code=assignment

from __future__ import annotations

import math

from boop_env.rules.compiled import compiled
from boop_env.search.trees import OPEN, is_lost, most_visited, proven_place, sign, worth

EXPLORATION = 1.25
EXPLORATION_BASE = 19652.0
"""The constants of the exploration rate, as published with AlphaZero."""

FIRST_PLAY = 0.2
"""How much less than its parent an action that was never tried is thought to be worth, at most."""


@compiled
def select(nodes, edges, index):
    """The edge with the best upper bound; a visit that waits for the network counts as lost until then."""
    node = nodes[index]
    side = sign(node.mover)
    tried = 0.0
    for place in range(node.count):
        edge = edges[node.first + place]
        if edge.child >= 0:
            tried += math.exp(edge.logit)
    mean = side * (node.total / node.visits) if node.visits > 0 else side * node.raw
    untried = mean - FIRST_PLAY * math.sqrt(tried)
    visits = 1.0 + node.visits + node.pending
    rate = EXPLORATION + math.log((visits + EXPLORATION_BASE) / EXPLORATION_BASE)
    bonus = rate * math.sqrt(visits)
    best, best_bound = -1, -math.inf
    for place in range(node.count):
        edge = edges[node.first + place]
        q, tries = untried, 0.0
        if edge.child >= 0:
            child = nodes[edge.child]
            if is_lost(node, child):
                continue
            tries = 1.0 * (child.visits + child.pending)
            if child.proven != OPEN:
                q = side * worth(child)
            elif tries > 0:
                q = (side * child.total - child.pending) / tries
        bound = q + bonus * math.exp(edge.logit) / (1.0 + tries)
        if bound > best_bound:
            best, best_bound = place, bound
    return best


@compiled
def choose(nodes, edges):
    """The root edge to play: the most visited one, or what is proven best."""
    node = nodes[0]
    if node.proven != OPEN:
        return proven_place(nodes, edges, node)
    best = most_visited(nodes, edges, 0)
    if best >= 0:
        return best
    best, highest = 0, -math.inf
    for place in range(node.count):
        edge = edges[node.first + place]
        if edge.logit > highest and (edge.child < 0 or not is_lost(node, nodes[edge.child])):
            best, highest = place, edge.logit
    return best
