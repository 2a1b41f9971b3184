"""Action numbers and move texts (docs/rules.md section 8), from one table of blocks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NoReturn

from boop_env.rules.layout import Layout


class UnreadableMove(ValueError):
    """The text is no move of this rule set, whatever the position."""


class IllegalMove(ValueError):
    """The move exists but may not be played in this position."""


@dataclass(frozen=True)
class ActionBlock:
    """A run of action numbers of one kind.

    Attributes:
        kind: ``kitten``, ``cat``, ``ornament``, ``row``, ``single``, ``ghost`` or ``pass``.
        start: the first action number.
        texts: the move text of each action; a cell without a space keeps its number but is
            never legal.
    """

    kind: str
    start: int
    texts: tuple[str, ...]

    @property
    def stop(self) -> int:
        """One past the last action number."""
        return self.start + len(self.texts)


@dataclass(frozen=True)
class ActionTable:
    """All actions of a rule set in the order docs/rules.md section 8 gives them."""

    layout: Layout
    ornaments: bool
    ghosts: bool

    @cached_property
    def blocks(self) -> tuple[ActionBlock, ...]:
        """The blocks that this rule set has."""
        layout = self.layout
        cells = [layout.name(cell) for cell in range(layout.num_cells)]
        kinds: list[tuple[str, list[str]]] = [
            ("kitten", [f"K{cell}" for cell in cells]),
            ("cat", [f"C{cell}" for cell in cells]),
        ]
        if self.ornaments:
            kinds.append(("ornament", [f"O{cell}" for cell in cells]))
        kinds.append(("row", [f"+{cells[first]}{cells[last]}" for first, _, last in layout.rows]))
        kinds.append(("single", [f"+{cell}" for cell in cells]))
        if self.ghosts:
            stitches = [entry.stitches[0] for entry in layout.entries]
            kinds.append(("ghost", [f"G{cells[a]}{cells[b]}" for a, b in stitches]))
        kinds.append(("pass", ["-"]))
        blocks, start = [], 0
        for kind, texts in kinds:
            blocks.append(ActionBlock(kind, start, tuple(texts)))
            start += len(texts)
        return tuple(blocks)

    def block(self, kind: str) -> ActionBlock | None:
        """The block of a kind, None where the rule set has no such actions."""
        return next((block for block in self.blocks if block.kind == kind), None)

    @property
    def num_actions(self) -> int:
        """How many action numbers there are."""
        return self.blocks[-1].stop

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Move text of every action number.

        On a bed one space high or wide two ghost entries share a stitch; the texts of such a pair
        carry their heading (``Ga1b1^``) so that every text names one action.
        """
        texts = [text for block in self.blocks for text in block.texts]
        ghosts = self.block("ghost")
        if ghosts:
            for number, entry in enumerate(self.layout.entries):
                if ghosts.texts.count(ghosts.texts[number]) > 1:
                    texts[ghosts.start + number] += entry.heading
        return tuple(texts)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Action number of every move text that names a space of the board."""
        holes = {self.layout.name(c) for c, level in enumerate(self.layout.levels) if not level}
        return {text: number for number, text in enumerate(self.texts) if text[1:] not in holes}

    def move(self, action: int) -> str:
        """Move text of an action number.

        Raises:
            ValueError: the number is out of range.
        """
        if not 0 <= action < self.num_actions:
            raise ValueError(f"action {action} is out of range; this rule set has 0 to {self.num_actions - 1}")
        return self.texts[action]

    def action(self, move: str) -> int:
        """Action number of a move text.

        Raises:
            UnreadableMove: the text is no move of this rule set; the message says why.
        """
        number = self.numbers.get(move)
        return self._refuse(move) if number is None else number

    def _refuse(self, move: str) -> NoReturn:
        last = self.layout.name(self.layout.num_cells - 1)
        letters = "".join(block.texts[0][0] for block in self.blocks)
        letter, rest = move[:1], move[1:]
        if not letter or letter not in letters:
            kinds = " ".join(dict.fromkeys(letters))
            raise UnreadableMove(f"move {move!r} does not begin with one of {kinds}; write it like 'Kc3'")
        if letter == "G" and rest[2:] + rest[:2] in {t[1:] for t in self.numbers if t[0] == "G"}:
            raise UnreadableMove(f"move {move!r} names its spaces the wrong way round; write 'G{rest[2:]}{rest[:2]}'")
        if letter == "+" and f"+{rest[2:]}{rest[:2]}" in self.numbers and len(rest) == 4:
            raise UnreadableMove(f"move {move!r} names its ends the wrong way round; write '+{rest[2:]}{rest[:2]}'")
        what = {
            "+": "a space or the two ends of a row of three, as in '+c3' or '+b2d4'",
            "G": "a ghost entry, as in 'Ga1b1'",
            "-": "nothing; a pass is '-' alone",
        }.get(letter, f"a space of this board (a1 to {last})")
        raise UnreadableMove(f"move {move!r}: after {letter!r} comes {what}")
