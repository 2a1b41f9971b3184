"""Serve the page to play and analyse on.

Run it as `python -m boop_env.web`, or say more: `python -m boop_env.web --port 8080 --models runs/demo`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from boop_env.bots.models import models_folder


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit code: 0, or 2 for an error."""
    made = parser()
    options = made.parse_args(arguments)
    if not 0 <= options.port <= MAX_PORT:
        made.error(f"--port {options.port} is not from 0 to {MAX_PORT}")
    try:
        import uvicorn

        from boop_env.web.app import create_app
    except ImportError as error:
        print(f"web: {error.name} is not installed; pip install 'boop-env[web]'", file=sys.stderr)
        return 2
    if options.models is not None and not options.models.is_dir():
        print(
            f"web: there is no folder {options.models}; give --models the folder of your checkpoints", file=sys.stderr
        )
        return 2
    print("boop_env.web: getting ready", flush=True)
    config = uvicorn.Config(
        create_app(options.models or models_folder()),
        host=options.host,
        port=options.port,
        access_log=False,
        limit_concurrency=CONNECTIONS,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=5,
    )
    server = uvicorn.Server(config)
    try:
        server.run()
    except (SystemExit, KeyboardInterrupt) as end:
        # uvicorn's way to say that it could not start, for one because the port is taken; it has said why.
        return 2 if isinstance(end, SystemExit) and end.code else 0
    return 0 if server.started else 2


MAX_PORT = 65535

CONNECTIONS = 1000
"""Connections at a time; more are told to come back later."""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="python -m boop_env.web", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    made.add_argument("--host", default="127.0.0.1", help="address to listen on; 127.0.0.1 is this machine alone")
    made.add_argument("--port", type=int, default=8000, help="port to listen on, 8000")
    made.add_argument(
        "--models",
        type=Path,
        metavar="FOLDER",
        help="folder of checkpoints to play against, those that come with the package unless given",
    )
    return made


if __name__ == "__main__":
    sys.exit(main())
