"""Play in the terminal, against a bot or a person.

Moves are typed as texts such as Kc3; `help` lists what else there is.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from boop_env.bots.alphabeta import AlphaBetaBot
from boop_env.bots.bot import Bot
from boop_env.bots.factory import LEVELS, make_bot, usages
from boop_env.envs.render import text
from boop_env.envs.render.animation import finished_file
from boop_env.notation import read_game, write_game
from boop_env.rules.game import Game
from boop_env.rules.ruleset import PRESETS, RuleSet

SEATS: dict[str, tuple[int, ...]] = {"first": (0,), "second": (1,), "both": (0, 1), "none": ()}
"""The players that people play, by what the command line calls it."""

HINT_MS = 500

MOVES_HELP = {
    "o": "Od3  hang an ornament on d3",
    "p": "Kc3  place a kitten on c3\nCc3  place a cat on c3",
    "g": "+b2d4  graduate the row from b2 to d4\n+c3    take back the piece on c3",
    "h": "Ga1b1  let the ghost in between a1 and b1",
}
"""How to write the moves of each phase."""


class Quit(Exception):
    """The player has had enough."""


class Session:
    """A game at the terminal.

    Args:
        game: where it begins.
        people: the players who type their moves; the bot plays the rest.
        bot: it.
    """

    def __init__(self, game: Game, people: tuple[int, ...], bot: Bot) -> None:
        self.game = game
        self.people = people
        self.bot = bot
        self.commands: dict[str, tuple[Callable[[str], None], str]] = {
            "moves": (self.list_moves, "list the legal moves"),
            "hint": (self.hint, "what a search would play, and what it expects"),
            "undo": (self.undo, "take back your last move"),
            "board": (self.show, "show the board again"),
            "record": (self.show_record, "show the game as text"),
            "position": (lambda _: print(self.game.position()), "show the position as text"),
            "save": (self.save, "save FILE: write the game to a file"),
            "load": (self.load, "load FILE: go on with a saved game"),
            "new": (self.new, "begin again"),
            "help": (self.help, "show this"),
            "quit": (self.quit, "leave"),
        }

    def run(self) -> None:
        """Plays until somebody leaves or, with nobody at the keyboard, until the game is over."""
        self.show()
        try:
            while True:
                while not self.game.is_over and self.game.mover not in self.people:
                    self.answer()
                if self.game.is_over and not self.people:
                    return
                self.obey(input("> ").strip())
        except (Quit, EOFError):
            print("Goodbye.")

    def answer(self) -> None:
        """The bot's step."""
        player = self.game.mover
        move = self.bot.move(self.game)
        self.game.push(move)
        print(f"player_{player} ({self.bot.name}) plays {move}")
        self.show()

    def obey(self, line: str) -> None:
        """Does what was typed, or says why not."""
        if not line:
            return
        word, _, rest = line.partition(" ")
        try:
            if word.lower() in self.commands:
                self.commands[word.lower()][0](rest.strip())
            else:
                self.push(line)
        except (ValueError, OSError, RuntimeError) as error:  # the last for the home of a user who is not known
            print(error)

    def push(self, line: str) -> None:
        """Plays a typed move; letters may be small."""
        move = line[:1].upper() + line[1:].lower()
        if move[:1] not in "KCOG+-":
            raise ValueError(f"{line!r} is neither a move such as Kc3 nor a command; type help, or moves for a list")
        self.game.push(move)
        self.show()

    def show(self, _: str = "") -> None:
        """Prints the board."""
        print(f"\n{text(self.game)}\n")
        if self.game.is_over and self.people:
            print("The game is over: undo, new, save FILE or quit.")

    def list_moves(self, _: str) -> None:
        """Prints the legal moves, a line a kind."""
        kinds: dict[str, list[str]] = {}
        for move in self.game.legal_moves():
            kinds.setdefault(move[0], []).append(move)
        print("\n".join(" ".join(moves) for moves in kinds.values()) or "none: the game is over")

    def hint(self, _: str) -> None:
        """Prints what a search finds."""
        print(AlphaBetaBot(ms=HINT_MS).analyse(self.game))

    def undo(self, _: str) -> None:
        """Takes back steps up to the last one that a person chose."""
        if not self.game.record():
            raise ValueError("nothing to take back: the game is at its start")
        taken = [self.game.pop()]
        while self.game.record() and self.people and self.game.mover not in self.people:
            taken.append(self.game.pop())
        print(f"taken back: {' '.join(reversed(taken))}")
        self.show()

    def show_record(self, _: str) -> None:
        """Prints the game as `save` would write it."""
        print(write_game(self.game), end="")

    def save(self, name: str) -> None:
        """Writes the game to a file, in one step."""
        if not name:
            raise ValueError("save needs the name of a file")
        target = Path(name).expanduser()
        with finished_file(target) as unfinished:
            unfinished.write_text(write_game(self.game), encoding="utf-8")
        print(f"saved {target}")

    def load(self, name: str) -> None:
        """Goes on with a saved game, if the bot can play its rules."""
        if not name:
            raise ValueError("load needs the name of a file")
        game = read_file(Path(name), self.game.rules)
        if game.rules != self.game.rules and len(self.people) < 2:
            # A bot that cannot play these rules would end the session at its next move; here it only refuses.
            self.bot.move(Game(game.rules))
        self.game = game
        self.show()

    def new(self, _: str) -> None:
        """Begins again by the same rules."""
        self.game = Game(self.game.rules)
        self.show()

    def help(self, _: str) -> None:
        """Prints the commands and how moves are written."""
        print(MOVES_HELP.get(self.game.phase, "the game is over"))
        if "-" in self.game.legal_moves():
            print("-    pass, or decline")
        print("\n".join(f"{name:9} {what}" for name, (_, what) in self.commands.items()))

    def quit(self, _: str) -> None:
        """Leaves."""
        raise Quit


def read_file(path: Path, rules: str | RuleSet) -> Game:
    """A saved game, `~` being the home folder; `rules` are for a file that does not name them.

    Raises:
        ValueError: the file holds no game, or is no text at all.
        OSError: it cannot be read.
        RuntimeError: the path begins with the home of a user who is not known.
    """
    try:
        saved = path.expanduser().read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ValueError(f"{path} is no text; give a file that `save` wrote") from None
    return read_game(saved, rules)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit code: 0, or 2 for an error."""
    options = parser().parse_args(arguments)
    try:
        game = Game(options.rules)
        if options.load is not None:
            game = read_file(options.load, options.rules)
        session = Session(game, SEATS[options.seat], make_bot(options.level))
    except (ValueError, OSError, ImportError, RuntimeError) as error:
        print(f"play: {error}", file=sys.stderr)
        return 2
    try:
        session.run()
    except (ValueError, KeyboardInterrupt) as error:
        # A bot that cannot play these rules says so at its first move.
        print(f"\nplay: {error}" if str(error) else "", file=sys.stderr)
        return 2 if isinstance(error, ValueError) else 130
    return 0


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="python -m boop_env.play", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    made.add_argument("--rules", default="boop", choices=PRESETS, metavar="PRESET", help=", ".join(PRESETS))
    made.add_argument("--seat", default="first", choices=SEATS, help="what you play; none watches two bots")
    made.add_argument("--level", default="medium", help=f"the bot: {', '.join(LEVELS)}, or any of {usages()}")
    made.add_argument("--load", type=Path, metavar="FILE", help="go on with a game that `save` wrote")
    return made


if __name__ == "__main__":
    sys.exit(main())
