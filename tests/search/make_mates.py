"""Finds the positions of `mates/` by exhaustive search: ``python tests/search/make_mates.py``.

Nothing of boop_env/search is used to judge a position, only to play the games they come from. A line is
a kind, a position and every first step that keeps the promise, separated by ``|``:

- ``win1``: the player to act wins this turn.
- ``win2``: no win this turn, but one next turn whatever the other player does.
- ``block``: every other first step lets the other player win next turn, and some first step does not.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from boop_env.bots.alphabeta import AlphaBetaBot
from boop_env.bots.random_bot import RandomBot
from boop_env.rules import calls, kernel
from boop_env.rules.game import Game
from boop_env.rules.ruleset import PRESETS, RuleSet
from boop_env.rules.states import States

FOLDER = Path(__file__).with_name("mates")
EACH = 6
LARGEST_TURN = 400
"""Ways to play one turn above which a position is left alone."""


class Solver:
    """Wins by trying everything."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.actions = np.empty(rules.num_actions, np.int64)

    def steps(self, words: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
        count = calls.legal_actions(self.rules.tables, words, self.actions)
        for action in self.actions[:count].copy():
            after = np.empty_like(words)
            calls.step(self.rules.tables, words, action, after)
            yield int(action), after

    def turns(self, words: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
        """First step and resulting position of every way to play the turn out."""
        mover = mover_of(words)
        for action, after in self.steps(words):
            if phase_of(after) == kernel.OVER or mover_of(after) != mover:
                yield action, after
            else:
                yield from ((action, end) for _, end in self.turns(after))

    def wins(self, words: np.ndarray, turns: int) -> set[int]:
        """First steps with which the mover wins within so many turns of their own."""
        mover = mover_of(words)
        found: set[int] = set()
        for action, after in self.turns(words):
            if action in found:
                continue
            if phase_of(after) == kernel.OVER:
                if winner_of(after) == mover:
                    found.add(action)
            elif turns > 1 and all(self._still_wins(end, mover, turns - 1) for _, end in self.turns(after)):
                found.add(action)
        return found

    def _still_wins(self, words: np.ndarray, mover: int, turns: int) -> bool:
        if phase_of(words) == kernel.OVER:
            return winner_of(words) == mover
        return bool(self.wins(words, turns))

    def safe(self, words: np.ndarray) -> tuple[set[int], set[int]]:
        """First steps after which the other player cannot win at once, and all first steps."""
        mover = mover_of(words)
        good: set[int] = set()
        every: set[int] = set()
        for action, after in self.turns(words):
            every.add(action)
            if phase_of(after) == kernel.OVER:
                if winner_of(after) != 1 - mover:
                    good.add(action)
            elif action not in good and not self.wins(after, 1):
                good.add(action)
        return good, every


def mover_of(words: np.ndarray) -> int:
    return int(words[5] >> np.uint64(32)) & 1


def phase_of(words: np.ndarray) -> int:
    return int(words[5] >> np.uint64(33)) & 7


def winner_of(words: np.ndarray) -> int:
    return (int(words[5] >> np.uint64(39)) & 7) - 1


def positions(rules: RuleSet, seed: int) -> Iterator[np.ndarray]:
    """Positions from games between a shallow search and itself with random steps between."""
    rng = np.random.default_rng(seed)
    bots = (AlphaBetaBot(depth=1), RandomBot())
    while True:
        game = Game(rules)
        while not game.is_over:
            yield game.state
            bot = bots[int(rng.random() < 0.3)]
            game.push(int(bot.choose(States.of([game]), rng)[0]))


def collect(preset: str, seed: int) -> list[str]:
    rules = PRESETS[preset]
    solver = Solver(rules)
    found: dict[str, list[str]] = {"win1": [], "win2": [], "block": []}
    looked = 0
    for words in positions(rules, seed):
        cats = sorted((int(words[5]) & 15, int(words[5] >> np.uint64(4)) & 15))
        looked += 1
        if cats[1] < 3 or sum(1 for _ in solver.turns(words)) > LARGEST_TURN:
            continue
        kind, good = judge(solver, words, {kind for kind in found if len(found[kind]) < EACH})
        if kind and len(found[kind]) < EACH:
            text = Game.from_state(rules, words).position()
            found[kind].append(f"{kind} | {text} | {' '.join(rules.action_to_move(a) for a in sorted(good))}")
            print(preset, looked, {kind: len(lines) for kind, lines in found.items()}, flush=True)
        if all(len(lines) == EACH for lines in found.values()):
            break
    return [line for lines in found.values() for line in lines]


def judge(solver: Solver, words: np.ndarray, wanted: set[str]) -> tuple[str, set[int]]:
    """Kind of a position and its good first steps; no kind if it is none of interest."""
    wins = solver.wins(words, 1)
    if wins:
        return "win1", wins
    good, every = solver.safe(words)
    if not good:
        return "", set()
    if len(good) <= len(every) // 3:
        return "block", good
    if "win2" in wanted and len(good) > 4:
        wins = solver.wins(words, 2)
        if wins and len(wins) <= len(every) // 3:
            return "win2", wins
    return "", set()


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name in sys.argv[1:] or PRESETS:
        lines = collect(name, seed=1)
        (FOLDER / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
