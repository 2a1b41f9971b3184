"""Lanes: room for so much and no more."""

from __future__ import annotations

import asyncio
import threading

import pytest

from boop_env.web.lanes import Busy, Lane


def test_tasks_that_wait_when_their_client_leaves_never_run() -> None:
    lane = Lane(workers=1, waiting=5)
    go, ran = threading.Event(), []

    async def run() -> None:
        first = asyncio.create_task(lane.run("a", go.wait))
        second = asyncio.create_task(lane.run("b", ran.append, 1))
        await asyncio.sleep(0.05)
        second.cancel()
        await asyncio.sleep(0.05)
        go.set()
        await first
        await lane.run("c", ran.append, 2)

    asyncio.run(run())
    lane.close()
    assert ran == [2]


def test_room_is_given_back_when_a_task_ends_or_fails() -> None:
    lane = Lane(workers=1, waiting=0, for_one=1)

    def fail() -> None:
        raise ZeroDivisionError

    async def run() -> None:
        for _ in range(3):
            with pytest.raises(ZeroDivisionError):
                await lane.run("a", fail)
            await asyncio.sleep(0.05)

    asyncio.run(run())
    lane.close()


def test_one_client_cannot_take_all_the_room() -> None:
    lane = Lane(workers=1, waiting=2, for_one=2)
    go = threading.Event()

    async def run() -> None:
        mine = [asyncio.create_task(lane.run("a", go.wait)) for _ in range(2)]
        await asyncio.sleep(0.05)
        with pytest.raises(Busy, match="you have 2"):
            await lane.run("a", go.wait)
        other = asyncio.create_task(lane.run("b", go.wait))
        await asyncio.sleep(0.05)
        with pytest.raises(Busy, match="too many others"):
            await lane.run("c", go.wait)
        go.set()
        await asyncio.gather(*mine, other)

    asyncio.run(run())
    lane.close()
