"""A run is rated as it is now, whoever was rated before."""

import json
from pathlib import Path

import pytest

from boop_env import ruleset
from boop_env.bots.models import find_checkpoint
from boop_env.policy import read_checkpoint, write_checkpoint
from train import rating


def test_a_checkpoint_is_rated_by_its_own_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two checkpoints, one after the other, the second is rated as if it were the only one."""
    monkeypatch.setattr(rating, "SIMULATIONS", 4)

    def rater() -> rating.Rater:
        return rating.Rater(tmp_path, ruleset("boop"), 4, 3)

    kept, path = rater(), tmp_path / "policy.safetensors"
    good = read_checkpoint(find_checkpoint("boop-ppo"))
    worst = {name: -array if name.startswith("policy.") else array for name, array in good.weights.items()}
    write_checkpoint(path, worst, good.card)
    kept.rate(60.0)
    write_checkpoint(path, good.weights, good.card)
    assert kept.rate(120.0) == rater().rate(180.0)
    curve = json.loads((tmp_path / "ratings.json").read_text())
    assert [row["minutes"] for row in curve] == [1, 1, 2, 2, 3, 3]
    points = [row["points"] for row in curve]
    assert points[2:4] == points[4:]
    assert points[:2] != points[2:4], "the two checkpoints play alike, so this shows nothing"
