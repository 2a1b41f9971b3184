"""The bot that searches with a trained network."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Literal

import numpy as np
import numpy.typing as npt

from boop_env.bots.bot import Bot, seeds
from boop_env.policy.checkpoint import Checkpoint
from boop_env.policy.inference import Backend, StateEvaluator, make_evaluator
from boop_env.policy.network import network_from_checkpoint
from boop_env.policy.symmetric import seen_from_all_sides
from boop_env.rules.game import Game
from boop_env.rules.ruleset import RuleSet
from boop_env.rules.states import States
from boop_env.search.analysis import Analysis
from boop_env.search.lockstep import Evaluate, TreeSearch
from boop_env.search.lookahead import LOOKAHEAD, check_lookahead, with_lookahead

SIMULATIONS = 64

GAMES_AT_ONCE = 256
"""Positions searched in lock step, which bounds the memory: 20 MiB for `boop` with 64 simulations."""

TIMED_GAMES_AT_ONCE = 8
TIMED_NODES = 1 << 14
"""The same for a bot limited by time, and nodes of each of its trees: 20 MiB a tree for `boop` when full."""

KEPT_SEARCHES = 4
"""Searches that the kept tree of a game has room for."""

UNLIMITED = 1 << 30


@dataclass(frozen=True)
class AzAnalysis(Analysis):
    """What a search with a network found out.

    Attributes:
        prior: the chance of each move before the search, as the network sees it and, with lookahead, alpha-beta;
            moves that lose at once are left out unless all do, or the search needed no network.
        policy: the chance of each move after the search.
    """

    prior: dict[str, float]
    policy: dict[str, float]


class AzBot(Bot):
    """Searches with a network in place of playouts, as AlphaZero does.

    All positions of a batch are searched in lock step, so that the network sees large batches. Play is
    without chance: the same positions give the same moves. `move` and `analyse` keep the tree and go on
    with the part that the moves played since lead to; what they find then depends on that, too.

    Example:
        >>> make_bot("az:boop-az?sims=200").move(Game("boop"))  # doctest: +SKIP
        'Kc3'

    Args:
        checkpoint: where the network comes from; its card says what it can play.
        simulations: visits of each search.
        ms: milliseconds a position instead.
        search: ``"gumbel"``, best with few simulations, or ``"puct"``; with `ms` always PUCT, because
            Gumbel search must know beforehand how many simulations it has.
        symmetric: average the network over the symmetries of the board, which takes eight looks instead of one:
            see `boop_env.policy.symmetric`.
        lookahead: turns that alpha-beta looks ahead from each leaf, to have its say in value and policy; 0 to ask the
            network only: see `boop_env.search.lookahead`.
        device: a torch device.
        backend: what runs the network, see `make_evaluator`.

    Raises:
        CheckpointError: the weights do not fit the card, or the card today's planes.
        ValueError: a limit or `lookahead` is out of range, or `ms` comes with `simulations` or Gumbel search.
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        *,
        simulations: int | None = None,
        ms: int | None = None,
        search: Literal["gumbel", "puct"] | None = None,
        symmetric: bool = False,
        lookahead: int = LOOKAHEAD,
        device: str = "cpu",
        backend: Backend = "auto",
    ) -> None:
        if ms is not None and (simulations is not None or search == "gumbel"):
            raise ValueError("ms goes with neither sims nor search=gumbel; give one limit, and search=puct or none")
        for name, value in (("sims", simulations), ("ms", ms)):
            if value is not None and value < 1:
                raise ValueError(f"{name}={value} is too small; give 1 or more")
        check_lookahead(lookahead)
        self.checkpoint = checkpoint
        self._ms = ms
        self._simulations = simulations or (UNLIMITED if ms else SIMULATIONS)
        self._search: Literal["gumbel", "puct"] = search or ("puct" if ms else "gumbel")
        options = [f"ms={ms}" if ms else f"sims={self._simulations}"]
        if self._search == "puct" and not ms:
            options.append("search=puct")
        if symmetric:
            options.append("symmetric")
        if lookahead != LOOKAHEAD:
            options.append(f"lookahead={lookahead}")
        self.name = f"az:{checkpoint.name}?{'&'.join(options)}"
        self.evaluator = make_evaluator(network_from_checkpoint(checkpoint), device=device, backend=backend)
        self._symmetric, self._lookahead = symmetric, lookahead
        self._evaluate: Evaluate | None = None
        self._fits: RuleSet | None = None
        self._kept: TreeSearch | None = None
        self._start = ""
        self._record: list[str] = []

    def choose(self, states: States, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """One action for each position; see `Bot.choose`. With `ms`, each gets that much time on average.

        Raises:
            CheckpointError: the network cannot play this rule set; the message says what differs.
            ValueError: the network gives no number, as one does whose training went wrong.
        """
        evaluate = self._evaluator_for(states.rules)
        at_once = TIMED_GAMES_AT_ONCE if self._ms else GAMES_AT_ONCE
        found = []
        for at in range(0, len(states), at_once):
            words = states.words[at : at + at_once]
            search = self._new_search(states.rules, len(words), kept=False)
            search.plant(np.arange(len(words)), words, seeds(rng, len(words)))
            found.append(search.run(evaluate, self._deadline(len(words))).actions)
        return np.concatenate(found)

    def move(self, game: Game, rng: np.random.Generator | None = None) -> str:
        """The move text for one game; see `Bot.move`."""
        if game.is_over:
            raise ValueError(f"the game is over ({game.position()}), so {self.name} has no move to make")
        search = self._search_game(game)
        return game.rules.action_to_move(int(search.found().actions[0]))

    def analyse(self, game: Game) -> AzAnalysis:
        """Searches a game's position and says what was found.

        Raises:
            ValueError: the game is over.
        """
        if game.is_over:
            raise ValueError(f"the game is over ({game.position()}); there is nothing to analyse")
        start = perf_counter()
        search = self._search_game(game)
        found = search.analysis(0, perf_counter() - start)
        prior = search.prior(0)
        if not prior.any():  # the win is proven, and the search did not ask
            legal = game.legal_actions()
            logits = self._evaluator_for(game.rules)(States.of([game]))[0][0, legal]
            chances = np.exp(logits - logits.max())
            prior[legal] = chances / chances.sum()
        texts = game.rules.actions.texts
        before, after = (
            {texts[action]: float(chances[action]) for action in np.argsort(-chances) if chances[action] > 0}
            for chances in (prior, search.found().policies[0])
        )
        return AzAnalysis(**vars(found), prior=before, policy=after)

    def _search_game(self, game: Game) -> TreeSearch:
        evaluate = self._evaluator_for(game.rules)
        deadline = self._deadline(1)
        search, self._kept = self._kept, None
        if search is None or not self._follow(search, game):
            search = self._new_search(game.rules, 1, kept=True)
            search.plant(np.zeros(1, np.int64), game.state[None], np.zeros(1, np.uint64))
        search.run(evaluate, deadline)
        self._kept, self._start, self._record = search, game.start_position(), game.record()
        return search

    def _follow(self, search: TreeSearch, game: Game) -> bool:
        """Makes the game's position the root of the kept tree; False where the tree does not reach it."""
        record = game.record()
        known = len(self._record)
        same = search.rules == game.rules and self._start == game.start_position()
        if not same or record[:known] != self._record or len(record) == known:
            return False
        return all(search.keep(0, game.rules.move_to_action(move), np.uint64(0)) for move in record[known:])

    def _new_search(self, rules: RuleSet, games: int, *, kept: bool) -> TreeSearch:
        searches = KEPT_SEARCHES if kept else 1
        nodes = TIMED_NODES if self._ms else searches * self._simulations + 1
        return TreeSearch(rules, games, method=self._search, simulations=self._simulations, noise=0.0, nodes=nodes)

    def _deadline(self, positions: int) -> float:
        return perf_counter() + positions * self._ms / 1000 if self._ms else np.inf

    def _evaluator_for(self, rules: RuleSet) -> Evaluate:
        if rules is not self._fits or self._evaluate is None:
            self.checkpoint.check_rules(rules)
            evaluate: Evaluate = StateEvaluator(self.evaluator, rules)
            evaluate = seen_from_all_sides(evaluate) if self._symmetric else evaluate
            self._evaluate = with_lookahead(evaluate, self._lookahead)
            self._fits = rules
        return self._evaluate
