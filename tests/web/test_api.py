"""The server's answers, its refusals and its limits."""

from __future__ import annotations

import asyncio
import itertools
import json
import threading
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from conftest import Client

from boop_env import PRESETS, Game, make_bot
from boop_env.web.analysis import Searcher
from boop_env.web.app import create_app
from boop_env.web.limits import Limits

POSTS = ("game", "move", "analyse", "values", "read", "record", "picture", "animation")


def played(rules: str, seed: int, steps: int = 10**6) -> Game:
    """A game of random moves."""
    rng = np.random.default_rng(seed)
    bot = make_bot("random")
    game = Game(rules)
    while not game.is_over and len(game.record()) < steps:
        game.push(bot.move(game, rng))
    return game


def ask(client: Client, what: str, **fields: Any) -> Any:
    """The JSON of an answer that must be a good one."""
    answer = client.post(f"/api/{what}", json=fields)
    assert answer.status_code == 200, answer.text
    return answer.json()


def refusal(client: Client, what: str, **fields: Any) -> tuple[int, str]:
    """Status and message of a refusal."""
    answer = client.post(f"/api/{what}", json=fields)
    assert set(answer.json()) == {"error"}
    return answer.status_code, answer.json()["error"]


def flat(legal: dict[str, Any]) -> list[str]:
    """The move texts of moves sorted for a page."""
    letters = {"kittens": "K", "cats": "C", "ornaments": "O", "singles": "+"}
    moves = [f"{letter}{cell}" for kind, letter in letters.items() for cell in legal[kind]]
    moves += [option["move"] for kind in ("rows", "entries") for option in legal[kind]]
    return moves + ["-"] * legal["pass"]


@pytest.mark.parametrize("rules", PRESETS)
def test_a_game_is_told_as_it_was_played(client: Client, rules: str) -> None:
    game = played(rules, 1)
    told = ask(client, "game", rules=rules, record=game.record())
    assert told["record"] == game.record()
    assert len(told["frames"]) == len(game.record()) + 1
    replay = Game(rules)
    for move, frame in zip([*game.record(), None], told["frames"], strict=True):
        assert frame["position"] == replay.position()
        assert (frame["mover"], frame["phase"], frame["turn"]) == (replay.mover, replay.phase, replay.turn)
        assert frame["winner"] == replay.winner
        if move:
            replay.push(move)
    later = ask(client, "game", rules=rules, record=game.record(), first=5)
    assert later["frames"] == told["frames"][5:]


@pytest.mark.parametrize("rules", PRESETS)
def test_steps_say_all_that_moved(client: Client, rules: str) -> None:
    pushed = graduated = ghosts = 0
    for seed in range(3):
        game = played(rules, seed)
        frames = ask(client, "game", rules=rules, record=game.record())["frames"]
        for before, after in itertools.pairwise(frames):
            step, cells = after["step"], dict(before["cells"])
            assert step["by"] == before["mover"]
            for pushes in (step["boops"], step["ghost_boops"]):
                lifted = [(push, cells.pop(push["from"])) for push in pushes]
                for push, piece in lifted:
                    assert piece == push["piece"]
                    if push["to"]:
                        assert push["to"] not in cells
                        cells[push["to"]] = piece
                    if push["pounced"]:
                        assert cells.pop(push["pounced"]) in "Oo"
                if pushes is step["boops"] and step["placed"]:
                    cells[step["placed"]] = step["move"][0] if step["by"] == 0 else step["move"][0].lower()
                pushed += len(pushes)
            for cell, piece in step["graduated"].items():
                assert cells.pop(cell) == piece
                graduated += 1
            assert cells == after["cells"]
            if PRESETS[rules].ghosts:
                assert step["ghost"] == [before["ghosts"][step["by"]], after["ghosts"][step["by"]]]
                ghosts += step["ghost"][1] is not None
    assert pushed > 20
    assert graduated > 0
    assert bool(ghosts) == PRESETS[rules].ghosts


