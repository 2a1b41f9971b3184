"""Pictures of a position: text, an RGB array drawn with NumPy alone, and a pygame window for it.

Everything is drawn from the position text (rules.md section 8), so nothing here knows the kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import gymnasium
import numpy as np
import numpy.typing as npt

from boop_env.rules.game import Game
from boop_env.rules.layout import Layout

Picture = npt.NDArray[np.uint8]
Colour = tuple[int, int, int]

RENDER_MODES = ("human", "rgb_array", "ansi")

CELL_PIXELS = 64
"""Pixels a space is wide."""

OVERSAMPLING = 2
"""Drawn so many times larger and then averaged, which smooths the edges."""

MARGIN = 0.5
"""Width of the frame with the coordinates, in spaces."""

STRIP = 0.9
"""Height of a player's pool, in spaces."""

PLAYER_COLOURS: tuple[Colour, Colour] = ((226, 125, 40), (78, 88, 120))
TABLE: Colour = (246, 243, 236)
TO_MOVE: Colour = (252, 228, 150)
WON: Colour = (176, 219, 150)
LINE: Colour = (165, 176, 190)
INK: Colour = (40, 40, 48)
WHITE: Colour = (255, 255, 255)
GOLD: Colour = (214, 170, 60)
BED: Colour = (206, 222, 240)
LEVELS: tuple[Colour, ...] = ((226, 242, 200), (180, 218, 160), (132, 186, 126), (88, 148, 100))
"""Spaces of a tree, top to ground."""

GLYPHS = {
    **{"a": "25755", "b": "65656", "c": "34443", "d": "65556", "e": "74647", "f": "74644", "g": "34553", "h": "55755"},
    **{"1": "26227", "2": "61247", "3": "61216", "4": "55711", "5": "74616", "6": "34757", "7": "71222", "8": "75757"},
}
"""Coordinates as 3x5 bitmaps, an octal digit a row."""

HEADINGS = {"v": (0, 1), "^": (0, -1), ">": (1, 0), "<": (-1, 0)}
"""(right, down) of each ghost heading."""

PHASE_TEXTS = {
    "o": "to hang an ornament",
    "p": "to place a piece",
    "g": "to choose a graduation",
    "h": "to place the ghost",
}


class Ghost(NamedTuple):
    """A ghost on the board: the two cells beside it and its heading."""

    low: int
    high: int
    heading: str


class Scene(NamedTuple):
    """A position text, read for drawing.

    Attributes:
        pieces: ``K C O k c o`` of each cell that holds one.
        pools: kittens and cats of each player, and ornaments where the rule set has them.
        taken: ornaments each player has taken.
        ghosts: each player's, None when it is not on the board.
    """

    pieces: dict[int, str]
    pools: tuple[tuple[int, ...], ...]
    taken: tuple[int, int]
    ghosts: tuple[Ghost | None, ...]


def scene(game: Game) -> Scene:
    """What there is to draw."""
    board = game.rules.board
    rows, _, _, pool_texts, ghost_texts, _ = game.position().split(" ")
    pieces: dict[int, str] = {}
    for number, row in enumerate(rows.split("/")):
        column = 0
        for character in row:
            if character in "KCOkco":
                pieces[number * board.width + column] = character
            column += int(character) if character.isdigit() else 1
    pools = tuple(tuple(map(int, pool.split(","))) for pool in pool_texts.split("/"))
    left = [sum(pool[2:]) + list(pieces.values()).count(letter) for pool, letter in zip(pools, "Oo", strict=True)]
    ornaments = game.rules.ornaments
    ghosts = tuple(
        Ghost(board.cells_by_name[text[:2]], board.cells_by_name[text[2:4]], text[4]) if len(text) > 1 else None
        for text in (ghost_texts.split("/") if game.rules.ghosts else ())
    )
    return Scene(pieces, pools, (ornaments - left[1], ornaments - left[0]), ghosts)


def text(game: Game) -> str:
    """A board in text, with coordinates, pools and whose choice it is.

    Spaces show their piece (`K C O` of player_0, `k c o` of player_1) or a dot, followed on a tree by their
    level. A ghost stands between its two spaces as its player and heading, such as ``0v``.
    """
    drawn = scene(game)
    return "\n".join([headline(game), "", *board_lines(game, drawn), "", *pool_lines(game, drawn)])


def headline(game: Game) -> str:
    """The turn, and who is to choose what or who has won."""
    turn = f"{game.rules.name}, turn {game.turn}"
    if game.reason is None:
        return f"{turn}: player_{game.mover} {PHASE_TEXTS[game.phase]}"
    reason = game.reason.name.lower().replace("_", " ")
    return f"{turn}: over, {reason}" if game.winner is None else f"{turn}: player_{game.winner} wins, {reason}"


