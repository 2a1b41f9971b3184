"""A folder of models, the server in this process, the server in its own, and a browser."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the web server's tests need the 'web' extra")
pytest.importorskip("httpx", reason="the web server's tests need httpx")

import anyio.from_thread
import httpx
from starlette.applications import Starlette

from boop_env.rules.ruleset import ruleset
from boop_env.web.app import create_app

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

CHROMIUM_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two small untrained networks and a file that is none."""
    torch = pytest.importorskip("torch", reason="networks need the 'policy' extra")
    from boop_env.policy import Card, write_checkpoint
    from boop_env.policy.network import NetworkConfig, build_network, network_weights

    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("models")
    for name in ("boop", "booop"):
        config = NetworkConfig(width=8, depth=1)
        network = build_network(ruleset(name), config)
        write_checkpoint(
            folder / f"{name}-net.safetensors", network_weights(network), Card(ruleset(name), config.to_dict())
        )
    (folder / "broken.safetensors").write_bytes(b"no checkpoint")
    return folder


class Client:
    """The application, called without a network, from where nothing is awaited."""

    def __init__(self, app: Starlette, portal: anyio.from_thread.BlockingPortal) -> None:
        self._made = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test", timeout=600)
        self._portal = portal

    def get(self, path: str) -> httpx.Response:
        """A page."""
        return self._portal.call(self._made.get, path)

    def post(self, path: str, **options: Any) -> httpx.Response:
        """An answer of the API."""
        return self._portal.call(partial(self._made.post, path, **options))


@pytest.fixture(scope="session")
def client(models: Path) -> Iterator[Client]:
    """The application, warmed up."""
    app = create_app(models)
    with (
        anyio.from_thread.start_blocking_portal() as portal,
        portal.wrap_async_context_manager(app.router.lifespan_context(app)),
    ):
        yield Client(app, portal)


class Served:
    """The server as people start it, in a process that can be killed and started again on the same port."""

    def __init__(self, models: Path) -> None:
        self._models = models
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Starts it and waits until it answers."""
        command = [sys.executable, "-m", "boop_env.web", "--port", str(self.port), "--models", str(self._models)]
        self._process = subprocess.Popen(command, cwd=Path(__file__).parents[2])
        deadline = time.monotonic() + 600  # its first start compiles
        while time.monotonic() < deadline and self._process.poll() is None:
            with contextlib.suppress(OSError), urllib.request.urlopen(self.url, timeout=5):
                return
            time.sleep(0.1)
        self.kill()
        pytest.fail("the server did not start")

    def kill(self) -> None:
        """Ends it without a chance to tidy up."""
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGKILL)
        self._process.wait()


@pytest.fixture(scope="session")
def served(models: Path) -> Iterator[Served]:
    """A running server."""
    made = Served(models)
    made.start()
    yield made
    made.kill()
