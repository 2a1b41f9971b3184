"""What a pairing's games say, as values and as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from boop_env.arena.ratings import Ratings, score_interval
from boop_env.arena.records import GameRecord


@dataclass(frozen=True)
class Score:
    """One pairing, seen from its first bot.

    Attributes:
        a: the bot whose score it is.
        b: the other one.
        wins: games a won.
        draws: truncated games.
        losses: games b won.
        score: share of points a won, a draw half a point.
        low: lower end of its 95 % interval.
        high: upper end.
        first_seat: share of points that player_0 won, whichever bot sat there.
        turns: mean length of a game in turns.
    """

    a: str
    b: str
    wins: int
    draws: int
    losses: int
    score: float
    low: float
    high: float
    first_seat: float
    turns: float


def score(a: str, b: str, games: Sequence[GameRecord]) -> Score:
    """The score of a pairing; games of other pairings are left out.

    Raises:
        ValueError: the two never met.
    """
    games = [game for game in games if set(game.seats) == {a, b}]
    points = [game.score(a) for game in games]
    wins, draws, losses = points.count(1), points.count(0.5), points.count(0)
    low, high = score_interval(wins, draws, losses)
    return Score(
        a=a,
        b=b,
        wins=wins,
        draws=draws,
        losses=losses,
        score=sum(points) / len(points),
        low=low,
        high=high,
        first_seat=sum(game.score(game.seats[0]) for game in games) / len(games),
        turns=sum(game.turns for game in games) / len(games),
    )


def scores_text(scores: Sequence[Score]) -> str:
    """A table of pairings."""
    header = ["bot", "against", "score", "95 % interval", "wins", "draws", "losses", "first seat", "turns"]
    rows = [
        [
            row.a,
            row.b,
            f"{row.score:.1%}",
            f"{row.low:.1%} to {row.high:.1%}",
            str(row.wins),
            str(row.draws),
            str(row.losses),
            f"{row.first_seat:.1%}",
            f"{row.turns:.1f}",
        ]
        for row in scores
    ]
    return text_table(header, rows, left=2)


def ratings_text(ratings: Ratings) -> str:
    """A table of ratings, each bot with the likelihood that it beats the one below."""
    header = ["bot", "Elo", "95 % interval", "games", "score", "better than next", "time a move"]
    rows = []
    for rating, below in zip(ratings.bots, [*ratings.bots[1:], None], strict=True):
        rows.append(
            [
                rating.name,
                f"{rating.elo:.0f}",
                f"{rating.low:.0f} to {rating.high:.0f}",
                str(rating.games),
                f"{rating.score:.1%}",
                f"{ratings.superiority(rating.name, below.name):.1%}" if below else "",
                duration(rating.seconds),
            ]
        )
    seat, low, high = ratings.first_seat
    return (
        f"{text_table(header, rows, left=1)}\n"
        f"{ratings.anchor} = 0; moving first is worth {seat:+.0f} Elo ({low:+.0f} to {high:+.0f}); "
        f"equal bots draw {ratings.draw_rate:.1%}"
    )


def text_table(header: Sequence[str], rows: Sequence[Sequence[str]], left: int) -> str:
    """Columns of text, the first `left` of them aligned to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    lines = []
    for row in (header, *rows):
        cells = [
            cell.ljust(width) if index < left else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def duration(seconds: float) -> str:
    """A short time in the unit that reads best."""
    if seconds >= 1:
        return f"{seconds:.3g} s"
    return f"{seconds * 1e3:.3g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.3g} µs"
