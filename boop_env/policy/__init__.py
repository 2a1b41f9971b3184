"""Trained policies: the network, the checkpoint file that holds one, and a policy as a bot.

Only `checkpoint` imports without torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boop_env.bots.models import available

NEEDS = "trained policies need {}, which is not installed: pip install 'boop-env[policy]'"

try:
    from boop_env.policy.checkpoint import Card, Checkpoint, CheckpointError, read_checkpoint, write_checkpoint
except ModuleNotFoundError as error:
    raise ImportError(NEEDS.format(error.name)) from error

if TYPE_CHECKING:
    from boop_env.policy.az import AzBot
    from boop_env.policy.policy_bot import PolicyBot, load_policy

__all__ = [
    "AzBot",
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
    """`AzBot`, `PolicyBot` and `load_policy`, whose modules import torch."""
    if name in ("AzBot", "PolicyBot", "load_policy"):
        try:
            from boop_env.policy import az, policy_bot
        except ModuleNotFoundError as error:
            raise ImportError(NEEDS.format(error.name)) from error
        return getattr(az if name == "AzBot" else policy_bot, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
