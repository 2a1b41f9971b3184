"""The web server: pages, games as JSON, bots' answers and analyses.

Nothing is kept between requests but idle bots: the page holds the game, and every request brings all of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numpy as np
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from boop_env.envs.render import board_svg, piece_symbols
from boop_env.envs.render.themes import style_sheet
from boop_env.notation import read_game, write_game
from boop_env.rules.game import Game
from boop_env.rules.ruleset import PRESETS
from boop_env.rules.states import States
from boop_env.web.analysis import Searcher, network_analysis
from boop_env.web.lanes import Busy, Lane
from boop_env.web.limits import Limits
from boop_env.web.requests import TEXT_CHARACTERS, Fields, Refused, play, read_body
from boop_env.web.roster import Entry, Roster
from boop_env.web.views import empty_board_svg, game_view, gif, presets

STATIC = Path(__file__).parent / "static"

SEARCH = "search"
"""The engine of an analysis that is no network."""

HEADERS = {
    # blob: is a picture that the page itself made, on its way to being saved as PNG.
    "content-security-policy": (
        "default-src 'self'; img-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
Endpoint = Callable[[Request], Awaitable[Response]]


class Headers:
    """ASGI middleware that adds `HEADERS`, and has browsers ask whether their copies are still good."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles one connection."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                kept = "no-cache" if scope["method"] == "GET" else "no-store"
                added = {**HEADERS, "cache-control": kept}
                message["headers"] = [*message["headers"], *((k.encode(), v.encode()) for k, v in added.items())]
            await send(message)

        await self._app(scope, receive, send_with_headers if scope["type"] == "http" else send)


