"""Runs against an installed wheel, outside the checkout, with only what the core install pulls in.

`dev.py package` does that; pytest does not collect it.
"""

import subprocess
import sys
from importlib import metadata
from pathlib import Path

import gymnasium

INSTALLED = {"boop-env", "numpy", "numba", "gymnasium", "pettingzoo"}
THEIRS = {"llvmlite", "cloudpickle", "typing-extensions", "farama-notifications"}
"""What the four dependencies bring."""


def scripts() -> Path:
    return Path(sys.executable).parent


def main() -> None:
    found = {dist.metadata["Name"].lower().replace("_", "-") for dist in metadata.distributions()}
    assert found - {"pip", "setuptools"} <= INSTALLED | THEIRS, f"the core install pulled in more: {sorted(found)}"

    # Nothing of ours is imported yet: Gymnasium finds the package by the module in front of the id.
    env = gymnasium.make("boop_env:boop_env/Boop-v0", opponent="greedy", seat=0)
    _, info = env.reset(seed=0)
    assert info["action_mask"].sum() == 36
    envs = gymnasium.make_vec("boop_env:boop_env/Booop-v0", num_envs=8)
    envs.reset(seed=0)

    import boop_env
    from boop_env.bots.models import available

    package = Path(boop_env.__file__).parent
    assert Path(sys.prefix) in package.parents, f"imported from {package}, not from the installed wheel"
    assert (package / "py.typed").is_file()
    assert "boop-ppo" in available()
    try:
        boop_env.make_bot("boop-ppo")
    except ImportError as error:
        assert "policy" in str(error), f"{error!r} does not say which extra is missing"
    else:
        raise AssertionError("a policy was loaded without torch")

    game = boop_env.Game("halls")
    game.push(boop_env.make_bot("alphabeta:depth=1").move(game))

    for name in ("boop-bench", "boop-play", "boop-web"):
        done = subprocess.run([scripts() / name, "--help"], capture_output=True, text=True, check=False)
        helped = done.returncode == 0 and "usage" in done.stdout
        # What needs an extra says so in a line.
        refused = done.returncode != 0 and "pip install" in done.stderr and "Traceback" not in done.stderr
        assert helped or refused, f"{name} --help: {done.stdout}{done.stderr}"
    print("core install: as it should be")


if __name__ == "__main__":
    main()
