"""The notebooks run from top to bottom, and what is committed of them is clean.

To run them takes 5, 40, 30 and 35 seconds of one core, in the order of the files; training is cut to 12 seconds.
`-k "not it_runs"` leaves that out.
"""

from __future__ import annotations

import base64
import importlib.util
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("nbclient", reason="needs the notebooks extra")
pytest.importorskip("ipykernel", reason="needs the notebooks extra")
import nbformat

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
MOST_BYTES = 1_000_000

each = pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])


@pytest.fixture(scope="session")
def run_all() -> Any:
    """The script that makes the committed outputs."""
    spec = importlib.util.spec_from_file_location("run_all", FOLDER / "run_all.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def read(path: Path) -> Any:
    return nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]


def texts(notebook: Any) -> Iterator[str]:
    """All that a notebook shows as text, its SVG pictures included."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            yield output.get("text", "")
            for kind, shown in output.get("data", {}).items():
                if kind != "image/png":
                    yield re.sub(r"(?<=base64,)[\w+/=]+", lambda found: base64.b64decode(found[0]).decode(), shown)


def kinds(notebook: Any) -> list[list[str]]:
    """What kinds of pictures and values a notebook shows, in order."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return [sorted(output.data) for output in outputs if "data" in output]


def test_there_are_four() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["01_quickstart", "02_train_ppo", "03_alphazero", "04_study"]


@each
def test_outputs_are_whole_and_in_order(path: Path) -> None:
    code = [cell for cell in read(path).cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert sum(bool(cell.outputs) for cell in code) > len(code) / 2
    assert {"image/png", "image/svg+xml", "text/html"} & {kind for found in kinds(read(path)) for kind in found}
    assert not [output for cell in code for output in cell.outputs if output.output_type == "error"]


@each
def test_nothing_tells_of_the_machine(path: Path, run_all: Any) -> None:
    notebook = read(path)
    assert notebook.metadata == run_all.METADATA
    assert not [cell.id for cell in notebook.cells if cell.metadata]
    assert not [cell.id for cell in notebook.cells if not re.fullmatch(r"[a-z][a-z-]*", cell.id)]
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert not [output for output in outputs if output.get("metadata") or output.get("name") == "stderr"]
    for text in texts(notebook):
        assert not re.findall(r"(?<![\w.])(?:/(?:home|root|tmp|work|Users|usr|opt|var)/|[A-Z]:\\)[^\s\"]*", text)


@each
def test_it_is_small(path: Path) -> None:
    assert path.stat().st_size < MOST_BYTES


@each
def test_links_lead_somewhere(path: Path) -> None:
    for cell in read(path).cells:
        if cell.cell_type == "markdown":
            for target in re.findall(r"\]\(([^)#:]+)\)", cell.source):
                assert (FOLDER / target).is_file(), f"{cell.id} links to {target}"


@each
def test_it_runs(path: Path, tmp_path: Path, run_all: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOOP_MINUTES", "0.2")
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    shutil.copytree(FOLDER, tmp_path / "notebooks")
    (tmp_path / "models").symlink_to(ROOT / "models")
    notebook = read(path)
    run_all.execute(notebook, tmp_path / "notebooks")
    assert kinds(notebook) == kinds(read(path)), "it shows other things than are committed: run notebooks/run_all.py"
