"""How the parts may depend on each other, and what importing the package costs."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

MAY_IMPORT = {
    "rules": {"envs"},
    "search": {"rules"},
    "bots": {"rules", "search", "policy", "bridges"},
    "envs": {"rules", "bots"},
    "policy": {"rules", "envs", "search", "bots"},
    "arena": {"rules", "bots", "policy"},
    "data": {"rules", "envs", "bots", "policy", "arena"},
    "bench": {"rules", "envs", "search", "bots", "policy", "arena", "data"},
    "web": {"rules", "envs", "search", "bots", "policy", "arena"},
    "bridges": {"rules", "envs", "bots", "policy"},
}
"""What each part of the package may import of the others; nothing imports `train`."""

LAZY = {("bots", "policy"), ("bots", "bridges"), ("rules", "envs")}
"""Only inside functions: what a spec names, or a picture of a `Game`, is imported when it is asked for."""

DRAWING = ("game.py", "boop_env.envs.render.")
"""The one file of the rules that imports anything of ours, and what: notebooks ask a `Game` for its picture."""


def imports(file: Path) -> list[tuple[str, bool]]:
    """Modules of ours that a file imports, and whether at its top level."""
    tree = ast.parse(file.read_text())
    top = {id(node) for node in tree.body}
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        found += [(name, id(node) in top) for name in names if name.split(".")[0] in ("boop_env", "train")]
    return found


@pytest.mark.parametrize("part", MAY_IMPORT)
def test_imports_point_one_way(part: str) -> None:
    for file in (ROOT / "boop_env" / part).rglob("*.py"):
        for name, top in imports(file):
            other = name.split(".")[1] if "." in name else ""
            if name.startswith("boop_env") and other != part and other in MAY_IMPORT:
                assert other in MAY_IMPORT[part], f"{file.name} of {part} imports {name}"
                assert top <= ((part, other) not in LAZY), f"{file.name} imports {name} at its top"
                if part == "rules":
                    assert file.name == DRAWING[0] and name.startswith(DRAWING[1]), f"{file.name} imports {name}"


def test_nothing_imports_train() -> None:
    for file in (ROOT / "boop_env").rglob("*.py"):
        assert not [name for name, _ in imports(file) if name.startswith("train")], file


def test_every_part_is_in_the_table() -> None:
    parts = {folder.parent.name for folder in (ROOT / "boop_env").glob("*/__init__.py")}
    assert parts <= set(MAY_IMPORT)


def run(code: str, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    """Runs code in a fresh process with an empty cache of compiled code."""
    environment = {"PATH": "", "NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment, cwd=tmp_path)


def test_import_is_light_and_compiles_nothing(tmp_path: Path) -> None:
    heavy = [
        "torch",
        "pygame",
        "PIL",
        "resvg_py",
        "stable_baselines3",
        "sb3_contrib",
        "starlette",
        "matplotlib",
        "ray",
        "pyarrow",
    ]
    code = f"import sys, boop_env; print([m for m in {heavy!r} if m in sys.modules])"
    done = run(code, tmp_path)
    assert done.stdout.strip() == "[]"
    assert done.stderr == ""
    assert not list(tmp_path.rglob("*.nbi"))


def test_the_first_compilation_is_told_in_one_line(tmp_path: Path) -> None:
    code = "import boop_env; g = boop_env.Game(); g.push('Kc3'); print(g.position())"
    first, second = run(code, tmp_path), run(code, tmp_path)
    assert first.stdout == second.stdout == "6/6/2K3/6/6/6 1 p 7,0/8,0 - 1\n"
    assert first.stderr.count("\n") == 1
    assert "boop_env: compiling" in first.stderr
    assert second.stderr == ""
