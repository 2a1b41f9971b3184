"""A plain second implementation of the rules, the oracle that the fast kernel is compared with.

Squares are ``(row, column)`` tuples, the board is a dict from square to piece letter, and every choice is
recomputed from scratch each time it is asked for. The functions follow the sections of the rules page, in
its order. Nothing is imported from ``boop_env``, so that no mistake can be shared with it.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

Square = tuple[int, int]
Step = tuple[int, int]
Row = tuple[Square, Square, Square]
Stitch = tuple[Square, Square]
Ghost = tuple[Stitch, str]

# Any object with the attributes of the presets below: the kernel's own rule sets fit as well.
Rules = Any

# In the order in which rows are numbered from their first square.
ROW_STEPS: tuple[Step, ...] = ((0, 1), (1, 0), (1, 1), (1, -1))
EIGHT_STEPS: tuple[Step, ...] = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))
HEADINGS: dict[str, Step] = {"v": (1, 0), "^": (-1, 0), ">": (0, 1), "<": (0, -1)}

# Stands for the graduation that `rows = all` carries out unasked; it has no move text of its own.
EVERY_ROW = "every row"

BED = "\n".join(["111111"] * 6)
TREE = "\n".join(["-44444-", "4333334", "4322234", "4321234", "4322234", "4333334", "-44444-"])


def _rule_set(
    layout: str,
    rows: str,
    full_bed: str,
    eight_cats_win: bool,
    cat_row: str,
    safe_rows_only: bool,
    ghosts: bool,
    ornaments: int,
) -> SimpleNamespace:
    return SimpleNamespace(
        layout=layout,
        rows=rows,
        full_bed=full_bed,
        eight_cats_win=eight_cats_win,
        cat_row=cat_row,
        safe_rows_only=safe_rows_only,
        ghosts=ghosts,
        ornaments=ornaments,
        pieces=8,
        max_turns=300,
    )


REFERENCE_PRESETS: dict[str, SimpleNamespace] = {
    "boop": _rule_set(BED, "choose", "may", True, "own_turn", False, False, 0),
    "boop_bga": _rule_set(BED, "choose", "must", True, "own_turn", False, False, 0),
    "boop_overview": _rule_set(BED, "all", "must_kitten", False, "at_once", False, False, 0),
    "boop_expert": _rule_set(BED, "choose", "may", True, "own_turn", True, False, 0),
    "booop": _rule_set(BED, "choose", "may", True, "own_turn", False, True, 0),
    "halls": _rule_set(TREE, "choose", "may", True, "own_turn", False, False, 3),
    "halls_flat": _rule_set(TREE, "choose", "may", True, "own_turn", False, False, 3),
    "halls_no_ornaments": _rule_set(TREE, "choose", "may", True, "own_turn", False, False, 0),
}


def ahead(square: Square, step: Step) -> Square:
    """The square one step further, which need not exist on the board."""
    return square[0] + step[0], square[1] + step[1]


def away(from_square: Square, to_square: Square) -> Step:
    """The step that leads from one square to its neighbour."""
    return to_square[0] - from_square[0], to_square[1] - from_square[1]


def name(square: Square) -> str:
    """The square as text, `a1` at the top left."""
    return "abcdefgh"[square[1]] + str(square[0] + 1)


def square_named(text: str) -> Square:
    """The square that a text such as `c3` names."""
    return int(text[1]) - 1, "abcdefgh".index(text[0])


def owner(letter: str) -> int:
    """The player a board letter belongs to: capitals are player_0's."""
    return 0 if letter.isupper() else 1


def owned(kind: str, player: int) -> str:
    """The board letter of a kind (`K`, `C` or `O`) for a player."""
    return kind if player == 0 else kind.lower()


