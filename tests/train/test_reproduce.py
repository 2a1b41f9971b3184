"""A checkpoint is trained again from its card, and the same run gives the same weights."""

from dataclasses import asdict, replace

import numpy as np
import pytest

from boop_env.bots.models import available
from boop_env.policy import Card, read_checkpoint, write_checkpoint
from boop_env.rules.ruleset import ruleset
from train import alphazero, ppo, reproduce

SMALL = [
    *("--rules", "boop_bga", "--steps", "64", "--num-envs", "8", "--rollout", "8", "--batch-size", "64"),
    *("--network", "mlp", "--width", "8", "--depth", "1", "--threads", "1", "--seed", "7", "--no-symmetry"),
    *("--anchor-bots", "random,greedy"),
]


def test_the_same_steps_give_the_same_weights(tmp_path, capsys):
    assert ppo.main([*SMALL, "--out", str(tmp_path / "first")]) == 0
    first = tmp_path / "first" / "policy.safetensors"
    assert reproduce.main([str(first), "--out", str(tmp_path / "again")]) == 0
    assert "compare them with: python -m train.evaluate" in capsys.readouterr().out
    one, other = read_checkpoint(first), read_checkpoint(tmp_path / "again" / "policy.safetensors")
    assert one.card.rules == other.card.rules == ruleset("boop_bga")
    assert one.card.training["steps"] == other.card.training["steps"]
    for name, weights in one.weights.items():
        np.testing.assert_array_equal(weights, other.weights[name])


def written(tmp_path, module, settings, **told):
    """A checkpoint whose card says that it was trained so."""
    training = {"command": f"python -m {module} --rules boop", "settings": settings, **told}
    write_checkpoint(tmp_path / "a.safetensors", {"w": np.zeros(1, np.float32)}, Card(ruleset("boop"), {}, training))
    return str(tmp_path / "a.safetensors")


def test_every_setting_comes_back_and_time_becomes_amount(tmp_path, capsys):
    settings = replace(alphazero.Settings(), hours=3.0, seed=11, learning_rate=1e-3)
    path = written(tmp_path, "train.alphazero", asdict(settings), positions=12345)
    assert reproduce.main([path, "--out", "runs/x", "--print", "--device", "meta"]) == 0
    line = capsys.readouterr().out.strip()
    assert line.startswith("python -m train.alphazero ")
    assert line.endswith("--out runs/x --device meta")
    for flag in ("--positions 12345", "--seed 11", "--learning-rate 0.001", "--rules boop"):
        assert flag in line
    for name in asdict(settings):
        assert f"--{name.replace('_', '-')} " in line


@pytest.mark.parametrize(("limit", "imitation"), [({"minutes": 9.0}, "0.2"), ({"steps": 1000}, "0.4")])
def test_as_much_is_imitated_again_where_it_was_a_share_of_the_time(tmp_path, capsys, limit, imitation):
    settings = asdict(ppo.Settings(imitation=0.4, **limit))
    path = written(tmp_path, "train.ppo", settings, steps=800, imitated=200)
    assert reproduce.main([path, "--print"]) == 0
    line = capsys.readouterr().out
    assert "--steps 1000 " in line and f"--imitation {imitation} " in line


def test_a_run_that_began_from_another_follows_it(tmp_path, capsys):
    first = {"command": "python -m train.alphazero", "settings": asdict(alphazero.Settings(seed=3)), "positions": 7}
    settings = asdict(alphazero.Settings(initial="runs/az/policy.safetensors", seed=4))
    path = written(tmp_path, "train.alphazero", settings, positions=9, initial=first)
    assert reproduce.main([path, "--out", "runs/x", "--print"]) == 0
    one, other = capsys.readouterr().out.splitlines()
    assert "--seed 3" in one and "--positions 7" in one and one.endswith("--out runs/x/initial")
    assert "--seed 4" in other and "--positions 9" in other and other.endswith("--out runs/x")
    assert "--initial runs/x/initial/policy.safetensors" in other


def test_a_setting_that_came_later_is_as_it_was_before(tmp_path, capsys):
    settings = asdict(alphazero.Settings())
    del settings["proof_turns"]
    assert reproduce.main([written(tmp_path, "train.alphazero", settings, positions=9), "--print"]) == 0
    assert "--proof-turns 1 " in capsys.readouterr().out


@pytest.mark.parametrize(("before", "version"), [(True, "1"), (False, "0"), (None, "0"), (2, "2")])
def test_prospects_were_once_a_yes_or_no(tmp_path, capsys, before, version):
    settings = asdict(ppo.Settings()) | {"prospects": before}
    if before is None:
        del settings["prospects"]
    assert reproduce.main([written(tmp_path, "train.ppo", settings, steps=9), "--print"]) == 0
    assert f"--prospects {version} " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("module", "change", "says"),
    [
        ("train.ppo", {"warp_drive": 9}, "settings that train.ppo no longer has: warp_drive"),
        ("train.ppo", {"rules": "halls"}, "was trained on 'halls' as it was then"),
        ("os.system", {}, "does not say how it was trained by one of train.ppo, train.alphazero"),
    ],
)
def test_what_cannot_be_repeated_is_refused(tmp_path, capsys, module, change, says):
    path = written(tmp_path, module, {**asdict(ppo.Settings()), **change}, steps=5)
    assert reproduce.main([path, "--print"]) == 2
    assert says in capsys.readouterr().err


def test_an_unknown_name_lists_the_models(capsys):
    assert reproduce.main(["nothing"]) == 2
    assert available()[0] in capsys.readouterr().err


@pytest.mark.parametrize("name", available())
def test_every_shipped_checkpoint_says_how_it_was_trained(name, capsys):
    """It can be repeated, or its refusal names the command and the version of its time."""
    code = reproduce.main([name, "--print"])
    shown = capsys.readouterr()
    assert code == 0 or "as it was then, whose command was: python -m train." in shown.err
