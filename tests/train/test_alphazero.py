import itertools
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
import torch

from boop_env import Game, RuleSet, ruleset
from boop_env.bots.factory import make_bot
from boop_env.envs.batch import BatchEnv
from boop_env.policy import load_policy, read_checkpoint
from boop_env.policy.network import network_weights
from train import alphazero, export
from train.alphazero import ReplayBuffer, Settings, main, stages
from train.self_play import Played

ROOT = Path(__file__).parents[2]
SMALL = {
    "width": 4,
    "depth": 1,
    "games": 4,
    "simulations": 4,
    "considered": 4,
    "iteration": 40,
    "buffer": 3600,
    "batch_size": 16,
    "threads": 1,
    "actors": 0,
    "rate_minutes": 0,
    "backend": "torch",
    "save_seconds": 0.0,
}


def flags(out: Path, **others: object) -> list[str]:
    given = {**SMALL, "out": out, **others}
    return list(itertools.chain.from_iterable((f"--{n.replace('_', '-')}", str(v)) for n, v in given.items()))


def state(folder: Path) -> dict:
    return torch.load(folder / "state.pt", weights_only=True)


@pytest.fixture(autouse=True)
def _one_thread():
    threads = torch.get_num_threads()
    yield
    torch.set_num_threads(threads)


def test_trains_saves_and_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "run"
    assert main(flags(out, positions=400)) == 0
    first = state(out)
    assert first["written"] >= 400 and first["gradients"] > 0 and first["games"] > 0
    assert list((out / "tensorboard").iterdir())
    bot = load_policy(out / "policy.safetensors")
    assert bot.checkpoint.card.training["positions"] == first["written"]
    assert make_bot(f"az:{out / 'policy.safetensors'}?sims=4").move(Game("boop")) in Game("boop").legal_moves()
    capsys.readouterr()
    (out / ".state.pt.abc.part").write_text("what a killed run was writing")
    assert main(flags(out, positions=600)) == 0
    second = state(out)
    assert f"goes on after {first['games']} games and {first['written']} positions" in capsys.readouterr().out
    assert second["gradients"] > first["gradients"] and second["games"] >= first["games"]
    assert second["seconds"] > first["seconds"]
    for name, array in first["buffer"].items():
        torch.testing.assert_close(second["buffer"][name][: first["written"]], array)
    assert not list(out.glob(".*.part"))


def test_killed_at_any_moment_it_goes_on(tmp_path: Path) -> None:
    out = tmp_path / "run"
    command = [sys.executable, "-m", "train.alphazero", *flags(out, positions=10**9)]
    written = 0
    for wait in (0.0, 0.37):
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        deadline = time.monotonic() + 60
        before = (out / "state.pt").stat().st_mtime_ns if (out / "state.pt").exists() else 0
        while not (out / "state.pt").exists() or (out / "state.pt").stat().st_mtime_ns == before:
            assert process.poll() is None, process.stderr.read().decode()
            assert time.monotonic() < deadline
            time.sleep(0.02)
        time.sleep(wait)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        found = state(out)
        assert found["written"] > written
        written = found["written"]
    assert main(flags(out, positions=written + 80)) == 0
    assert state(out)["written"] >= written + 80


def test_a_batch_may_be_larger_than_a_round_of_self_play(tmp_path: Path) -> None:
    # Neither the batch nor what is owed must keep the actor from playing until there is enough to learn from.
    assert main(flags(tmp_path, positions=400, batch_size=160)) == 0
    assert state(tmp_path)["gradients"] > 0


def test_refuses_other_settings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(flags(tmp_path, positions=40)) == 0
    with pytest.raises(SystemExit):
        main(flags(tmp_path, positions=40, width=8, seed=3))
    assert "other settings: --seed 3 against 0, --width 8 against 4; give the same" in capsys.readouterr().err
    for other, message in (
        ({"rules": "chess"}, "invalid choice: 'chess'"),
        ({"buffer": 30}, "--buffer 30 is less than --iteration; give more"),
        ({"lookahead": 99}, "--lookahead=99 is not a whole number from 0 to 64"),
        ({"lookahead": -1}, "--lookahead=-1 is not a whole number from 0 to 64"),
        ({"proof_turns": 0}, "--proof-turns=0 is too small; give 1 or more"),
        ({"games": 0}, "--games=0 is too small; give 1 or more"),
        ({"width": 0}, "--width=0 is not a whole number from 1 to 4096"),
        ({"seed": -1}, "--seed=-1 is out of range; give 0 or more"),
        ({"first_simulations": -1}, "--first-simulations=-1 is out of range; give 0 or more"),
        ({"full_share": 7}, "--full-share=7.0 is out of range; give 0 to 1"),
        ({"device": "abacus"}, "--device=abacus cannot be used: "),
        ({"learning_rate": "nan"}, "--learning-rate=nan is out of range; give 0 or more"),
        ({"teacher": "alphabet", "teacher_positions": 100}, "--teacher: bot 'alphabet': there is no bot"),
    ):
        with pytest.raises(SystemExit):
            main(flags(tmp_path / "other", **other))
        assert message in capsys.readouterr().err
        assert not (tmp_path / "other").exists()


