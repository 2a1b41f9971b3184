"""What is said when a bridge's library is missing."""

import sys

import pytest

from boop_env import make_bot


def test_openspiel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    monkeypatch.delitem(sys.modules, "boop_env.bridges.openspiel", raising=False)
    with pytest.raises(ImportError, match=r"pip install 'boop-env\[openspiel\]'"):
        make_bot("openspiel:mcts?sims=10")
