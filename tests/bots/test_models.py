"""Checkpoints by bare name, from whatever folder one stands in."""

from pathlib import Path

import pytest

from boop_env import make_bot
from boop_env.bots.models import available, find_checkpoint, models_folder, short_name, spec_checkpoint

ROOT = Path(__file__).parents[2]


def test_the_names_are_those_of_the_model_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert available() == tuple(sorted(path.stem for path in (ROOT / "models").glob("*.safetensors")))
    assert "boop-ppo" in available()


def test_a_name_is_found_from_any_folder_and_a_file_there_comes_first(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert find_checkpoint("boop-ppo") == models_folder() / "boop-ppo.safetensors"
    assert short_name(find_checkpoint("boop-ppo")) == "boop-ppo"
    (tmp_path / "mine.safetensors").touch()
    assert find_checkpoint("mine.safetensors") == Path("mine.safetensors")
    assert short_name(Path("mine.safetensors")) == "mine.safetensors"


def test_an_unknown_name_lists_those_there_are():
    with pytest.raises(
        FileNotFoundError, match=r"no checkpoint 'boop-pop'; those that come with boop_env are .*boop-ppo"
    ):
        find_checkpoint("boop-pop")
    with pytest.raises(ValueError, match=r"there is no bot 'boop-pop'; .* one of .*boop-ppo"):
        make_bot("boop-pop")


@pytest.mark.parametrize("name", ["../boop-ppo", "models/boop-ppo", "sub/x"])
def test_a_name_cannot_leave_the_folder(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError):
        find_checkpoint(name)


@pytest.mark.parametrize("spec", ["boop-ppo", "boop-ppo?greedy", "boop-ppo?temperature=0.5", "az:boop-ppo?sims=4"])
def test_a_bot_of_a_name_is_named_by_its_spec(tmp_path, monkeypatch, spec):
    pytest.importorskip("torch", reason="trained policies need the policy extra")
    monkeypatch.chdir(tmp_path)
    assert make_bot(spec).name == spec
    assert spec_checkpoint(spec) == models_folder() / "boop-ppo.safetensors"


@pytest.mark.parametrize("spec", ["greedy", "mcts:400", "alphabeta:depth=2", "az:gone.safetensors?sims=4"])
def test_other_specs_name_no_checkpoint_file(spec):
    assert spec_checkpoint(spec) is None