@pytest.mark.parametrize("rules", PRESETS)
def test_legal_moves_are_all_there(client: Client, rules: str) -> None:
    phases = set()
    for seed in range(4):
        whole = played(rules, seed)
        for steps in range(0, len(whole.record()) + 1, 3):
            game = Game.from_record(rules, whole.record()[:steps])
            phases.add(game.phase)
            legal = ask(client, "game", rules=rules, record=game.record(), first=steps)["legal"]
            assert sorted(flat(legal)) == sorted(game.legal_moves())
    assert phases >= {"p", "x"}


def test_rows_and_entries_are_told_with_their_spaces(client: Client) -> None:
    start = "6/1KKKK1/6/6/6/6 0 g 4,0/8,0 - 20"
    rows = ask(client, "game", rules="boop", start=start)["legal"]["rows"]
    assert {row["move"]: row["cells"] for row in rows} == {"+b2d2": ["b2", "c2", "d2"], "+c2e2": ["c2", "d2", "e2"]}
    entries = ask(client, "game", rules="booop", record=["Kc3"])["legal"]["entries"]
    assert {"move": "Ga1b1", "at": ["a1", "b1"], "heading": "v"} in entries
    assert len(entries) == 20


@pytest.mark.parametrize("bot", ["random", "easy", "medium", "hard", "expert"])
def test_every_level_answers_with_a_legal_step(client: Client, bot: str) -> None:
    told = ask(client, "move", rules="halls", record=["Od3"], bot=bot)
    game = Game.from_record("halls", ["Od3"])
    game.push(told["record"][1])
    assert [frame["position"] for frame in told["frames"]] == [game.position()]
    assert told["first"] == 2


def test_the_list_of_bots_has_levels_and_the_models_of_the_folder(client: Client) -> None:
    bots = {bot["id"]: bot for bot in client.get("/api/options").json()["bots"]}
    assert list(bots)[:5] == ["random", "easy", "medium", "hard", "expert"]
    assert set(list(bots)[5:]) == {
        f"{name}{sims}" for name in ("boop-net", "booop-net") for sims in ("", ":64", ":256")
    }
    assert bots["booop-net"]["presets"] == ["booop"]
    assert "boop_bga" in bots["boop-net:64"]["presets"]


@pytest.mark.parametrize("bot", ["boop-net", "boop-net:64"])
def test_networks_play_what_they_can(client: Client, bot: str) -> None:
    record = ask(client, "move", rules="boop", record=["Kc3"], bot=bot)["record"]
    Game.from_record("boop", record)
    status, message = refusal(client, "move", rules="halls", record=["Od3"], bot=bot)
    assert status == 400
    assert "cannot play halls" in message


@pytest.mark.parametrize(
    "bot",
    [
        "alphabeta:depth=30",
        "mcts:100000000",
        "broken",
        "../boop-net",
        "boop-net.safetensors",
        "az:boop-net",
        "",
        "x" * 300,
    ],
)
def test_no_bot_is_made_that_is_not_on_the_list(client: Client, bot: str) -> None:
    assert refusal(client, "move", rules="boop", record=[], bot=bot)[0] == 400


def test_analysis_gives_value_policy_and_lines(client: Client) -> None:
    for rules, record in (("boop", ["Kc3"]), ("booop", ["Kc3"]), ("halls", ["Od3"])):
        game = Game.from_record(rules, record)
        found = ask(client, "analyse", rules=rules, record=record, engine="search", ms=200)
        assert sum(found["policy"].values()) == pytest.approx(1)
        assert set(found["policy"]) <= set(game.legal_moves())
        assert -1 <= found["value"] <= 1
        assert found["simulations"] > 0
        assert found["lines"][0]["value"] == found["value"]
        for line in found["lines"]:
            Game.from_record(rules, [*record, *line["moves"]])


