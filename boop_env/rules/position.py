"""Position texts (docs/rules.md section 8): six fields, written and read with every refusal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from boop_env.rules import calls, kernel
from boop_env.rules.kernel import State
from boop_env.rules.layout import Layout
from boop_env.rules.ruleset import RuleSet

PHASES = "opghx"
"""Phase letters, in the order of the kernel's phase numbers."""

Words = npt.NDArray[np.uint64]
"""A state in stored form, ``uint64 (kernel.STATE_WORDS,)``."""


class InvalidPosition(ValueError):
    """The text is no position of this rule set; the message names the field and the fault."""

    def __init__(self, field: str, fault: str) -> None:
        super().__init__(f"position field {field!r}: {fault}")


@dataclass
class Side:
    """What one player has: bitboards, counts and a ghost code."""

    kittens: int = 0
    cats: int = 0
    ornament: int = 0
    kitten_pool: int = 0
    cat_pool: int = 0
    ornament_pool: int = 0
    ghost: int = kernel.IN_POOL


def write_position(rules: RuleSet, words: Words) -> str:
    """Position text of a stored state."""
    s = kernel.load(words)
    own, opp = sides(rules, s)
    first, second = (own, opp) if s.mover == 0 else (opp, own)
    pools = "/".join(pool_text(rules, side) for side in (first, second))
    ghosts = "/".join(ghost_text(rules.board, side.ghost) for side in (first, second)) if rules.ghosts else "-"
    return f"{board_text(rules.board, first, second)} {s.mover} {PHASES[s.phase]} {pools} {ghosts} {s.turn}"


def sides(rules: RuleSet, s: State) -> tuple[Side, Side]:
    """What the mover and the other player have."""

    def side(pieces: int, cats_owned: int, ornament: int, ornaments: int, ghost: int) -> Side:
        cats = int(s.cats) & pieces
        kittens = pieces & ~cats
        return Side(
            kittens=kittens,
            cats=cats,
            ornament=ornament,
            kitten_pool=rules.pieces - cats_owned - kittens.bit_count(),
            cat_pool=cats_owned - cats.bit_count(),
            ornament_pool=ornaments - ornament.bit_count(),
            ghost=ghost,
        )

    return (
        side(int(s.own), s.own_cats, int(s.own_ornament), s.own_ornaments, s.own_ghost),
        side(int(s.opp), s.opp_cats, int(s.opp_ornament), s.opp_ornaments, s.opp_ghost),
    )


def piece_letters(first: Side, second: Side) -> dict[str, int]:
    """Bitboard of each letter of a board text."""
    return {
        "K": first.kittens,
        "C": first.cats,
        "O": first.ornament,
        "k": second.kittens,
        "c": second.cats,
        "o": second.ornament,
    }


def board_text(board: Layout, first: Side, second: Side) -> str:
    """The board field: rows top to bottom."""
    letters = piece_letters(first, second)
    lines = []
    for row in range(board.height):
        line, run = "", 0
        for cell in range(row * board.width, (row + 1) * board.width):
            mark = "" if board.levels[cell] else "-"
            for letter, pieces in letters.items():
                if pieces >> board.bit(cell) & 1:
                    mark = letter
            if mark:
                line += (str(run) if run else "") + mark
                run = 0
            else:
                run += 1
        lines.append(line + (str(run) if run else ""))
    return "/".join(lines)


def pool_text(rules: RuleSet, side: Side) -> str:
    """One player's pool: kittens, cats, and ornaments where the rule set has them."""
    counts = [side.kitten_pool, side.cat_pool] + ([side.ornament_pool] if rules.ornaments else [])
    return ",".join(map(str, counts))