class ReferenceGame:
    """One game, in the vocabulary of the rules page.

    Attributes:
        rules: The rule set played.
        height: Rows of the layout's rectangle.
        width: Columns of the layout's rectangle.
        levels: The level of each space, in reading order.
        layout_rows: Every three spaces in a line, in the order of their numbers.
        board: The piece letter on each occupied square.
        pools: For each player, how many of each kind (`K`, `C`, `O`) are in the pool.
        ghosts: For each player, the ghost's stitch and heading, or None while it is in the pool.
        came_home: Whether the mover's ghost came home this turn.
        mover: The player whose turn it is.
        phase: One of `o`, `p`, `g`, `h`, `x`.
        turn: Whole turns completed.
        winner: 0, 1 or None.
        reason: `three_cats`, `eight_cats`, `ornaments_taken`, `truncated` or None.
    """

    def __init__(self, rules: Rules, position: str | None = None) -> None:
        """Sets up the start of the game, or the position given.

        Args:
            rules: Any object with the rule options as attributes.
            position: A well-formed position text. It is not checked.
        """
        self.rules = rules
        lines = rules.layout.split("\n")
        self.height = len(lines)
        self.width = len(lines[0])
        self.levels: dict[Square, int] = {}
        for row, line in enumerate(lines):
            for column, mark in enumerate(line):
                if mark != "-":
                    self.levels[row, column] = int(mark)
        self.layout_rows = self._rows_of_layout()
        self.board: dict[Square, str] = {}
        start: dict[str, int] = {"K": rules.pieces, "C": 0, "O": rules.ornaments}
        self.pools = [dict(start), dict(start)]
        self.ghosts: list[Ghost | None] = [None, None]
        self.came_home = False
        self.mover = 0
        self.phase = "p"
        self.turn = 0
        self.winner: int | None = None
        self.reason: str | None = None
        if position is None:
            self._begin_turn()
        else:
            self._read_position(position)

    @property
    def is_over(self) -> bool:
        """Whether the game has a winner or was truncated."""
        return self.phase == "x"

    def copy(self) -> ReferenceGame:
        """An independent game in the same state."""
        twin = ReferenceGame.__new__(ReferenceGame)
        twin.__dict__.update(self.__dict__)
        twin.board = dict(self.board)
        twin.pools = [dict(pool) for pool in self.pools]
        twin.ghosts = list(self.ghosts)
        return twin

    # Looking at the board

    def empty_squares(self) -> list[Square]:
        """The empty spaces, in reading order."""
        return [square for square in self.levels if square not in self.board]

    def squares_of(self, letters: str) -> list[Square]:
        """The squares that hold one of these letters, in reading order."""
        return [square for square in self.levels if self.board.get(square, "-") in letters]

    def pieces_of(self, player: int) -> list[Square]:
        """The squares of a player's kittens and cats."""
        return self.squares_of(owned("K", player) + owned("C", player))

    def _rows_of_layout(self) -> list[Row]:
        rows = []
        for first in self.levels:
            for step in ROW_STEPS:
                second = ahead(first, step)
                third = ahead(second, step)
                if second in self.levels and third in self.levels:
                    rows.append((first, second, third))
        return rows

    def standing_rows(self, letters: str) -> list[Row]:
        """The rows whose three squares all hold one of these letters."""
        squares = set(self.squares_of(letters))
        return [row for row in self.layout_rows if squares.issuperset(row)]

    def rows_of(self, player: int) -> list[Row]:
        """The rows of a player's kittens and cats, mixed or not."""
        return self.standing_rows(owned("K", player) + owned("C", player))

    def ornaments_taken_from(self, player: int) -> int:
        """How many of this player's ornaments the other player has taken."""
        on_tree = len(self.squares_of(owned("O", player)))
        taken: int = self.rules.ornaments - self.pools[player]["O"] - on_tree
        return taken

    def has_lost_all_ornaments(self, player: int) -> bool:
        """Whether the other player has taken every ornament of this player."""
        return bool(self.rules.ornaments > 0 and self.ornaments_taken_from(player) == self.rules.ornaments)

    # Section 3: the turn

    def _begin_turn(self) -> None:
        self.phase = "o" if self.hanging_squares() else "p"

    def hanging_squares(self) -> list[Square]:
        """Where the mover has to hang an ornament; empty when there is no such step this turn."""
        if self.pools[self.mover]["O"] == 0 or self.squares_of(owned("O", self.mover)):
            return []
        empty = self.empty_squares()
        on_level_two = [square for square in empty if self.levels[square] == 2]
        return on_level_two or [square for square in empty if self.levels[square] > 2]

    def legal_moves(self) -> list[str]:
        """The texts of the mover's choices; none once the game is over."""
        if self.phase == "o":
            return ["O" + name(square) for square in self.hanging_squares()]
        if self.phase == "p":
            return self.placements(self.mover) or ["-"]
        if self.phase == "g":
            return self.graduation_options()
        if self.phase == "h":
            return ["G" + name(one) + name(two) for (one, two), _ in self.free_entries()] + ["-"]
        return []

    def placements(self, player: int) -> list[str]:
        """The texts of the placements that this player's pool allows on the board as it stands."""
        kinds = [kind for kind in "KC" if self.pools[player][kind] > 0]
        return [kind + name(square) for kind in kinds for square in self.empty_squares()]

    def push(self, move: str) -> None:
        """Plays one step, and all that follows from it up to the next choice.

        Raises:
            ValueError: The move is not legal now.
        """
        if move not in self.legal_moves():
            raise ValueError(f"{move!r} is not legal in {self.position()!r}")
        if self.phase == "o":
            self._place("O", square_named(move[1:]))
            self.phase = "p"
        elif self.phase == "p":
            if move != "-":
                self._place(move[0], square_named(move[1:]))
                self._boop(square_named(move[1:]))
            self._after_placement()
        elif self.phase == "g":
            self._graduate(move)
            self._after_graduation()
        else:
            if move != "-":
                stitch = square_named(move[1:3]), square_named(move[3:5])
                self.ghosts[self.mover] = next(entry for entry in self.entries() if entry[0] == stitch)
            self._pass_turn()

    def _place(self, kind: str, square: Square) -> None:
        self.pools[self.mover][kind] -= 1
        self.board[square] = owned(kind, self.mover)

    def _after_placement(self) -> None:
        if self.ghosts[self.mover] is not None:
            self._move_ghost()
        self.winner, self.reason = self.result()
        if self.winner is not None:
            self.phase = "x"
            return
        options = self.graduation_options()
        if len(options) > 1:
            self.phase = "g"
            return
        if options:
            self._graduate(options[0])
        self._after_graduation()

    def _after_graduation(self) -> None:
        if self.may_place_ghost():
            self.phase = "h"
        else:
            self._pass_turn()

    def _pass_turn(self) -> None:
        self.came_home = False
        self.mover = 1 - self.mover
        self.turn += 1
        if self.turn == self.rules.max_turns:
            self.phase, self.reason = "x", "truncated"
        else:
            self._begin_turn()

    # Section 4: boops

    def _boop(self, placed: Square) -> None:
        for step in EIGHT_STEPS:
            source = ahead(placed, step)
            letter = self.board.get(source)
            if letter is None:
                continue
            if letter in "Oo":
                self._push_ornament(source, ahead(source, step))
            elif letter in "Kk" or self.board[placed] in "Cc":
                self._push_piece(source, ahead(source, step))

    def _push_piece(self, source: Square, target: Square) -> None:
        letter = self.board[source]
        if target not in self.levels:
            self._return_to_pool(source)
        elif target not in self.board:
            self.board[target] = self.board.pop(source)
        elif letter in "Cc" and self.board[target] in "Oo":
            self._return_to_pool(source)
            self._win_ornament(target, owner(letter))

    def _push_ornament(self, source: Square, target: Square) -> None:
        if target not in self.levels:
            self._win_ornament(source, self.mover)
        elif target not in self.board and self.levels[target] >= self.levels[source]:
            self.board[target] = self.board.pop(source)

    def _return_to_pool(self, square: Square) -> None:
        letter = self.board.pop(square)
        self.pools[owner(letter)][letter.upper()] += 1

    def _win_ornament(self, square: Square, player: int) -> None:
        """The ornament leaves the tree: home if it is this player's own, else taken for good."""
        if owner(self.board[square]) == player:
            self._return_to_pool(square)
        else:
            del self.board[square]

    # Section 5: graduation

    def graduating_rows(self) -> list[Row]:
        """The mover's rows that may graduate now."""
        rows = self.rows_of(self.mover)
        return [row for row in rows if self.is_safe(row)] if self.rules.safe_rows_only else rows

    def is_safe(self, row: Row) -> bool:
        """Whether no placement open to the other player would move a piece of the mover's row."""
        other = 1 - self.mover
        for placement in self.placements(other):
            square = square_named(placement[1:])
            trial = self.copy()
            trial.board[square] = owned(placement[0], other)
            trial._boop(square)
            if any(trial.board.get(piece) != self.board[piece] for piece in row):
                return False
        return True

    def graduation_options(self) -> list[str]:
        """The mover's options, however few; a lone one is carried out without asking."""
        rows = self.graduating_rows()
        if rows and self.rules.rows == "all":
            return [EVERY_ROW]
        row_texts = ["+" + name(first) + name(last) for first, _, last in rows]
        pieces = self.pieces_of(self.mover)
        single_texts = ["+" + name(square) for square in pieces]
        if len(pieces) < self.rules.pieces:
            return row_texts
        if self.rules.full_bed == "may":
            return row_texts + single_texts + ([] if rows else ["-"])
        if rows:
            return row_texts
        if self.rules.full_bed == "must":
            return single_texts
        if self.rows_of(1 - self.mover):
            return []
        return ["+" + name(square) for square in self.squares_of(owned("K", self.mover))]

    def _graduate(self, option: str) -> None:
        if option == "-":
            return
        if option == EVERY_ROW:
            squares = {square for row in self.graduating_rows() for square in row}
        elif len(option) == len("+c3"):
            squares = {square_named(option[1:])}
        else:
            first, last = square_named(option[1:3]), square_named(option[3:5])
            middle = (first[0] + last[0]) // 2, (first[1] + last[1]) // 2
            squares = {first, middle, last}
        for square in squares:
            del self.board[square]
            self.pools[self.mover]["C"] += 1

    # Section 6: ghosts

    def entries(self) -> list[Ghost]:
        """Every entry stitch with its heading, in the order of their numbers."""
        columns = range(self.width - 1)
        rows = range(self.height - 1)
        last_row, last_column = self.height - 1, self.width - 1
        top = [(((0, column), (0, column + 1)), "v") for column in columns]
        bottom = [(((last_row, column), (last_row, column + 1)), "^") for column in columns]
        left = [(((row, 0), (row + 1, 0)), ">") for row in rows]
        right = [(((row, last_column), (row + 1, last_column)), "<") for row in rows]
        return top + bottom + left + right

    def may_place_ghost(self) -> bool:
        """Whether the mover is asked for a ghost placement, if only to decline."""
        return bool(self.rules.ghosts and self.ghosts[self.mover] is None and not self.came_home)

    def free_entries(self) -> list[Ghost]:
        """The entries whose stitch does not hold the other ghost."""
        return [entry for entry in self.entries() if not self.is_others_stitch(entry[0])]

    def is_others_stitch(self, stitch: Stitch) -> bool:
        """Whether the other player's ghost is on this stitch."""
        other_ghost = self.ghosts[1 - self.mover]
        return other_ghost is not None and other_ghost[0] == stitch

    def _move_ghost(self) -> None:
        ghost = self.ghosts[self.mover]
        assert ghost is not None
        (one, two), heading = ghost
        step = HEADINGS[heading]
        one, two = ahead(one, step), ahead(two, step)
        if self.is_others_stitch((one, two)):
            one, two = ahead(one, step), ahead(two, step)
        if one not in self.levels:
            self.ghosts[self.mover] = None
            self.came_home = True
            return
        self.ghosts[self.mover] = (one, two), heading
        self._ghost_push(one, away(two, one))
        self._ghost_push(two, away(one, two))

    def _ghost_push(self, source: Square, step: Step) -> None:
        if source not in self.board:
            return
        target = ahead(source, step)
        while target in self.board:
            target = ahead(target, step)
        if target in self.levels:
            self.board[target] = self.board.pop(source)
        else:
            self._return_to_pool(source)

    # Section 7: winning

    def result(self) -> tuple[int | None, str | None]:
        """The winner and the reason that the board as it stands gives, mover first."""
        other = 1 - self.mover
        my_cats = owned("C", self.mover)
        if self.standing_rows(my_cats):
            return self.mover, "three_cats"
        if self.rules.eight_cats_win and len(self.squares_of(my_cats)) == self.rules.pieces:
            return self.mover, "eight_cats"
        if self.has_lost_all_ornaments(other):
            return self.mover, "ornaments_taken"
        if self.has_lost_all_ornaments(self.mover):
            return other, "ornaments_taken"
        if self.rules.cat_row == "at_once" and self.standing_rows(owned("C", other)):
            return other, "three_cats"
        return None, None

    # Section 8: formats

    def position(self) -> str:
        """The position text of the game as it stands."""
        lines = "/".join(self._line_text(row) for row in range(self.height))
        kinds = "KCO" if self.rules.ornaments > 0 else "KC"
        pools = "/".join(",".join(str(pool[kind]) for kind in kinds) for pool in self.pools)
        ghosts = "/".join(self._ghost_text(player) for player in (0, 1)) if self.rules.ghosts else "-"
        return f"{lines} {self.mover} {self.phase} {pools} {ghosts} {self.turn}"

    def _line_text(self, row: int) -> str:
        text = ""
        for column in range(self.width):
            if (row, column) not in self.levels:
                text += "-"
            elif (row, column) in self.board:
                text += self.board[row, column]
            elif text and text[-1].isdigit():
                text = text[:-1] + str(int(text[-1]) + 1)
            else:
                text += "1"
        return text

    def _ghost_text(self, player: int) -> str:
        ghost = self.ghosts[player]
        if ghost is not None:
            (one, two), heading = ghost
            return name(one) + name(two) + heading
        return "!" if self.came_home and player == self.mover else "-"

    def _read_position(self, text: str) -> None:
        lines, mover, phase, pools, ghosts, turn = text.split(" ")
        for row, line in enumerate(lines.split("/")):
            column = 0
            for mark in line:
                if mark in "KCOkco":
                    self.board[row, column] = mark
                column += int(mark) if mark.isdigit() else 1
        for player, pool in enumerate(pools.split("/")):
            for kind, count in zip("KCO", pool.split(","), strict=False):
                self.pools[player][kind] = int(count)
        if self.rules.ghosts:
            for player, ghost in enumerate(ghosts.split("/")):
                if ghost == "!":
                    self.came_home = True
                elif ghost != "-":
                    stitch = square_named(ghost[:2]), square_named(ghost[2:4])
                    self.ghosts[player] = stitch, ghost[4]
        self.mover, self.phase, self.turn = int(mover), phase, int(turn)
        if self.phase == "x":
            truncated = self.turn == self.rules.max_turns
            self.winner, self.reason = (None, "truncated") if truncated else self.result()

    def legal_actions(self) -> list[int]:
        """The action numbers of the legal moves, in the order of the moves."""
        return [self._action_number(move) for move in self.legal_moves()]

    def _action_number(self, move: str) -> int:
        cells = self.width * self.height
        kinds = "KCO" if self.rules.ornaments > 0 else "KC"
        rows_start = len(kinds) * cells
        take_start = rows_start + len(self.layout_rows)
        ghosts_start = take_start + cells
        if move == "-":
            return ghosts_start + (len(self.entries()) if self.rules.ghosts else 0)
        if move[0] == "G":
            stitch = square_named(move[1:3]), square_named(move[3:5])
            return ghosts_start + [entry[0] for entry in self.entries()].index(stitch)
        row, column = square_named(move[1:3])
        cell = row * self.width + column
        if move[0] in kinds:
            return kinds.index(move[0]) * cells + cell
        if len(move) == len("+c3"):
            return take_start + cell
        ends = [(first, last) for first, _, last in self.layout_rows]
        return rows_start + ends.index((square_named(move[1:3]), square_named(move[3:5])))
