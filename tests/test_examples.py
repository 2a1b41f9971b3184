"""Every file in examples/ runs, short, as its own docstring says to run it."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "examples"

RUNS = {
    "cleanrl_ppo.py": (
        "--num-envs 8 --num-steps 32 --total-timesteps 512 --update-epochs 1",
        ["torch"],
        r"512 steps: \d+ games, score",
    ),
    "openspiel_bots.py": (
        "--rules halls --sims 3 --max-turns 20",
        ["pyspiel"],
        r"in OpenSpiel: greedy [+-]\d, MCTSBot [+-]\d\nin boop_env: .* won after \d+ turns",
    ),
    "rllib_self_play.py": (
        "--rules booop --iterations 1 --batch-size 256 --env-runners 1 --games 2 --out policy.safetensors",
        ["ray", "tree", "lz4", "ormsgpack", "pandas", "pydantic", "tensorboardX"],
        r"iteration 1: \d+ steps.*\npolicy.safetensors scores .* % against random",
    ),
    "sb3_evaluation.py": (
        "--num-envs 4 --n-steps 16 --steps 128 --eval-every 64 --eval-games 4 --out sb3",
        ["sb3_contrib"],
        r"the best policy scores .* % .* against random",
    ),
    "torchrl_ppo.py": (
        "--num-envs 8 --rollout 32 --steps 512 --epochs 1",
        ["torchrl"],
        r"512 steps: \d+ games, score",
    ),
}
"""Arguments for a short run, modules that it needs, and what it must print."""


def test_every_example_is_run() -> None:
    assert {path.name for path in FOLDER.glob("*.py")} == set(RUNS)


@pytest.mark.parametrize("name", RUNS)
def test_example(name: str, tmp_path: Path) -> None:
    arguments, needs, printed = RUNS[name]
    missing = [module for module in needs if find_spec(module) is None]
    if missing:
        pytest.skip(f"{', '.join(missing)} not installed")
    command = [sys.executable, str(FOLDER / name), *arguments.split()]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=900)
    assert done.returncode == 0, done.stderr[-4000:]
    assert re.search(printed, done.stdout), done.stdout[-2000:]
    # The command in the docstring differs from the one run here in numbers and names alone.
    shown = re.search(rf"python examples/{name} (.*)", (FOLDER / name).read_text())
    assert shown and set(re.findall(r"--[\w-]+", shown[1])) <= set(re.findall(r"--[\w-]+", help_of(name)))


def help_of(name: str) -> str:
    """Text of the example's own list of options, without running it."""
    return " ".join(re.findall(r'add_argument\("(--[\w-]+)"', (FOLDER / name).read_text()))
