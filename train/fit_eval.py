"""Fit the evaluation's weights to games of the search against itself.

Plays games of alpha-beta with itself, random steps in between so that no two are alike, and fits a
logistic regression of the result on the features of the positions, as the player to move sees them.
Positions that are won at once are left out, for the search never evaluates them. The weights go into
boop_env/search/weights.json, in thousandths of a logit; the search that plays uses what is there, so a
second run improves on the first.

    python -m train.fit_eval --games 4000 --depth 2
    python -m train.fit_eval --only ghosts ornaments
"""

# mypy: disallow-untyped-defs=False, disallow-untyped-calls=False

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from boop_env.bots.alphabeta import AlphaBetaBot
from boop_env.bots.random_bot import RandomBot
from boop_env.rules import kernel
from boop_env.rules.compiled import compiled
from boop_env.rules.ruleset import PRESETS, RuleSet
from boop_env.rules.states import States
from boop_env.search.evaluation import (
    FEATURES,
    NUM_FEATURES,
    WEIGHTS_FILE,
    rings,
    traits,
    write_features,
)
from boop_env.search.threats import winning_placement

RANDOM_STEPS = 0.12
"""Share of steps that are random."""

OPENING_TURNS = 4
"""Turns that are random throughout."""

PENALTY = 1.0
"""Weight of the squared weights, in logits, against the summed loss: next to nothing, it settles ties."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command."""
    options = parser().parse_args(arguments)
    stored: dict[str, Any] = json.loads(WEIGHTS_FILE.read_text(encoding="utf-8"))
    for name in options.only:
        presets = [rules for rules in PRESETS.values() if traits(rules) == name and not rules.flat]
        parts = [
            play(rules, options.games // len(presets), options.depth, options.seed + index)
            for index, rules in enumerate(presets)
        ]
        features = np.concatenate([part[0] for part in parts])
        results = np.concatenate([part[1] for part in parts])
        old = [stored[name][side][feature] / 1000 for side in ("mover", "other") for feature in FEATURES]
        # Whole games are held out, every tenth of each preset: a part of positions would share games with the rest.
        held_out = np.concatenate([part[2] for part in parts]) % 10 == 0
        fitted = fit(features[~held_out], results[~held_out])
        before = loss(np.array(old), features[held_out], results[held_out])
        after = loss(fitted, features[held_out], results[held_out])
        print(f"{name}: {len(results)} positions, loss on games held out {before:.4f} -> {after:.4f}", flush=True)
        rounded = [round(1000 * weight) for weight in fitted]
        stored[name] = {
            "mover": dict(zip(FEATURES, rounded[:NUM_FEATURES], strict=True)),
            "other": dict(zip(FEATURES, rounded[NUM_FEATURES:], strict=True)),
        }
        WEIGHTS_FILE.write_text(json.dumps(stored, indent=2) + "\n", encoding="utf-8")


def play(
    rules: RuleSet, games: int, depth: int, seed: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Plays games and keeps a row for each turn.

    Returns:
        (features, ``int64 (N, 2 * NUM_FEATURES)``; results for the player to move, ``float64 (N,)``, 0 to 1;
        numbers of the games, ``int64 (N,)``), game after game.
    """
    rng = np.random.default_rng(seed)
    bot, wild = AlphaBetaBot(depth=depth), RandomBot()
    words = np.zeros((games, kernel.STATE_WORDS), np.uint64)
    begin(rules.tables, words)
    masks = rings(rules)
    rows: list[npt.NDArray[np.int64]] = []
    while True:
        running = np.flatnonzero(outcomes(words) == kernel.ONGOING)
        if not len(running):
            break
        row = np.zeros((games, 2 * NUM_FEATURES + 2), np.int64)
        note(rules.tables, masks, words, row)
        rows.append(row)
        random = (rng.random(len(running)) < RANDOM_STEPS) | (turns(words[running]) < OPENING_TURNS)
        for player, part in ((bot, running[~random]), (wild, running[random])):
            if len(part):
                following = words[part]
                advance(rules.tables, following, player.choose(States(rules, following), rng))
                words[part] = following
    winners = (words[:, 5] >> np.uint64(39) & np.uint64(7)).astype(np.int64) - 1
    by_game = np.stack(rows, axis=1)
    kept = (by_game[:, :, -1] == 1) & (winners >= 0)[:, None]
    results = (by_game[:, :, -2] == winners[:, None]).astype(np.float64)
    return by_game[kept][:, : 2 * NUM_FEATURES], results[kept], np.nonzero(kept)[0]


def outcomes(words: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """Outcome of each stored state, ``int64 (N,)``."""
    return (words[:, 5] >> np.uint64(36) & np.uint64(7)).astype(np.int64)


def turns(words: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """Turns completed in each stored state, ``int64 (N,)``."""
    return (words[:, 5] >> np.uint64(48)).astype(np.int64)


@compiled
def begin(tables, words):
    """Writes the start of a game into every row."""
    for index in range(len(words)):
        kernel.store(kernel.initial(tables[0]), words[index])


@compiled
def advance(tables, words, actions):
    """Plays one action in each state."""
    for index in range(len(words)):
        kernel.store(kernel.step(tables[0], kernel.load(words[index]), actions[index]), words[index])


@compiled
def note(tables, masks, words, out):
    """Writes features, mover and 1 for the states in which a turn begins and no placement wins."""
    t = tables[0]
    for index in range(len(words)):
        s = kernel.load(words[index])
        hung = t.ornaments > 0 and s.phase == kernel.PLACEMENT and s.own_ornament != kernel.ZERO
        if s.phase == kernel.ORNAMENT or (s.phase == kernel.PLACEMENT and (t.ornaments == 0 or hung)):
            if s.phase == kernel.PLACEMENT and winning_placement(t, s) >= 0:
                continue
            write_features(t, masks, s, out[index])
            out[index, 2 * NUM_FEATURES] = s.mover
            out[index, 2 * NUM_FEATURES + 1] = 1


def loss(weights: npt.NDArray[np.float64], features: npt.NDArray[np.int64], results: npt.NDArray[np.float64]) -> float:
    """Mean cross-entropy of the results."""
    logits = features @ weights
    return float(np.mean(np.logaddexp(0, logits) - results * logits))


def fit(features: npt.NDArray[np.int64], results: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Weights in logits by logistic regression, ``float64 (2 * NUM_FEATURES,)``."""
    rows = features.astype(np.float64)

    def objective(weights: npt.NDArray[np.float64]) -> tuple[float, npt.NDArray[np.float64]]:
        logits = rows @ weights
        cost = np.sum(np.logaddexp(0, logits) - results * logits) + PENALTY / 2 * weights @ weights
        slope = (1 / (1 + np.exp(-logits)) - results) @ rows + PENALTY * weights
        return float(cost) / len(rows), np.asarray(slope / len(rows), np.float64)

    found = minimize(objective, np.zeros(rows.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 500})
    weights: npt.NDArray[np.float64] = found.x
    return weights


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="python -m train.fit_eval", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    made.add_argument("--games", type=int, default=4000, help="games for each set of weights")
    made.add_argument("--depth", type=int, default=2, help="depth of the search that plays")
    made.add_argument("--seed", type=int, default=0, help="seed of the games")
    names = ["bed", "ghosts", "tree", "ornaments"]
    made.add_argument("--only", nargs="+", choices=names, default=names, help="which sets of weights to fit")
    return made


if __name__ == "__main__":
    main()
