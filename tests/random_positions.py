"""Random rule sets and random positions, made directly and not by play, for comparing implementations.

Every position that comes out is one that the refusals of section 8 of the rules let through. Whether play
could reach it does not matter there, nor here.
"""

from __future__ import annotations

import random
from types import SimpleNamespace

from reference import HEADINGS, ReferenceGame, Rules, ahead, owned


def random_layout_rules(rng: random.Random) -> SimpleNamespace:
    """An odd but valid rule set: a random layout up to 8x8 and options that go together."""
    height, width = (rng.choice((1, 2, 3, 4, 5, 5, 6, 6, 7, 8, 8)) for _ in range(2))
    style = rng.choice(("bed", "bed", "holes", "tree", "tree"))
    levels = "1234" if style == "tree" else rng.choice("1111234")
    lines = [[rng.choice(levels) for _ in range(width)] for _ in range(height)]
    if style != "bed":
        for line in lines:
            # One space a line stays, so that no line is holes only.
            for column in rng.sample(range(width), rng.randint(0, (width - 1) // 2)):
                line[column] = "-"
    layout = "\n".join("".join(line) for line in lines)
    marks = set(layout) - {"\n"}
    # On a board one space wide, a stitch is an entry from both ends and its name would mean two things.
    ghosts_fit = len(marks) == 1 and "-" not in marks and min(height, width) > 1
    ornaments_fit = "2" in marks and bool(marks & {"3", "4"})
    ghosts = ghosts_fit and rng.random() < 0.75
    ornaments = rng.choice((0, 1, 2, 3, 3, 3)) if ornaments_fit else 0
    return SimpleNamespace(
        layout=layout,
        rows=rng.choice(("choose", "all")),
        full_bed=rng.choice(("may", "must", "must_kitten")),
        eight_cats_win=rng.random() < 0.5,
        cat_row=rng.choice(("own_turn", "at_once")),
        safe_rows_only=not ghosts and ornaments == 0 and rng.random() < 0.5,
        ghosts=ghosts,
        ornaments=ornaments,
        pieces=rng.randint(3, 8),
        max_turns=rng.choice((1, 2, 5, 20, 60, 300)),
    )


def random_position(rules: Rules, rng: random.Random) -> str:
    """A random position text that no refusal applies to, made directly and not by play."""
    phases = "pg" + ("o" if rules.ornaments > 0 else "") + ("h" if rules.ghosts else "")
    while True:
        # Some phases cannot be had on some rule sets (no row fits, say), so give up on one after a while.
        phase = "x" if rng.random() < 0.05 else rng.choice(phases)
        for _ in range(100):
            game = _random_game(rules, phase, rng)
            if fits_phase(game):
                return game.position()


def _random_game(rules: Rules, phase: str, rng: random.Random) -> ReferenceGame:
    game = ReferenceGame(rules)
    game.mover, game.phase = rng.randrange(2), phase
    game.turn = rng.randrange(rules.max_turns)
    if phase == "x" and rng.random() < 0.3:
        game.turn = rules.max_turns
    for player in (0, 1):
        _scatter_ornaments(game, player, rng)
    crowded = rng.random() < 0.4
    for player in rng.sample((0, 1), 2):
        if rng.random() < 0.5:
            _set_up_row(game, player, rng)
        _scatter_pieces(game, player, crowded, rng)
    if rules.ghosts:
        _scatter_ghosts(game, rng)
    return game


def _scatter_ornaments(game: ReferenceGame, player: int, rng: random.Random) -> None:
    kept = rng.randint(0, game.rules.ornaments)
    spots = [square for square in game.empty_squares() if game.levels[square] > 1]
    hangs = kept > 0 and bool(spots) and rng.random() < 0.6
    if hangs:
        game.board[rng.choice(spots)] = owned("O", player)
    game.pools[player]["O"] = kept - int(hangs)


def _set_up_row(game: ReferenceGame, player: int, rng: random.Random) -> None:
    empty = set(game.empty_squares())
    rows = [row for row in game.layout_rows if empty.issuperset(row)]
    if rows:
        for square in rng.choice(rows):
            game.board[square] = owned(rng.choice("KKC"), player)


def _scatter_pieces(game: ReferenceGame, player: int, crowded: bool, rng: random.Random) -> None:
    pieces = game.rules.pieces
    free = pieces - len(game.pieces_of(player))
    empty = game.empty_squares()
    most = min(free, len(empty))
    cat_share = rng.choice((0.0, 0.2, 0.5, 1.0))
    for square in rng.sample(empty, most if crowded else rng.randint(0, most)):
        game.board[square] = owned("C" if rng.random() < cat_share else "K", player)
    in_pool = pieces - len(game.pieces_of(player))
    cats = sum(rng.random() < cat_share for _ in range(in_pool))
    game.pools[player].update(K=in_pool - cats, C=cats)


def _scatter_ghosts(game: ReferenceGame, rng: random.Random) -> None:
    for player in (0, 1):
        stitch, heading = rng.choice(game.entries())
        step = HEADINGS[heading]
        length = game.height if heading in "v^" else game.width
        for _ in range(rng.randrange(length)):
            stitch = ahead(stitch[0], step), ahead(stitch[1], step)
        taken = [ghost[0] for ghost in game.ghosts if ghost is not None]
        if rng.random() < 0.6 and stitch not in taken:
            game.ghosts[player] = stitch, heading
    game.came_home = game.ghosts[game.mover] is None and rng.random() < 0.3


def fits_phase(game: ReferenceGame) -> bool:
    """Whether the phase fits the rest of the position, by the refusals of section 8."""
    if game.phase == "x":
        return game.turn == game.rules.max_turns or game.result() != (None, None)
    if game.has_lost_all_ornaments(0) or game.has_lost_all_ornaments(1):
        return False
    if game.phase == "o":
        return bool(game.hanging_squares())
    if game.phase == "p":
        return not game.hanging_squares()
    if game.phase == "g":
        return len(game.graduation_options()) > 1
    return game.may_place_ghost()
