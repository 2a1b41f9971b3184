"""Boards as data: an ASCII map becomes spaces, tiers, rows, stitches and symmetries."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

BED = "\n".join(["111111"] * 6)

TREE = "\n".join(
    [
        "-44444-",
        "4333334",
        "4322234",
        "4321234",
        "4322234",
        "4333334",
        "-44444-",
    ]
)

STRIDE = 8
"""Bits between two spaces one above the other; boards up to 8x8 fit one 64-bit word."""

MAX_SIDE = 8
MAX_LEVEL = 4

DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))
"""(rows, columns) a row of three can run: right, down, down-right, down-left."""

SHIFTS = tuple(down * STRIDE + right for down, right in DIRECTIONS)
"""The same directions as distances between bits."""


@dataclass(frozen=True)
class Entry:
    """A seam that starts at an edge, with the stitches a ghost crosses along it (docs/rules.md section 6).

    Attributes:
        stitches: pairs of cells in reading order, the entry stitch first.
        heading: ``v``, ``^``, ``<`` or ``>``.
    """

    stitches: tuple[tuple[int, int], ...]
    heading: str


@dataclass(frozen=True)
class Layout:
    """A board of up to 8x8 spaces (docs/rules.md section 2).

    A *cell* is ``row * columns + column``, holes counted; a *bit* is ``row * 8 + column``.

    Attributes:
        text: the map, one line a row, a character a space: its level 1 to 4, or ``-`` for no space.

    Raises:
        ValueError: the map is empty, ragged, too large, or has a character that is neither.
    """

    text: str

    def __post_init__(self) -> None:
        lines = self.text.split("\n")
        if not self.text.strip("-\n"):
            raise ValueError("layout has no spaces; give a map such as '111\\n111\\n111'")
        if len(lines) > MAX_SIDE or max(map(len, lines)) > MAX_SIDE:
            raise ValueError(f"layout is {len(lines)} rows by {max(map(len, lines))} columns; boards go up to 8x8")
        for number, line in enumerate(lines, 1):
            if len(line) != len(lines[0]):
                raise ValueError(
                    f"layout row {number} {line!r} is {len(line)} wide, row 1 is {len(lines[0])}; fill holes with '-'"
                )
            for character in line:
                if character not in "1234-":
                    raise ValueError(
                        f"layout row {number} {line!r} holds {character!r}; "
                        "a space is its level 1 to 4, '-' is no space"
                    )

    @classmethod
    def from_map(cls, text: str) -> Layout:
        """Makes a layout from a map that may be indented or framed by blank lines."""
        return cls("\n".join(line.strip() for line in text.strip().splitlines()))

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The map's rows, top to bottom."""
        return tuple(self.text.split("\n"))

    @property
    def height(self) -> int:
        """Rows of the board's rectangle."""
        return len(self.lines)

    @property
    def width(self) -> int:
        """Columns of the board's rectangle."""
        return len(self.lines[0])

    @property
    def num_cells(self) -> int:
        """Cells of the rectangle, holes counted: the ``n`` of docs/rules.md section 8."""
        return self.height * self.width

    @cached_property
    def levels(self) -> tuple[int, ...]:
        """Level of each cell, 0 where there is no space."""
        return tuple(0 if c == "-" else int(c) for line in self.lines for c in line)

    @cached_property
    def spaces(self) -> tuple[int, ...]:
        """Cells that are spaces, in reading order."""
        return tuple(cell for cell, level in enumerate(self.levels) if level)

    @cached_property
    def is_tree(self) -> bool:
        """Whether the spaces lie on more than one level."""
        return len({self.levels[cell] for cell in self.spaces}) > 1

    def bit(self, cell: int) -> int:
        """Bit index of a cell."""
        return cell // self.width * STRIDE + cell % self.width

    def mask(self, cells: Iterable[int]) -> int:
        """Bitboard of several cells."""
        return sum(1 << self.bit(cell) for cell in cells)

    def name(self, cell: int) -> str:
        """Name of a cell, such as ``c3``."""
        return "abcdefgh"[cell % self.width] + str(cell // self.width + 1)

    @cached_property
    def cells_by_name(self) -> dict[str, int]:
        """Cell of each space's name; holes have none."""
        return {self.name(cell): cell for cell in self.spaces}

    def neighbour(self, cell: int, down: int, right: int) -> int | None:
        """The space so many rows down and columns right of a cell, or None."""
        row, column = cell // self.width + down, cell % self.width + right
        if not (0 <= row < self.height and 0 <= column < self.width):
            return None
        other = row * self.width + column
        return other if self.levels[other] else None

    @cached_property
    def rows(self) -> tuple[tuple[int, int, int], ...]:
        """Every three spaces in a straight line, numbered as docs/rules.md section 8 does."""
        found = []
        for cell in self.spaces:
            for down, right in DIRECTIONS:
                second = self.neighbour(cell, down, right)
                third = self.neighbour(cell, 2 * down, 2 * right)
                if second is not None and third is not None:
                    found.append((cell, second, third))
        return tuple(found)

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """Ghost entries, numbered as docs/rules.md section 8 does; for a bed without holes."""
        height, width = self.height, self.width
        down = [tuple((r * width + c, r * width + c + 1) for r in range(height)) for c in range(width - 1)]
        across = [tuple((r * width + c, (r + 1) * width + c) for c in range(width)) for r in range(height - 1)]
        return (
            *(Entry(line, "v") for line in down),
            *(Entry(line[::-1], "^") for line in down),
            *(Entry(line, ">") for line in across),
            *(Entry(line[::-1], "<") for line in across),
        )

    @cached_property
    def symmetries(self) -> tuple[tuple[int, ...], ...]:
        """The rotations and reflections that map the board onto itself, level for level.

        Each is a permutation of cells, ``permutation[cell]`` being where the cell goes; the
        identity comes first. A square board such as the bed has eight.
        """
        height, width = self.height, self.width
        found: list[tuple[int, ...]] = []
        for transpose in (False, True):
            if transpose and height != width:
                continue
            for flip_rows in (False, True):
                for flip_columns in (False, True):
                    permutation = []
                    for cell in range(self.num_cells):
                        row, column = divmod(cell, width)
                        if transpose:
                            row, column = column, row
                        row = height - 1 - row if flip_rows else row
                        column = width - 1 - column if flip_columns else column
                        permutation.append(row * width + column)
                    if all(self.levels[cell] == self.levels[permutation[cell]] for cell in range(len(permutation))):
                        found.append(tuple(permutation))
        return tuple(dict.fromkeys(found))