def board_lines(game: Game, drawn: Scene) -> list[str]:
    """The board, with lines between its rows where ghosts may stand."""
    board = game.rules.board
    show_levels = board.is_tree and not game.rules.flat
    marks = {}
    for player, ghost in enumerate(drawn.ghosts):
        if ghost:
            marks[ghost.low, ghost.high] = f"{player}{ghost.heading}"

    def space(cell: int) -> str:
        level = board.levels[cell]
        piece = drawn.pieces.get(cell, "." if level else " ")
        return piece + (str(level) if show_levels and level else "")

    width = 2 if show_levels else 1
    gap = 4 if game.rules.ghosts else 2
    lines = ["    " + (" " * gap).join("abcdefgh"[column].ljust(width) for column in range(board.width))]
    for row in range(board.height):
        line, below = f"{row + 1:2}  ", "    "
        for cell in range(row * board.width, (row + 1) * board.width):
            line += space(cell).ljust(width) + marks.get((cell, cell + 1), "").center(gap)
            below += marks.get((cell, cell + board.width), "").ljust(width + gap)
        lines.append(line.rstrip())
        if game.rules.ghosts and row + 1 < board.height:
            lines.append(below.rstrip())
    return [line.rstrip() for line in lines]


def pool_lines(game: Game, drawn: Scene) -> list[str]:
    """What each player has off the board."""
    lines = []
    for player, pool in enumerate(drawn.pools):
        parts = [f"player_{player} ({'KC' if player == 0 else 'kc'}): {pool[0]} kittens, {pool[1]} cats"]
        if game.rules.ornaments:
            parts.append(f"{pool[2]} ornaments in the pool, {drawn.taken[player]} taken")
        if game.rules.ghosts:
            ghost = drawn.ghosts[player]
            names = game.rules.board.name
            parts.append(f"ghost {names(ghost.low)}{names(ghost.high)}{ghost.heading}" if ghost else "ghost at home")
        lines.append("; ".join(parts))
    return lines


