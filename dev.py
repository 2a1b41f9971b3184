#!/usr/bin/env python3
"""Set up and run the project from a fresh checkout.

python3 dev.py demo         train a small agent for a few minutes and print its table
python3 dev.py test [...]   run the tests; what follows goes to pytest
python3 dev.py lint         run ruff and mypy
python3 dev.py bench [...]  run the benchmarks; what follows goes to boop_env.bench
python3 dev.py docs         build the documentation pages into site/
python3 dev.py oldest       test rules, environments and bots with the oldest versions that are supported
python3 dev.py package      build the sdist and the wheel, install the wheel elsewhere and check it there

Every command first makes .venv in this folder and installs the project and all it needs there, with the
versions in constraints.txt. That is skipped while neither pyproject.toml nor constraints.txt has changed.
"""

import argparse
import hashlib
import importlib.util
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

# Here and not in main(), so that an old Python says this before it trips over newer syntax below.
if sys.version_info < (3, 10):  # noqa: UP036
    sys.exit("dev.py needs Python 3.10 or newer; this is {}.{}".format(*sys.version_info[:2]))

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
PYTHON_IN_VENV = "Scripts/python.exe" if os.name == "nt" else "bin/python"
PYTHON = VENV / PYTHON_IN_VENV
STAMP = VENV / "boop_env-installed.txt"
EXTRAS = "train,data,render,web,notebooks,docs,openvino,ray,rllib,torchrl,openspiel,dev"


def run(*command: str | Path, cwd: Path = ROOT) -> None:
    """Run a command in the project folder or another; end this script with its exit status when it fails."""
    words = [str(word) for word in command]
    print("+", shlex.join(words), file=sys.stderr, flush=True)
    status = subprocess.run(words, cwd=cwd).returncode
    if status != 0:
        sys.exit(status if status > 0 else 128 - status)  # negative: the signal that ended it


def project(*arguments: str | Path) -> None:
    """Run the virtual environment's Python."""
    run(PYTHON, *arguments)


def make_venv(folder: Path) -> None:
    """Create an environment with pip in it, or mend one without pip; Python may lack ensurepip if it has pip."""
    if importlib.util.find_spec("ensurepip"):
        run(sys.executable, "-m", "venv", folder)
    elif importlib.util.find_spec("venv") and importlib.util.find_spec("pip"):
        run(sys.executable, "-m", "venv", "--without-pip", folder)
        run(sys.executable, "-m", "pip", "--python", folder / PYTHON_IN_VENV, "install", "pip")
    else:
        sys.exit("dev.py: this Python has no venv and pip; on Debian or Ubuntu, install python3-venv")


def has_pip() -> bool:
    """Tell whether .venv is there, whole enough to install into."""
    if not PYTHON.exists():
        return False
    return subprocess.run([PYTHON, "-m", "pip", "--version"], capture_output=True).returncode == 0


def fingerprint() -> str:
    """Hash of all that decides what is installed."""
    digest = hashlib.sha256(EXTRAS.encode())
    for name in ("pyproject.toml", "constraints.txt"):
        digest.update((ROOT / name).read_bytes())
    return digest.hexdigest()


def set_up() -> None:
    """Bring .venv up to date, or do nothing where it already is."""
    wanted = fingerprint()
    if PYTHON.exists() and STAMP.exists() and STAMP.read_text() == wanted:
        return
    if not has_pip():
        make_venv(VENV)
    install = ("-m", "pip", "install", "--no-input", "-c", "constraints.txt")
    # torch on its own first: the pinned one is then in place, and no other package picks a build of it.
    project(*install, "torch")
    project(*install, "-e", f".[{EXTRAS}]")
    STAMP.write_text(wanted)


def demo() -> None:
    """Train a small agent and rate it against two bots."""
    project("-m", "train.ppo", "--rules", "boop", "--quick", "--minutes", "4", "--out", "runs/demo")
    project("-m", "train.evaluate", "runs/demo/policy.safetensors", "greedy", "random")


def test(*pytest_arguments: str) -> None:
    """Run the tests in two processes."""
    project("-m", "pytest", "-n", "2", *pytest_arguments)


def lint() -> None:
    """Check style, format and types."""
    project("-m", "ruff", "check", ".")
    project("-m", "ruff", "format", "--check", ".")
    project("-m", "mypy")


def bench(*bench_arguments: str) -> None:
    """Run the benchmarks."""
    project("-m", "boop_env.bench", *bench_arguments)


def docs() -> None:
    """Build the documentation; a broken link or any other warning is an error."""
    os.environ["NO_MKDOCS_2_WARNING"] = "1"  # a page of advertisement in every log
    project("-m", "mkdocs", "build", "--strict", "--quiet")


def oldest() -> None:
    """Test the core with the lowest versions that pyproject.toml allows; Python 3.10 to 3.12 has them."""
    folder = ROOT / ".venv-oldest"
    python = folder / PYTHON_IN_VENV
    if not python.exists():
        make_venv(folder)
    run(python, "-m", "pip", "install", "--no-input", "-c", "constraints-oldest.txt", "-e", ".", "pytest", "hypothesis")
    envs = [f"tests/envs/test_{name}.py" for name in ("aec", "planes", "wrapped")]
    run(python, "-m", "pytest", "tests/rules", "tests/bots", *envs)


def package() -> None:
    """Build what would be published, and use it in a fresh environment outside of this folder."""
    with tempfile.TemporaryDirectory(prefix="boop_env-") as name:
        folder = Path(name)
        project("-m", "build", "--outdir", folder, ".")  # the wheel is made from the sdist
        (wheel,) = folder.glob("*.whl")
        make_venv(folder / "venv")
        python = folder / "venv" / PYTHON_IN_VENV
        install = (python, "-m", "pip", "install", "--quiet", "--no-input", "-c", ROOT / "constraints.txt")
        checks = ROOT / "tests" / "installed"
        run(*install, wheel, cwd=folder)
        run(python, "-W", "error", checks / "check_core.py", cwd=folder)
        run(*install, f"{wheel}[policy]", cwd=folder)
        run(python, checks / "check_policy.py", cwd=folder)


COMMANDS = {
    "demo": demo,
    "test": test,
    "lint": lint,
    "bench": bench,
    "docs": docs,
    "oldest": oldest,
    "package": package,
}
PASS_ON = {"test", "bench"}


def main() -> None:
    """Read the command line, set up, run the command."""
    as_written = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=as_written)
    parser.add_argument("command", choices=COMMANDS, help="what to run")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="for test and bench: handed on")
    options = parser.parse_args()
    if options.arguments and options.command not in PASS_ON:
        parser.error(f"{options.command} takes no arguments, got: {shlex.join(options.arguments)}")
    set_up()
    COMMANDS[options.command](*options.arguments)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
