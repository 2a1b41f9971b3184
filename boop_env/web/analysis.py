"""What a search thinks of a position: its value, a policy over the moves, and the best lines."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np

from boop_env.rules.game import Game
from boop_env.rules.ruleset import RuleSet
from boop_env.search import mcts
from boop_env.search.evaluation import rings, weights

LINES = 5
"""Lines that are told, at most."""

LEAST_SHARE = 0.01
"""Share of the visits below which a move's line is not worth telling."""

LINE_STEPS = 12
"""Steps of each, at most."""

FEW_VISITS = 20
"""Visits below which a node's best move is not worth telling."""

SLICE = 200
"""Simulations between two looks at the clock, about a millisecond."""

VALUE_SIMULATIONS = 800
"""Simulations for each point of a game's value graph."""

NODES = 1 << 20
"""Nodes of a tree: 32 MiB, of which only what a search fills is ever touched."""

Json = dict[str, Any]


class Searcher:
    """A tree to search positions with, one at a time."""

    def __init__(self) -> None:
        self._tree: Any = mcts.new_tree()
        self._nodes: Any = np.empty(NODES, mcts.NODE)
        self._rules: RuleSet | None = None

    def _plant(self, game: Game) -> None:
        if self._rules is not game.rules:
            self._tree[0].rings[:] = rings(game.rules)
            self._tree[0].weights[:] = weights(game.rules)
            self._rules = game.rules
        mcts.plant(game.rules.tables, game.state, self._tree, self._nodes, np.uint64(0))

    def _simulate(self, game: Game, count: int) -> bool:
        return bool(mcts.simulate(game.rules.tables, self._tree, self._nodes, count))

    def value(self, game: Game) -> float:
        """What player_0 can expect of a position, from -1 to 1, by a short search; the result when it is over."""
        if game.is_over:
            return 0.0 if game.winner is None else 1.0 - 2 * game.winner
        self._plant(game)
        self._simulate(game, VALUE_SIMULATIONS)
        best = mcts.best_child(self._nodes, 0)
        # Without a visited child, the player to act wins with the next placement.
        return 1.0 - 2 * game.mover if best < 0 else self._worth(best, 0)["value"]

    def analyse(self, game: Game, ms: int) -> Json:
        """Searches a position that is not over.

        Args:
            game: whose position.
            ms: milliseconds.

        Returns:
            `value` that player_0 can expect, from -1 to 1; `policy`, the share of the visits that each move got;
            `lines`, best first, each with `moves`, `value` and `share`; `simulations`, `seconds`.
        """
        start = perf_counter()
        self._plant(game)
        while not self._simulate(game, SLICE) and perf_counter() < start + ms / 1000:
            pass
        lines = self._lines(game) or [self._won_at_once(game)]
        total = sum(line["share"] for line in lines)
        return {
            "value": lines[0]["value"],
            "proven": lines[0]["proven"],
            "policy": {line["moves"][0]: line["share"] / total for line in lines},
            "lines": [lines[0], *(line for line in lines[1:LINES] if line["share"] >= LEAST_SHARE)],
            "simulations": int(self._tree[0].simulations),
            "seconds": perf_counter() - start,
        }

    def _won_at_once(self, game: Game) -> Json:
        """The line of a position where the next placement wins, which the tree does not look into."""
        mcts.best_line(game.rules.tables, self._tree, self._nodes)
        move = game.rules.action_to_move(int(self._tree[0].line[0]))
        return {"moves": [move], "value": 1.0 - 2 * game.mover, "proven": 1, "share": 1.0}

    def _lines(self, game: Game) -> list[Json]:
        """One line for each move that was tried: the best move, then by visits."""
        root = self._nodes[0]
        children = range(root.first, root.first + root.tried)
        visits = {child: int(self._nodes[child].visits) for child in children}
        if not visits:
            return []
        best = mcts.best_child(self._nodes, 0)
        ordered = sorted(children, key=lambda child: (child != best, -visits[child]))
        whole = max(1, sum(visits.values()))
        return [
            {"moves": self._moves(game, child), **self._worth(child, 1), "share": visits[child] / whole}
            for child in ordered
        ]

    def _worth(self, index: int, steps: int) -> Json:
        """A node's value for player_0, and if proven the steps to the end, `steps` more than from the node."""
        node = self._nodes[index]
        if node.proven == mcts.OPEN:
            return {"value": int(node.total) / max(1, int(node.visits)), "proven": None}
        value = {mcts.PLAYER_0: 1.0, mcts.PLAYER_1: -1.0, mcts.DRAWN: 0.0}[int(node.proven)]
        return {"value": value, "proven": int(node.distance) + steps if value else None}

    def _moves(self, game: Game, index: int) -> list[str]:
        """The line that starts with a child of the root."""
        end = game.copy()
        moves = []
        while True:
            node = self._nodes[index]
            moves.append(game.rules.action_to_move(int(node.action)))
            end.push(moves[-1])
            if end.is_over or len(moves) == LINE_STEPS:
                return moves
            if node.tried == 0 or (node.proven == mcts.OPEN and node.visits < FEW_VISITS):
                break
            index = mcts.best_child(self._nodes, index)
        if node.proven == mcts.PLAYER_0 + end.mover and node.distance == 1:
            moves += [move for move in end.legal_moves() if wins(end, move)][:1]
        return moves


def wins(game: Game, move: str) -> bool:
    """Whether a legal move wins at once."""
    after = game.copy()
    after.push(move)
    return after.winner == game.mover


def network_analysis(bot: Any, game: Game) -> Json:
    """The same as `Searcher.analyse` from a network with tree search; of moves but the best it knows no lines.

    Args:
        bot: an `AzBot`.
        game: whose position, not over.
    """
    found = bot.analyse(game)
    sign = 1 - 2 * game.mover
    policy = found.policy or {found.line[0]: 1.0}
    best = found.line[0]
    lines = [
        {
            "moves": list(found.line[:LINE_STEPS]),
            "value": sign * found.value,
            "proven": abs(found.proven) if found.proven is not None else None,
            "share": policy.get(best, 0.0),
        }
    ]
    others = [move for move in policy if move != best][: LINES - 1]
    lines += [{"moves": [move], "value": None, "proven": None, "share": policy[move]} for move in others]
    return {
        "value": sign * found.value,
        "proven": lines[0]["proven"],
        "policy": policy,
        "prior": found.prior,
        "lines": lines,
        "simulations": found.nodes,
        "seconds": found.seconds,
    }
