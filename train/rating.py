"""Rating a run while it trains: a few games against fixed bots, and the curve they make.

The bots' own ratings come from `models/ladder.json`, so that the curve has the ladder's scale; 0 is the
random bot.
"""

from __future__ import annotations

import json
from pathlib import Path

from boop_env.arena.match import play_match
from boop_env.arena.ratings import rating_among
from boop_env.policy.az import AzBot
from boop_env.policy.checkpoint import read_checkpoint, replace_file
from boop_env.policy.policy_bot import PolicyBot
from boop_env.rules.ruleset import RuleSet

ANCHORS = ("random", "greedy", "alphabeta:depth=1", "alphabeta:depth=2", "alphabeta:depth=3", "alphabeta:depth=4")

SIMULATIONS = 32

LADDER = Path(__file__).parents[1] / "models" / "ladder.json"


def ladder_ratings(rules: RuleSet) -> dict[str, float]:
    """The anchors' Elo on the ladder of a rule set."""
    ladder = json.loads(LADDER.read_text())[rules.name]
    found = {row["name"]: row["elo"] for row in ladder["bots"]}
    return {name: found[name] for name in ANCHORS if name in found}


class Rater:
    """Rates a run's checkpoint again and again, and keeps the curve.

    Its players are made once and given new weights, because OpenVINO never gives back all the memory that making
    a network takes.

    Args:
        folder: of the run; when it rates, `policy.safetensors` is there, `ratings.json` and `ratings.png` will be.
        rules: what is played.
        games: against each anchor, for each way to play.
        seed: of the openings.
    """

    def __init__(self, folder: Path, rules: RuleSet, games: int, seed: int) -> None:
        self.folder, self.rules, self.games, self.seed = folder, rules, games, seed
        self.anchors = ladder_ratings(rules)
        self.players: dict[str, PolicyBot | AzBot] = {}

    def rate(self, seconds: float) -> dict[str, float]:
        """Rates the checkpoint as it is now, without search and with a short one, and adds it to the curve.

        Args:
            seconds: how long the run has trained.

        Returns:
            Elo of each way to play: "alone" and "with 32 simulations".
        """
        checkpoint = read_checkpoint(self.folder / "policy.safetensors")
        if not self.players:
            self.players = {
                "alone": PolicyBot(checkpoint, greedy=True),
                f"with {SIMULATIONS} simulations": AzBot(checkpoint, simulations=SIMULATIONS, lookahead=0),
            }
        path = self.folder / "ratings.json"
        curve = json.loads(path.read_text()) if path.is_file() else []
        for way, bot in self.players.items():
            bot.evaluator.load_weights(checkpoint.weights)
            scores = {}
            for anchor in self.anchors:
                played = play_match(bot, anchor, self.rules, games=self.games, seed=self.seed)
                scores[anchor] = sum(game.score(bot.name) for game in played)
            elo, low, high = rating_among([(self.anchors[name], scores[name], self.games) for name in self.anchors])
            curve.append(
                {
                    "minutes": seconds / 60,
                    "way": way,
                    "elo": elo,
                    "low": low,
                    "high": high,
                    "games": self.games,
                    "points": scores,
                }
            )
        replace_file(path, lambda part: part.write_text(json.dumps(curve, indent=1) + "\n"))
        replace_file(self.folder / "ratings.png", lambda part: draw_curve(curve, self.anchors, self.rules, part))
        return {row["way"]: row["elo"] for row in curve[-len(self.players) :]}


def draw_curve(curve: list[dict[str, float]], anchors: dict[str, float], rules: RuleSet, path: Path) -> None:
    """Writes the ratings over time, with their intervals and the anchors' ratings, as a PNG picture."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.add_subplot()
    for way in dict.fromkeys(row["way"] for row in curve):
        rows = [row for row in curve if row["way"] == way]
        minutes = [row["minutes"] for row in rows]
        axes.plot(minutes, [row["elo"] for row in rows], marker="o", label=f"network {way}")
        axes.fill_between(minutes, [row["low"] for row in rows], [row["high"] for row in rows], alpha=0.15)
    for name, elo in anchors.items():
        axes.axhline(elo, color="0.7", linewidth=0.8, zorder=0)
        axes.annotate(name, (1, elo), xycoords=("axes fraction", "data"), ha="right", va="bottom", fontsize=8)
    axes.set_xlabel("minutes of training")
    axes.set_ylabel("Elo")
    axes.set_title(f"{rules.name}: rating against fixed bots, with 95 % intervals")
    axes.legend(loc="upper left")
    figure.savefig(path, dpi=120, format="png")
