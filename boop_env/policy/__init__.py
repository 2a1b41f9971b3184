"""Trained policies: the network, the checkpoint file that holds one, and a policy as a bot.

Only `checkpoint` imports without torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boop_env.bots.models import available
from boop_env.policy.checkpoint import Card, Checkpoint, CheckpointError, read_checkpoint, write_checkpoint

if TYPE_CHECKING:
    from boop_env.policy.policy_bot import PolicyBot, load_policy

__all__ = [
    "Card",
    "Checkpoint",
    "CheckpointError",
    "PolicyBot",
    "available",
    "load_policy",
    "read_checkpoint",
    "write_checkpoint",
]


def __getattr__(name: str) -> Any:
    """`PolicyBot` and `load_policy`, whose module imports torch."""
    if name in ("PolicyBot", "load_policy"):
        from boop_env.policy import policy_bot

        return getattr(policy_bot, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
