import json
import os
import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save

from boop_env import PRESETS, RuleSet, ruleset
from boop_env.envs.planes import PLANES_VERSION, plane_names
from boop_env.policy import Card, Checkpoint, CheckpointError, read_checkpoint, write_checkpoint
from boop_env.policy.checkpoint import CARD_KEY, FORMAT_VERSION

WEIGHTS = {"a": np.arange(6, dtype=np.float32).reshape(2, 3), "b": np.float32([1.5])}
NETWORK = {"kind": "mlp", "width": 8, "depth": 1, "value_hidden": 4}


def card(rules: str | RuleSet = "boop", **changes: object) -> Card:
    return replace(Card(ruleset(rules), NETWORK), **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "rules", [*PRESETS.values(), RuleSet(pieces=5, max_turns=40), RuleSet(layout="1111\n1-11\n1111")]
)
def test_card_and_weights_come_back(tmp_path: Path, rules: RuleSet) -> None:
    training = {"command": "python -m train.ppo", "seconds": 1.5, "steps": 7, "seed": 3}
    written = card(rules, training=training, rating=1234.5, notes="für später")
    write_checkpoint(tmp_path / "new" / "a.safetensors", WEIGHTS, written)
    read = read_checkpoint(tmp_path / "new" / "a.safetensors")
    assert read.card == written
    assert read.card.rules == rules
    assert read.card.plane_names == plane_names(rules)
    assert read.card.num_actions == rules.num_actions
    assert read.card.versions["python"]
    assert read.weights.keys() == WEIGHTS.keys()
    for name, array in WEIGHTS.items():
        np.testing.assert_array_equal(read.weights[name], array)


def test_card_is_plain_json_that_any_reader_finds(tmp_path: Path) -> None:
    write_checkpoint(tmp_path / "a.safetensors", WEIGHTS, card("halls"))
    data = (tmp_path / "a.safetensors").read_bytes()
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    entries = json.loads(header["__metadata__"][CARD_KEY])
    assert entries["preset"] == "halls"
    assert entries["rules"]["ornaments"] == 3
    assert entries["format_version"] == FORMAT_VERSION
    assert entries["rating"] is None


def test_a_failure_midway_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.safetensors"
    write_checkpoint(path, WEIGHTS, card(notes="old"))

    def full_disk(self: Path, data: bytes) -> int:
        with open(self, "wb") as file:
            file.write(data[: len(data) // 2])
        raise OSError("no space left on device")

    monkeypatch.setattr(Path, "write_bytes", full_disk)
    with pytest.raises(OSError, match="no space left"):
        write_checkpoint(path, WEIGHTS, card(notes="new"))
    assert read_checkpoint(path).card.notes == "old"
    assert os.listdir(tmp_path) == ["a.safetensors"]


def test_weights_must_be_float32(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="'w' is float64"):
        write_checkpoint(tmp_path / "a.safetensors", {"w": np.zeros(3)}, card())  # type: ignore[dict-item]


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no checkpoint file .*gone\.safetensors"):
        read_checkpoint(tmp_path / "gone.safetensors")


def written(tmp_path: Path, **changes: object) -> Path:
    """A checkpoint whose card has some JSON entries changed, or removed where None is given."""
    entries = json.loads(card().to_json()) | changes
    for name, value in changes.items():
        if value is None:
            del entries[name]
    path = tmp_path / "changed.safetensors"
    path.write_bytes(save(WEIGHTS, {CARD_KEY: json.dumps(entries)}))
    return path


def test_changed_cards_are_changed_by_the_helper_alone(tmp_path: Path) -> None:
    assert read_checkpoint(written(tmp_path)).card == card()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format_version": FORMAT_VERSION + 1}, rf"format version is {FORMAT_VERSION + 1} and this boop_env reads"),
        ({"format_version": "1"}, "format version is '1'"),
        ({"format_version": None}, "format version is None"),
        ({"rules": None}, "no 'rules'"),
        ({"rules": {"layuot": "111"}}, "rules are not a rule set: .*layuot"),
        ({"rules": {"pieces": 99}}, "pieces=99"),
        ({"rules": []}, r"'rules' is \[\]"),
        ({"num_actions": "many"}, "'num_actions' is 'many'"),
        ({"num_actions": True}, "'num_actions' is True"),
        ({"plane_names": 3}, "'plane_names' is 3"),
        ({"network": None}, "no 'network'"),
        ({"rating": "good"}, "'rating' is 'good'"),
    ],
)
def test_cards_that_make_no_sense(tmp_path: Path, changes: dict[str, object], message: str) -> None:
    path = written(tmp_path, **changes)
    with pytest.raises(CheckpointError, match=rf"changed\.safetensors cannot be read.*{message}"):
        read_checkpoint(path)


