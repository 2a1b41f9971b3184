"""The ladder spends games where the order is open, resumes, and writes its pages."""

import json
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from boop_env import Bot
from boop_env.arena.ladder import STEP, least_certain, run_ladder, write_ladder
from boop_env.arena.ratings import fit
from tests.arena.test_ratings import simulate


class Mixed(Bot):
    """Another random bot."""

    def __init__(self, name):
        self.name = name

    def choose(self, states, rng):
        return np.array([rng.choice(game.legal_actions()) for game in states.games()])


def test_games_go_to_the_pairing_whose_order_is_open(tmp_path):
    path = tmp_path / "games.jsonl"
    games = []
    bots = ["greedy", "random", Mixed("chance")]
    ratings = run_ladder(bots, "boop", games=8 * STEP, path=path, on_game=games.append)
    played = Counter(game.pair for game in games)
    assert sum(played.values()) == 8 * STEP
    assert min(played.values()) == STEP
    assert played["chance", "random"] == 6 * STEP
    assert ratings.bots[0].name == "greedy"

    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    again = run_ladder(bots, "boop", games=8 * STEP, path=path)
    assert [rating.elo for rating in again.bots] == pytest.approx([rating.elo for rating in ratings.bots])


def test_the_closest_pairing_is_the_least_certain():
    elo = {"random": 0.0, "a": 300.0, "b": 310.0, "c": 600.0}
    assert least_certain(fit(simulate(100, 0.0, 0.1, elo=elo))) == ("a", "b")


def test_pages_keep_other_rule_sets_and_go_on_without_matplotlib(tmp_path, monkeypatch):
    ratings = fit(simulate(100, 30.0, 0.1))
    write_ladder(tmp_path, "boop", ratings)
    assert (tmp_path / "ladder.png").read_bytes()[:4] == b"\x89PNG"
    page = (tmp_path / "LADDER.md").read_text()
    assert "![" in page

    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    write_ladder(tmp_path, "halls", ratings)
    page = (tmp_path / "LADDER.md").read_text()
    assert page.index("## boop") < page.index("## halls")
    assert "![" not in page
    ladder = json.loads((tmp_path / "ladder.json").read_text())
    assert list(ladder) == ["boop", "halls"]
    assert ladder["boop"]["games"] == 600
    assert [bot["name"] for bot in ladder["boop"]["bots"]] == [rating.name for rating in ratings.bots]
    assert ladder["boop"]["bots"][0]["better_than_next"] > 0.9
    assert ladder["boop"]["bots"][-1]["better_than_next"] is None
    for rating in ratings.bots:
        assert page.count(f"| `{rating.name}` | {rating.elo:.0f} |") == 2

    for text, says in (("{", "is no JSON"), ("[1]", "is a JSON list, no object; remove it")):
        (tmp_path / "ladder.json").write_text(text)
        with pytest.raises(ValueError, match=rf"ladder\.json {says}"):
            write_ladder(tmp_path, "boop", ratings)
        assert (tmp_path / "ladder.json").read_text() == text


def test_a_failure_midway_leaves_the_old_pages(tmp_path, monkeypatch):
    ratings = fit(simulate(100, 30.0, 0.1))
    write_ladder(tmp_path, "boop", ratings)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    assert set(before) == {"LADDER.md", "ladder.json", "ladder.png"}

    def fail(*values, **_):
        next(value for value in values if isinstance(value, Path)).write_bytes(b"half")
        raise OSError("no space left on device")

    for method in ("pathlib.Path.write_text", "matplotlib.figure.Figure.savefig"):
        with monkeypatch.context() as patch:
            patch.setattr(method, fail)
            with pytest.raises(OSError, match="no space left"):
                write_ladder(tmp_path, "boop", ratings)
        assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before
