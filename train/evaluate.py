"""Match bots against each other and print what the games say.

Two bots play a match; more play a round robin and are rated. Both seats, paired random openings. A bot
is any spec that `boop_env.make_bot` reads: "random", "greedy", "alphabeta:depth=4", "mcts:400",
"models/NAME.safetensors".

    python -m train.evaluate greedy random --rules halls
    python -m train.evaluate boop-ppo greedy --sprt --out results.jsonl
    python -m train.evaluate random greedy alphabeta:depth=2 mcts:400 --ladder boop booop --models runs/ladder

A ladder is of the bots named, of a few standard ones where none is, and replaces the old one of those rules.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from boop_env.arena.ladder import DEFAULT_BOTS, ratings_to_json, read_ladder, run_ladder, write_ladder
from boop_env.arena.match import Match, MatchError
from boop_env.arena.ratings import fit
from boop_env.arena.records import GameRecord, rules_to_json
from boop_env.arena.report import ratings_text, score, scores_text
from boop_env.arena.sprt import Sprt
from boop_env.bots.bot import Bot
from boop_env.bots.factory import make_bot
from boop_env.bots.models import spec_checkpoint
from boop_env.policy.checkpoint import read_checkpoint
from boop_env.rules.ruleset import PRESETS, RuleSet, ruleset


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit code: 0, 2 for an error, 130 when interrupted."""
    options = parser().parse_args(arguments)
    try:
        if options.ladder:
            ladder(options)
        else:
            evaluate(options)
    except (ValueError, OSError, ImportError, MatchError) as error:
        print(f"evaluate: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        kept = f"; the same command resumes from {options.out}" if options.out or options.ladder else ""
        print(f"\nevaluate: interrupted{kept}", file=sys.stderr)
        return 130
    return 0


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="python -m train.evaluate", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    made.add_argument("bots", nargs="*", metavar="BOT", help="two or more bots")
    made.add_argument(
        "--rules", help=f"{', '.join(PRESETS)}; if not given, the rules of the first checkpoint, else boop"
    )
    made.add_argument("--games", type=int, default=400, help="games of each pairing; with --ladder, in all (400)")
    made.add_argument("--seed", type=int, default=0, help="of the openings and of the bots' chance (0)")
    made.add_argument("--json", type=Path, metavar="FILE", help="also write the results there")
    made.add_argument("--out", type=Path, metavar="FILE", help="keep every game there, and resume from there")
    made.add_argument(
        "--sprt",
        nargs="?",
        const="0,20",
        metavar="ELO0,ELO1",
        help="stop as soon as the first of two bots is shown to be ELO1 stronger rather than ELO0 (0,20)",
    )
    made.add_argument(
        "--ladder",
        nargs="+",
        metavar="RULES",
        help="rate the bots on these rule sets, playing where the order is least certain, and write the pages",
    )
    made.add_argument("--models", type=Path, default=Path("models"), help="where the ladder's pages are (models)")
    return made


def evaluate(options: argparse.Namespace) -> None:
    """A match or a round robin."""
    if len(options.bots) < 2:
        raise ValueError("a match needs two or more bots, such as: greedy random")
    if options.games < 1:
        raise ValueError(f"--games {options.games} leaves nothing to play")
    test = read_sprt(options) if options.sprt else None
    bots = [make_bot(spec) for spec in options.bots]
    rules = ruleset(options.rules) if options.rules else default_rules(bots)
    pairs = list(itertools.combinations([bot.name for bot in bots], 2))
    progress = Progress(options.games * len(pairs))
    match = Match(bots, rules, seed=options.seed, path=options.out, on_game=progress)
    progress.done = sum(game.number < options.games for game in match.games)
    if test:
        verdict, games = play_sprt(match, test, options.games)
    else:
        games = match.play(dict.fromkeys(pairs, options.games))
    progress.clear()

    scores = [score(a, b, games) for a, b in pairs]
    result: dict[str, Any] = {
        "rules": rules_to_json(rules),
        "seed": options.seed,
        "pairings": [asdict(row) for row in scores],
    }
    print(f"{rules.name}, seed {options.seed}")
    print(scores_text(scores))
    if len(bots) > 2:
        ratings = fit(games)
        result["ratings"] = ratings_to_json(ratings)
        print(f"\n{ratings_text(ratings)}")
    if test:
        row = scores[0]
        result["sprt"] = {**asdict(test), "ratio": test.ratio(row.wins, row.draws, row.losses), "accepted": verdict}
        print(f"\n{sprt_text(test, result['sprt']['ratio'], verdict)}")
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(result, indent=2) + "\n")