class Canvas:
    """A picture to draw simple shapes on; the unit of length is a space's width.

    Args:
        width: in spaces.
        height: in spaces.
    """

    def __init__(self, width: float, height: float) -> None:
        self.scale = CELL_PIXELS * OVERSAMPLING
        self.pixels: Picture = np.empty((self._pixel(height), self._pixel(width), 3), np.uint8)
        self.pixels[:] = TABLE

    def _pixel(self, length: float) -> int:
        return round(length * CELL_PIXELS) * OVERSAMPLING

    def rectangle(self, x: float, y: float, width: float, height: float, colour: Colour) -> None:
        """Fills a rectangle given by its top left corner."""
        self.pixels[self._pixel(y) : self._pixel(y + height), self._pixel(x) : self._pixel(x + width)] = colour

    def disc(self, x: float, y: float, radius: float, colour: Colour) -> None:
        """Fills a disc."""
        window, across, down = self._window(x - radius, y - radius, x + radius, y + radius)
        window[(across - x) ** 2 + (down - y) ** 2 <= radius**2] = colour

    def polygon(self, points: Sequence[tuple[float, float]], colour: Colour) -> None:
        """Fills a convex polygon."""
        xs, ys = zip(*points, strict=True)
        window, across, down = self._window(min(xs), min(ys), max(xs), max(ys))
        sides = [
            (x1 - x0) * (down - y0) - (y1 - y0) * (across - x0)
            for (x0, y0), (x1, y1) in zip(points, [*points[1:], points[0]], strict=True)
        ]
        window[np.minimum.reduce(sides) >= 0] = colour
        window[np.maximum.reduce(sides) <= 0] = colour

    def _window(self, left: float, top: float, right: float, bottom: float) -> tuple[Picture, Any, Any]:
        """The pixels of a box, and where their centres are."""
        rows = slice(max(0, int(top * self.scale)), int(bottom * self.scale) + 2)
        columns = slice(max(0, int(left * self.scale)), int(right * self.scale) + 2)
        window = self.pixels[rows, columns]
        down = (np.arange(rows.start, rows.start + window.shape[0]) + 0.5)[:, None] / self.scale
        across = (np.arange(columns.start, columns.start + window.shape[1]) + 0.5)[None, :] / self.scale
        return window, across, down

    def glyph(self, character: str, x: float, y: float) -> None:
        """Writes one of `GLYPHS`, centred."""
        dot = 0.055
        for row, bits in enumerate(GLYPHS[character]):
            for column in range(3):
                if int(bits, 8) >> (2 - column) & 1:
                    self.rectangle(x + (column - 1.5) * dot, y + (row - 2.5) * dot, dot, dot, INK)

    def picture(self) -> Picture:
        """The picture in its final size."""
        height, width, _ = self.pixels.shape
        blocks = self.pixels.reshape(height // OVERSAMPLING, OVERSAMPLING, width // OVERSAMPLING, OVERSAMPLING, 3)
        averaged: Picture = blocks.mean(axis=(1, 3)).round().astype(np.uint8)
        return averaged

    def animal(self, x: float, y: float, size: float, colour: Colour, *, cat: bool) -> None:
        """A kitten's head, or a cat's: larger, with whiskers and a collar."""
        radius = size * (0.37 if cat else 0.26)
        y += 0.15 * radius  # the ears stand out at the top
        for side in (-1, 1):
            tip = (x + side * 0.95 * radius, y - 1.35 * radius)
            self.polygon([(x + side * radius, y - 0.1 * radius), tip, (x + side * 0.1 * radius, y - radius)], colour)
        self.disc(x, y, radius, colour)
        for side in (-1, 1):
            self.disc(x + side * 0.38 * radius, y - 0.15 * radius, 0.17 * radius, WHITE)
            self.disc(x + side * 0.38 * radius, y - 0.15 * radius, 0.08 * radius, INK)
            if cat:
                for drop in (0.2, 0.4):
                    self.rectangle(x + (side - 0.5) * 0.7 * radius, y + drop * radius, 0.7 * radius, 0.05 * radius, INK)
        if cat:
            self.rectangle(x - 0.6 * radius, y + 0.7 * radius, 1.2 * radius, 0.16 * radius, GOLD)
        self.polygon(
            [
                (x - 0.12 * radius, y + 0.15 * radius),
                (x + 0.12 * radius, y + 0.15 * radius),
                (x, y + 0.32 * radius),
            ],
            (240, 170, 170),
        )

    def ornament(self, x: float, y: float, size: float, colour: Colour) -> None:
        """A glass ball with a golden cap."""
        radius = 0.26 * size
        self.rectangle(x - 0.3 * radius, y - 1.35 * radius, 0.6 * radius, 0.6 * radius, GOLD)
        self.disc(x, y, radius, WHITE)
        self.disc(x, y, 0.86 * radius, colour)
        self.disc(x - 0.3 * radius, y - 0.3 * radius, 0.2 * radius, WHITE)

    def ghost(self, x: float, y: float, size: float, colour: Colour, heading: str | None) -> None:
        """A sheet in its player's outline, with an arrow where it is headed."""
        radius = 0.2 * size
        for grown, fill in ((1.25 * radius, colour), (radius, WHITE)):
            self.disc(x, y - 0.3 * radius, grown, fill)
            self.rectangle(x - grown, y - 0.3 * radius, 2 * grown, 1.1 * grown, fill)
        for side in (-1, 1):
            self.disc(x + side * 0.35 * radius, y - 0.4 * radius, 0.16 * radius, INK)
        if heading:
            right, down = HEADINGS[heading]
            x, y, half = x + 1.4 * radius * right, y + 1.4 * radius * down, 0.7 * radius
            tip = (x + right * radius, y + down * radius)
            self.polygon([(x - down * half, y - right * half), tip, (x + down * half, y + right * half)], colour)

    def piece(self, letter: str, x: float, y: float, size: float) -> None:
        """What a letter of the position text stands for."""
        colour = PLAYER_COLOURS[letter.islower()]
        if letter in "Oo":
            self.ornament(x, y, size, colour)
        else:
            self.animal(x, y, size, colour, cat=letter in "Cc")


def rgb(game: Game) -> Picture:
    """A picture, uint8 ``(height, width, 3)``: the board between player_1's pool above and player_0's below.

    The pool of the player who is to choose has a yellow ground, the winner's a green one.
    """
    board, drawn = game.rules.board, scene(game)
    top = STRIP + MARGIN
    canvas = Canvas(board.width + 2 * MARGIN, board.height + 2 * top)
    draw_spaces(canvas, board, top, flat=game.rules.flat)
    for cell, letter in drawn.pieces.items():
        canvas.piece(letter, MARGIN + cell % board.width + 0.5, top + cell // board.width + 0.5, 1)
    for player, ghost in enumerate(drawn.ghosts):
        if ghost:
            x = MARGIN + (ghost.low % board.width + ghost.high % board.width + 1) / 2
            y = top + (ghost.low // board.width + ghost.high // board.width + 1) / 2
            canvas.ghost(x, y, 1, PLAYER_COLOURS[player], ghost.heading)
    for player, strip_top in ((1, 0.0), (0, board.height + 2 * MARGIN + STRIP)):
        ground = TO_MOVE if game.mover == player and not game.is_over else TABLE
        if game.winner == player:
            ground = WON
        canvas.rectangle(0, strip_top, board.width + 2 * MARGIN, STRIP, ground)
        draw_pool(canvas, game, drawn, player, strip_top + STRIP / 2)
    return canvas.picture()


def draw_spaces(canvas: Canvas, board: Layout, top: float, *, flat: bool) -> None:
    """The empty board with its coordinates."""
    line = 2 / CELL_PIXELS
    for cell in board.spaces:
        x, y = MARGIN + cell % board.width, top + cell // board.width
        colour = LEVELS[board.levels[cell] - 1] if board.is_tree and not flat else BED
        canvas.rectangle(x, y, 1, 1, LINE)
        canvas.rectangle(x + line / 2, y + line / 2, 1 - line, 1 - line, colour)
    for column in range(board.width):
        for y in (top - MARGIN / 2, top + board.height + MARGIN / 2):
            canvas.glyph("abcdefgh"[column], MARGIN + column + 0.5, y)
    for row in range(board.height):
        for x in (MARGIN / 2, board.width + 1.5 * MARGIN):
            canvas.glyph(str(row + 1), x, top + row + 0.5)


def draw_pool(canvas: Canvas, game: Game, drawn: Scene, player: int, y: float) -> None:
    """One player's pool in a line: pieces, ornaments, ornaments taken, and the ghost at home."""
    own, other = ("KCO", "kco") if player == 0 else ("kco", "KCO")
    letters = [letter for letter, count in zip(own, drawn.pools[player], strict=False) for _ in range(count)]
    letters += [other[2]] * drawn.taken[player]
    ghost_home = game.rules.ghosts and drawn.ghosts[player] is None
    most = game.rules.pieces + 2 * game.rules.ornaments + game.rules.ghosts
    step = min(0.8, game.rules.board.width / most)
    x = MARGIN + step / 2
    for letter in letters:
        canvas.piece(letter, x, y, min(0.9, 1.1 * step))
        x += step
    if ghost_home:
        canvas.ghost(x, y, 1.1 * step, PLAYER_COLOURS[player], None)


class Window:
    """A window that shows pictures, opened with the first one.

    Args:
        title: what its frame says.

    Raises:
        ImportError: pygame is not installed.
    """

    def __init__(self, title: str) -> None:
        try:
            import pygame
        except ImportError as error:
            raise ImportError(
                'render_mode="human" needs pygame: pip install "boop-env[render]"; "rgb_array" and "ansi" do not'
            ) from error
        self._pygame: Any = pygame
        self._title = title
        self._screen: Any = None
        self._clock = pygame.time.Clock()

    def show(self, picture: Picture, fps: int) -> None:
        """Shows a picture, and waits so that no more than `fps` are shown a second."""
        pygame = self._pygame
        size = (picture.shape[1], picture.shape[0])
        if self._screen is None or self._screen.get_size() != size:
            pygame.display.init()
            pygame.display.set_caption(self._title)
            self._screen = pygame.display.set_mode(size)
        self._screen.blit(pygame.surfarray.make_surface(picture.swapaxes(0, 1)), (0, 0))
        pygame.event.pump()
        pygame.display.flip()
        self._clock.tick(fps)

    def close(self) -> None:
        """Closes the window."""
        self._pygame.display.quit()
        self._screen = None


class Renderer:
    """Shows games as an environment's `render_mode` asks; the window opens with its first picture.

    Args:
        mode: ``"ansi"``, ``"rgb_array"``, ``"human"`` or None.
        title: the window's.

    Raises:
        ValueError: there is no such mode.
    """

    def __init__(self, mode: str | None, title: str) -> None:
        if mode is not None and mode not in RENDER_MODES:
            raise ValueError(f"render_mode={mode!r} is not one of {', '.join(RENDER_MODES)}")
        self.mode = mode
        self._title = title
        self._window: Window | None = None

    def render(self, game: Game, fps: int) -> Picture | str | None:
        """A picture, a text, or None after showing it in the window.

        Args:
            game: what to show.
            fps: pictures the window shows a second, at most; it waits for that.

        Raises:
            ImportError: ``"human"`` without pygame.
        """
        if self.mode is None:
            gymnasium.logger.warn("render() without a render_mode shows nothing; give one when making the environment")
            return None
        if self.mode == "ansi":
            return text(game)
        if self.mode == "rgb_array":
            return rgb(game)
        if self._window is None:
            self._window = Window(self._title)
        self._window.show(rgb(game), fps)
        return None

    def close(self) -> None:
        """Closes the window, if there is one."""
        if self._window is not None:
            self._window.close()
            self._window = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_window": None}

    def __deepcopy__(self, memo: dict[int, Any]) -> Renderer:
        return Renderer(self.mode, self._title)