class Server:
    """The endpoints and what they share.

    Args:
        models: the folder whose checkpoints may be played against.
        limits: what the server takes on.
    """

    def __init__(self, models: Path, limits: Limits) -> None:
        self.limits = limits
        self.roster = Roster(models, limits.search_ms)
        self.quick = Lane(limits.quick_workers, limits.quick_waiting)
        self.slow = Lane(limits.slow_workers, limits.slow_waiting, limits.slow_for_one)
        self._searchers: list[Searcher] = []

    def close(self) -> None:
        """Ends the threads."""
        self.quick.close()
        self.slow.close()

    def warm_up(self) -> None:
        """Compiles or loads what requests need, so that none of them waits for it."""
        # One rule set is enough: all of them run the same compiled code.
        game = Game("boop")
        for _ in range(4):
            game.push(game.legal_moves()[0])
        game_view(game)
        for entry in self.roster.entries().values():
            if entry.checkpoint is None:
                self._choose(entry, game)
        self._value([game])
        self._search(game, 1)

    async def options(self, request: Request) -> Response:
        """What a page can choose from."""
        entries = await self._in(self.quick, request, self.roster.entries)
        networks = [entry.to_json() for entry in entries.values()]
        return JSONResponse(
            {
                "presets": presets(),
                "starts": {name: Game(name).position() for name in PRESETS},
                "bots": networks,
                "engines": [
                    {"id": SEARCH, "label": "Tree search", "presets": list(PRESETS)},
                    *({**bot, "label": bot["id"]} for bot in networks if bot["network"]),
                ],
                "analysis_ms": self.limits.analysis_ms,
                "values": self.limits.values,
                "animated_steps": self.limits.animated_steps,
            }
        )

    async def game(self, request: Request) -> Response:
        """A game replayed: its positions from step `first` on, and what is legal at its end."""
        fields = await self._fields(request, "rules", "start", "record", "first")
        game = fields.game()
        first = fields.number("first", 0, len(game[2]), 0)
        return JSONResponse(await self._in(self.quick, request, lambda: game_view(play(*game), first)))

    async def move(self, request: Request) -> Response:
        """A bot's step in a game, and the game's new position."""
        fields = await self._fields(request, "rules", "start", "record", "bot")
        entry = (await self._in(self.quick, request, self.roster.entries)).get(fields.text("bot", 200))
        if entry is None:
            raise Refused(400, f"no bot {fields.body['bot']!r} on the list")
        rules, start, record = fields.game()
        if rules not in entry.presets:
            raise Refused(400, f"{entry.id} cannot play {rules}; it plays {', '.join(entry.presets)}")

        def answer() -> dict[str, Any]:
            game = play(rules, start, record)
            if game.is_over:
                raise Refused(400, "the game is over")
            game.push(self._choose(entry, game))
            return game_view(game, len(record) + 1)

        return JSONResponse(await self._in(self.quick if entry.is_quick else self.slow, request, answer))

    async def analyse(self, request: Request) -> Response:
        """Value, policy and best lines of a game's last position."""
        fields = await self._fields(request, "rules", "start", "record", "engine", "ms")
        milliseconds = fields.number("ms", 1, 10**6, self.limits.analysis_ms[0])
        if milliseconds not in self.limits.analysis_ms:
            raise Refused(400, f"field 'ms' is not one of {', '.join(map(str, self.limits.analysis_ms))}")
        engine = fields.text("engine", 200)
        rules, start, record = fields.game()
        entry = None if engine == SEARCH else (await self._in(self.quick, request, self.roster.entries)).get(engine)
        if engine != SEARCH and (entry is None or not entry.is_network or rules not in entry.presets):
            raise Refused(400, f"no engine {engine!r} on the list for {rules}")

        def analyse() -> dict[str, Any]:
            game = play(rules, start, record)
            if game.is_over:
                raise Refused(400, "the game is over; there is nothing to analyse")
            return self._search(game, milliseconds) if entry is None else self._ask(entry, game, milliseconds)

        return JSONResponse(await self._in(self.slow, request, analyse))

    async def values(self, request: Request) -> Response:
        """Values for player_0 of the positions after steps `first` to `last` of a game."""
        fields = await self._fields(request, "rules", "start", "record", "first", "last")
        rules, start, record = fields.game()
        first = fields.number("first", 0, len(record))
        last = fields.number("last", first, min(len(record), first + self.limits.values - 1))

        def value() -> dict[str, Any]:
            game = play(rules, start, record[:first])
            games = [game]
            for move in record[first:last]:
                games.append(games[-1].copy())
                try:
                    games[-1].push(move)
                except ValueError as error:
                    raise Refused(400, str(error)) from None
            return {"first": first, "values": self._value(games)}

        return JSONResponse(await self._in(self.slow, request, value))

    async def read(self, request: Request) -> Response:
        """A game from a pasted text: a record, a position, or a saved game."""
        fields = await self._fields(request, "rules", "text")
        rules, text = fields.rules(), fields.text("text", TEXT_CHARACTERS)

        def read() -> dict[str, Any]:
            try:
                game = read_game(text, rules)
            except ValueError as error:
                raise Refused(400, str(error)) from None
            if len(game.record()) > self.limits.steps:
                raise Refused(413, f"the record has {len(game.record())} steps; {self.limits.steps} at most are read")
            return game_view(game)

        return JSONResponse(await self._in(self.quick, request, read))

    async def record(self, request: Request) -> Response:
        """A game as text to save."""
        game = (await self._fields(request, "rules", "start", "record")).game()
        text = await self._in(self.quick, request, lambda: write_game(play(*game)))
        return Response(text, media_type="text/plain; charset=utf-8")

    async def picture(self, request: Request) -> Response:
        """A picture of a game's last position, SVG."""
        fields = await self._fields(request, "rules", "start", "record", "theme", "size")
        theme, size, game = fields.theme(), fields.number("size", 50, 2000, 600), fields.game()
        drawn = await self._in(self.quick, request, lambda: board_svg(play(*game), size=size, theme=theme))
        return Response(drawn, media_type="image/svg+xml")

    async def animation(self, request: Request) -> Response:
        """A whole game in motion, GIF."""
        rules, start, record = (await self._fields(request, "rules", "start", "record")).game()
        if len(record) > self.limits.animated_steps:
            raise Refused(413, f"the game has {len(record)} steps; {self.limits.animated_steps} at most make a GIF")
        return Response(
            await self._in(self.slow, request, lambda: gif(play(rules, start, record))), media_type="image/gif"
        )

    async def _fields(self, request: Request, *names: str) -> Fields:
        fields = Fields(await read_body(request, self.limits), self.limits)
        fields.only(*names)
        return fields

    async def _in(self, lane: Lane, request: Request, task: Callable[[], Result]) -> Result:
        """A task's result; a task that still waits when its client leaves is dropped."""
        client = request.client.host if request.client else ""
        running = asyncio.ensure_future(lane.run(client, task))
        try:
            while not (await asyncio.wait({running}, timeout=0.5))[0]:
                if await request.is_disconnected():
                    raise Refused(499, "the client has left")
            return running.result()
        finally:
            running.cancel()

    def _choose(self, entry: Entry, game: Game) -> str:
        with self.roster.borrow(entry, entry.make) as bot:
            actions = bot.choose(States.of([game]), np.random.default_rng())
        return game.rules.action_to_move(int(actions[0]))

    def _search(self, game: Game, milliseconds: int) -> dict[str, Any]:
        searcher = self._searchers.pop() if self._searchers else Searcher()
        found = searcher.analyse(game, milliseconds)
        self._searchers.append(searcher)
        return found

    def _value(self, games: list[Game]) -> list[float]:
        searcher = self._searchers.pop() if self._searchers else Searcher()
        found = [searcher.value(game) for game in games]
        self._searchers.append(searcher)
        return found

    def _ask(self, entry: Entry, game: Game, milliseconds: int) -> dict[str, Any]:
        from boop_env.policy.az import AzBot
        from boop_env.policy.checkpoint import read_checkpoint

        assert entry.checkpoint is not None
        make = partial(lambda path: AzBot(read_checkpoint(path), ms=milliseconds), entry.checkpoint)
        with self.roster.borrow((entry, milliseconds), make) as bot:
            return network_analysis(bot, game)


