import json
import os
import signal
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

import boop_env
from boop_env import Game, States
from boop_env.arena.match import play_match
from boop_env.policy import read_checkpoint
from train import ppo

TINY = [
    "--num-envs=16",
    "--rollout=16",
    "--batch-size=64",
    "--epochs=1",
    "--width=8",
    "--depth=1",
    "--snapshot-steps=512",
    "--pool-size=2",
    "--threads=1",
]


@pytest.fixture
def train(tmp_path: Path) -> Callable[..., Path]:
    def run(*arguments: str, out: str = "run") -> Path:
        assert ppo.main([*arguments, f"--out={tmp_path / out}"]) == 0
        return tmp_path / out

    return run


@pytest.mark.parametrize("rules", ["boop", "booop", "halls"])
def test_a_run_ends_in_a_policy_that_plays(train: Callable[..., Path], rules: str) -> None:
    folder = train(f"--rules={rules}", "--steps=1024", "--seed=3", *TINY)
    card = read_checkpoint(folder / "policy.safetensors").card
    assert card.rules == boop_env.ruleset(rules)
    assert card.network == {"kind": "residual", "width": 8, "depth": 1, "value_hidden": 64}
    assert card.training["steps"] == 1024
    assert card.training["seed"] == 3
    assert card.training["command"].startswith(f"python -m train.ppo --rules={rules} --steps=1024")
    assert card.training["settings"]["num_envs"] == 16
    assert 0 < card.training["seconds"] < 60
    assert list((folder / "tensorboard").iterdir())
    bot = boop_env.load_policy(folder / "policy.safetensors")
    assert bot.choose(States.of([Game(rules)] * 3), np.random.default_rng(0)).shape == (3,)


def test_the_pool_keeps_the_newest_copies(train: Callable[..., Path]) -> None:
    folder = train("--steps=2048", *TINY)
    assert sorted(path.name for path in (folder / "pool").iterdir()) == [
        "0000001024.safetensors",
        "0000001536.safetensors",
    ]


def test_same_seed_same_run(train: Callable[..., Path]) -> None:
    runs = [train("--steps=1024", f"--seed={seed}", *TINY, out=out) for seed, out in ((1, "a"), (1, "b"), (2, "c"))]
    first, again, other = (read_checkpoint(folder / "policy.safetensors").weights for folder in runs)
    for name, array in first.items():
        np.testing.assert_array_equal(array, again[name])
    assert any((array != other[name]).any() for name, array in first.items())


def test_resume_goes_on_where_the_run_stopped(train: Callable[..., Path]) -> None:
    folder = train("--steps=1024", *TINY)
    before = torch.load(folder / "state.pt", weights_only=True)
    train("--resume", "--steps=1536")
    after = torch.load(folder / "state.pt", weights_only=True)
    card = read_checkpoint(folder / "policy.safetensors").card
    assert card.training["steps"] == after["steps"] == 1536
    assert card.training["settings"]["width"] == 8
    assert after["games"] > before["games"]
    assert after["seconds"] > before["seconds"]
    assert before["pool"] == ["pool/0000000000.safetensors", "pool/0000000512.safetensors"]
    assert after["pool"] == ["pool/0000000512.safetensors", "pool/0000001024.safetensors"]
    # Adam's moments went on rather than starting at zero.
    updates = [int(state["optimizer"]["state"][0]["step"]) for state in (before, after)]
    assert updates == [16, 24]


def test_resuming_with_nothing_left_to_do_changes_nothing(train: Callable[..., Path]) -> None:
    folder = train("--steps=512", *TINY)
    before = read_checkpoint(folder / "policy.safetensors").weights
    train("--resume")
    after = read_checkpoint(folder / "policy.safetensors").weights
    assert all((array == after[name]).all() for name, array in before.items())


def test_resume_refuses_other_settings(train: Callable[..., Path], capsys: pytest.CaptureFixture[str]) -> None:
    folder = train("--steps=256", *TINY)
    for flag, message in (("--width=16", "has 8"), ("--rules=halls", "has boop")):
        with pytest.raises(SystemExit):
            ppo.main(["--resume", flag, f"--out={folder}"])
        assert f"the run in {folder} {message}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--resume", "--out=nowhere"], "there is no run to resume: no file nowhere/settings.json"),
        (["--rules=chess"], "--rules chess: the presets are boop, "),
    ],
)
def test_refusals(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        ppo.main(arguments)
    assert message in capsys.readouterr().err


def test_a_new_run_moves_the_earlier_one_aside(train: Callable[..., Path]) -> None:
    for seed in (1, 2, 3):
        folder = train("--steps=256", f"--seed={seed}", *TINY)
    found = [folder, folder.with_name("run.1"), folder.with_name("run.2")]
    assert [json.loads((path / "settings.json").read_text())["seed"] for path in found] == [3, 1, 2]


def test_ctrl_c_saves_after_the_iteration_in_progress(
    train: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    learn = ppo.MaskablePPO.train

    def interrupted(model: ppo.MaskablePPO) -> None:
        if model.num_timesteps == 512:
            os.kill(os.getpid(), signal.SIGINT)
        learn(model)

    monkeypatch.setattr(ppo.MaskablePPO, "train", interrupted)
    handler = signal.getsignal(signal.SIGINT)
    folder = train("--minutes=5", *TINY)
    assert signal.getsignal(signal.SIGINT) is handler
    assert read_checkpoint(folder / "policy.safetensors").card.training["steps"] == 512
    assert "interrupted; --resume continues it" in capsys.readouterr().out


def test_saves_while_it_trains(train: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    saved: list[int] = []
    save = ppo.Run.save

    def noted(run: ppo.Run) -> None:
        saved.append(run.steps)
        save(run)

    monkeypatch.setattr(ppo.Run, "save", noted)
    train("--steps=768", "--save-seconds=0", *TINY)
    assert saved == [256, 512, 768, 768]


def test_every_setting_is_explained() -> None:
    assert all(f.metadata["help"] for f in ppo.fields(ppo.Settings))


@pytest.mark.soak
def test_four_minutes_beat_random(train: Callable[..., Path]) -> None:
    folder = train("--minutes=4")
    bot, random = boop_env.load_policy(folder / "policy.safetensors"), boop_env.make_bot("random")
    points = [game.score(bot.name) for game in play_match(bot, random, "boop", games=400)]
    assert np.mean(points) >= 0.95
