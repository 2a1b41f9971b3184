"""Rule sets: a layout and options, the presets, and the tables that the kernel reads."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from boop_env.rules import kernel
from boop_env.rules.layout import BED, DIRECTIONS, TREE, Layout
from boop_env.rules.moves import ActionTable

MAX_TURNS = 65535
"""Largest turn cap: a stored state keeps 16 bits for the turn."""

FULL_BED = ("may", "must", "must_kitten")


@dataclass(frozen=True)
class RuleSet:
    """One set of rules: a layout and options (docs/rules.md section 2).

    Attributes:
        layout: the board's map: a row a line, a digit 1 to 4 for a space of that level, ``-`` for none.
        rows: ``"choose"`` one row to graduate, or ``"all"`` graduate together.
        full_bed: with all pieces on the board the mover ``"may"`` or ``"must"`` take one back, or must
            take a kitten when nobody has a row (``"must_kitten"``).
        eight_cats_win: all of a player's pieces on the board as cats win.
        cat_row: a row of the other player's cats counts on their ``"own_turn"`` or ``"at_once"``.
        safe_rows_only: a row graduates only if the other player could not disturb it.
        ghosts: each player has a ghost.
        ornaments: ornaments of each player, 0 to 3.
        pieces: pieces of each player, 3 to 8.
        max_turns: turns after which a game is truncated.
        flat: a tree drawn as a flat board; only the picture and the level planes differ.

    Raises:
        ValueError: an option has an unknown value, or two do not go together.
    """

    layout: str = BED
    rows: Literal["choose", "all"] = "choose"
    full_bed: Literal["may", "must", "must_kitten"] = "may"
    eight_cats_win: bool = True
    cat_row: Literal["own_turn", "at_once"] = "own_turn"
    safe_rows_only: bool = False
    ghosts: bool = False
    ornaments: int = 0
    pieces: int = 8
    max_turns: int = 300
    flat: bool = False

    def __post_init__(self) -> None:
        for name, choices in {
            "rows": ("choose", "all"),
            "full_bed": FULL_BED,
            "cat_row": ("own_turn", "at_once"),
        }.items():
            if getattr(self, name) not in choices:
                raise ValueError(f"{name}={getattr(self, name)!r} is not one of {', '.join(choices)}")
        for name in ("eight_cats_win", "safe_rows_only", "ghosts", "flat"):
            if not isinstance(getattr(self, name), bool):
                raise ValueError(f"{name}={getattr(self, name)!r} is not True or False")
        for name, low, high in (("ornaments", 0, 3), ("pieces", 3, 8), ("max_turns", 1, MAX_TURNS)):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
                raise ValueError(f"{name}={value!r} is not a whole number from {low} to {high}")
        board = self.board
        if self.ghosts and (board.is_tree or len(board.spaces) < board.num_cells):
            raise ValueError("ghosts=True needs a bed without holes: one level and no '-' in the layout")
        if self.ornaments and not ({3, 4} & set(board.levels) and 2 in board.levels):
            raise ValueError(
                f"ornaments={self.ornaments} needs a layout with a level 2 and a lower tier (3 or 4); "
                "use such a layout, or ornaments=0"
            )
        if self.safe_rows_only and (self.ghosts or self.ornaments):
            raise ValueError("safe_rows_only=True does not go with ghosts or ornaments; switch one of them off")
        if self.flat and not board.is_tree:
            raise ValueError("flat=True needs a tree: a layout with more than one level")

    @cached_property
    def board(self) -> Layout:
        """The layout with its derived facts."""
        return Layout(self.layout)

    @cached_property
    def actions(self) -> ActionTable:
        """The action numbers and move texts."""
        return ActionTable(self.board, bool(self.ornaments), self.ghosts)

    @property
    def num_actions(self) -> int:
        """How many action numbers the rule set has."""
        return self.actions.num_actions

    def action_to_move(self, action: int) -> str:
        """Move text of an action number; ValueError when it is out of range."""
        return self.actions.move(int(action))

    def move_to_action(self, move: str) -> int:
        """Action number of a move text; `UnreadableMove` when it is none."""
        return self.actions.action(move)

    @property
    def name(self) -> str:
        """The preset's name, or ``custom``; a preset under another turn cap keeps its name."""
        same = (name for name, preset in PRESETS.items() if replace(self, max_turns=preset.max_turns) == preset)
        return next(same, "custom")

    def to_dict(self) -> dict[str, Any]:
        """The options as plain values, for JSON; `RuleSet(**options)` makes the rule set again."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @cached_property
    def tables(self) -> npt.NDArray[np.void]:
        """What the compiled functions read: a `kernel.TABLES` array of shape ``(1,)``, read-only."""
        tables = np.zeros(1, kernel.TABLES)
        self._write_options(tables[0])
        self._write_layout(tables[0])
        self._write_ghosts(tables[0])
        self._write_actions(tables[0])
        tables.setflags(write=False)
        return tables

    def __getstate__(self) -> dict[str, Any]:
        return self.to_dict()

    def __setstate__(self, options: dict[str, Any]) -> None:
        for name, value in options.items():
            object.__setattr__(self, name, value)

    def _write_options(self, t: Any) -> None:
        t.pieces = self.pieces
        t.max_turns = self.max_turns
        t.rows_all = self.rows == "all"
        t.full_bed = FULL_BED.index(self.full_bed)
        t.eight_cats_win = self.eight_cats_win
        t.at_once = self.cat_row == "at_once"
        t.safe_rows_only = self.safe_rows_only
        t.ghosts = self.ghosts
        t.ornaments = self.ornaments

    def _write_layout(self, t: Any) -> None:
        board = self.board
        t.height, t.width = board.height, board.width
        t.spaces = board.mask(board.spaces)
        t.num_spaces = len(board.spaces)
        t.space_bits[: len(board.spaces)] = [board.bit(cell) for cell in board.spaces]
        by_level = {level: [c for c in board.spaces if board.levels[c] == level] for level in (1, 2, 3, 4)}
        t.hang_first = board.mask(by_level[2])
        t.hang_second = board.mask(by_level[3] + by_level[4])
        # A tree drawn flat shows all of its spaces on the lowest level.
        t.num_levels = 4 if board.is_tree else 0
        for level, cells in by_level.items():
            t.level_masks[level - 1] = board.mask(cells) if not self.flat else 0
        if self.flat:
            t.level_masks[3] = board.mask(board.spaces)
        t.rectangle = board.mask(range(board.num_cells))
        t.cell[:] = -1
        for cell in board.spaces:
            at = board.bit(cell)
            t.cell[at] = cell
            t.not_higher[at] = board.mask([c for c in board.spaces if board.levels[c] >= board.levels[cell]])
            for down in (-1, 0, 1):
                for right in (-1, 0, 1):
                    neighbour = board.neighbour(cell, down, right)
                    if neighbour is None or neighbour == cell:
                        continue
                    near = np.uint64(1 << board.bit(neighbour))
                    t.neighbours[at] |= near
                    if board.neighbour(cell, 2 * down, 2 * right) is None:
                        t.falls[at] |= near
        for index, (down, right) in enumerate(DIRECTIONS):
            t.can_step[index] = board.mask([c for c in board.spaces if board.neighbour(c, down, right) is not None])
        t.row_number[:] = -1
        for number, (first, second, third) in enumerate(board.rows):
            down = second // board.width - first // board.width
            direction = DIRECTIONS.index((down, second % board.width - first % board.width))
            t.row_starts[direction] |= np.uint64(1 << board.bit(first))
            t.row_number[direction, board.bit(first)] = number
            t.row_mask[number] = board.mask([first, second, third])

    def _write_ghosts(self, t: Any) -> None:
        if not self.ghosts:
            return
        board = self.board
        entries = board.entries
        t.num_entries = len(entries)
        stitches: dict[tuple[int, int], int] = {}
        for number, entry in enumerate(entries):
            for position, (low, high) in enumerate(entry.stitches):
                code = kernel.ON_BOARD + 8 * number + position
                last = position + 1 == len(entry.stitches)
                t.ghost_next[code] = kernel.CAME_HOME if last else code + 1
                t.ghost_stitch[code] = stitches.setdefault((low, high), len(stitches))
                t.ghost_low[code], t.ghost_high[code] = board.bit(low), board.bit(high)
                apart = (high // board.width - low // board.width, high % board.width - low % board.width)
                t.ghost_low_ray[code] = board.mask(ray(board, low, -apart[0], -apart[1]))
                t.ghost_high_ray[code] = board.mask(ray(board, high, *apart))

    def _write_actions(self, t: Any) -> None:
        board = self.board
        t.num_actions = self.num_actions
        t.action_at[:] = -1
        kinds = ("kitten", "cat", "ornament", "row", "single", "ghost", "pass")
        for block in self.actions.blocks:
            t.action_kind[block.start : block.stop] = kinds.index(block.kind)
            at = [board.bit(number) if board.levels[number] else -1 for number in range(board.num_cells)]
            if block.kind in ("row", "ghost", "pass"):
                at = list(range(len(block.texts)))
            t.action_at[block.start : block.stop] = at
        for field, kind in {
            "first_cat": "cat",
            "first_ornament": "ornament",
            "first_row": "row",
            "first_single": "single",
            "first_entry": "ghost",
            "pass_action": "pass",
        }.items():
            found = self.actions.block(kind)
            t[field] = found.start if found else 0


def ray(board: Layout, cell: int, down: int, right: int) -> list[int]:
    """Spaces beyond a cell in one direction, nearest first, up to the edge."""
    found: list[int] = []
    following = board.neighbour(cell, down, right)
    while following is not None:
        found.append(following)
        following = board.neighbour(following, down, right)
    return found


_BOOP = RuleSet()
_HALLS = RuleSet(layout=TREE, ornaments=3)

PRESETS: dict[str, RuleSet] = {
    "boop": _BOOP,
    "boop_bga": replace(_BOOP, full_bed="must"),
    "boop_overview": replace(_BOOP, rows="all", full_bed="must_kitten", eight_cats_win=False, cat_row="at_once"),
    "boop_expert": replace(_BOOP, safe_rows_only=True),
    "booop": replace(_BOOP, ghosts=True),
    "halls": _HALLS,
    "halls_flat": replace(_HALLS, flat=True),
    "halls_no_ornaments": replace(_HALLS, ornaments=0),
}
"""The named rule sets of docs/rules.md section 2."""


def ruleset(rules: str | RuleSet = "boop") -> RuleSet:
    """The rule set of a preset's name; a rule set is returned as it is.

    Raises:
        ValueError: there is no preset of that name; the message lists them.
    """
    if isinstance(rules, RuleSet):
        return rules
    if rules not in PRESETS:
        raise ValueError(f"no preset {rules!r}; the presets are {', '.join(PRESETS)}")
    return PRESETS[rules]
