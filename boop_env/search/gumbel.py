"""How Gumbel AlphaZero chooses (Danihelka, Guez, Schrittwieser and Silver, 2022), compiled.

At the root, actions are drawn without replacement by the Gumbel top-k trick and share the simulations by
sequential halving; elsewhere visits follow the improved policy, without chance. Equation numbers are the
paper's ("Policy improvement by planning with Gumbel", ICLR 2022).
"""

# mypy: disallow-untyped-defs=False, disallow-untyped-calls=False, disable-error-code=assignment

from __future__ import annotations

import math
from functools import cache

import numpy as np
import numpy.typing as npt

from boop_env.rules.compiled import compiled, random_bits, random_next
from boop_env.search.trees import OPEN, is_lost, proven_place, sign, worth

VISIT_OFFSET = 50.0
"""The paper's ``c_visit``."""

LOST = -1e9
"""Added to the score of what is proven lost: it is taken when nothing else is left."""


@cache
def halving_rounds(considered: int, simulations: int) -> npt.NDArray[np.int64]:
    """How often the root action that a simulation takes was taken before: sequential halving as a list.

    All of the `considered` actions are tried in each round of the first phase, then the better half,
    and so on down to two. A run of equal numbers is one round, which visits every action that is left.

    Args:
        considered: actions to begin with, 1 or more.
        simulations: length of the list.

    Returns:
        int64 ``(simulations,)``.
    """
    visits: list[int] = []
    left, done = considered, 0
    phases = max(1, math.ceil(math.log2(considered)))
    while len(visits) < simulations:
        rounds = max(1, simulations // (phases * left))
        for _ in range(rounds):
            visits += [done] * left
            done += 1
        left = max(min(2, considered), left // 2)
    return np.array(visits[:simulations], np.int64)


@cache
def halving_table(most: int, simulations: int) -> npt.NDArray[np.int64]:
    """`halving_rounds` for 0 (all zero) to `most` considered actions: int64 ``(most + 1, simulations)``."""
    table = np.zeros((most + 1, simulations), np.int64)
    for considered in range(1, most + 1):
        table[considered] = halving_rounds(considered, simulations)
    return table


@compiled
def draw_noise(tree, noise, count, scale):
    """Writes Gumbel(0, 1) noise times a scale for `count` edges of the root."""
    for place in range(count):
        tree.seed = random_next(tree.seed)
        uniform = (np.float64(random_bits(tree.seed) >> np.uint64(11)) + 0.5) * 2.0**-53
        noise[place] = -scale * math.log(-math.log(uniform))


@compiled
def improved_logits(nodes, edges, index, value_scale, out):
    """Logits of the improved policy (equation 11): the prior's plus sigma of the completed Q values.

    Args:
        nodes: a tree's nodes.
        edges: its edges.
        index: an expanded node.
        value_scale: the paper's ``c_scale``, for values from -1 to 1.
        out: float64 ``(MAX_LEGAL,)``, written for each edge.

    Returns:
        (visits of all children, value of the improved policy for the player who acts).
    """
    node = nodes[index]
    side = sign(node.mover)
    visits, most = 0, 0
    mass, weighted = 0.0, 0.0
    for place in range(node.count):
        edge = edges[node.first + place]
        if edge.child >= 0 and nodes[edge.child].visits > 0:
            child = nodes[edge.child]
            visits += np.int64(child.visits)
            most = max(most, np.int64(child.visits))
            prior = math.exp(edge.logit)
            mass += prior
            weighted += prior * side * worth(child)
    # The mixed value of appendix D stands in for the actions that were not visited (equation 10).
    mixed = side * node.raw
    if mass > 0.0:
        mixed = (mixed + visits * weighted / mass) / (1.0 + visits)
    sigma = (VISIT_OFFSET + most) * value_scale  # equation 8
    highest = -math.inf
    for place in range(node.count):
        edge = edges[node.first + place]
        q = mixed
        if edge.child >= 0 and nodes[edge.child].visits > 0:
            q = side * worth(nodes[edge.child])
        out[place] = edge.logit + sigma * q
        highest = max(highest, out[place])
    total, value = 0.0, 0.0
    for place in range(node.count):
        edge = edges[node.first + place]
        q = mixed
        if edge.child >= 0 and nodes[edge.child].visits > 0:
            q = side * worth(nodes[edge.child])
        chance = math.exp(out[place] - highest)
        total += chance
        value += chance * q
    return visits, value / total


@compiled
def softmax(scores, count):
    """The first `count` scores as chances, in place."""
    highest = -math.inf
    for place in range(count):
        highest = max(highest, scores[place])
    total = 0.0
    for place in range(count):
        scores[place] = math.exp(scores[place] - highest)
        total += scores[place]
    for place in range(count):
        scores[place] /= total


@compiled
def select_inner(nodes, edges, index, value_scale, scratch):
    """The edge to follow away from the root (equation 14): where visits lag most behind the improved policy."""
    node = nodes[index]
    visits, _ = improved_logits(nodes, edges, index, value_scale, scratch)
    softmax(scratch, np.int64(node.count))
    best, best_score = -1, -math.inf
    for place in range(node.count):
        at = edges[node.first + place].child
        score = scratch[place]
        if at >= 0:
            score -= nodes[at].visits / (1.0 + visits)
            if is_lost(node, nodes[at]):
                score += LOST
        if score > best_score:
            best, best_score = place, score
    return best


@compiled
def select_root(nodes, edges, noise, taken, considered, value_scale, scratch):
    """The root edge of the next simulation: the best score among those taken `considered` times.

    Args:
        nodes: a tree's nodes.
        edges: its edges.
        noise: float64 ``(MAX_LEGAL,)``.
        taken: int32 ``(MAX_LEGAL,)``, how often this search took each edge.
        considered: how often the edge was taken before.
        value_scale: as in `improved_logits`.
        scratch: float64 ``(MAX_LEGAL,)``.
    """
    node = nodes[0]
    improved_logits(nodes, edges, 0, value_scale, scratch)
    best, best_score = 0, -math.inf
    for place in range(node.count):
        at = edges[node.first + place].child
        score = noise[place] + scratch[place]
        if taken[place] != considered:
            score += LOST / 4
        if at >= 0 and is_lost(node, nodes[at]):
            score += LOST
        if score > best_score:
            best, best_score = place, score
    return best


@compiled
def choose(nodes, edges, noise, taken, value_scale, scratch):
    """The root edge to play: the best score among those that the search took most often."""
    node = nodes[0]
    if node.proven != OPEN:
        return proven_place(nodes, edges, node)
    most = 0
    for place in range(node.count):
        at = edges[node.first + place].child
        if at < 0 or not is_lost(node, nodes[at]):
            most = max(most, np.int64(taken[place]))
    return select_root(nodes, edges, noise, taken, most, value_scale, scratch)