@pytest.mark.parametrize("mover", [0, 1])
def test_a_win_is_seen_and_told_from_one_side(client: Client, mover: int) -> None:
    start = f"{'CC4' if mover == 0 else 'cc4'}/6/6/6/6/6 {mover} p {'5,1/8,0' if mover == 0 else '8,0/5,1'} - 20"
    found = ask(client, "analyse", rules="boop", start=start, engine="search", ms=200)
    assert (found["value"], found["proven"]) == (1 - 2 * mover, 1)
    assert found["policy"] == {"Cc1": 1.0}
    values = ask(client, "values", rules="boop", start=start, record=["Cc1"], first=0, last=1)["values"]
    assert values == [1 - 2 * mover] * 2


def test_analysis_by_a_network_shows_its_own_opinion_too(client: Client) -> None:
    found = ask(client, "analyse", rules="boop", record=["Kc3"], engine="boop-net", ms=200)
    legal = Game.from_record("boop", ["Kc3"]).legal_moves()
    assert set(found["prior"]) <= set(legal)
    assert sum(found["prior"].values()) == pytest.approx(1, abs=1e-3)
    assert found["lines"][0]["moves"][0] in legal
    assert refusal(client, "analyse", rules="boop", record=[], engine="boop-net:64", ms=200)[0] == 400
    assert refusal(client, "analyse", rules="halls", record=[], engine="boop-net", ms=200)[0] == 400


def test_values_come_for_any_part_of_a_game(client: Client) -> None:
    game = played("boop", 2)
    last = len(game.record())
    found = ask(client, "values", rules="boop", record=game.record(), first=last - 3, last=last)
    assert found["first"] == last - 3
    assert len(found["values"]) == 4
    assert found["values"][-1] == 1 - 2 * game.winner  # type: ignore[operator]
    most = Limits().values
    assert refusal(client, "values", rules="boop", record=game.record()[:60], first=0, last=most)[0] == 400


def test_what_was_saved_is_read_again(client: Client) -> None:
    game = played("booop", 3)
    saved = client.post("/api/record", json={"rules": "booop", "record": game.record()}).text
    told = ask(client, "read", rules="boop", text=saved)
    assert (told["rules"], told["record"]) == ("booop", game.record())
    told = ask(client, "read", rules="booop", text=game.position())
    assert (told["start"], told["record"]) == (game.position(), [])


def test_pictures_show_the_position(client: Client) -> None:
    answer = client.post(
        "/api/picture", json={"rules": "halls", "record": ["Od3", "Kc3"], "theme": "dark", "size": 300}
    )
    assert answer.headers["content-type"] == "image/svg+xml"
    assert Game.from_record("halls", ["Od3", "Kc3"]).position() in answer.text
    assert refusal(client, "picture", rules="boop", theme="pink")[0] == 400
    assert refusal(client, "picture", rules="boop", theme="dark", size=10**6)[0] == 400


def test_a_game_becomes_a_gif(client: Client) -> None:
    pytest.importorskip("PIL", reason="GIFs need Pillow")
    pytest.importorskip("resvg_py", reason="GIFs need resvg")
    answer = client.post("/api/animation", json={"rules": "boop", "record": ["Kc3", "Kd4"]})
    assert answer.headers["content-type"] == "image/gif"
    assert answer.content[:6] == b"GIF89a"


