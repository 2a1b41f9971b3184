"""The ladder: a round robin that plays on where the order is least certain, and its pages."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from boop_env.arena.match import Match
from boop_env.arena.ratings import Ratings, fit
from boop_env.arena.records import GameRecord, pairing
from boop_env.arena.report import duration
from boop_env.bots.bot import Bot
from boop_env.bots.factory import LEVELS
from boop_env.policy.checkpoint import replace_file
from boop_env.rules.ruleset import RuleSet

DEFAULT_BOTS = ("random", *LEVELS.values())

STEP = 16
"""Games that a pairing plays at a time; every pairing plays one step."""

PAGE = "LADDER.md"
DATA = "ladder.json"
PLOT = "ladder.png"


def run_ladder(
    bots: Sequence[str | Bot],
    rules: str | RuleSet,
    *,
    games: int,
    seed: int = 0,
    path: str | Path | None = None,
    on_game: Callable[[GameRecord], None] | None = None,
) -> Ratings:
    """Plays a round robin and rates its bots.

    Every pairing plays `STEP` games; after that the next ones always go to the pairing whose order
    is least certain, until all games are played.

    Args:
        bots: two or more bots or specs.
        rules: a preset's name or a rule set.
        games: games in all, those of an earlier run included.
        seed: of the openings and of the bots' chance.
        path: a result file to resume from and append to.
        on_game: called with every game as it ends.

    Raises:
        ValueError: see `Match`.
        MatchError: a bot failed.
    """
    match = Match(bots, rules, seed=seed, batch=STEP, path=path, on_game=on_game)
    pairs = [pairing(a, b) for a, b in itertools.combinations(match.names, 2)]
    wanted = dict.fromkeys(pairs, STEP)
    for game in match.games:
        steps = game.number // STEP + 1
        wanted[game.pair] = max(wanted[game.pair], steps * STEP)
    match.play(wanted)
    while len(match.games) < games:
        pair = least_certain(fit(match.games))
        wanted[pair] += STEP
        match.play({pair: wanted[pair]})
    return fit(match.games)


def least_certain(ratings: Ratings) -> tuple[str, str]:
    """The pairing to play next: its order is open, and more games would tell.

    The chance that the order is wrong, times the standard error of the difference. The second
    factor keeps two bots of the same strength from taking all games there are.
    """

    def doubt(pair: tuple[str, str]) -> float:
        better = ratings.superiority(*pair)
        return min(better, 1 - better) * ratings.deviation(*pair)

    pairs = itertools.combinations(sorted(rating.name for rating in ratings.bots), 2)
    return pairing(*max(pairs, key=doubt))


def write_ladder(folder: Path, rules: str, ratings: Ratings) -> None:
    """Puts one rule set's ratings into the folder's ladder: its JSON, its page and its plot.

    What the ladder says of other rule sets stays. Without matplotlib there is no plot. Each file is
    replaced in one step or not at all.

    Raises:
        ValueError: the folder's JSON cannot be read.
    """
    ladder = read_ladder(folder)
    ladder[rules] = ratings_to_json(ratings)
    replace_file(folder / DATA, lambda part: part.write_text(json.dumps(ladder, indent=2) + "\n"))
    has_plot = plot(ladder, folder / PLOT)
    replace_file(folder / PAGE, lambda part: part.write_text(page(ladder, has_plot), encoding="utf-8"))


def read_ladder(folder: Path) -> dict[str, Any]:
    """The folder's ladder by rule set; empty where there is none.

    Raises:
        ValueError: its JSON cannot be read, or holds something else.
    """
    path = folder / DATA
    if not path.exists():
        return {}
    try:
        ladder = json.loads(path.read_bytes())
    except ValueError as error:
        raise ValueError(f"{path} is no JSON: {error}; remove it to start a new ladder") from error
    if not isinstance(ladder, dict):
        raise ValueError(f"{path} is a JSON {type(ladder).__name__}, no object; remove it to start a new ladder")
    return ladder


def ratings_to_json(ratings: Ratings) -> dict[str, Any]:
    """Ratings as plain values."""
    return {
        "anchor": ratings.anchor,
        "games": sum(rating.games for rating in ratings.bots) // 2,
        "first_seat": list(ratings.first_seat),
        "draw_rate": ratings.draw_rate,
        "bots": [
            {**asdict(rating), "better_than_next": ratings.superiority(rating.name, below.name) if below else None}
            for rating, below in zip(ratings.bots, [*ratings.bots[1:], None], strict=True)
        ],
    }


def page(ladder: dict[str, Any], has_plot: bool) -> str:
    """The ladder as Markdown."""
    lines = [
        "# Ladder",
        "",
        "Written by `python -m train.evaluate BOT ... --ladder RULES`. Elo from one maximum-likelihood fit over all",
        "games of a rule set (Bradley-Terry with draws and a first-seat term), the anchor at 0, with 95 % intervals of",
        "the distance from it; two bots far above the anchor can have wide intervals and a certain order, which the",
        "likelihood of being better than the next one tells. Both seats, paired random openings. Time is processor",
        "time.",
        "",
    ]
    if has_plot:
        lines += [f"![Ratings with their intervals]({PLOT})", ""]
    for rules, entry in sorted(ladder.items()):
        seat, low, high = entry["first_seat"]
        lines += [
            f"## {rules}",
            "",
            f"{entry['games']} games, `{entry['anchor']}` = 0. Moving first is worth {seat:+.0f} Elo "
            f"({low:+.0f} to {high:+.0f}); equal bots draw {entry['draw_rate']:.1%}.",
            "",
            "| bot | Elo | 95 % interval | better than next | games | score | time a move |",
            "|---|--:|--:|--:|--:|--:|--:|",
        ]
        for bot in entry["bots"]:
            better = "" if bot["better_than_next"] is None else f"{bot['better_than_next']:.1%}"
            lines.append(
                f"| `{bot['name']}` | {bot['elo']:.0f} | {bot['low']:.0f} to {bot['high']:.0f} | {better} "
                f"| {bot['games']} | {bot['score']:.1%} | {duration(bot['seconds'])} |"
            )
        lines.append("")
    return "\n".join(lines)


def plot(ladder: dict[str, Any], path: Path) -> bool:
    """Draws all ratings with their intervals as a PNG file; False without matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return False
    rows = sum(len(entry["bots"]) for entry in ladder.values())
    figure = Figure(figsize=(8, 1 + 0.35 * rows + 0.8 * len(ladder)), layout="constrained")
    heights = [len(entry["bots"]) for _, entry in sorted(ladder.items())]
    axes = figure.subplots(len(ladder), sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    for axis, (rules, entry) in zip(axes, sorted(ladder.items()), strict=True):
        bots = entry["bots"][::-1]
        elo = [bot["elo"] for bot in bots]
        errors = [[bot["elo"] - bot["low"] for bot in bots], [bot["high"] - bot["elo"] for bot in bots]]
        axis.errorbar(elo, [bot["name"] for bot in bots], xerr=errors, fmt="o", capsize=3)
        axis.set_title(rules, loc="left")
        axis.margins(y=0.2)
        axis.grid(axis="x", alpha=0.3)
    axes[-1].set_xlabel("Elo, with 95 % intervals")
    replace_file(path, lambda part: figure.savefig(part, format="png", dpi=120))
    return True
