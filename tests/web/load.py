"""Fifty people playing at `easy` at once, and how long they wait; no test, because time is no test.

Run it as ``python tests/web/load.py``; it starts a server of its own. ``--url`` takes one that runs.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import socket
import subprocess
import sys
import time
import urllib.request
from typing import Any

import httpx

RULES = ("boop", "booop", "halls")


async def player(client: httpx.AsyncClient, rng: random.Random, deadline: float, waits: dict[str, list[float]]) -> None:
    """Plays random moves against `easy`, game after game, and notes how long each answer took."""

    async def ask(what: str, **fields: Any) -> Any:
        start = time.perf_counter()
        answer = await client.post(f"/api/{what}", json=fields)
        waits[what].append(time.perf_counter() - start)
        answer.raise_for_status()
        return answer.json()

    while time.perf_counter() < deadline:
        rules, me = rng.choice(RULES), rng.randrange(2)
        game = await ask("game", rules=rules, record=[])
        while game["frames"][-1]["phase"] != "x" and time.perf_counter() < deadline:
            if game["frames"][-1]["mover"] == me:
                record = [*game["record"], rng.choice(moves(game["legal"]))]
                game = await ask("game", rules=rules, record=record, first=len(record))
            else:
                game = await ask("move", rules=rules, record=game["record"], bot="easy")


def moves(legal: dict[str, Any]) -> list[str]:
    """The legal moves of an answer as texts."""
    letters = {"kittens": "K", "cats": "C", "ornaments": "O", "singles": "+"}
    found = [f"{letter}{cell}" for kind, letter in letters.items() for cell in legal[kind]]
    found += [option["move"] for kind in ("rows", "entries") for option in legal[kind]]
    return found or ["-"]


async def load(url: str, players: int, seconds: float) -> dict[str, list[float]]:
    """Waiting times in seconds, by request."""
    waits: dict[str, list[float]] = {"game": [], "move": []}
    limits = httpx.Limits(max_connections=players, max_keepalive_connections=players)
    async with httpx.AsyncClient(base_url=url, timeout=60, limits=limits) as client:
        deadline = time.perf_counter() + seconds
        await asyncio.gather(*(player(client, random.Random(seed), deadline, waits) for seed in range(players)))
    return waits


def percentile(waits: list[float], share: float) -> float:
    """Milliseconds that this share of the answers did not exceed."""
    return 1000 * sorted(waits)[min(len(waits) - 1, int(share * len(waits)))]


def main() -> None:
    """Runs the load and prints its table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", help="a server that runs already")
    parser.add_argument("--players", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=20)
    options = parser.parse_args()
    process, url = None, options.url
    if url is None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        url = f"http://127.0.0.1:{port}"
        process = subprocess.Popen([sys.executable, "-m", "boop_env.web", "--port", str(port)])
    try:
        while True:
            try:
                urllib.request.urlopen(url, timeout=5).close()
                break
            except OSError:
                if process and process.poll() is not None:
                    sys.exit("the server did not start")
                time.sleep(0.2)
        waits = asyncio.run(load(url, options.players, options.seconds))
    finally:
        if process:
            process.terminate()
            process.wait()
    print(f"{options.players} players, {options.seconds:g} s")
    print("| request | answers | a second | median ms | 90 % | 99 % | slowest |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for what, found in waits.items():
        shares = " | ".join(f"{percentile(found, share):.0f}" for share in (0.5, 0.9, 0.99, 1))
        print(f"| {what} | {len(found)} | {len(found) / options.seconds:.0f} | {shares} |")


if __name__ == "__main__":
    main()