def test_boards_and_pieces_are_drawn_once_for_all(client: Client) -> None:
    pieces = client.get("/pieces.svg").text
    assert pieces.count("<symbol") == 8
    for rules in PRESETS:
        board = client.get(f"/boards/{rules}.svg")
        assert board.headers["content-type"] == "image/svg+xml"
        assert "style=" not in board.text  # the content-security-policy would take it away
    assert "style=" not in pieces
    assert ".boop-dark .patch{" in client.get("/boards.css").text
    assert client.get("/boards/chess.svg").status_code == 404


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"rules": "chess"}, "no rules 'chess'"),
        ({"rules": 7}, "field 'rules'"),
        ({}, "field 'rules'"),
        ({"rules": "boop", "record": "Kc3"}, "field 'record'"),
        ({"rules": "boop", "record": [1]}, "field 'record'"),
        ({"rules": "boop", "record": ["K" * 99]}, "field 'record'"),
        ({"rules": "boop", "record": ["Kc3", "Kc3"]}, "step 2 of the record"),
        ({"rules": "boop", "record": ["Kz9"]}, "step 1 of the record"),
        ({"rules": "boop", "start": "8/8 w"}, "position field"),
        ({"rules": "boop", "start": "6/6/6/6/6/6 0 p 9,0/8,0 - 0"}, "position field 'pools'"),
        ({"rules": "boop", "start": 5}, "field 'start'"),
        ({"rules": "boop", "start": "6" * 500}, "field 'start'"),
        ({"rules": "boop", "first": -1}, "field 'first'"),
        ({"rules": "boop", "first": True}, "field 'first'"),
        ({"rules": "boop", "first": 1}, "field 'first'"),
        ({"rules": "boop", "colour": "red"}, "unknown field 'colour'"),
    ],
)
def test_nonsense_is_refused_by_name(client: Client, fields: dict[str, Any], said: str) -> None:
    status, message = refusal(client, "game", **fields)
    assert status == 400
    assert said in message


@pytest.mark.parametrize(
    ("what", "fields"),
    [
        ("move", {"bot": "easy"}),
        ("analyse", {"engine": "search", "ms": 200}),
    ],
)
def test_a_finished_game_asks_for_nothing(client: Client, what: str, fields: dict[str, Any]) -> None:
    game = played("boop", 1)
    status, message = refusal(client, what, rules="boop", record=game.record(), **fields)
    assert status == 400
    assert "the game is over" in message


@pytest.mark.parametrize("ms", [0, 201, 10**9, "200", 200.0, None])
def test_only_listed_search_times_are_taken(client: Client, ms: Any) -> None:
    assert refusal(client, "analyse", rules="boop", engine="search", ms=ms)[0] == 400


@pytest.mark.parametrize(
    ("content", "headers", "status"),
    [
        (b"{", {"content-type": "application/json"}, 400),
        (b"[]", {"content-type": "application/json"}, 400),
        (b"\xff", {"content-type": "application/json"}, 400),
        (b"[" * 20000, {"content-type": "application/json"}, 400),
        (b"{}", {"content-type": "text/plain"}, 415),
        (b"{}", {}, 415),
        (b" " * 100_000, {"content-type": "application/json"}, 413),
    ],
)
@pytest.mark.parametrize("what", POSTS)
def test_bodies_are_small_json_objects(
    client: Client, what: str, content: bytes, headers: dict[str, str], status: int
) -> None:
    answer = client.post(f"/api/{what}", content=content, headers=headers)
    assert answer.status_code == status
    assert set(answer.json()) == {"error"}


def test_long_records_are_refused(client: Client) -> None:
    assert refusal(client, "game", rules="boop", record=["-"] * (Limits().steps + 1))[0] == 413
    assert refusal(client, "animation", rules="boop", record=["-"] * (Limits().animated_steps + 1))[0] == 413
    assert refusal(client, "read", rules="boop", text="x" * 20_001)[0] == 400


