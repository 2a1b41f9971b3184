"""Rule sets: the presets, the action blocks, what the kernel reads, and rule sets as values."""

from __future__ import annotations

import copy
import json
import pickle
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from reference import REFERENCE_PRESETS

from boop_env import PRESETS, RuleSet, ruleset
from boop_env.rules.layout import TREE

# The table of docs/rules.md section 8: (kind, first action, size) of each block.
BLOCKS = {
    "boop": [("kitten", 0, 36), ("cat", 36, 36), ("row", 72, 80), ("single", 152, 36), ("pass", 188, 1)],
    "booop": [
        ("kitten", 0, 36),
        ("cat", 36, 36),
        ("row", 72, 80),
        ("single", 152, 36),
        ("ghost", 188, 20),
        ("pass", 208, 1),
    ],
    "halls": [
        ("kitten", 0, 49),
        ("cat", 49, 49),
        ("ornament", 98, 49),
        ("row", 147, 108),
        ("single", 255, 49),
        ("pass", 304, 1),
    ],
}

every_preset = pytest.mark.parametrize("preset", PRESETS)


def test_presets_are_the_hand_written_ones() -> None:
    assert list(PRESETS) == list(REFERENCE_PRESETS)
    for name, rules in PRESETS.items():
        options = rules.to_dict()
        assert options.pop("flat") == (name == "halls_flat")
        assert options == vars(REFERENCE_PRESETS[name])


@every_preset
def test_ruleset_finds_presets(preset: str) -> None:
    rules = ruleset(preset)
    assert rules is PRESETS[preset]
    assert rules.name == preset
    assert ruleset(rules) is rules


def test_names() -> None:
    assert ruleset() is PRESETS["boop"]
    assert RuleSet().name == "boop"
    assert RuleSet(max_turns=50).name == "boop"
    assert RuleSet(pieces=5).name == "custom"


@pytest.mark.parametrize("preset", BLOCKS)
def test_action_blocks(preset: str) -> None:
    rules = PRESETS[preset]
    assert [(b.kind, b.start, b.stop - b.start) for b in rules.actions.blocks] == BLOCKS[preset]
    assert rules.num_actions == BLOCKS[preset][-1][1] + 1


def test_action_texts() -> None:
    boop, booop, halls = (PRESETS[name] for name in ("boop", "booop", "halls"))
    assert [boop.action_to_move(n) for n in (0, 35, 36, 71)] == ["Ka1", "Kf6", "Ca1", "Cf6"]
    assert [boop.action_to_move(n) for n in (72, 73, 74, 151)] == ["+a1c1", "+a1a3", "+a1c3", "+d6f6"]
    assert [boop.action_to_move(n) for n in (152, 187, 188)] == ["+a1", "+f6", "-"]
    assert [booop.action_to_move(n) for n in (188, 193, 198, 203)] == ["Ga1b1", "Ga6b6", "Ga1a2", "Gf1f2"]
    assert [halls.action_to_move(n) for n in (99, 145, 255, 304)] == ["Ob1", "Of7", "+a1", "-"]
    assert boop.move_to_action("+c1a3") == 72 + 9
    assert boop.action_to_move(np.int64(14)) == "Kc3"  # type: ignore[arg-type]


@every_preset
def test_moves_and_action_numbers_round_trip(preset: str) -> None:
    rules = PRESETS[preset]
    texts = [rules.action_to_move(number) for number in range(rules.num_actions)]
    assert len(set(texts)) == len(texts)
    holes = {rules.board.name(cell) for cell, level in enumerate(rules.board.levels) if not level}
    for number, text in enumerate(texts):
        if text[1:] not in holes:
            assert rules.move_to_action(text) == number


@every_preset
def test_tables_are_read_only(preset: str) -> None:
    tables = PRESETS[preset].tables
    assert not tables.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        tables["pieces"] = 3


def test_rule_sets_are_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        PRESETS["boop"].pieces = 3  # type: ignore[misc]


