"""Games as text that people save, paste and send: a header line or two and the moves.

A game of `booop` that begins in the middle::

    rules booop
    start 6/6/6/6/6/6 0 p 8,0/8,0 -/- 0
    1. Kc3 Ga1b1 2. Kd4 -

Both header lines may be left out. Turn numbers are for people and not read.
"""

from __future__ import annotations

from boop_env.rules.game import Game
from boop_env.rules.ruleset import PRESETS, RuleSet


def write_game(game: Game) -> str:
    """A game as text, each turn numbered.

    Raises:
        ValueError: the rule set is no preset, so a name would not say what it is.
    """
    if game.rules != PRESETS.get(game.rules.name):
        raise ValueError(f"only games of presets can be written by name, and {game.rules} is none")
    lines = [f"rules {game.rules.name}"]
    if game.start_position() != Game(game.rules).start_position():
        lines.append(f"start {game.start_position()}")
    replay = Game.from_position(game.rules, game.start_position())
    turns: list[str] = []
    turn = None
    for move in game.record():
        turns.append(move if replay.turn == turn else f"{replay.turn + 1}. {move}")
        turn = replay.turn
        replay.push(move)
    lines += [" ".join(turns[at : at + 10]) for at in range(0, len(turns), 10)]
    return "\n".join(lines) + "\n"


def read_game(text: str, rules: str | RuleSet = "boop") -> Game:
    """A game from what `write_game` wrote, from a bare record, or from a bare position text.

    Args:
        text: the text.
        rules: the rule set where the text names none.

    Raises:
        ValueError: unknown preset, a position or move that cannot be read or is not legal, or nothing at all;
            the message says which.
    """
    start, moves, is_named = None, [], False
    # Windows' Notepad begins files with a byte-order mark.
    for line in filter(None, map(str.strip, text.removeprefix("\ufeff").splitlines())):
        word, _, rest = line.partition(" ")
        if word == "rules":
            rules, is_named = rest.strip(), True
        elif word == "start":
            start = rest.strip()
        elif "/" in word:
            start = line
        else:
            moves.append(line)
    if start is None and not moves and not is_named:
        raise ValueError("there is no game in this text; give a position, or moves such as 'Kc3 Kd4'")
    return Game.from_record(rules, " ".join(moves), start)
