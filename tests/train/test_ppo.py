import json
import os
import signal
import subprocess
import sys
import time
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

ROOT = Path(__file__).parents[2]
TINY = [
    "--num-envs=16",
    "--rollout=16",
    "--batch-size=64",
    "--epochs=1",
    "--width=8",
    "--depth=1",
    "--snapshot-steps=512",
    "--pool-size=2",
    "--anchor-bots=random,greedy",
    "--imitation=0",
    "--threads=1",
]
ROLLOUT = 256


class Killed(BaseException):
    """Ends a run where it stands, as a kill would."""


@pytest.fixture
def train(tmp_path: Path) -> Callable[..., Path]:
    def run(*arguments: str, out: str = "run") -> Path:
        assert ppo.main([*arguments, f"--out={tmp_path / out}"]) == 0
        return tmp_path / out

    return run


def state(folder: Path) -> dict:
    return torch.load(folder / "state.pt", weights_only=True)


def weights(folder: Path) -> dict[str, np.ndarray]:
    return dict(read_checkpoint(folder / "policy.safetensors").weights)


def assert_same(one: object, other: object) -> None:
    """The same nested plain values and tensors, bit for bit."""
    assert type(one) is type(other)
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for name in one:
            assert_same(one[name], other[name])
    elif isinstance(one, (list, tuple)):
        assert len(one) == len(other)
        for a, b in zip(one, other, strict=True):
            assert_same(a, b)
    elif isinstance(one, torch.Tensor):
        assert torch.equal(one, other)
    else:
        assert one == other


@pytest.mark.parametrize("rules", ["boop", "booop", "halls"])
def test_a_run_ends_in_a_policy_that_plays(train: Callable[..., Path], rules: str) -> None:
    folder = train(f"--rules={rules}", "--steps=1024", "--seed=3", *TINY)
    card = read_checkpoint(folder / "policy.safetensors").card
    assert card.rules == boop_env.ruleset(rules)
    assert card.network == {"kind": "residual", "width": 8, "depth": 1, "value_hidden": 64, "prospects": 2}
    assert card.training["steps"] == 1024
    assert card.training["seed"] == 3
    assert card.training["command"].startswith(f"python -m train.ppo --rules={rules} --steps=1024")
    assert card.training["settings"]["num_envs"] == 16
    assert 0 < card.training["seconds"] < 60
    assert (folder / "rating.png").read_bytes().startswith(b"\x89PNG")
    path = folder / "policy.safetensors"
    bot = boop_env.load_policy(path)
    assert bot.choose(States.of([Game(rules)] * 3), np.random.default_rng(0)).shape == (3,)
    assert boop_env.make_bot(f"az:{path}?sims=4").move(Game(rules)) in Game(rules).legal_moves()


def test_the_log_holds_what_the_docs_say(train: Callable[..., Path]) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    folder = train("--steps=2048", *TINY, "--imitation=0.3", "--teacher=greedy")
    log = EventAccumulator(str(folder / "tensorboard"))
    log.Reload()
    tags = set(log.Tags()["scalars"])
    documented = (ROOT / "docs/ppo.md").read_text()
    for tag in tags:
        group, name = tag.split("/", 1)
        assert f"`{tag}`" in documented or (group in ("score", "weight") and f"`{group}/NAME`" in documented), name
    assert {
        "rating/elo",
        "train/entropy",
        "train/explained_variance",
        "imitation/accuracy",
        "score/random",
        "weight/pool/0000000000",
    } <= tags
    assert [event.step for event in log.Scalars("rating/elo")] == [1024, 1280, 1536, 1792, 2048]


def test_imitation_comes_first_and_the_rating_of_the_taught_is_unknown(train: Callable[..., Path]) -> None:
    folder = train("--steps=2048", *TINY, "--imitation=0.3", "--teacher=greedy")
    found = state(folder)
    assert (found["imitated"], found["steps"]) == (1024, 1024)
    first = next(member for member in found["league"]["members"] if member[0] == "pool/0000000000")
    assert first[2] is None
    card = read_checkpoint(folder / "policy.safetensors").card
    assert card.training["algorithm"] == "MaskablePPO in a league, after imitating greedy"


