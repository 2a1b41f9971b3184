"""The Python in docs/ecosystem.md and docs/pgx.md runs as it stands there, where its library is installed."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
BLOCKS = [
    (page, block)
    for page in ("ecosystem.md", "pgx.md")
    for block in re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(), re.S)
]


@pytest.mark.parametrize(("page", "block"), BLOCKS, ids=[f"{page}-{number}" for number, (page, _) in enumerate(BLOCKS)])
def test_block_runs(page: str, block: str) -> None:
    libraries = {"pyspiel": "pyspiel", "bridges.torchrl": "torchrl", "sb3_contrib": "sb3_contrib"}
    for text, library in libraries.items():
        if text in block and find_spec(library) is None:
            pytest.skip(f"{library} is not installed")
    exec(compile(block, page, "exec"), {})