@every_preset
def test_rule_sets_are_values(preset: str) -> None:
    rules = PRESETS[preset]
    assert rules.num_actions == len(rules.actions.texts)  # fills the caches
    assert rules.tables.shape == (1,)
    restored = [
        RuleSet(**rules.to_dict()),
        RuleSet(**json.loads(json.dumps(rules.to_dict()))),
        pickle.loads(pickle.dumps(rules)),
        copy.deepcopy(rules),
    ]
    for other in restored:
        assert other == rules
        assert hash(other) == hash(rules)
        assert other.tables.tobytes() == rules.tables.tobytes()
        assert not other.tables.flags.writeable
    assert len(pickle.dumps(rules)) < 1000  # the tables do not travel


def test_presets_differ() -> None:
    assert len(set(PRESETS.values())) == len(PRESETS)


def test_flat_halls_plays_by_the_same_tables() -> None:
    tree, flat = PRESETS["halls"].tables.copy(), PRESETS["halls_flat"].tables.copy()
    assert tree.tobytes() != flat.tobytes()
    tree["level_masks"] = flat["level_masks"] = 0
    assert tree.tobytes() == flat.tobytes()


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ({"rows": "some"}, "rows='some' is not one of choose, all"),
        ({"full_bed": "never"}, "full_bed='never' is not one of may, must, must_kitten"),
        ({"cat_row": "later"}, "cat_row='later' is not one of own_turn, at_once"),
        ({"eight_cats_win": 1}, "eight_cats_win=1 is not True or False"),
        ({"safe_rows_only": "yes"}, "safe_rows_only='yes' is not True or False"),
        ({"ghosts": None}, "ghosts=None is not True or False"),
        ({"flat": 0}, "flat=0 is not True or False"),
        ({"pieces": 2}, "pieces=2 is not a whole number from 3 to 8"),
        ({"pieces": 9}, "pieces=9 is not a whole number from 3 to 8"),
        ({"pieces": 8.0}, "pieces=8.0 is not a whole number from 3 to 8"),
        ({"max_turns": 0}, "max_turns=0 is not a whole number from 1 to 65535"),
        ({"max_turns": 65536}, "max_turns=65536 is not"),
        ({"max_turns": True}, "max_turns=True is not"),
        ({"layout": TREE, "ornaments": 4}, "ornaments=4 is not a whole number from 0 to 3"),
        ({"layout": TREE, "ornaments": -1}, "ornaments=-1 is not"),
        ({"layout": TREE, "ghosts": True}, "ghosts=True needs a bed without holes"),
        ({"layout": "111\n1-1\n111", "ghosts": True}, "ghosts=True needs a bed without holes"),
        ({"ornaments": 3}, "ornaments=3 needs a layout with a level 2 and a lower tier"),
        ({"layout": "222\n222", "ornaments": 1}, "ornaments=1 needs a layout with a level 2 and a lower tier"),
        ({"layout": "121\n111", "ornaments": 1}, "ornaments=1 needs a layout with a level 2 and a lower tier"),
        ({"layout": "134\n143", "ornaments": 1}, "ornaments=1 needs a layout with a level 2 and a lower tier"),
        ({"ghosts": True, "safe_rows_only": True}, "safe_rows_only=True does not go with ghosts or ornaments"),
        (
            {"layout": TREE, "ornaments": 3, "safe_rows_only": True},
            "safe_rows_only=True does not go with ghosts or ornaments",
        ),
        ({"flat": True}, "flat=True needs a tree"),
        ({"layout": "11\n1"}, "layout row 2 '1' is 1 wide"),
    ],
    ids=lambda value: repr(value) if isinstance(value, dict) else "",
)
def test_options_that_do_not_go_together_are_refused(options: dict[str, object], fault: str) -> None:
    with pytest.raises(ValueError) as caught:
        RuleSet(**options)  # type: ignore[arg-type]
    assert fault in str(caught.value)


def test_options_combine_where_they_make_sense() -> None:
    replace(PRESETS["booop"], rows="all", full_bed="must_kitten", cat_row="at_once", pieces=3)
    replace(PRESETS["halls"], rows="all", full_bed="must", ornaments=1)
    RuleSet(layout="222\n222", ghosts=True)
    RuleSet(layout=TREE, safe_rows_only=True)


def test_unknown_presets_list_the_known_ones() -> None:
    with pytest.raises(ValueError) as caught:
        ruleset("bop")
    assert str(caught.value) == f"no preset 'bop'; the presets are {', '.join(PRESETS)}"
    with pytest.raises(ValueError, match="no preset"):
        ruleset("")