def ladder(options: argparse.Namespace) -> None:
    """The ladder of each rule set that was named."""
    bots = [make_bot(spec) for spec in options.bots or DEFAULT_BOTS]
    all_rules = [ruleset(name) for name in options.ladder]
    read_ladder(options.models)  # a ladder that cannot be added to is refused before games are played
    results = {}
    for name, rules in zip(options.ladder, all_rules, strict=True):
        path = options.out = options.models / "ladder" / f"{name}.jsonl"
        progress = Progress(options.games)
        ratings = run_ladder(bots, rules, games=options.games, seed=options.seed, path=path, on_game=progress)
        progress.clear()
        write_ladder(options.models, name, ratings)
        results[name] = ratings_to_json(ratings)
        print(f"{name}\n{ratings_text(ratings)}\n")
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(results, indent=2) + "\n")


def default_rules(bots: Sequence[Bot]) -> RuleSet:
    """The rules on the card of the first checkpoint among the bots, else those of ``boop``."""
    for bot in bots:
        path = spec_checkpoint(bot.name)
        if path:
            return read_checkpoint(path).card.rules
    return ruleset("boop")


def read_sprt(options: argparse.Namespace) -> Sprt:
    """The test that ``--sprt`` asks for."""
    if len(options.bots) != 2:
        raise ValueError(f"--sprt compares two bots, and {len(options.bots)} are given")
    try:
        elo0, elo1 = (float(part) for part in options.sprt.split(","))
    except ValueError:
        raise ValueError(f"--sprt {options.sprt} is not two numbers such as 0,20") from None
    return Sprt(elo0, elo1)


def play_sprt(match: Match, test: Sprt, most: int) -> tuple[bool | None, list[GameRecord]]:
    """Plays batch after batch until the test decides or all games are played.

    Returns:
        The verdict, None while there is none, and the games it rests on; a resumed match may hold more.
    """
    a, b = match.names
    games: list[GameRecord] = []
    verdict = None
    while verdict is None and len(games) < most:
        games = match.play({(a, b): min(len(games) + match.batch, most)})
        row = score(a, b, games)
        verdict = test.decide(row.wins, row.draws, row.losses)
    return verdict, games


def sprt_text(test: Sprt, ratio: float, verdict: bool | None) -> str:
    """What the test found, as a sentence."""
    low, high = test.bounds
    found = {
        True: f"the first bot is stronger: {test.elo1:g} Elo rather than {test.elo0:g}",
        False: f"the first bot is not {test.elo1:g} Elo stronger; {test.elo0:g} or less is likelier",
        None: "no decision yet; play more games",
    }[verdict]
    return f"SPRT: {found} (log-likelihood ratio {ratio:.2f}, bounds {low:.2f} and {high:.2f})"


class Progress:
    """One line on a terminal that counts games; nothing elsewhere."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.done = 0
        self._shown = sys.stderr.isatty()

    def __call__(self, game: GameRecord) -> None:
        """Counts a game."""
        self.done += 1
        if self._shown:
            text = f"{self.done}/{self.total} games, now {game.seats[0]} against {game.seats[1]}"
            print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Removes the line."""
        if self._shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