@pytest.mark.parametrize("path", ["/static/../app.py", "/static/%2e%2e/app.py", "/static/", "/nothing", "/api/nothing"])
def test_nothing_else_is_served(client: Client, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert set(answer.json()) == {"error"}


def test_every_answer_carries_the_security_headers(client: Client) -> None:
    answers = [
        client.get("/"),
        client.get("/static/main.js"),
        client.get("/nothing"),
        client.get("/api/game"),
        client.post("/api/game", json={"rules": "boop"}),
    ]
    assert [answer.status_code for answer in answers] == [200, 200, 404, 405, 200]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert "default-src 'self'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "set-cookie" not in answer.headers


def test_the_page_needs_nothing_from_elsewhere() -> None:
    folder = Path(__file__).parents[2] / "boop_env/web/static"
    page = (folder / "index.html").read_text()
    assert "<style" not in page
    assert " style=" not in page
    assert "<script>" not in page
    for file in folder.iterdir():
        text = file.read_text().replace("http://www.w3.org/2000/svg", "")
        assert "http:" not in text, file
        assert "https:" not in text, file


def gather(app: Any, *requests: tuple[str, dict[str, Any]]) -> list[httpx.Response]:
    """Answers to requests made at the same time, in the order in which they are asked."""

    async def run() -> list[httpx.Response]:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://test", timeout=120) as made:
            return await asyncio.gather(*(made.post(f"/api/{what}", json=fields) for what, fields in requests))

    return asyncio.run(run())


def test_too_many_searches_are_turned_away(tmp_path: Path) -> None:
    search = ("analyse", {"rules": "boop", "engine": "search", "ms": 200})
    app = create_app(tmp_path, Limits(slow_workers=1, slow_waiting=1, slow_for_one=9))
    answers = gather(app, *[search] * 4)
    assert sorted(answer.status_code for answer in answers) == [200, 200, 429, 429]
    turned_away = next(answer for answer in answers if answer.status_code == 429)
    assert turned_away.headers["retry-after"] == "1"
    assert "others are thinking" in turned_away.json()["error"]
    app = create_app(tmp_path, Limits(slow_for_one=1))
    answers = gather(app, search, search)
    assert sorted(answer.status_code for answer in answers) == [200, 429]
    assert "you have 1 searches" in next(answer for answer in answers if answer.status_code == 429).json()["error"]


def test_thinking_holds_up_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go = threading.Event()

    def analyse(*_: Any) -> dict[str, Any]:
        assert go.wait(600)
        return {}

    monkeypatch.setattr(Searcher, "analyse", analyse)
    app = create_app(tmp_path, Limits(slow_workers=1))
    order: list[str] = []

    async def run() -> None:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://test", timeout=600) as made:

            async def post(what: str, fields: dict[str, Any]) -> None:
                answer = await made.post(f"/api/{what}", json={"rules": "boop", **fields})
                assert answer.status_code == 200, answer.text
                order.append(what)

            thinking = asyncio.create_task(post("analyse", {"engine": "search", "ms": 200}))
            await asyncio.sleep(0.05)
            await asyncio.gather(*(post("move", {"bot": "easy"}) for _ in range(20)))
            go.set()
            await thinking

    asyncio.run(run())
    assert order == ["move"] * 20 + ["analyse"]


def test_a_client_that_leaves_while_it_sends_is_refused(tmp_path: Path) -> None:
    sent: list[Any] = []
    messages = [{"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.disconnect"}]
    scope = {"type": "http", "method": "POST", "path": "/api/game", "query_string": b""}
    scope["headers"] = [(b"content-type", b"application/json")]

    async def receive() -> dict[str, Any]:
        return messages.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(create_app(tmp_path)(scope, receive, send))
    assert sent[0]["status"] == 499


def test_a_failure_is_json_and_still_raised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("a defect")

    monkeypatch.setattr("boop_env.web.app.piece_symbols", fail)

    async def run(raises: bool) -> httpx.Response:
        transport = httpx.ASGITransport(create_app(tmp_path), raise_app_exceptions=raises)
        async with httpx.AsyncClient(transport=transport, base_url="http://test", timeout=120) as made:
            return await made.get("/pieces.svg")

    answer = asyncio.run(run(raises=False))
    assert (answer.status_code, set(answer.json())) == (500, {"error"})
    with pytest.raises(RuntimeError, match="a defect"):
        asyncio.run(run(raises=True))


def test_answers_are_plain_json(client: Client) -> None:
    text = client.post("/api/game", json={"rules": "halls", "record": played("halls", 1).record()}).text
    assert "NaN" not in json.dumps(json.loads(text))