def test_a_run_that_diverges_leaves_the_last_save(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(flags(tmp_path, positions=40)) == 0
    before = (tmp_path / "state.pt").read_bytes()
    with monkeypatch.context() as patched:
        patched.setattr(alphazero.torch.nn.functional, "mse_loss", lambda predicted, _: predicted.sum() * torch.nan)
        assert main(flags(tmp_path, positions=400)) == 1
    told = capsys.readouterr().err
    assert (
        "alphazero: the loss is nan" in told
        and "(--initial) in another folder, with a --learning-rate below 0.002; what was saved" in told
    )
    assert (tmp_path / "state.pt").read_bytes() == before
    begin = {"initial": tmp_path / "policy.safetensors", "learning_rate": 0.001}
    assert main(flags(tmp_path / "again", positions=400, **begin)) == 0


def test_an_actor_that_fails_ends_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def poisoned(network: torch.nn.Module) -> dict[str, np.ndarray]:
        return {name: np.full_like(w, np.nan) for name, w in network_weights(network).items()}

    monkeypatch.setattr(alphazero, "network_weights", poisoned)
    assert main(flags(tmp_path, positions=40, actors=1)) == 1
    assert "alphazero: actor 0 failed: ValueError: " in capsys.readouterr().err


def test_a_full_disk_leaves_the_last_save(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(flags(tmp_path, positions=40)) == 0
    before = (tmp_path / "state.pt").read_bytes()

    def full(content: object, path: Path) -> None:
        path.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(alphazero.torch, "save", full)
    assert main(flags(tmp_path, positions=400)) == 1
    assert "No space left on device" in capsys.readouterr().err
    assert (tmp_path / "state.pt").read_bytes() == before
    assert not list(tmp_path.glob(".*.part"))


def test_a_folder_that_cannot_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert main(flags(tmp_path / "file" / "run", positions=40)) == 1
    assert "alphazero: cannot use the folder" in capsys.readouterr().err


def played(rules: RuleSet, winner: int) -> Played:
    """One random position after another, their policies all on legal moves."""
    env = BatchEnv(rules, 50, opening_plies=9, seed=2)
    env.advance(np.arange(25), env.sample()[:25])  # so that both players are to act somewhere
    env.observe()
    policies = (env.masks / env.masks.sum(1, keepdims=True)).astype(np.float16)
    results = np.where(env.states.movers == winner, 1, -1) if winner >= 0 else np.zeros(50)
    full = np.arange(50) % 2 == 0
    values = np.full(50, 0.5, np.float32)
    words = env.states.words.copy()
    return Played(words, policies, values, results.astype(np.int8), full, words, [], 0)


@pytest.mark.parametrize("rules", ["boop", "booop", "halls"])
@pytest.mark.parametrize("winner", [0, 1, -1])
def test_what_is_learned_is_for_who_acts(rules: str, winner: int) -> None:
    buffer = ReplayBuffer(ruleset(rules), 60)
    buffer.add(played(ruleset(rules), winner))
    planes, masks, policies, values, full, *_ = buffer.draw(300, 0.25, np.random.default_rng(0))
    player_1 = planes[:, -2, 0, 0].astype(int)
    results = np.zeros(300) if winner < 0 else np.where(player_1 == winner, 1, -1)
    np.testing.assert_allclose(values, 0.75 * results + 0.25 * 0.5)
    assert 50 < player_1.sum() < 250 and 50 < full.sum() < 250
    np.testing.assert_array_equal(policies > 0, masks == 1)
    np.testing.assert_allclose(policies.sum(1), 1, atol=1e-2)


def test_the_buffer_keeps_the_newest() -> None:
    rules = ruleset("boop")
    buffer = ReplayBuffer(rules, 60)
    first, second = played(rules, 0), played(rules, 1)
    buffer.add(first)
    assert len(buffer) == 50
    buffer.add(second)
    assert buffer.written == 100 and len(buffer) == 60
    words, results = buffer.arrays["words"], buffer.arrays["results"]
    np.testing.assert_array_equal(words[50:], second.words[:10])
    np.testing.assert_array_equal(words[:40], second.words[10:])
    np.testing.assert_array_equal(results[40:50], first.results[40:])


def test_simulations_double_from_stage_to_stage() -> None:
    assert stages(16, 64) == (16, 32, 64)
    assert stages(20, 64) == (32, 64)
    assert stages(64, 64) == stages(0, 64) == (64,)


def test_a_run_is_rated_and_its_curve_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(flags(tmp_path, positions=40, rate_minutes=100, rate_games=2)) == 0
    assert "Elo with 32 simulations after" in capsys.readouterr().out
    rows = json.loads((tmp_path / "ratings.json").read_text())
    assert [row["way"] for row in rows] == ["alone", "with 32 simulations"]
    assert all(row["low"] < row["elo"] < row["high"] and set(row["points"]) >= {"random", "greedy"} for row in rows)
    assert (tmp_path / "ratings.png").read_bytes().startswith(b"\x89PNG")


def test_a_run_in_processes(tmp_path: Path) -> None:
    assert main(flags(tmp_path, positions=200, actors=2)) == 0
    assert state(tmp_path)["written"] >= 200


def test_a_run_can_begin_with_a_teacher(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    taught = {"teacher": "greedy", "teacher_positions": 500, "buffer": 50_000, "batch_size": 1000}
    assert main(flags(tmp_path, positions=500, **taught)) == 0
    first = state(tmp_path)
    assert first["games"] == 0 and first["written"] >= 500
    buffer = first["buffer"]
    assert set(buffer["policies"].unique().tolist()) == {0, 1} and set(buffer["results"].unique().tolist()) == {-1, 1}
    torch.testing.assert_close(buffer["values"], buffer["results"].float())
    assert main(flags(tmp_path, positions=first["written"] + 40, **taught)) == 0
    assert state(tmp_path)["games"] > 0


def test_every_setting_has_its_line() -> None:
    settings = Settings()
    assert asdict(settings)["rules"] == "boop"
    assert all(f.metadata["help"] for f in alphazero.fields(Settings))


def test_the_replay_buffer_is_exported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = pytest.importorskip("boop_env.data", reason="needs the data extra")
    run, file = tmp_path / "run", tmp_path / "positions.parquet"
    assert main(flags(run, positions=100, quick_simulations=2)) == 0
    assert export.main([str(run), str(file)]) == 0
    buffer = state(run)["buffer"]
    full = buffer["full"].numpy()
    assert 0 < full.sum() < len(full)
    read = data.read_positions(file)
    np.testing.assert_array_equal(read.words, buffer["words"].numpy().view(np.uint64)[full])
    np.testing.assert_array_equal(read.policies, buffer["policies"].numpy()[full])
    np.testing.assert_array_equal(read.results, buffer["results"].numpy()[full])
    capsys.readouterr()
    (tmp_path / "no run").mkdir()
    assert export.main([str(tmp_path / "no run"), str(file)]) == 2
    assert "settings.json" in capsys.readouterr().err


def test_a_run_can_begin_from_a_checkpoint(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    assert main(flags(first, positions=80)) == 0
    begun = flags(second, positions=80, initial=first / "policy.safetensors", learning_rate=0.0, seed=5)
    assert main(begun) == 0
    one, other = (read_checkpoint(folder / "policy.safetensors") for folder in (first, second))
    assert state(second)["gradients"] > 0
    assert all(np.allclose(one.weights[name], other.weights[name]) for name in one.weights)  # nothing was learned
    assert other.card.training["initial"] == one.card.training
    (first / "policy.safetensors").unlink()  # no longer needed to go on
    assert main([*begun, "--positions", "160"]) == 0
    assert read_checkpoint(second / "policy.safetensors").card.training["initial"] == one.card.training

    capsys.readouterr()
    checkpoint = second / "policy.safetensors"
    for change, message in (
        ({"width": 3}, "residual network of width 4 and depth 1, the run"),
        ({"rules": "halls"}, "cannot play 'halls'"),
        ({"initial": tmp_path / "none.safetensors"}, "none.safetensors"),
    ):
        assert main(flags(tmp_path / "third", **{"initial": checkpoint, **change})) == 1
        assert "alphazero: cannot begin: " in (told := capsys.readouterr().err) and message in told
