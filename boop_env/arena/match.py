"""Matches: every pairing from paired random openings, both seats, many games at a time."""

from __future__ import annotations

import copy
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from boop_env.arena.records import GameRecord, ResultFile, pairing, rules_to_json
from boop_env.bots.bot import Actions, Bot
from boop_env.bots.factory import make_bot
from boop_env.bots.models import spec_checkpoint
from boop_env.rules.game import Game
from boop_env.rules.ruleset import RuleSet, ruleset
from boop_env.rules.states import States

OPENING_TURNS = (2, 4)
"""Fewest and most random turns of an opening."""

OPENING_TRIES = 100


class MatchError(RuntimeError):
    """A bot failed in the middle of a game; the message names the game and its record so far."""


@dataclass
class Table:
    """One game being played.

    Attributes:
        number: its number in the pairing.
        seats: the index in the pairing of the bot in each seat.
        game: the game itself.
        opening: how many of its steps are the opening's.
        moves: steps chosen by each seat.
        seconds: processor time taken by each seat, over all cores.
    """

    number: int
    seats: tuple[int, int]
    game: Game
    opening: int
    moves: list[int] = field(default_factory=lambda: [0, 0])
    seconds: list[float] = field(default_factory=lambda: [0.0, 0.0])


class Match:
    """Games between any bots on one rule set.

    Games 2k and 2k + 1 of a pairing begin with opening k, with the seats exchanged. Game numbers,
    openings and the generator of each batch follow from the seed, so the same seed plays the same
    games, in any order and after any interruption, unless a bot is limited by time. (Only the games of
    a batch that was wanted in part are others when more of it are wanted: they played without the
    rest.) The games of a batch advance together: each bot is asked about all that wait for it in one
    call, which the searching bots spread over the cores.

    Args:
        bots: two or more bots or specs.
        rules: a preset's name or a rule set.
        seed: of the openings and of the bots' chance.
        batch: games that advance together, an even number.
        path: a result file to resume from and append to.
        on_game: called with every game as it ends.

    Attributes:
        names: the bots' names.
        games: all finished games, those read from the file too.

    Raises:
        ValueError: a bad spec, two bots of one name, an unknown preset, or a result file of another
            configuration or in use by another run.
    """

    def __init__(
        self,
        bots: Sequence[str | Bot],
        rules: str | RuleSet = "boop",
        *,
        seed: int = 0,
        batch: int = 32,
        path: str | Path | None = None,
        on_game: Callable[[GameRecord], None] | None = None,
    ) -> None:
        if batch < 2 or batch % 2:
            raise ValueError(f"batch={batch} is not an even number of games; both games of an opening go together")
        self.rules = ruleset(rules)
        self.seed = seed
        self.batch = batch
        self.on_game = on_game
        self._bots = {bot.name: bot for bot in map(make_bot, bots)}
        self.names = list(self._bots)
        if len(self.names) < max(2, len(bots)):
            raise ValueError(f"{', '.join(map(str, bots))}: a match needs two or more bots of different names")
        self._games: list[GameRecord] = []
        self._file: ResultFile | None = None
        self._warm: set[str] = set()
        if path is not None:
            config = {
                "rules": rules_to_json(self.rules),
                "seed": seed,
                "batch": batch,
                "opening_turns": list(OPENING_TURNS),
            }
            self._file = ResultFile(Path(path), config)
            for name in self.names:
                checkpoint = spec_checkpoint(name)
                if checkpoint:
                    self._file.note_checkpoint(checkpoint)

    @property
    def games(self) -> list[GameRecord]:
        """All finished games between the bots of this match."""
        games = self._file.games if self._file else self._games
        return [game for game in games if set(game.seats) <= set(self.names)]

    def play(self, schedule: Mapping[tuple[str, str], int]) -> list[GameRecord]:
        """Brings pairings up to a number of games.

        Args:
            schedule: games wanted of each pairing of names, those finished before included.

        Returns:
            The games of those pairings, in order.

        Raises:
            MatchError: a bot failed. Games that had ended by then are kept.
            ValueError: another run uses the result file, or wrote to it since this one read it.
        """
        wanted = {pairing(*pair): games for pair, games in schedule.items()}
        done = {(game.pair, game.number) for game in self.games}
        with self._file.alone() if self._file else nullcontext():
            self._warm_up([name for pair in wanted for name in pair])
            for pair, games in wanted.items():
                for first in range(0, games, self.batch):
                    numbers = range(first, min(first + self.batch, games))
                    missing = {number for number in numbers if (pair, number) not in done}
                    if missing:
                        self._play_batch(pair, numbers, missing)
        order = list(wanted)
        kept = [game for game in self.games if game.number < wanted.get(game.pair, 0)]
        return sorted(kept, key=lambda game: (order.index(game.pair), game.number))

    def _play_batch(self, pair: tuple[str, str], numbers: Sequence[int], missing: set[int]) -> None:
        """Plays a batch and keeps its missing games; the others only keep them company.

        Playing all of them again gives each bot the same batches and chance as an uninterrupted run.
        """
        bots = [self._bots[name] for name in pair]
        chance = zlib.crc32(" ".join(pair).encode())
        rng = np.random.default_rng([self.seed, chance, numbers[0]])
        tables = [self._seat(number) for number in numbers]
        for table in play_tables(bots, tables, rng):
            if table.number in missing:
                missing.discard(table.number)
                self._keep(table, pair)
            if not missing:
                return

    def _warm_up(self, names: Sequence[str]) -> None:
        """Asks each bot once, so that loading and compiling do not count as its thinking time."""
        for name in dict.fromkeys(name for name in names if name not in self._warm):
            table = self._seat(0)
            ask(self._bots[name], [self._bots[name]] * 2, [table], np.random.default_rng(0))
            self._warm.add(name)

    def _seat(self, number: int) -> Table:
        game = opening(self.rules, self.seed, number // 2)
        seats = (1, 0) if number % 2 else (0, 1)
        return Table(number, seats, game, len(game.record()))

    def _keep(self, table: Table, pair: tuple[str, str]) -> None:
        game = table.game
        assert game.reason is not None
        record = game.record()
        finished = GameRecord(
            rules=self.rules,
            number=table.number,
            seats=(pair[table.seats[0]], pair[table.seats[1]]),
            opening=" ".join(record[: table.opening]),
            winner=game.winner,
            reason=game.reason.name.lower(),
            turns=game.turn,
            record=" ".join(record),
            moves=(table.moves[0], table.moves[1]),
            seconds=(table.seconds[0], table.seconds[1]),
        )
        if self._file:
            self._file.append(finished)
        else:
            self._games.append(finished)
        if self.on_game:
            self.on_game(finished)


def play_match(
    a: str | Bot,
    b: str | Bot,
    rules: str | RuleSet = "boop",
    *,
    games: int = 100,
    seed: int = 0,
    path: str | Path | None = None,
) -> list[GameRecord]:
    """Games between two bots; see `Match` for the arguments and what is raised."""
    match = Match([a, b], rules, seed=seed, path=path)
    return match.play({(match.names[0], match.names[1]): games})


def opening(rules: RuleSet, seed: int, number: int) -> Game:
    """A game with the random first turns of an opening played.

    Args:
        rules: the rule set.
        seed: of the list of openings.
        number: place in that list, from 0.

    Raises:
        ValueError: the rule set's games end before an opening does.
    """
    rng = np.random.default_rng([seed, number])
    for _ in range(OPENING_TRIES):
        turns = rng.integers(OPENING_TURNS[0], OPENING_TURNS[1] + 1)
        game = Game(rules)
        while not game.is_over and game.turn < turns:
            game.push(int(rng.choice(game.legal_actions())))
        if not game.is_over:
            return game
    raise ValueError(f"{OPENING_TURNS[1]} random turns end nearly every game of {rules.name}; it is too short to rate")


def play_tables(bots: Sequence[Bot], tables: Sequence[Table], rng: np.random.Generator) -> Iterator[Table]:
    """Plays games of two bots side by side.

    Args:
        bots: the two bots.
        tables: games of one rule set, none of them over.
        rng: the bots' chance.

    Yields:
        Each game as it ends.

    Raises:
        MatchError: a bot failed.
    """
    live = list(tables)
    while live:
        for index, bot in enumerate(bots):
            waiting = [table for table in live if table.seats[table.game.mover] == index]
            if not waiting:
                continue
            start = time.process_time()
            actions = ask(bot, bots, waiting, rng)
            seconds = (time.process_time() - start) / len(waiting)
            for table, action in zip(waiting, actions, strict=True):
                table.moves[table.game.mover] += 1
                table.seconds[table.game.mover] += seconds
                table.game.push(int(action))
                if table.game.is_over:
                    live.remove(table)
                    yield table


def ask(bot: Bot, bots: Sequence[Bot], waiting: Sequence[Table], rng: np.random.Generator) -> Actions:
    """The bot's actions; if it fails, a `MatchError` that names the game it failed in."""
    before = copy.deepcopy(rng)
    try:
        return bot.choose(States.of([table.game for table in waiting]), rng)
    except Exception as error:
        culprit = next((table for table in waiting if fails(bot, table, before)), None)
        table = culprit or waiting[0]
        players = [bots[index].name for index in table.seats]
        among = "" if culprit or len(waiting) == 1 else f" (or another of the {len(waiting)} it was asked about)"
        raise MatchError(
            f"{bot.name} failed in game {table.number}{among}, {players[0]} against {players[1]} on "
            f"{table.game.rules.name}: {type(error).__name__}: {error}\n"
            f"record so far: {' '.join(table.game.record())}"
        ) from error


def fails(bot: Bot, table: Table, rng: np.random.Generator) -> bool:
    """Whether the bot fails in this game alone."""
    try:
        bot.choose(States.of([table.game]), copy.deepcopy(rng))
    except Exception:
        return True
    return False
