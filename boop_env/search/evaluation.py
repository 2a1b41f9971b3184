"""What a position is worth without search: a weighted sum of counts, fitted by `train/fit_eval.py`.

The same counts are taken of the mover and of the other player, each with weights of its own, so the
difference between the two is what having the move is worth. Units are thousandths of a logit:
``expected_result`` of the sum estimates the mover's result, and the fit makes that estimate honest.
"""

# mypy: disallow-untyped-defs=False, disallow-untyped-calls=False

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from boop_env.rules.compiled import compiled, popcount
from boop_env.rules.kernel import ON_BOARD, ZERO
from boop_env.rules.ruleset import RuleSet
from boop_env.search.threats import row_ends, row_middles

SCORE_SCALE = 2000.0
"""The hyperbolic tangent of a score over this is the expected result, from -1 to 1."""

FEATURES = (
    "cats owned",
    "three cats owned",
    "kittens on the edge",
    "kittens one in",
    "kittens in the centre",
    "cats on the edge",
    "cats one in",
    "cats in the centre",
    "row ends open",
    "row middles open",
    "cat row ends open",
    "cat row middles open",
    "a row can be completed",
    "a row of cats can be completed",
    "pieces on the board, squared",
    "ornaments",
    "ornament on the tree",
    "ornament on the edge",
    "ghost on the board",
    "constant",
)
"""Counts of one player; the vector holds the mover's and then the other player's."""

NUM_FEATURES = len(FEATURES)

WEIGHTS_FILE = Path(__file__).with_name("weights.json")


@compiled
def write_side(t, rings, first, pieces, cats, empty, owned, ornaments, ornament, ghost, out):
    """Writes one player's counts into `out` from index `first` on."""
    own_cats = pieces & cats
    kittens = pieces ^ own_cats
    num_kittens, num_cats = popcount(kittens), popcount(own_cats)
    out[first] = owned
    out[first + 1] = 1 if owned >= 3 else 0
    out[first + 2] = popcount(kittens & rings[0])
    out[first + 3] = popcount(kittens & rings[1])
    out[first + 4] = popcount(kittens & rings[2])
    out[first + 5] = popcount(own_cats & rings[0])
    out[first + 6] = popcount(own_cats & rings[1])
    out[first + 7] = popcount(own_cats & rings[2])
    ends = row_ends(t, pieces) & empty
    out[first + 8] = popcount(ends)
    out[first + 9] = popcount(row_middles(t, pieces) & empty)
    out[first + 12] = 1 if ends != ZERO else 0
    if num_cats >= 2 and owned > num_cats:
        cat_ends = row_ends(t, own_cats) & empty
        out[first + 10] = popcount(cat_ends)
        out[first + 11] = popcount(row_middles(t, own_cats) & empty)
        out[first + 13] = 1 if cat_ends != ZERO else 0
    else:
        out[first + 10] = 0
        out[first + 11] = 0
        out[first + 13] = 0
    out[first + 14] = (num_kittens + num_cats) * (num_kittens + num_cats)
    out[first + 15] = ornaments
    out[first + 16] = popcount(ornament)
    out[first + 17] = popcount(ornament & rings[0])
    out[first + 18] = 1 if ghost >= ON_BOARD else 0
    out[first + 19] = 1


@compiled
def write_features(t, rings, s, out):
    """Writes the feature vector of a state.

    Args:
        t: the rule set's tables.
        rings: bitboards of the spaces on the edge, one in, and further in, ``uint64 (3,)``.
        s: the state.
        out: integers ``(2 * NUM_FEATURES,)``: the mover's counts, then the other player's.
    """
    empty = t.spaces & ~(s.own | s.opp | s.own_ornament | s.opp_ornament)
    write_side(t, rings, 0, s.own, s.cats, empty, s.own_cats, s.own_ornaments, s.own_ornament, s.own_ghost, out)
    write_side(
        t, rings, NUM_FEATURES, s.opp, s.cats, empty, s.opp_cats, s.opp_ornaments, s.opp_ornament, s.opp_ghost, out
    )


@compiled
def evaluate(t, w, s):
    """The mover's prospects in thousandths of a logit.

    Args:
        t: the rule set's tables.
        w: a record with the fields `rings`, `weights` and `features`.
        s: the state.
    """
    features = w.features
    weights = w.weights
    write_features(t, w.rings, s, features)
    total = 0
    for index in range(2 * NUM_FEATURES):
        total += features[index] * weights[index]
    return total


def expected_result(score: float) -> float:
    """Expected result from -1 to 1 of a score in thousandths of a logit."""
    return math.tanh(score / SCORE_SCALE)


def rings(rules: RuleSet) -> npt.NDArray[np.uint64]:
    """Bitboards of the spaces on the edge, one in from it, and further in, ``uint64 (3,)``."""
    board = rules.board
    around = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if down or right]

    def inside(cells: set[int]) -> set[int]:
        return {c for c in cells if all(board.neighbour(c, *step) in cells for step in around)}

    spaces = set(board.spaces)
    inner = inside(spaces)
    core = inside(inner)
    masks = [board.mask(sorted(cells)) for cells in (spaces - inner, inner - core, core)]
    return np.array(masks, np.uint64)


def traits(rules: RuleSet) -> str:
    """Which set of weights a rule set uses: ``bed``, ``ghosts``, ``tree`` or ``ornaments``."""
    if rules.ornaments:
        return "ornaments"
    if rules.ghosts:
        return "ghosts"
    return "tree" if rules.board.is_tree else "bed"


@cache
def _stored_weights() -> dict[str, Any]:
    stored: dict[str, Any] = json.loads(WEIGHTS_FILE.read_text(encoding="utf-8"))
    return stored


def weights(rules: RuleSet) -> npt.NDArray[np.int64]:
    """The fitted weights of a rule set, ``int64 (2 * NUM_FEATURES,)``, in the order of `write_features`."""
    stored = _stored_weights()[traits(rules)]
    return np.array([stored[side][name] for side in ("mover", "other") for name in FEATURES], np.int64)
