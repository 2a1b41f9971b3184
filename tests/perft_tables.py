"""Perft tables: how many step sequences of each length there are from some positions of every preset.

One text file a preset in rules/perft/, one position a line with its counts for depth 1, 2, ...; ``#`` begins a
comment. ``PYTHONPATH=. python tests/perft_tables.py`` writes the counts anew, and with them those of any position
added, after comparing the shallow ones with the reference implementation.
"""

from __future__ import annotations

from pathlib import Path

from reference import REFERENCE_PRESETS, ReferenceGame

from boop_env import PRESETS, Game, perft

TABLES = Path(__file__).parent / "rules" / "perft"

MOST_SEQUENCES = 5_000_000
"""A table goes as deep as this many sequences allow, and to depth 4 at most."""

MOST_CHECKED = 50_000
"""The reference implementation counts one step further than so many sequences; all tables take it a minute."""


def read_table(preset: str) -> dict[str, list[int]]:
    """Counts of each position of a preset's table, by depth from 1 on."""
    table = {}
    for line in (TABLES / f"{preset}.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            position, _, counts = line.partition(":")
            table[position.strip()] = [int(count) for count in counts.split()]
    return table


def reference_perft(game: ReferenceGame, depth: int) -> int:
    """`perft` by the reference implementation."""
    moves = game.legal_moves()
    if depth == 1:
        return len(moves)
    total = 0
    for move in moves:
        following = game.copy()
        following.push(move)
        total += reference_perft(following, depth - 1)
    return total


def count(preset: str, position: str) -> list[int]:
    """Counts of a position, the shallow ones as both implementations have them."""
    game = Game.from_position(preset, position)
    counts: list[int] = []
    while len(counts) < 4:
        depth = len(counts) + 1
        following = perft(game, depth)
        if following > MOST_SEQUENCES:
            break
        if counts and counts[-1] > MOST_CHECKED:
            checked = following
        else:
            checked = reference_perft(ReferenceGame(REFERENCE_PRESETS[preset], position), depth)
        if following != checked:
            raise SystemExit(f"{preset}, {position}, depth {depth}: {following}, the reference says {checked}")
        counts.append(following)
    return counts


def write_table(preset: str) -> None:
    """Writes a preset's table with the positions it has."""
    lines = [f"# {preset}: position: step sequences of 1, 2, 3, 4 steps (tests/perft_tables.py)"]
    for position in read_table(preset):
        lines.append(f"{position}: {' '.join(map(str, count(preset, position)))}")
    (TABLES / f"{preset}.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    for name in PRESETS:
        write_table(name)
        print(f"{name}: {len(read_table(name))} positions")
