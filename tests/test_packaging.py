"""What the wheel and the sdist carry and ask for; `dev.py package` installs and uses them."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest

pytest.importorskip("hatchling", reason="needs the dev extra")
from packaging.requirements import Requirement

from boop_env.bots.models import available

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the sdist."""
    if not (ROOT / ".git").exists():
        pytest.skip("needs a checkout")
    folder = tmp_path_factory.mktemp("dist")
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1735689600"}
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", folder],
        cwd=ROOT,
        check=True,
        capture_output=True,
        env=environment,
    )
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> zipfile.ZipFile:
    (path,) = built.glob("*.whl")
    return zipfile.ZipFile(path)


@pytest.fixture(scope="module")
def metadata(wheel: zipfile.ZipFile) -> Message:
    (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    return Parser().parsestr(wheel.read(name).decode())


def test_the_core_asks_for_four_packages_and_no_more(metadata: Message) -> None:
    requirements = [Requirement(text) for text in metadata.get_all("Requires-Dist", [])]
    core = {requirement.name for requirement in requirements if requirement.marker is None}
    assert core == {"numpy", "numba", "gymnasium", "pettingzoo"}
    assert all(requirement.specifier for requirement in requirements if requirement.name != "boop-env")
    assert metadata["Requires-Python"] == ">=3.10"


def test_the_wheel_carries_package_types_and_models_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    names = wheel.namelist()
    assert {name.split("/")[0] for name in names} <= {"boop_env", names[-1].split("/")[0]}
    assert "boop_env/py.typed" in names
    models = {name for name in names if name.startswith("boop_env/models/")}
    assert models == {f"boop_env/models/{name}.safetensors" for name in available()}
    tracked = subprocess.run(
        ["git", "ls-files", "boop_env"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split()
    assert set(tracked) <= set(names)


def test_commands(wheel: zipfile.ZipFile) -> None:
    (name,) = (name for name in wheel.namelist() if name.endswith("entry_points.txt"))
    lines = wheel.read(name).decode().split("\n")
    for line in ("boop-play = boop_env.play:main", "boop-web = boop_env.web.__main__:main"):
        assert line in lines
    assert "boop-bench = boop_env.bench.__main__:main" in lines


def test_the_sdist_can_build_and_test_itself(built: Path) -> None:
    (path,) = built.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    needed = ["pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "dev.py", "constraints.txt", "mkdocs.yml"]
    needed += [f"models/{name}.safetensors" for name in available()]
    needed += ["models/ladder.json", "docs/hooks.py", "train/ppo.py", "tests/test_packaging.py", "tests/versions.json"]
    assert set(needed) <= names
    assert not [name for name in names if name.startswith(("runs/", ".venv", "site/", "models/ladder/"))]


def test_gymnasium_finds_the_environments_by_the_module_in_front_of_the_id(tmp_path: Path) -> None:
    code = (
        "import sys, gymnasium; assert 'boop_env' not in sys.modules; "
        "env = gymnasium.make('boop_env:boop_env/Halls-v0', seat=0); env.reset(seed=0); "
        "print(env.spec.id, sum(spec.namespace == 'boop_env' for spec in gymnasium.registry.values()))"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout == "boop_env/Halls-v0 8\n", done.stderr