def ghost_text(board: Layout, code: int) -> str:
    """One player's ghost: ``-``, ``!``, or its stitch and heading."""
    if code < kernel.ON_BOARD:
        return "-!"[code]
    entry = board.entries[(code - kernel.ON_BOARD) // 8]
    low, high = entry.stitches[(code - kernel.ON_BOARD) % 8]
    return board.name(low) + board.name(high) + entry.heading


def read_position(rules: RuleSet, text: str) -> Words:
    """Stored state of a position text.

    Raises:
        InvalidPosition: a field cannot be read or the position is impossible; the message names both.
    """
    parts = text.split(" ")
    if len(parts) != 6:
        raise InvalidPosition(
            "all",
            f"{text!r} has {len(parts)} fields; it needs six, one space between: board mover phase pools ghosts turn",
        )
    board, mover, phase, pools, ghosts, turn = parts
    first, second = Side(), Side()
    read_board(rules.board, board, first, second)
    if mover not in ("0", "1"):
        raise InvalidPosition("mover", f"{mover!r} is not 0 or 1")
    if len(phase) != 1 or phase not in PHASES:
        raise InvalidPosition("phase", f"{phase!r} is not one of {' '.join(PHASES)}")
    read_pools(rules, pools, first, second)
    read_ghosts(rules, ghosts, int(mover), first, second)
    if not is_count(turn):
        raise InvalidPosition("turn", f"{turn!r} is not a whole number of completed turns")
    if int(turn) > rules.max_turns:
        raise InvalidPosition("turn", f"{turn} is past this rule set's cap of {rules.max_turns} turns")
    check_counts(rules, board, first, second)
    words = np.zeros(kernel.STATE_WORDS, np.uint64)
    own, opp = (first, second) if mover == "0" else (second, first)
    state = make_state(own, opp, int(mover), PHASES.index(phase), int(turn))
    kernel.store(state, words)
    check_phase(rules, state, words)
    return words


def is_count(text: str) -> bool:
    """Whether a text is a whole number as positions write them: short, ASCII, no leading zero."""
    return text.isascii() and text.isdigit() and len(text) < 10 and str(int(text)) == text


def read_board(board: Layout, text: str, first: Side, second: Side) -> None:
    """Fills in what stands on the board."""
    lines = text.split("/")
    if len(lines) != board.height:
        raise InvalidPosition("board", f"{text!r} has {len(lines)} rows, this board has {board.height}")
    letters = dict.fromkeys("KCOkco", 0)
    for number, line in enumerate(lines):
        column, after_digit = 0, False
        for character in line:
            if character in "12345678":
                if after_digit:
                    raise InvalidPosition("board", f"row {number + 1} {line!r}: two digits in a row; write their sum")
                cells = range(column, column + int(character))
            elif character in "KCOkco-":
                cells = range(column, column + 1)
            else:
                raise InvalidPosition(
                    "board", f"row {number + 1} {line!r}: {character!r} is none of K C O k c o, a digit from 1 or '-'"
                )
            after_digit = character.isdigit()
            for at in cells:
                if at >= board.width:
                    raise InvalidPosition("board", f"row {number + 1} {line!r} is wider than {board.width} spaces")
                cell = number * board.width + at
                if (character == "-") != (board.levels[cell] == 0):
                    what = "is a space, not a hole" if character == "-" else "is a hole; write '-'"
                    raise InvalidPosition("board", f"row {number + 1} {line!r}: {board.name(cell)} {what}")
                if character in letters:
                    letters[character] |= 1 << board.bit(cell)
            column = cells.stop
        if column != board.width:
            raise InvalidPosition("board", f"row {number + 1} {line!r} is {column} wide, this board is {board.width}")
    first.kittens, first.cats, first.ornament = letters["K"], letters["C"], letters["O"]
    second.kittens, second.cats, second.ornament = letters["k"], letters["c"], letters["o"]


def read_pools(rules: RuleSet, text: str, first: Side, second: Side) -> None:
    """Fills in the pools."""
    pools = text.split("/")
    what = "kittens,cats,ornaments" if rules.ornaments else "kittens,cats"
    if len(pools) != 2:
        raise InvalidPosition("pools", f"{text!r} is not two pools with '/' between, each {what}")
    for player, (pool, side) in enumerate(zip(pools, (first, second), strict=True)):
        counts = pool.split(",")
        if len(counts) != what.count(",") + 1:
            raise InvalidPosition("pools", f"player_{player}'s {pool!r} is not {what}")
        for count in counts:
            digits = count.removeprefix("-")
            if not is_count(digits):
                raise InvalidPosition("pools", f"player_{player}'s {pool!r}: {count!r} is not a whole number")
            if count.startswith("-"):
                raise InvalidPosition("pools", f"player_{player}'s {pool!r}: {count} is negative")
        side.kitten_pool, side.cat_pool = int(counts[0]), int(counts[1])
        side.ornament_pool = int(counts[2]) if rules.ornaments else 0


def read_ghosts(rules: RuleSet, text: str, mover: int, first: Side, second: Side) -> None:
    """Fills in the ghosts."""
    if not rules.ghosts:
        if text != "-":
            raise InvalidPosition("ghosts", f"{text!r}: this rule set has no ghosts; write '-'")
        return
    ghosts = text.split("/")
    if len(ghosts) != 2:
        raise InvalidPosition("ghosts", f"{text!r} is not two ghosts with '/' between")
    board = rules.board
    codes = {
        ghost_text(board, code): code
        for number, entry in enumerate(board.entries)
        for code in range(kernel.ON_BOARD + 8 * number, kernel.ON_BOARD + 8 * number + len(entry.stitches))
    }
    for player, (ghost, side) in enumerate(zip(ghosts, (first, second), strict=True)):
        if ghost == "!" and player != mover:
            raise InvalidPosition("ghosts", f"{text!r}: '!' is only for the mover, player_{mover}; write '-'")
        if ghost not in ("-", "!") and ghost not in codes:
            raise InvalidPosition(
                "ghosts", f"player_{player}'s {ghost!r} is no '-', '!' or stitch and heading such as 'c3d3v'"
            )
        side.ghost = codes.get(ghost, "-!".find(ghost))
    if first.ghost >= kernel.ON_BOARD and ghosts[0][:-1] == ghosts[1][:-1]:
        raise InvalidPosition("ghosts", f"{text!r}: both ghosts are on one stitch")


def check_counts(rules: RuleSet, board: str, first: Side, second: Side) -> None:
    """Refuses pieces and ornaments that do not add up."""
    top = rules.board.mask([cell for cell in rules.board.spaces if rules.board.levels[cell] == 1])
    for player, side in enumerate((first, second)):
        on_board = (side.kittens | side.cats).bit_count()
        owned = on_board + side.kitten_pool + side.cat_pool
        if owned != rules.pieces:
            raise InvalidPosition(
                "pools",
                f"player_{player} has {on_board} on the board and {side.kitten_pool}+{side.cat_pool} in the pool, "
                f"{owned} pieces; each player owns {rules.pieces}",
            )
        hung = side.ornament.bit_count()
        if hung and not rules.ornaments:
            raise InvalidPosition("board", f"{board!r}: this rule set has no ornaments")
        if hung > 1:
            raise InvalidPosition("board", f"player_{player} has {hung} ornaments on the tree; one at most")
        if side.ornament & top:
            raise InvalidPosition("board", f"player_{player}'s ornament is on level 1; ornaments never are")
        if hung + side.ornament_pool > rules.ornaments:
            raise InvalidPosition(
                "pools", f"player_{player} has {hung + side.ornament_pool} ornaments; {rules.ornaments} at most"
            )


def make_state(own: Side, opp: Side, mover: int, phase: int, turn: int) -> State:
    """The kernel's state from what both players have."""
    return State(
        np.uint64(own.kittens | own.cats),
        np.uint64(opp.kittens | opp.cats),
        np.uint64(own.cats | opp.cats),
        np.uint64(own.ornament),
        np.uint64(opp.ornament),
        own.cats.bit_count() + own.cat_pool,
        opp.cats.bit_count() + opp.cat_pool,
        own.ornament.bit_count() + own.ornament_pool,
        opp.ornament.bit_count() + opp.ornament_pool,
        own.ghost,
        opp.ghost,
        mover,
        phase,
        turn,
        kernel.ONGOING,
        -1,
    )


def check_phase(rules: RuleSet, s: State, words: Words) -> None:
    """Refuses a phase that does not fit; a finished game gets its outcome written into `words`."""
    how, loses, must_hang, options = calls.facts(rules.tables, words)

    def refuse(fault: str) -> NoReturn:
        raise InvalidPosition("phase", f"{PHASES[s.phase]!r} {fault}")

    if s.phase == kernel.OVER:
        if s.turn == rules.max_turns:
            kernel.store(s._replace(outcome=kernel.TRUNCATED), words)
        elif how == kernel.ONGOING:
            refuse(f"means over, but nobody has won and turn {s.turn} is before the cap of {rules.max_turns}")
        else:
            kernel.store(s._replace(outcome=how, winner=s.mover ^ loses), words)
        return
    if s.turn == rules.max_turns:
        refuse(f"does not fit turn {s.turn}: at the cap the game is over, 'x'")
    if rules.ornaments and 0 in (s.own_ornaments, s.opp_ornaments):
        refuse("does not fit: all of a player's ornaments are taken, so the game is over, 'x'")
    if s.phase == kernel.ORNAMENT and not must_hang:
        refuse("does not fit: the mover has no ornament to hang, or nowhere to hang it; write 'p'")
    if s.phase == kernel.PLACEMENT and must_hang:
        refuse("does not fit: the mover has an ornament to hang first; write 'o'")
    if s.phase == kernel.GRADUATION and options < 2:
        refuse(f"does not fit: graduation options: {options}; the mover is asked when there are two or more")
    if s.phase == kernel.GHOST:
        if not rules.ghosts:
            refuse("does not fit: this rule set has no ghosts")
        if s.own_ghost != kernel.IN_POOL:
            refuse("does not fit: the mover's ghost is on the board or came home this turn")
