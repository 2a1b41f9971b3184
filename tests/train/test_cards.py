"""The pages in models/ are what the command writes, and their front matter is what Hugging Face reads."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml", reason="needs the train extra")

from boop_env.bots.models import available  # noqa: E402
from boop_env.envs.versus import env_id  # noqa: E402
from boop_env.policy import read_checkpoint, write_checkpoint  # noqa: E402
from boop_env.rules.ruleset import PRESETS  # noqa: E402
from train.cards import main, pages  # noqa: E402

MODELS = Path(__file__).parents[2] / "models"


def test_the_pages_in_models_are_up_to_date():
    for name, text in pages(MODELS).items():
        written = (MODELS / name).read_text() if (MODELS / name).is_file() else None
        assert written == text, f"models/{name} is not up to date; run: python -m train.cards"
    known = {f"{name}.md" for name in available()} | {"README.md", "LADDER.md"}
    assert {path.name for path in MODELS.glob("*.md")} == known, "a page without a checkpoint, or the other way round"


@pytest.mark.parametrize("name", available())
def test_front_matter_is_yaml_that_says_what_the_file_and_the_ladder_say(name):
    text = (MODELS / f"{name}.md").read_text()
    _, front, body = text.split("---\n", 2)
    facts = yaml.safe_load(front)
    card = read_checkpoint(MODELS / f"{name}.safetensors").card
    assert facts["license"] == "mit"
    assert facts["library_name"] == "boop-env"
    assert facts["pipeline_tag"] == "reinforcement-learning"
    assert env_id(card.rules.name) in facts["tags"]
    assert body.lstrip().startswith(f"# {name}\n")
    ladder = json.loads((MODELS / "ladder.json").read_text())
    rated = [
        round(bot["elo"])
        for rules in sorted(ladder)
        for bot in ladder[rules]["bots"]
        if name in bot["name"].replace("?", "/").replace(".", "/").replace(":", "/").split("/")
    ]
    entries = facts["model-index"][0]["results"] if rated else []
    assert [entry["metrics"][0]["value"] for entry in entries] == rated
    assert all(entry["dataset"]["name"] in PRESETS for entry in entries)
    assert all(plane in body for plane in card.plane_names)


def test_a_model_without_a_rating_says_so(tmp_path):
    name = available()[0]
    shutil.copy(MODELS / f"{name}.safetensors", tmp_path)
    assert main([str(tmp_path)]) == 0
    text = (tmp_path / f"{name}.md").read_text()
    assert "Not rated yet." in text
    assert "model-index" not in text
    assert "not rated" in (tmp_path / "README.md").read_text()


def test_a_model_tells_of_every_run_it_is_from(tmp_path):
    checkpoint = read_checkpoint(MODELS / f"{available()[0]}.safetensors")
    training = {"command": "the second run", "seconds": 120, "gradients": 22, "initial": {
        "command": "the first run", "seconds": 60, "gradients": 11, "settings": {"seed": 5},
    }}  # fmt: skip
    write_checkpoint(tmp_path / "x.safetensors", checkpoint.weights, replace(checkpoint.card, training=training))
    assert main([str(tmp_path)]) == 0
    text = (tmp_path / "x.md").read_text()
    assert "```sh\nthe first run\nthe second run\n" in text
    assert "| gradients | 11 | 22 |" in text
    assert "`seed=5`" in text
    assert "| `the second run` | 1 + 2 min |" in (tmp_path / "README.md").read_text()


def test_a_folder_without_checkpoints_is_refused(tmp_path, capsys):
    assert main([str(tmp_path)]) == 2
    assert "has no .safetensors files" in capsys.readouterr().err