async def page(request: Request) -> Response:
    """The page."""
    return Response((STATIC / "index.html").read_bytes(), media_type="text/html; charset=utf-8")


async def pieces(request: Request) -> Response:
    """The drawings of the pieces, the same as in every other picture."""
    svg = f'<svg xmlns="http://www.w3.org/2000/svg"><defs>{piece_symbols()}</defs></svg>'
    return Response(svg, media_type="image/svg+xml")


async def board(request: Request) -> Response:
    """The empty board of a preset."""
    name = request.path_params["rules"]
    if name not in PRESETS:
        raise Refused(404, f"no rules {name!r}; there are {', '.join(PRESETS)}")
    return Response(empty_board_svg(PRESETS[name]), media_type="image/svg+xml")


async def colours(request: Request) -> Response:
    """The colours of boards, light and dark."""
    return Response(style_sheet("light") + style_sheet("dark"), media_type="text/css; charset=utf-8")


async def refused(request: Request, error: Exception) -> Response:
    """An error as JSON that says what is wrong."""
    if isinstance(error, Busy):
        return JSONResponse({"error": str(error)}, 429, {"retry-after": "1"})
    if isinstance(error, Refused):
        return JSONResponse({"error": error.message}, error.status)
    assert isinstance(error, HTTPException)
    return JSONResponse({"error": error.detail}, error.status_code, error.headers)


async def failed(request: Request, error: Exception) -> Response:
    """An answer where the server is at fault; Starlette raises the error again, so that it is logged."""
    return JSONResponse({"error": "the server failed; its log says why"}, 500)


def create_app(models: Path, limits: Limits | None = None) -> Starlette:
    """The ASGI application.

    Args:
        models: the folder whose checkpoints may be played against; it need not exist.
        limits: what the server takes on; the defaults suit two cores.
    """
    server = Server(models, limits or Limits())

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        await asyncio.to_thread(server.warm_up)
        yield
        server.close()

    posts = ("game", "move", "analyse", "values", "read", "record", "picture", "animation")
    return Starlette(
        routes=[
            Route("/", page),
            Route("/pieces.svg", pieces),
            Route("/boards.css", colours),
            Route("/boards/{rules}.svg", board),
            Route("/api/options", server.options),
            *(Route(f"/api/{name}", getattr(server, name), methods=["POST"]) for name in posts),
            Mount("/static", StaticFiles(directory=STATIC)),
        ],
        middleware=[Middleware(Headers)],
        exception_handlers={Refused: refused, Busy: refused, HTTPException: refused, Exception: failed},
        lifespan=lifespan,
    )
