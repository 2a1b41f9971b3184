"""The README's Python runs as it stands there."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from boop_env.policy.checkpoint import Card, write_checkpoint
from boop_env.policy.network import NetworkConfig, build_network, network_weights
from boop_env.rules.ruleset import ruleset

ROOT = Path(__file__).parents[1]
BLOCKS = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with the checkpoint that `dev.py demo` would have left, untrained."""
    monkeypatch.chdir(tmp_path)
    rules = ruleset("boop")
    config = NetworkConfig(width=8, depth=1)
    weights = network_weights(build_network(rules, config))
    path = tmp_path / "runs/demo/policy.safetensors"
    path.parent.mkdir(parents=True)
    write_checkpoint(path, weights, Card(rules=rules, network=config.to_dict()))
    return tmp_path


@pytest.mark.parametrize("block", BLOCKS, ids=[block.splitlines()[0][:40] for block in BLOCKS])
def test_block_runs(block: str, folder: Path) -> None:
    # Training is shown at full length and run at a small one; thinking time likewise.
    block = block.replace("learn(200_000)", "learn(100)").replace("n_steps=64", "n_steps=4").replace("256, [", "8, [")
    exec(compile(block.replace("ms=200", "ms=5"), "README.md", "exec"), {})


def test_sessions_print_what_they_show() -> None:
    failed, tried = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert tried > 10
    assert not failed
