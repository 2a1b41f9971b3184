"""SVG pictures: all of the position, once, and nothing from outside; golden pictures of the whole."""

from __future__ import annotations

import re
from collections import Counter
from xml.etree import ElementTree

import golden_pictures
import numpy as np
import pytest

from boop_env import PRESETS, Game, RuleSet
from boop_env.envs.render import board_svg, piece_symbols, scene, symbol_id
from boop_env.envs.render.raster import raster
from boop_env.envs.render.scene import Scene
from boop_env.envs.render.steps import Step, last_step
from boop_env.envs.render.themes import THEMES

SVG = "{http://www.w3.org/2000/svg}"


def random_games(preset: str, count: int, steps: int) -> list[Game]:
    games = []
    for seed in range(count):
        rng = np.random.default_rng(seed)
        game = Game(preset)
        while not game.is_over and len(game.record()) < steps:
            game.push(int(rng.choice(game.legal_actions())))
        games.append(game)
    return games


def with_class(root: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [element for element in root.iter() if name in element.get("class", "").split()]


def shown_pieces(root: ElementTree.Element) -> Counter[tuple[str, str | None]]:
    """Symbol of every piece, with its place on the board or None in a pool."""
    return Counter((use.get("href", "")[1:], use.get("data-at")) for use in with_class(root, "piece"))


def expected_pieces(game: Game, drawn: Scene) -> Counter[tuple[str, str | None]]:
    name = game.rules.board.name
    found = Counter((symbol_id(letter), name(cell)) for cell, letter in drawn.pieces.items())
    for player, letters in enumerate(("KCO", "kco")):
        for letter, count in zip(letters, drawn.pools[player], strict=False):
            found[symbol_id(letter), None] += count
        found[symbol_id("oO"[player]), None] += drawn.taken[player]
        if game.rules.ghosts:
            ghost = drawn.ghosts[player]
            place = f"{name(ghost.low)}{name(ghost.high)}{ghost.heading}" if ghost else None
            found[symbol_id("Gg"[player]), place] += 1
    return +found


@pytest.mark.parametrize("preset", PRESETS)
def test_every_piece_is_shown_once(preset: str) -> None:
    for game in [Game(preset), *random_games(preset, 6, 60)]:
        root = ElementTree.fromstring(board_svg(game))
        assert shown_pieces(root) == expected_pieces(game, scene(game)), game.position()


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("preset", PRESETS)
def test_nothing_comes_from_outside(preset: str, theme: str) -> None:
    svg = board_svg(random_games(preset, 1, 40)[0], theme=theme)
    root = ElementTree.fromstring(svg)
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    references = re.findall(r'href="([^"]*)"', svg) + re.findall(r"url\(([^)]*)\)", svg)
    assert {reference.lstrip("#") for reference in references} <= set(ids)
    assert all(reference.startswith("#") for reference in references)
    assert svg.replace('xmlns="http://www.w3.org/2000/svg"', "").count("http") == 0
    assert "@import" not in svg and f"{SVG}script" not in {element.tag for element in root.iter()}


def replayed(drawn: Scene, step: Step, letter: str) -> dict[int, str]:
    """The board before a step with all that the picture says about the step done to it."""
    pieces = dict(drawn.pieces)
    if step.placed is not None:
        pieces[step.placed] = letter
    for push in step.boops + step.ghost_boops:
        assert pieces.pop(push.origin) == push.letter
        if push.pounced is not None:
            assert pieces.pop(push.pounced) in "Oo"
        if push.target is not None:
            assert push.target not in pieces
            pieces[push.target] = push.letter
    for cell, graduate in step.graduated.items():
        assert pieces.pop(cell) == graduate
    return pieces


@pytest.mark.parametrize("preset", PRESETS)
def test_arrows_are_what_the_engine_did(preset: str) -> None:
    seen = Counter[str]()
    for game in random_games(preset, 8, 120):
        replay = Game(preset)
        for move in game.record():
            before = scene(replay)
            letter = move[0] if replay.mover == 0 else move[0].lower()
            replay.push(move)
            step = last_step(replay)
            assert step is not None
            assert replayed(before, step, letter) == scene(replay).pieces, (move, replay.position())
            seen["pushed"] += len(step.boops)
            seen["off"] += sum(push.target is None for push in step.boops)
            seen["pounced"] += sum(push.pounced is not None for push in step.boops)
            seen["haunted"] += len(step.ghost_boops)
            seen["graduated"] += len(step.graduated)
    rules = Game(preset).rules
    wanted = {"pushed", "off", "graduated"}
    wanted |= {"haunted"} if rules.ghosts else set()
    wanted |= {"pounced"} if rules.ornaments else set()
    assert wanted <= set(+seen)


@pytest.mark.parametrize("preset", PRESETS)
def test_arrows_in_the_picture(preset: str) -> None:
    name = Game(preset).rules.board.name
    for game in random_games(preset, 8, 45):
        step = last_step(game)
        assert step is not None
        root = ElementTree.fromstring(board_svg(game))
        arrows = {(group.get("data-from"), group.get("data-to")) for group in with_class(root, "push")}
        pushes = step.boops + step.ghost_boops
        assert arrows == {(name(p.origin), "off" if p.target is None else name(p.target)) for p in pushes}
        placed = [mark.get("data-at") for mark in with_class(root, "placed")]
        assert placed == ([] if step.placed is None else [name(step.placed)])
        assert {mark.get("data-at") for mark in with_class(root, "graduated")} == {name(c) for c in step.graduated}


def test_last_step_can_be_left_out() -> None:
    game = Game()
    game.push("Kb2")
    game.push("Ka2")
    assert 'class="last-step"' in board_svg(game)
    assert 'class="last-step"' not in board_svg(game, last_step=False)


def test_words() -> None:
    game = Game.from_position("booop", "6/6/6/6/6/6 1 h 8,0/8,0 c3d3v/- 3")
    texts = {element.text for element in ElementTree.fromstring(board_svg(game)).iter(f"{SVG}text")}
    assert {"player_1 to place the ghost", "turn 3", *"abcdef123456"} <= texts
    assert ElementTree.fromstring(board_svg(game)).findtext(f"{SVG}desc") == game.position()


def test_ends() -> None:
    won = board_svg(Game.from_position("boop", "ccc3/6/6/6/6/6 1 x 8,0/5,0 - 3"))
    assert "player_1 wins, three cats" in won
    (winner,) = [pool for pool in with_class(ElementTree.fromstring(won), "pool") if "won" in board_part(pool)]
    assert winner.get("data-player") == "1"
    drawn = board_svg(Game.from_position("boop", "6/6/6/6/6/6 0 x 8,0/8,0 - 300"))
    assert "over, truncated" in drawn and 'class="won"' not in drawn and 'class="to-move"' not in drawn


def board_part(pool: ElementTree.Element) -> set[str]:
    return {element.get("class", "") for element in pool}


def test_themes() -> None:
    light, dark, auto = (board_svg(Game(), theme=theme) for theme in ("light", "dark", "auto"))
    assert "prefers-color-scheme:dark" in auto
    assert "prefers-color-scheme" not in light + dark
    assert re.sub("<style>.*</style>|boop-light", "", light) == re.sub("<style>.*</style>|boop-dark", "", dark)
    with pytest.raises(ValueError, match="theme='blue' is not one of light, dark, auto"):
        board_svg(Game(), theme="blue")


def test_auto_is_light_in_pixels() -> None:
    pytest.importorskip("resvg_py", reason="needs the render extra")
    light, auto = (np.asarray(raster(board_svg(Game(), size=100, theme=theme))) for theme in ("light", "auto"))
    assert (light == auto).all()


def test_size() -> None:
    root = ElementTree.fromstring(board_svg(Game(), size=200))
    _, _, width, height = map(float, root.get("viewBox", "").split())
    assert root.get("width") == "200"
    assert int(root.get("height", 0)) == round(200 * height / width)
    with pytest.raises(ValueError, match="size=0"):
        board_svg(Game(), size=0)


def test_tree_and_flat_form() -> None:
    assert 'class="side-1"' in board_svg(Game("halls"))
    assert 'class="side-1"' not in board_svg(Game("halls_flat"))
    assert 'class="ring"' in board_svg(Game("halls_flat"))


@pytest.mark.parametrize("layout", ["111", "1\n1\n1", "-1-\n121\n-4-", "\n".join(["12341234"] * 8)])
def test_any_layout(layout: str) -> None:
    game = Game(RuleSet(layout=layout, pieces=3))
    game.push(game.legal_moves()[0])
    ElementTree.fromstring(board_svg(game))


def test_symbols_are_all_there_and_all_different() -> None:
    root = ElementTree.fromstring(f'<svg xmlns="http://www.w3.org/2000/svg">{piece_symbols()}</svg>')
    symbols = {symbol.get("id"): ElementTree.tostring(symbol) for symbol in root.iter(f"{SVG}symbol")}
    assert set(symbols) == {symbol_id(letter) for letter in "KCOGkcog"}
    assert len({re.sub(rb' id="[^"]*"', b"", text) for text in symbols.values()}) == 8


def test_notebooks() -> None:
    game = Game("halls")
    assert game._repr_svg_() == board_svg(game)
    assert game._repr_html_().startswith('<img src="data:image/svg+xml;base64,')
    assert 'alt="halls, turn 0: player_0 to hang an ornament"' in game._repr_html_()


@pytest.mark.parametrize("name", golden_pictures.SHOWN)
def test_golden_pictures(name: str) -> None:
    pytest.importorskip("resvg_py", reason="needs the render extra")
    assert golden_pictures.is_same(golden_pictures.picture(name), golden_pictures.golden(name)), (
        f"{name} is drawn differently; if that is meant: python tests/envs/golden_pictures.py"
    )


def test_golden_pictures_tell_one_kitten_from_none_or_another() -> None:
    pytest.importorskip("resvg_py", reason="needs the render extra")
    position = golden_pictures.SHOWN["boop"][2]
    before = golden_pictures.golden("boop")
    for other in (position.replace("4K1", "3K2"), position.replace("4K1/k", "4k1/K")):
        assert other != position
        assert not golden_pictures.is_same(golden_pictures.picture("boop", other), before)
