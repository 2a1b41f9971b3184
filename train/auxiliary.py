"""Auxiliary targets: what else a network can learn from a finished game (after KataGo: Wu, 2019).

Who stands on each space when the game ends, and how many turns are left until then. Their heads look at what
the residual network's trunk knows; they are used in training alone, and no checkpoint has them.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from boop_env.rules.ruleset import RuleSet
from boop_env.rules.states import States

TURNS_SCALE = 0.2
"""Turns left are learned as this times the logarithm of one more than their number, so that they weigh little."""


class AuxiliaryHeads(nn.Module):
    """The two heads.

    Args:
        width: channels of the trunk.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.owners = nn.Conv2d(width, 2, 1)
        self.left = nn.Linear(width, 1)

    def loss(self, trunk: Tensor, owners: Tensor, left: Tensor) -> Tensor:
        """How wrong the heads are.

        Args:
            trunk: float32 ``(N, width, H, W)``.
            owners: float32 ``(N, 2, H, W)``, see `auxiliary_targets`.
            left: float32 ``(N,)``.

        Returns:
            Mean binary cross-entropy of the owners plus mean squared error of the turns left.
        """
        wrong_owners = nn.functional.binary_cross_entropy_with_logits(self.owners(trunk), owners)
        guessed = self.left(trunk.mean((2, 3))).squeeze(1)
        return wrong_owners + nn.functional.mse_loss(guessed, TURNS_SCALE * torch.log1p(left))


def auxiliary_targets(
    rules: RuleSet, words: npt.NDArray[np.uint64], finals: npt.NDArray[np.uint64]
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """What the heads should say.

    Args:
        rules: the rule set.
        words: positions, uint64 ``(N, 6)``.
        finals: the last positions of their games, uint64 ``(N, 6)``, in the same symmetry.

    Returns:
        Spaces that hold a piece of the player to act, and of the other, at the end of the game, float32
        ``(N, 2, H, W)``; and the turns until then, float32 ``(N,)``.
    """
    board = rules.board
    bits = np.array([board.bit(cell) for cell in range(board.num_cells)], np.uint64)
    now, then = States(rules, words), States(rules, finals)
    # The last position is seen by its own mover.
    own = np.where((now.movers == then.movers)[:, None], finals[:, :2], finals[:, 1::-1])
    owners = ((own[:, :, None] >> bits) & np.uint64(1)).astype(np.float32)
    left = (then.turns - now.turns).astype(np.float32)
    return owners.reshape(-1, 2, board.height, board.width), left
