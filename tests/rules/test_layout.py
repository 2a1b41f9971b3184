"""Layouts: counts, names, numbering and symmetries of the boards, and of odd maps."""

from __future__ import annotations

import pytest

from boop_env import Layout
from boop_env.rules.layout import BED, TREE

BED_LAYOUT, TREE_LAYOUT = Layout(BED), Layout(TREE)


def row_names(layout: Layout) -> list[str]:
    return ["".join(layout.name(cell) for cell in row) for row in layout.rows]


def test_bed() -> None:
    assert (BED_LAYOUT.height, BED_LAYOUT.width, BED_LAYOUT.num_cells) == (6, 6, 36)
    assert BED_LAYOUT.spaces == tuple(range(36))
    assert not BED_LAYOUT.is_tree
    assert len(BED_LAYOUT.rows) == 80
    assert set(BED_LAYOUT.levels) == {1}


def test_tree() -> None:
    assert (TREE_LAYOUT.height, TREE_LAYOUT.width, TREE_LAYOUT.num_cells) == (7, 7, 49)
    assert [TREE_LAYOUT.levels.count(level) for level in range(5)] == [4, 1, 8, 16, 20]
    assert len(TREE_LAYOUT.spaces) == 45
    assert TREE_LAYOUT.is_tree
    assert len(TREE_LAYOUT.rows) == 108
    assert TREE_LAYOUT.levels[TREE_LAYOUT.cells_by_name["d4"]] == 1
    assert TREE_LAYOUT.levels[TREE_LAYOUT.cells_by_name["b2"]] == 3
    assert not {"a1", "g1", "a7", "g7"} & set(TREE_LAYOUT.cells_by_name)


def test_names_run_right_in_letters_and_down_in_numbers() -> None:
    assert [BED_LAYOUT.name(cell) for cell in (0, 1, 5, 6, 35)] == ["a1", "b1", "f1", "a2", "f6"]
    assert Layout("\n".join(["1" * 8] * 8)).name(63) == "h8"


def test_rows_are_numbered_by_first_space_then_direction() -> None:
    names = row_names(BED_LAYOUT)
    assert names[:3] == ["a1b1c1", "a1a2a3", "a1b2c3"]
    assert names[3:6] == ["b1c1d1", "b1b2b3", "b1c2d3"]
    assert names[6:10] == ["c1d1e1", "c1c2c3", "c1d2e3", "c1b2a3"]
    assert names[-1] == "d6e6f6"
    # The corner a1 is a hole: the first row starts at b1 and none touches a1.
    assert row_names(TREE_LAYOUT)[:4] == ["b1c1d1", "b1b2b3", "b1c2d3", "c1d1e1"]


def test_rows_do_not_cross_holes() -> None:
    assert row_names(Layout("11-11")) == []
    assert row_names(Layout("11-111")) == ["d1e1f1"]
    assert row_names(Layout("111\n1-1\n111")) == ["a1b1c1", "a1a2a3", "c1c2c3", "a3b3c3"]


def test_entries() -> None:
    entries = BED_LAYOUT.entries
    assert len(entries) == 20
    names = ["".join(map(BED_LAYOUT.name, entry.stitches[0])) + entry.heading for entry in entries]
    assert names[:5] == ["a1b1v", "b1c1v", "c1d1v", "d1e1v", "e1f1v"]
    assert names[5:10] == ["a6b6^", "b6c6^", "c6d6^", "d6e6^", "e6f6^"]
    assert names[10:15] == ["a1a2>", "a2a3>", "a3a4>", "a4a5>", "a5a6>"]
    assert names[15:] == ["f1f2<", "f2f3<", "f3f4<", "f4f5<", "f5f6<"]
    assert all(len(entry.stitches) == 6 for entry in entries)


def test_stitches() -> None:
    stitches = {stitch for entry in BED_LAYOUT.entries for stitch in entry.stitches}
    assert len(stitches) == 60
    assert all(low < high for low, high in stitches)
    first = ["".join(map(BED_LAYOUT.name, stitch)) for stitch in BED_LAYOUT.entries[0].stitches]
    assert first == [
        "a1b1",
        "a2b2",
        "a3b3",
        "a4b4",
        "a5b5",
        "a6b6",
    ]


@pytest.mark.parametrize(
    ("text", "count"),
    [(BED, 8), (TREE, 8), ("11111\n11111", 4), ("12\n31", 2), ("12\n34", 1), ("12\n21", 4), ("1-\n11", 2)],
    ids=lambda value: str(value).replace("\n", "/"),
)
def test_symmetries(text: str, count: int) -> None:
    layout = Layout(text)
    symmetries = layout.symmetries
    assert len(symmetries) == len(set(symmetries)) == count
    assert symmetries[0] == tuple(range(layout.num_cells))
    for permutation in symmetries:
        assert sorted(permutation) == list(range(layout.num_cells))
        assert all(layout.levels[cell] == layout.levels[permutation[cell]] for cell in range(layout.num_cells))
        rows = {frozenset(row) for row in layout.rows}
        assert {frozenset(permutation[cell] for cell in row) for row in rows} == rows


def test_from_map_takes_an_indented_map() -> None:
    assert Layout.from_map("""
            111
            1-1
            """) == Layout("111\n1-1")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "has no spaces"),
        ("\n", "has no spaces"),
        ("---\n---", "has no spaces"),
        ("111\n11\n111", "row 2 '11' is 2 wide, row 1 is 3"),
        ("111\n1111", "row 2 '1111' is 4 wide, row 1 is 3"),
        ("111\n", "row 2 '' is 0 wide"),
        ("111\n1x1", "row 2 '1x1' holds 'x'"),
        ("105", "holds '0'"),
        ("15", "holds '5'"),
        ("1 1", "holds ' '"),
        ("111111111", "1 rows by 9 columns; boards go up to 8x8"),
        ("\n".join("111111111"), "9 rows by 1 columns; boards go up to 8x8"),
    ],
)
def test_malformed_layouts_are_refused(text: str, fault: str) -> None:
    with pytest.raises(ValueError) as caught:
        Layout(text)
    assert str(caught.value).startswith("layout ")
    assert fault in str(caught.value)
