from pathlib import Path

import pytest

from train import ablate_alphazero
from train.alphazero import read_settings


def test_every_choice_is_one_that_the_trainer_takes(tmp_path: Path) -> None:
    made = {name: read_settings([*flags, "--out", str(tmp_path)]) for name, flags in ablate_alphazero.CHOICES.items()}
    assert len(set(made.values())) == len(made)


def test_trains_and_compares(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    small = ("--width", "4", "--depth", "1", "--games", "4", "--iteration", "40", "--batch-size", "16", "--actors", "0")
    monkeypatch.setattr(ablate_alphazero, "CHOICES", {"base": small, "more": (*small, "--reuse", "8")})
    command = [
        "--minutes",
        "0.02",
        "--out",
        str(tmp_path),
        "--games",
        "2",
        "--simulations",
        "4",
        "--only",
        "base",
        "more",
    ]
    assert ablate_alphazero.main(command) == 0
    table = capfd.readouterr().out
    assert all(f"{tmp_path}/{name}/policy.safetensors" in table for name in ("base", "more"))