def test_the_pool_is_on_disk_and_bounded(train: Callable[..., Path]) -> None:
    folder = train("--steps=4096", *TINY)
    league = state(folder)["league"]
    assert len(league["pool"]) == 2
    assert league["pool"][-1] == "pool/0000003584"
    on_disk = {f"pool/{path.stem}" for path in (folder / "pool").iterdir()}
    # A copy that left stays on disk for as long as a game is played against it.
    assert set(league["pool"]) <= on_disk == {name for name, kind, *_ in league["members"] if kind == "past"}
    assert set(state(folder)["games"]["opponents"] and json.loads(state(folder)["games"]["opponents"])) <= {
        name for name, *_ in league["members"]
    }


def test_same_seed_same_run(train: Callable[..., Path]) -> None:
    runs = [train("--steps=512", f"--seed={seed}", *TINY, out=out) for seed, out in ((1, "a"), (1, "b"), (2, "c"))]
    first, again, other = map(weights, runs)
    for name, array in first.items():
        np.testing.assert_array_equal(array, again[name])
    assert any((array != other[name]).any() for name, array in first.items())


@pytest.mark.parametrize(
    ("rules", "more"), [("boop", []), ("booop", ["--steps=3072", "--imitation=0.4", "--teacher=greedy"])]
)
def test_a_killed_run_goes_on_exactly(
    train: Callable[..., Path], rules: str, more: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed in rollouts and in updates, the end is that of a run left alone, bit for bit."""
    command = [f"--rules={rules}", "--steps=2048", *TINY, *more]
    whole = state(train(*command, out="whole"))
    learn, note, imitate = ppo.MaskablePPO.train, ppo.Run.note_games, ppo.Run.imitate

    def killed_learning(model: ppo.MaskablePPO) -> None:
        if model.num_timesteps == 2 * ROLLOUT:
            raise Killed
        learn(model)

    def killed_playing(run: ppo.Run, local: dict, other: dict) -> bool:
        if run.steps > 3 * ROLLOUT + 100:
            raise Killed
        return note(run, local, other)

    def killed_imitating(run: ppo.Run) -> None:
        imitate(run)
        if run.imitated > 1024:
            raise Killed

    places = [(ppo.MaskablePPO, "train", killed_learning), (ppo.Run, "note_games", killed_playing)]
    for place, name, kill in [*([(ppo.Run, "imitate", killed_imitating)] if more else []), *places]:
        with monkeypatch.context() as patch, pytest.raises(Killed):
            patch.setattr(place, name, kill)
            train(*command, out="killed")
    found = state(train(*command, out="killed"))
    for times in (whole, found):  # only these tell of the clock
        del times["seconds"]
        times["history"] = [(steps, elo) for steps, _, elo in times["history"]]
    assert_same(found, whole)


def test_kill_9_at_any_moment_loses_one_rollout_at_most(tmp_path: Path) -> None:
    out = tmp_path / "run"
    command = [sys.executable, "-m", "train.ppo", *TINY, "--steps=100000000", f"--out={out}"]
    steps = 0
    for wait in (0.0, 0.33):
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        before = (out / "state.pt").stat().st_mtime_ns if steps else 0
        deadline = time.monotonic() + 90
        while not (out / "state.pt").exists() or (out / "state.pt").stat().st_mtime_ns == before:
            assert process.poll() is None, process.stderr.read().decode()
            assert time.monotonic() < deadline
            time.sleep(0.02)
        time.sleep(wait)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        found = state(out)["steps"]
        assert found > steps
        steps = found
    assert ppo.main([*TINY, f"--steps={steps + ROLLOUT}", f"--out={out}"]) == 0
    assert state(out)["steps"] == steps + ROLLOUT
    assert not list(out.rglob(".*.part"))


def test_resume_takes_the_settings_of_the_run(train: Callable[..., Path], capsys: pytest.CaptureFixture[str]) -> None:
    folder = train("--steps=512", *TINY)
    before = state(folder)
    capsys.readouterr()
    train("--resume", "--steps=768")
    after = state(folder)
    assert f"goes on after {before['league']['games']} games and 512 steps" in capsys.readouterr().out
    assert after["steps"] == 768
    assert after["seconds"] > before["seconds"]
    assert read_checkpoint(folder / "policy.safetensors").card.training["settings"]["width"] == 8


def test_nothing_left_to_do_changes_nothing(train: Callable[..., Path]) -> None:
    folder = train("--steps=512", *TINY)
    before = (folder / "state.pt").read_bytes(), (folder / "policy.safetensors").read_bytes()
    train("--steps=512", *TINY)
    assert before == ((folder / "state.pt").read_bytes(), (folder / "policy.safetensors").read_bytes())


@pytest.mark.parametrize("resume", [[], ["--resume"]])
def test_refuses_other_settings(
    train: Callable[..., Path], capsys: pytest.CaptureFixture[str], resume: list[str]
) -> None:
    folder = train("--steps=256", *TINY)
    given = resume or [flag for flag in TINY if not flag.startswith("--width")]
    with pytest.raises(SystemExit):
        ppo.main([*given, "--width=16", "--rules=halls", f"--out={folder}"])
    message = capsys.readouterr().err
    assert f"{folder} holds a run with other settings: --rules halls against boop, --width 16 against 8" in message
    assert "give the same settings or --resume to go on with it, or another --out" in message


def test_a_run_can_begin_from_a_checkpoint(train: Callable[..., Path], capsys: pytest.CaptureFixture[str]) -> None:
    first = train("--steps=256", *TINY, out="first") / "policy.safetensors"
    begun = [*TINY, f"--initial={first}", "--learning-rate=0", "--seed=5"]
    second = train("--steps=256", *begun, out="second") / "policy.safetensors"
    told = read_checkpoint(first).card.training
    one, other = weights(first.parent), weights(second.parent)
    assert all(np.array_equal(one[name], other[name]) for name in one)  # nothing was learned
    assert read_checkpoint(second).card.training["initial"] == told
    first.unlink()  # no longer needed to go on
    train("--steps=512", *begun, out="second")
    assert read_checkpoint(second).card.training["initial"] == told
    assert state(second.parent)["steps"] == 512

    capsys.readouterr()
    third = f"--out={second.parents[1] / 'third'}"
    for change, message in (
        ([f"--initial={second}", "--width=7"], "residual network of width 8 and depth 1, the run"),
        ([f"--initial={second}", "--rules=halls"], "cannot play 'halls'"),
        ([f"--initial={first}"], "policy.safetensors"),
    ):
        assert ppo.main([*TINY, *change, third]) == 1
        assert "ppo: cannot begin: " in (error := capsys.readouterr().err) and message in error


def test_refuses_a_run_of_another_version(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "settings.json").write_text('{"rules": "boop", "past_self": 0.8}')
    for given in (["--resume"], []):
        with pytest.raises(SystemExit):
            ppo.main([*given, f"--out={tmp_path}"])
        assert "a run of another version, with settings not known here: past_self; give another" in (
            capsys.readouterr().err
        )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--resume", "--out=nowhere"], "there is no run to resume: no file nowhere/settings.json"),
        (["--rules=chess"], "--rules: invalid choice: 'chess' (choose from "),
        (["--seat=third"], "--seat: invalid choice: 'third'"),
        (["--minutes=0"], "--minutes=0.0 is out of range; give more than 0"),
        (["--steps=-5"], "--steps=-5 is out of range; give 0 or more"),
        (["--imitation=2"], "--imitation=2.0 is out of range; give 0 to 1"),
        (["--gamma=nan"], "--gamma=nan is out of range; give 0 to 1"),
        (["--device=toaster"], "--device=toaster cannot be used: "),
    ],
)
def test_refusals(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        ppo.main(arguments)
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("--teacher=foo", "there is no bot 'foo'"),
        ("--anchor-bots=greedy,foo", "there is no bot 'foo'"),
        ("--opening=400", "max_turns=300 leaves the learner no turn"),
    ],
)
def test_a_mistake_leaves_the_folder_free(
    wrong: str, message: str, train: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ppo.main([*TINY, wrong, f"--out={tmp_path / 'run'}"]) == 1
    told = capsys.readouterr().err
    assert told.startswith("ppo: cannot begin: ") and message in told
    train("--steps=256", *TINY)


def test_a_network_that_diverges_is_not_saved(
    train: Callable[..., Path], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = train("--steps=512", *TINY)
    before = (folder / "state.pt").read_bytes()

    def diverge(self: ppo.Run) -> None:
        with torch.no_grad():
            next(self.policy.network.parameters()).fill_(torch.nan)

    monkeypatch.setattr(ppo.Run, "play", diverge)
    assert ppo.main(["--resume", "--steps=1024", f"--out={folder}"]) == 1
    told = " ".join(capsys.readouterr().err.split())
    assert "the weights are no longer finite after 512 steps; begin from" in told
    assert told.endswith("the last save is whole")
    assert (folder / "state.pt").read_bytes() == before


def test_a_full_disk_leaves_the_last_save(
    train: Callable[..., Path], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = train("--steps=512", *TINY)
    before = (folder / "state.pt").read_bytes()

    def full(content: object, path: Path) -> None:
        path.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(ppo.torch, "save", full)
        assert ppo.main(["--resume", "--steps=2048", f"--out={folder}"]) == 1
    assert "No space left on device; the last save is whole" in " ".join(capsys.readouterr().err.split())
    assert (folder / "state.pt").read_bytes() == before
    assert not list(folder.rglob(".*.part"))
    assert state(train("--resume", "--steps=1024"))["steps"] == 1024


def test_a_folder_that_cannot_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert ppo.main([*TINY, f"--out={tmp_path / 'file' / 'run'}"]) == 1
    assert "ppo: cannot use the folder" in capsys.readouterr().err


def test_ctrl_c_saves_after_the_rollout_in_progress(tmp_path: Path) -> None:
    out = tmp_path / "run"
    command = [sys.executable, "-m", "train.ppo", *TINY, "--steps=100000000", f"--out={out}"]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 90
    while not (out / "state.pt").exists():
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGINT)
    told, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert "interrupted; the same command goes on" in told
    steps = state(out)["steps"]
    assert steps >= ROLLOUT and steps % ROLLOUT == 0
    assert f"ppo: {steps:,} steps" in told
    assert not list(out.rglob(".*.part"))


def test_ctrl_c_ends_the_rollout_it_comes_in_and_no_other(
    train: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    learn = ppo.MaskablePPO.train

    def interrupted(model: ppo.MaskablePPO) -> None:
        if model.num_timesteps == 512:
            signal.getsignal(signal.SIGINT)(signal.SIGINT, None)
        learn(model)

    monkeypatch.setattr(ppo.MaskablePPO, "train", interrupted)
    handler = signal.getsignal(signal.SIGINT)
    folder = train("--minutes=5", *TINY)
    assert signal.getsignal(signal.SIGINT) is handler
    assert state(folder)["steps"] == 512
    assert "interrupted; the same command goes on" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("flags", "opponents", "seats"),
    [
        (["--opponents=latest"], {"latest"}, {0, 1}),
        (["--seat=first"], {"latest", "random", "greedy", "pool/0000000000"}, {0}),
        (["--seat=second", "--past=0"], {"latest", "random", "greedy"}, {1}),
    ],
)
def test_whom_the_learner_meets_and_where_it_sits(
    train: Callable[..., Path], flags: list[str], opponents: set[str], seats: set[int]
) -> None:
    members = state(train("--steps=1024", *TINY, "--snapshot-steps=100000", *flags))["league"]["members"]
    met = {name: recent for name, _, _, _, recent in members if recent}
    assert met.keys() == opponents
    assert {seat for recent in met.values() for _, _, seat in recent} == seats


def test_every_setting_is_explained_and_every_preset_has_its_own() -> None:
    names = {f.name for f in ppo.fields(ppo.Settings)}
    assert all(f.metadata["help"] for f in ppo.fields(ppo.Settings))
    assert ppo.VARIANTS.keys() == boop_env.PRESETS.keys()
    for changed in (ppo.QUICK, *ppo.VARIANTS.values()):
        assert changed.keys() <= names


def test_flags_come_before_quick_and_the_preset(tmp_path: Path) -> None:
    out = f"--out={tmp_path}"
    assert ppo.read_settings(["--quick", out]).minutes == ppo.QUICK["minutes"]
    assert ppo.read_settings(["--quick", "--minutes=1", "--no-symmetry", out]).minutes == 1
    assert not ppo.read_settings(["--no-symmetry", out]).symmetry


@pytest.mark.soak
def test_quick_beats_random(train: Callable[..., Path]) -> None:
    folder = train("--quick")
    bot, random = boop_env.load_policy(folder / "policy.safetensors"), boop_env.make_bot("random")
    points = [game.score(bot.name) for game in play_match(bot, random, "boop", games=400)]
    assert np.mean(points) >= 0.95
