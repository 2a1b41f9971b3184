"""The page in a browser: played, analysed, shared, by mouse, finger and keyboard."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import unquote

import numpy as np
import pytest
from conftest import CHROMIUM, CHROMIUM_ARGUMENTS, Served

from boop_env import Game, make_bot

sync_api = pytest.importorskip("playwright.sync_api", reason="the page's tests need playwright")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="the page's tests need axe-playwright-python")

if CHROMIUM is None:
    pytest.skip("no Chromium here; on Debian: apt-get install chromium", allow_module_level=True)

PATIENCE = 60_000  # milliseconds; a busy machine is no failure


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_ARGUMENTS)
        yield made
        made.close()


class Visit:
    """A page, and what its console said."""

    def __init__(self, browser: Any, served: Served, **options: Any) -> None:
        self.context = browser.new_context(**{"reduced_motion": "reduce", **options})
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.url = served.url
        self.errors: list[str] = []
        self.page.on("console", lambda said: said.type in ("error", "warning") and self.errors.append(said.text))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))

    def open(self, fragment: str = "") -> Visit:
        """Opens the page at a link."""
        self.page.goto("about:blank")
        self.page.goto(f"{self.url}{fragment}")
        self.page.wait_for_selector("#prompt > p")
        return self

    @property
    def link(self) -> dict[str, str]:
        """What the address says."""
        fragment = self.page.evaluate("location.hash")
        return {name: unquote(value) for name, value in re.findall(r"[#&](\w+)=([^&]*)", fragment)}

    @property
    def game(self) -> Game:
        """The game in the address, replayed by the rules."""
        link = self.link
        return Game.from_record(link["rules"], link.get("moves", "").replace(".", " "), link.get("start"))

    def until(self, expression: str, argument: Any = None) -> None:
        """Waits until an expression is true. (Playwright's own way needs eval, which the page's policy forbids.)"""
        for _ in range(PATIENCE // 50):
            if self.page.evaluate(expression, argument):
                return
            self.page.wait_for_timeout(50)
        pytest.fail(f"still not true: {expression}")

    def wait_for_steps(self, count: int) -> None:
        """Waits until the game has so many steps, and somebody may move or it is over."""
        self.until("count => (location.hash.match(/moves=([^&]*)/)?.[1].split('.') ?? []).length >= count", count)
        self.page.wait_for_selector("#prompt.yours, #prompt.over")

    def play(self, move: str) -> None:
        """Makes a move by clicks, and waits until it is made."""
        steps = len(self.game.record())
        page = self.page
        if move == "-":
            page.click("#pass")
        elif move[0] == "G":
            page.click(f'.entry[data-move="{move}"]')
        elif move[0] == "+" and len(move) == 5:
            if page.locator('.radio >> text="A row"').count():
                page.click('.radio >> text="A row"')
            page.click(f'.rows [data-move="{move}"]')
        else:
            choice = {"K": "Kitten ×", "C": "Cat ×", "+": "One piece"}.get(move[0])
            if choice and page.locator(f".radio >> text={choice}").count():
                page.click(f".radio >> text={choice}")
            page.click(f'.space.legal[data-space="{move[1:]}"]')
        self.wait_for_steps(steps + 1)

    def serious(self) -> list[str]:
        """What axe finds that is serious or worse."""
        found = axe.Axe().run(self.page).response["violations"]
        return [
            f"{violation['id']}: {node['html'][:200]} {node['failureSummary']}"
            for violation in found
            if violation["impact"] in ("serious", "critical")
            for node in violation["nodes"]
        ]


@pytest.fixture
def visit(browser: Any, served: Served) -> Iterator[Callable[..., Visit]]:
    """Makes visits, and finds fault with what their consoles said."""
    visits: list[Visit] = []

    def make(**options: Any) -> Visit:
        visits.append(Visit(browser, served, **options))
        return visits[-1]

    yield make
    for one in visits:
        one.context.close()
    assert [error for one in visits for error in one.errors] == []


@pytest.mark.parametrize(
    ("rules", "seats"), [("boop", "me,easy"), ("booop", "random,me"), ("halls", "me,random"), ("boop_bga", "me,random")]
)
def test_a_whole_game_by_clicks(visit: Callable[..., Visit], rules: str, seats: str) -> None:
    here = visit().open(f"#rules={rules}&seats={seats}")
    me = seats.split(",").index("me")
    bot, rng = make_bot("easy"), np.random.default_rng(1)
    here.page.wait_for_selector("#prompt.yours")
    while not here.game.is_over:
        game = here.game
        assert game.mover == me
        assert here.page.locator(".space.legal, .entry, .rows button, #pass").count() > 0
        here.play(bot.move(game, rng))
        here.page.wait_for_selector("#prompt.yours, #prompt.over")
    game = here.game
    said = here.page.text_content("#question")
    if game.winner is None:
        assert "Nobody wins" in said
    else:
        assert f"{('Orange', 'Blue')[game.winner]} wins" in said
        assert here.page.locator(f"#player-{game.winner}.won").count() == 1
    assert here.page.locator("#moves [data-step]").count() == len(game.record())


def test_pushes_are_shown_in_motion(visit: Callable[..., Visit]) -> None:
    here = visit(reduced_motion="no-preference").open("#rules=boop&seats=me,me&moves=Kc3")
    here.play("Kd4")
    assert here.page.locator('[data-at="b2"][data-piece="K"]').count() == 1
    assert here.page.locator(".over .push").count() == 1
    assert "The orange kitten on c3 moves to b2." in here.page.text_content("#live")


@pytest.mark.parametrize(
    ("rules", "start", "said", "move"),
    [
        ("boop", "6/1KKKK1/6/6/6/6 0 g 4,0/8,0 - 20", "more than one row", "+b2d2"),
        ("boop", "K1K1K1/1K1K1K/6/K1K3/6/6 0 g 0,0/8,0 - 20", "All your pieces are on the bed", "+a1"),
        ("boop", "K1K1K1/1K1K1K/6/K1K3/6/6 0 g 0,0/8,0 - 20", "leave them all", "-"),
        ("boop", "KKK3/3K1K/6/K1K3/5K/6 0 g 0,0/8,0 - 20", "take one piece back instead", "+a1c1"),
        ("boop", "KKK3/3K1K/6/K1K3/5K/6 0 g 0,0/8,0 - 20", "take one piece back instead", "+d2"),
        ("booop", "6/6/2K3/6/6/6 0 h 7,0/8,0 -/- 4", "Your ghost is at home", "Gf3f4"),
        ("booop", "6/6/2K3/6/6/6 0 h 7,0/8,0 -/- 4", "keep it home", "-"),
        ("halls", "-5-/7/7/7/7/7/-5- 0 o 8,0,3/8,0,3 - 0", "Hang an ornament", "Oc4"),
        ("boop", "2K3/6/6/6/6/6 0 p 5,2/8,0 - 4", "a kitten or a cat", "Ce5"),
    ],
)
def test_every_choice_is_asked_for_and_made(
    visit: Callable[..., Visit], rules: str, start: str, said: str, move: str
) -> None:
    here = visit().open(f"#rules={rules}&seats=me,me&start={start.replace(' ', '%20')}")
    here.page.wait_for_selector("#prompt.yours")
    assert said in here.page.text_content("#question")
    here.play(move)
    assert here.game.record() == [move]


def test_a_space_in_two_rows_asks_which(visit: Callable[..., Visit]) -> None:
    here = visit().open("#rules=boop&seats=me,me&start=6/1KKKK1/6/6/6/6%200%20g%204,0/8,0%20-%2020")
    here.page.wait_for_selector("#prompt.yours")
    here.page.click('[data-space="c2"]')
    assert "Which of them?" in here.page.text_content("#question")
    here.page.click('[data-space="b2"]')  # in one row only
    here.wait_for_steps(1)
    assert here.game.record() == ["+b2d2"]


def test_undo_takes_back_the_bots_answer_too(visit: Callable[..., Visit]) -> None:
    here = visit().open("#rules=boop&seats=me,easy")
    here.play("Kc3")
    here.wait_for_steps(2)
    here.page.click("#undo")
    assert here.game.record() == []
    here.play("Kd4")
    here.wait_for_steps(2)
    assert here.game.record()[0] == "Kd4"


def test_a_new_game_is_chosen_in_the_dialog(visit: Callable[..., Visit]) -> None:
    here = visit().open()
    here.page.click("#new")
    here.page.click('#variant-cards >> text="BOOoop."')
    here.page.select_option("#seat-0", "random")
    here.page.select_option("#seat-1", "me")
    here.page.click("#start")
    here.wait_for_steps(1)
    assert (here.link["rules"], here.link["seats"]) == ("booop", "random,me")
    assert here.page.text_content("#variant") == "BOOoop."


def test_networks_play_and_only_what_they_can(visit: Callable[..., Visit]) -> None:
    here = visit().open("#rules=boop&seats=me,boop-net:64")
    here.play("Kc3")
    here.wait_for_steps(2)
    here.page.click("#new")
    here.page.wait_for_selector("#new-dialog[open]")
    labels = here.page.locator("#seat-0 option").all_text_contents()
    assert "boop-net (network alone)" in labels
    assert not [label for label in labels if label.startswith("booop-net")]
    here.page.keyboard.press("Escape")
    # A link that seats a bot that is not there seats another.
    assert here.open("#rules=halls&seats=me,boop-net").link["seats"] == "me,easy"


def test_two_bots_play_by_themselves_and_pause(visit: Callable[..., Visit]) -> None:
    here = visit().open("#rules=boop&seats=random,easy")
    here.until("(location.hash.match(/moves=([^&]*)/)?.[1].split('.') ?? []).length >= 3")
    here.page.click("#pause")
    steps = len(here.game.record())
    here.page.wait_for_timeout(1500)
    assert len(here.game.record()) == steps
    here.page.click("#go-on")
    here.until("steps => location.hash.match(/moves=([^&]*)/)[1].split('.').length > steps", steps)


def test_a_reload_and_a_killed_server_lose_nothing(visit: Callable[..., Visit], served: Served) -> None:
    here = visit().open("#rules=booop&seats=me,me")
    here.play("Kc3")
    here.play("Ga1b1")
    here.page.reload()
    here.page.wait_for_selector("#prompt.yours")
    here.play("Kd4")
    served.kill()
    here.page.click('.entry[data-move="Gc6d6"]')
    here.page.wait_for_selector("#alert:not([hidden])")
    assert "cannot be reached" in here.page.text_content("#alert")
    served.start()
    here.page.click("#alert button")
    here.play("Gc6d6")
    assert here.game.record() == ["Kc3", "Ga1b1", "Kd4", "Gc6d6"]
    link = here.page.url
    other = visit()
    other.page.goto(link)
    other.page.wait_for_selector("#prompt.yours")
    assert other.game == here.game
    here.errors = [error for error in here.errors if "ERR_CONNECTION_REFUSED" not in error]


def test_analysis_shows_value_policy_lines_and_graph(visit: Callable[..., Visit]) -> None:
    here = visit().open("#rules=boop&seats=me,me&start=CC4/6/6/6/6/6%200%20p%205,1/8,0%20-%2020&moves=Kf6.Kf1.Kf5.Ka6")
    page = here.page
    page.click("#analyse")
    page.wait_for_selector("#lines li")
    assert page.locator(".policy").count() > 0
    assert page.locator("#value-bar").is_visible()
    assert "Orange wins in 1 step" in page.text_content("#verdict")
    page.wait_for_selector("#graph .curve")
    here.until("document.querySelector('#graph .curve').getAttribute('points').split(' ').length === 5")
    box = page.locator("#graph").bounding_box()
    page.mouse.click(box["x"] + box["width"] * 0.5, box["y"] + 20)
    assert page.input_value("#slider") == "2"
    page.uncheck("#show-policy")
    assert page.locator(".policy").count() == 0
    page.click("#last")
    page.wait_for_selector("#lines li")
    page.click("#lines li:first-child button")
    page.wait_for_selector("#leave-line")
    page.wait_for_selector(".band.won", state="attached")  # a level path has no height, so it counts as hidden
    page.click("#leave-line")
    assert len(here.game.record()) == 4
    with page.expect_response("**/api/analyse") as answer:
        page.select_option("#engine", "boop-net")
    assert answer.value.ok
    page.wait_for_selector("#lines li")
    page.click("#analyse")
    assert not page.locator("#value-bar").is_visible()


def test_steps_are_walked_through_and_played_on_from(visit: Callable[..., Visit]) -> None:
    here = visit().open("#rules=boop&seats=me,me&moves=Kc3.Kd4.Ka1.Kf6")
    page = here.page
    page.click('#moves [data-step="1"]')
    assert page.locator("#moves [aria-current]").text_content() == "Kc3"
    assert page.locator(".pieces .piece").count() == 1
    page.keyboard.press("ArrowRight")
    here.until("document.querySelectorAll('.pieces .piece').length === 2")
    page.click("#first")
    assert page.locator(".pieces .piece").count() == 0
    assert len(here.game.record()) == 4  # looking changes nothing
    page.click("#forward")
    page.wait_for_selector('.space.legal[data-space="f1"]')
    page.click('[data-space="f1"]')
    here.until("location.hash.includes('moves=Kc3.Kf1')")
    assert here.game.record() == ["Kc3", "Kf1"]


def test_games_are_pasted(visit: Callable[..., Visit]) -> None:
    here = visit().open()
    page = here.page
    position = "6/1K4/6/3k2/6/6 0 p 7,0/7,0 - 2"
    for text, rules, record in (
        ("Kc3 Kd4", "boop", ["Kc3", "Kd4"]),
        ("rules halls\n1. Od3 Kc3", "halls", ["Od3", "Kc3"]),
        (f"{here.url}#rules=boop&seats=me,me&moves=Ka1.Kb2", "boop", ["Ka1", "Kb2"]),
        (position, "boop", []),
    ):
        page.click("#load")
        page.fill("#load-text", text)
        page.click("#load-go")
        page.wait_for_selector("#load-dialog", state="hidden")
        assert here.link["rules"] == rules
        assert here.game.record() == record
    assert here.game.position() == position


def test_bad_input_is_explained(visit: Callable[..., Visit]) -> None:
    here = visit().open("#rules=boop&seats=me,me&moves=Kc3.Kc3")
    page = here.page
    page.wait_for_selector("#alert:not([hidden])")
    assert "step 2 of the record" in page.text_content("#alert")
    assert here.game.record() == []  # a fresh game instead
    page.click("#load")
    for text, said in (
        ("Kz9", "step 1 of the record"),
        ("", "no game"),
        ("6/6 0 p", "position field"),
        ("<b>x</b>", ""),
    ):
        page.fill("#load-text", text)
        page.click("#load-go")
        page.wait_for_selector("#load-error:not([hidden])")
        assert said in page.text_content("#load-error")
    page.keyboard.press("Escape")
    here.open("#rules=%E0%A4%A&seats=,,,&moves=....&start=%00")
    page.wait_for_selector("#alert:not([hidden])")
    here.errors = [error for error in here.errors if "400 (Bad Request)" not in error]


def test_downloads(visit: Callable[..., Visit]) -> None:
    here = visit(accept_downloads=True).open("#rules=booop&seats=me,me&moves=Kc3.Ga1b1.Kd4.-")
    expected = {
        "save-record": (b"rules booop\n1. Kc3 Ga1b1 2. Kd4 -\n", "booop.txt"),
        "save-svg": (b"<svg", "booop-4.svg"),
        "save-png": (b"\x89PNG", "booop-4.png"),
    }
    for button, (begins, name) in expected.items():
        with here.page.expect_download() as download:
            here.page.click(f"#{button}")
        assert download.value.suggested_filename == name
        with open(download.value.path(), "rb") as file:
            assert file.read().startswith(begins)
    pytest.importorskip("PIL", reason="GIFs need Pillow")
    pytest.importorskip("resvg_py", reason="GIFs need resvg")
    with here.page.expect_download() as download:
        here.page.click("#save-gif")
    with open(download.value.path(), "rb") as file:
        assert file.read(6) == b"GIF89a"


def test_the_link_is_copied(visit: Callable[..., Visit]) -> None:
    here = visit(permissions=["clipboard-read", "clipboard-write"]).open("#rules=boop&seats=me,me&moves=Kc3")
    here.page.click("#copy-link")
    here.until("document.querySelector('#said').textContent === 'Link copied.'")
    assert here.page.evaluate("navigator.clipboard.readText()") == here.page.url
    here.page.click("#copy-position")
    here.until("document.querySelector('#said').textContent === 'Position copied.'")
    assert here.page.evaluate("navigator.clipboard.readText()") == Game.from_record("boop", "Kc3").position()


def press(here: Visit, *keys: str) -> None:
    for key in keys:
        here.page.keyboard.press(key)


def test_the_keyboard_is_enough(visit: Callable[..., Visit]) -> None:
    here = visit().open("#rules=booop&seats=me,me")
    page = here.page
    press(here, "Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the board"
    press(here, "Enter")
    assert page.evaluate("document.activeElement.dataset.space") == "d4"
    press(here, "ArrowLeft", "ArrowUp", "Enter")
    here.wait_for_steps(1)
    assert here.game.record() == ["Kc3"]
    # The ghost's entries have the focus now.
    here.until("document.activeElement.classList.contains('entry')")
    press(here, "ArrowRight", "ArrowRight", "ArrowLeft", "Enter")
    here.wait_for_steps(2)
    assert here.game.record()[1] == "Gb1c1"
    here.until("document.activeElement.dataset.space === 'c3'")
    press(here, "ArrowRight", "ArrowDown", "Enter")
    here.wait_for_steps(3)
    press(here, "u")
    assert here.game.record() == ["Kc3", "Gb1c1"]
    here.open("#rules=boop&seats=me,me&start=2K3/6/6/6/6/6%200%20p%205,2/8,0%20-%204")
    page.wait_for_selector("#prompt.yours")
    press(here, "Tab", "Enter", "c", "Enter")
    here.wait_for_steps(1)
    assert here.game.record() == ["Cd4"]
    here.open("#rules=boop&seats=me,me&start=6/1KKKK1/6/6/6/6%200%20g%204,0/8,0%20-%2020")
    page.wait_for_selector("#prompt.yours")
    press(here, "Tab", "Enter", "Tab")
    assert page.evaluate("document.activeElement.dataset.move") == "+b2d2"
    press(here, "Tab", "Enter")
    here.wait_for_steps(1)
    assert here.game.record() == ["+c2e2"]
    press(here, "n")
    page.wait_for_selector("#new-dialog[open]")
    press(here, "ArrowDown", "Enter")
    here.until("location.hash.includes('rules=boop_bga')")


def test_a_phone_has_room_for_all(visit: Callable[..., Visit]) -> None:
    here = visit(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    page = here.page
    for rules in ("boop", "booop", "halls"):
        here.open(f"#rules={rules}&seats=me,me")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        board = page.locator("#board").bounding_box()
        assert board["width"] > 320
        assert board["y"] + board["height"] < 740
        assert page.locator(".space").first.bounding_box()["width"] > 40
        page.click("#analyse")
        page.wait_for_selector("#lines li")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.tap('[data-space="d3"]')
    here.until("location.hash.includes('moves=Od3')")
    for button in ("#new", "#rules", "#load"):
        page.tap(button)
        page.wait_for_selector("dialog[open]")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        box = page.locator("dialog[open]").bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 360
        page.locator("dialog[open] .close").first.tap()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("rules", ["boop", "booop", "halls"])
def test_nothing_serious_for_those_who_read_otherwise(visit: Callable[..., Visit], rules: str, scheme: str) -> None:
    here = visit(color_scheme=scheme).open(f"#rules={rules}&seats=me,me&moves={'Od3.' if rules == 'halls' else ''}Kc3")
    page = here.page
    assert page.evaluate("document.documentElement.className") == f"boop-{scheme}"
    page.click("#analyse")
    page.wait_for_selector("#lines li")
    page.wait_for_selector("#graph .curve")
    assert here.serious() == []
    for button in ("#new", "#rules", "#load"):
        page.click(button)
        page.wait_for_selector("dialog[open]")
        assert here.serious() == []
        page.keyboard.press("Escape")


def test_colours_are_remembered(visit: Callable[..., Visit]) -> None:
    here = visit().open()
    here.page.click("#theme")
    here.page.click("#theme")
    assert here.page.evaluate("document.documentElement.className") == "boop-dark"
    here.page.reload()
    here.page.wait_for_selector("#prompt > p")
    assert here.page.evaluate("document.documentElement.className") == "boop-dark"
    assert here.context.cookies() == []


def test_the_rules_are_explained_for_the_game_at_hand(visit: Callable[..., Visit]) -> None:
    here = visit().open("#rules=booop&seats=me,me")
    here.page.click("#rules")
    text = here.page.text_content("#rules-text")
    assert "ghost" in text
    assert "rnament" not in text
    here.page.wait_for_selector("#rules-text figure svg")
    here.page.keyboard.press("Escape")
    here.open("#rules=boop_overview&seats=me,me")
    here.page.click("#rules")
    text = here.page.text_content("#rules-text")
    assert "all your rows of three leave the board together" in text
    assert "pieces on the board as cats" not in text
