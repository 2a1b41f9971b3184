import json
from pathlib import Path

import pytest
import torch

from boop_env import ruleset
from boop_env.policy.checkpoint import Card, read_checkpoint, write_checkpoint
from boop_env.policy.network import NetworkConfig, build_network, network_weights
from train import ship

TOLD = {
    "command": "python -m train.x --out '/home/me/a run' --seed 3",
    "settings": {"out": "/home/me/a run", "seed": 3},
}
SHIPPED = {"command": "python -m train.x --out runs/boop-new --seed 3", "settings": {"out": "runs/boop-new", "seed": 3}}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    torch.manual_seed(0)
    folder = tmp_path / "run"
    folder.mkdir()
    config = NetworkConfig("mlp", 4, 1, 4)
    card = Card(ruleset("boop"), config.to_dict(), TOLD)
    weights = network_weights(build_network(ruleset("boop"), config))
    write_checkpoint(folder / "policy.safetensors", weights, card)
    return folder


def test_ships_a_checkpoint_with_its_curve(run: Path, tmp_path: Path) -> None:
    rows = [
        {"way": "alone", "elo": 100.2},
        {"way": "alone", "elo": 250.4},
        {"way": "with 32 simulations", "elo": 800.0},
    ]
    (run / "ratings.json").write_text(json.dumps(rows))
    (run / "ratings.png").write_bytes(b"a picture")
    models = tmp_path / "models"
    models.mkdir()
    assert ship.main([str(run), "boop-new", "--models", str(models)]) == 0
    shipped, made = read_checkpoint(models / "boop-new.safetensors"), read_checkpoint(run / "policy.safetensors")
    assert shipped.card.rating == 250 and shipped.card.training == SHIPPED
    assert all((shipped.weights[name] == made.weights[name]).all() for name in made.weights)
    assert (models / "boop-new.png").read_bytes() == b"a picture"


def test_no_folder_of_this_machine_is_told() -> None:
    told = {
        "command": "python -m train.x --initial /home/me/first/policy.safetensors --out=/home/me/run",
        "settings": {"out": "/home/me/run", "initial": "/home/me/first/policy.safetensors"},
        "initial": TOLD,
    }
    shipped = ship.portable(told, "boop-new")
    assert "/home/me" not in json.dumps(shipped)
    assert shipped["settings"]["initial"] == "runs/boop-new/initial/policy.safetensors"
    assert shipped["initial"]["settings"]["out"] == "runs/boop-new/initial"


def test_a_run_that_was_never_rated(run: Path, tmp_path: Path) -> None:
    (tmp_path / "boop-new.png").write_bytes(b"the curve of another one")
    assert ship.main([str(run), "boop-new", "--models", str(tmp_path)]) == 0
    assert read_checkpoint(tmp_path / "boop-new.safetensors").card.rating is None
    assert not (tmp_path / "boop-new.png").exists()


@pytest.mark.parametrize("name", ["", "a/b", "boop.safetensors"])
def test_refuses_names_that_are_none(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert ship.main([str(run), name, "--models", str(tmp_path)]) == 2
    assert f"ship: {name!r} is not a bare name such as boop-az" in capsys.readouterr().err


def test_refuses_what_is_no_run_or_too_large(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ship.main([str(tmp_path), "boop-new", "--models", str(tmp_path)]) == 2
    assert "policy.safetensors" in capsys.readouterr().err
    monkeypatch.setattr(ship, "MOST_BYTES", 1000)
    assert ship.main([str(run), "boop-new", "--models", str(tmp_path)]) == 2
    assert "1,000 is the most" in capsys.readouterr().err
    assert not list(tmp_path.glob("*.safetensors"))
