"""Write games as Parquet: a row each, or with --positions a row for each position in which a player chose.

python -m boop_env.data results.jsonl games.parquet
python -m boop_env.data games.parquet positions.parquet --positions
python -m boop_env.data --self-play alphabeta:depth=2 --rules halls --games 1000 games.parquet
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from boop_env.arena.records import read_games as read_records
from boop_env.data import Positions, StoredGame, read_games, write_games, write_positions
from boop_env.data.self_play import self_play
from boop_env.rules.ruleset import PRESETS


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit code: 0, 2 for an error, 130 when interrupted."""
    options = parser().parse_args(arguments)
    try:
        out = output(options)
        games = played(options) if options.self_play else read(options.files[0])
        if options.positions or options.planes:
            positions = Positions.from_games(games)
            write_positions(out, positions, planes=options.planes)
            print(f"{out}: {len(positions):,} positions of {len(games):,} games")
        else:
            print(f"{out}: {write_games(out, games):,} games")
    except (ValueError, OSError, ImportError) as error:
        print(f"data: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\ndata: interrupted; nothing was written", file=sys.stderr)
        return 130
    return 0


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="python -m boop_env.data", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    made.add_argument(
        "files", nargs="+", type=Path, metavar="FILE", help="arena results (.jsonl) or a file of games, then the output"
    )
    made.add_argument("--positions", action="store_true", help="write positions instead of games")
    made.add_argument("--planes", action="store_true", help="write positions with their planes and masks")
    made.add_argument("--self-play", metavar="BOT", help="play this bot against itself instead of reading games")
    made.add_argument("--rules", default="boop", help=f"with --self-play: {', '.join(PRESETS)} (boop)")
    made.add_argument("--games", type=int, default=1000, help="with --self-play: how many (1000)")
    made.add_argument("--opening", type=int, default=6, help="with --self-play: random steps at the start, at most (6)")
    made.add_argument("--seed", type=int, default=0, help="with --self-play: of openings and of the bot's chance (0)")
    return made


def output(options: argparse.Namespace) -> Path:
    """The file to write, once it is sure that it may and can be written; missing folders are made later.

    Raises:
        ValueError: too many files or too few, or an output that is the input, a folder, another kind of file or
            in a folder that cannot be written to.
    """
    count = len(options.files)
    if options.self_play and count != 1:
        raise ValueError(f"with --self-play give one file, what to write; got {count}")
    if not options.self_play and count != 2:
        raise ValueError(f"give two files, what to read and what to write; got {count}")
    out: Path = options.files[-1]
    if count == 2 and out.resolve() == options.files[0].resolve():
        raise ValueError(f"{out} is what to read and what to write; give another output")
    if out.is_dir():
        raise ValueError(f"{out} is a folder; give a file, such as {out / 'games.parquet'}")
    if out.exists():
        with out.open("rb") as file:
            if file.read(4) != b"PAR1":
                raise ValueError(f"{out} is there already and is no Parquet file; give another output, or remove it")
    folder = next(folder for folder in out.absolute().parents if folder.exists())
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise ValueError(f"{out} cannot be written: {folder} is no folder or is read-only; give another output")
    return out


def read(path: Path) -> list[StoredGame]:
    """The games of a file."""
    if path.suffix == ".parquet":
        return read_games(path)
    games = [StoredGame.from_record(record) for record in read_records(path)]
    if not games:
        raise ValueError(f"{path} holds no finished game")
    return games


def played(options: argparse.Namespace) -> list[StoredGame]:
    """The games of a bot against itself."""
    shown = sys.stderr.isatty()
    count = 0

    def tell(_: StoredGame) -> None:
        nonlocal count
        count += 1
        if shown:
            print(f"\r\033[K{count}/{options.games} games", end="", file=sys.stderr, flush=True)

    games = self_play(
        options.self_play,
        options.rules,
        games=options.games,
        opening=options.opening,
        seed=options.seed,
        on_game=tell,
    )
    if shown:
        print("\r\033[K", end="", file=sys.stderr, flush=True)
    return games


if __name__ == "__main__":
    sys.exit(main())