class Bomb:
    """Unpickling it makes a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> object:
        return Path.touch, (self.path,)


def test_files_that_are_no_checkpoints(tmp_path: Path) -> None:
    bomb = tmp_path / "exploded"
    good = tmp_path / "good.safetensors"
    write_checkpoint(good, WEIGHTS, card())
    data = good.read_bytes()
    contents = {
        "empty": b"",
        "text": b"hello, this is not a checkpoint at all\n" * 9,
        "pickle": pickle.dumps(Bomb(bomb)),
        "zip": b"PK\x03\x04" + bytes(100),
        "cut_in_header": data[:100],
        "cut_in_weights": data[:-5],
        "longer": data + b"more",
        "huge_header": (2**60).to_bytes(8, "little") + data[8:],
        "no_card": save(WEIGHTS),
        "bad_json": save(WEIGHTS, {CARD_KEY: "{"}),
        "deep_json": save(WEIGHTS, {CARD_KEY: "[" * 100_000}),
        "list_json": save(WEIGHTS, {CARD_KEY: "[]"}),
    }
    for name, content in contents.items():
        path = tmp_path / f"{name}.safetensors"
        path.write_bytes(content)
        with pytest.raises(CheckpointError, match=f"{name}.safetensors"):
            read_checkpoint(path)
    assert not bomb.exists()


def checkpoint(rules: str | RuleSet = "boop", **changes: object) -> Checkpoint:
    return Checkpoint(card(rules, **changes), WEIGHTS, Path("models/some.safetensors"))


@pytest.mark.parametrize(
    ("trained", "asked"),
    [
        ("boop", "boop"),
        ("boop", "boop_bga"),
        ("boop_overview", "boop_expert"),
        ("halls", "halls_flat"),
        ("boop", RuleSet(max_turns=50)),
    ],
)
def test_rule_sets_with_the_same_planes_and_actions(trained: str, asked: str | RuleSet) -> None:
    checkpoint(trained).check_rules(ruleset(asked))


@pytest.mark.parametrize(
    ("trained", "asked", "message"),
    [
        ("boop", "booop", "planes: the rule set has phase_ghost, own_ghost_down, .*; 189 actions against 209"),
        ("booop", "boop", "planes: the checkpoint has phase_ghost, own_ghost_down, .*; 209 actions against 189"),
        ("boop", "halls_no_ornaments", "the rule set has level_1, .*; board 6x6 against 7x7; 189 actions against 256"),
        ("halls", "halls_no_ornaments", "planes: the checkpoint has own_ornament, .*; 305 actions against 256"),
        (RuleSet(layout="111\n111"), RuleSet(layout="11\n11\n11"), "board 2x3 against 3x2"),
        (RuleSet(layout="1111\n1111\n1111\n-111"), RuleSet(layout="1111\n1111\n1111\n111-"), "other spaces"),
    ],
)
def test_rule_sets_that_differ(trained: str, asked: str, message: str) -> None:
    name = ruleset(trained).name
    pattern = rf"models/some\.safetensors was trained on '{name}' and cannot play '{ruleset(asked).name}': .*{message}"
    with pytest.raises(CheckpointError, match=pattern):
        checkpoint(trained).check_rules(ruleset(asked))


def test_planes_of_another_version() -> None:
    with pytest.raises(CheckpointError, match=f"planes version {PLANES_VERSION + 1} against {PLANES_VERSION}"):
        checkpoint(planes_version=PLANES_VERSION + 1).check_rules(ruleset("boop"))


def test_planes_in_another_order() -> None:
    names = plane_names(ruleset("boop"))
    with pytest.raises(CheckpointError, match="planes: another order"):
        checkpoint(plane_names=names[::-1]).check_rules(ruleset("boop"))


def test_reading_needs_no_torch() -> None:
    code = "import sys, boop_env, boop_env.policy.checkpoint; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
