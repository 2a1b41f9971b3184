"""Run the notebooks from top to bottom and save them with what they show: ``python notebooks/run_all.py``.

    python notebooks/run_all.py                  # all of them
    python notebooks/run_all.py 01_quickstart    # one, by its name

A notebook that fails is left as it was. What is saved has no time stamps and nothing of this machine in it; the
tests hold this. It needs ``pip install -e ".[notebooks,render]"``.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode

FOLDER = Path(__file__).resolve().parent

METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
"""All that a saved notebook says about where it ran."""


def execute(notebook: NotebookNode, folder: Path, timeout: int = 600) -> None:
    """Runs all cells in a fresh kernel and keeps their outputs in the notebook.

    Args:
        notebook: changed in place.
        folder: where the kernel works.
        timeout: seconds that a cell may take.

    Raises:
        CellExecutionError: a cell failed; the message has its traceback.
    """
    NotebookClient(
        notebook,
        timeout=timeout,
        kernel_name="python3",
        resources={"metadata": {"path": folder}},
        coalesce_streams=True,  # printed text in one piece, however it arrived
    ).execute()


def clean(notebook: NotebookNode) -> None:
    """Takes out what differs from run to run or tells of the machine: metadata, and progress on stderr."""
    notebook.metadata = nbformat.from_dict(METADATA)  # type: ignore[no-untyped-call]
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict({})  # type: ignore[no-untyped-call]
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
            for output in cell.outputs:
                if "metadata" in output:
                    output.metadata = nbformat.from_dict({})  # type: ignore[no-untyped-call]


def save(notebook: NotebookNode, path: Path) -> None:
    """Writes a notebook whole or not at all."""
    part = path.with_name(f".{path.name}.part")
    nbformat.write(notebook, part)  # type: ignore[no-untyped-call]
    os.replace(part, path)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs and saves; returns how many notebooks failed."""
    names = sorted(path.stem for path in FOLDER.glob("*.ipynb"))
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "names", nargs="*", metavar="name", help=f"of {', '.join(names)}; all unless given"
    )
    wanted = parser.parse_args(arguments).names or names
    if unknown := sorted(set(wanted) - set(names)):
        parser.error(f"there is no notebook {', '.join(unknown)}; there are {', '.join(names)}")
    failed = 0
    for name in wanted:
        path, began = FOLDER / f"{name}.ipynb", time.monotonic()
        notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
        try:
            execute(notebook, FOLDER)
        except CellExecutionError as error:
            print(f"{name}: {error}", file=sys.stderr)
            failed += 1
            continue
        clean(notebook)
        save(notebook, path)
        print(
            f"{name}: {time.monotonic() - began:.0f} s, {path.stat().st_size / 1e3:.0f} KB",
            flush=True,
        )
    return failed


if __name__ == "__main__":
    sys.exit(main())
