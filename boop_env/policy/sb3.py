"""Our network as the policy of sb3-contrib's MaskablePPO."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.distributions import MaskableDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.type_aliases import PyTorchObs, Schedule
from torch import Tensor

from boop_env.policy.network import NetworkConfig, build_network
from boop_env.rules.ruleset import RuleSet

ILLEGAL = -1e8
"""Logit of an illegal action: its chance is exactly 0, and 0 times its logarithm is still a number."""


class NetworkPolicy(MaskableActorCriticPolicy):
    """A `Network` that MaskablePPO trains; nothing else in it has weights.

    What is exported is `network` itself, so a checkpoint plays exactly what was trained.

    Args:
        observation_space: planes ``(C, H, W)``.
        action_space: ``Discrete(num_actions)``.
        lr_schedule: learning rate by the progress that remains.
        rules: the rule set.
        config: the network's shape.
        mixed: compute in bfloat16 where torch's autocast does; weights, losses and Adam stay in float32.
    """

    def __init__(
        self,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        lr_schedule: Schedule,
        *,
        rules: RuleSet,
        config: NetworkConfig,
        mixed: bool = False,
    ) -> None:
        super().__init__(observation_space, action_space, lr_schedule, net_arch=[])
        self.mixed = mixed
        self.network = build_network(rules, config)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=lr_schedule(1), eps=1e-5, fused=True)

    def _build(self, lr_schedule: Schedule) -> None:
        """Builds none of the layers that the base class would add."""

    def forward(
        self, obs: Tensor, deterministic: bool = False, action_masks: npt.NDArray[Any] | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Chooses actions.

        Args:
            obs: planes, float32 ``(N, C, H, W)``.
            deterministic: take the likeliest action.
            action_masks: ``(N, num_actions)``, 1 where legal.

        Returns:
            Actions ``(N,)``, values ``(N, 1)`` and the actions' log probabilities ``(N,)``.
        """
        logits, values = self.look(obs)
        log_probs = self._log_probs(logits, action_masks)
        actions = log_probs.argmax(1) if deterministic else torch.multinomial(log_probs.exp(), 1).squeeze(1)
        return actions, values[:, None], log_probs.gather(1, actions[:, None]).squeeze(1)

    def evaluate_actions(
        self, obs: Tensor, actions: Tensor, action_masks: Tensor | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Values ``(N, 1)``, log probabilities of the actions ``(N,)`` and entropies over legal actions ``(N,)``."""
        logits, values = self.look(obs)
        log_probs = self._log_probs(logits, action_masks)
        entropy = -(log_probs.exp() * log_probs).sum(1)
        return values[:, None], log_probs.gather(1, actions[:, None]).squeeze(1), entropy

    def get_distribution(self, obs: PyTorchObs, action_masks: npt.NDArray[Any] | None = None) -> MaskableDistribution:
        """The distribution over legal actions, as SB3's own `predict` wants it."""
        assert isinstance(obs, Tensor)
        distribution = self.action_dist.proba_distribution(action_logits=self.look(obs)[0])
        if action_masks is not None:
            distribution.apply_masking(action_masks)
        return distribution

    def predict_values(self, obs: PyTorchObs) -> Tensor:
        """Values, ``(N, 1)``."""
        assert isinstance(obs, Tensor)
        with torch.autocast(obs.device.type, torch.bfloat16, enabled=self.mixed):
            return self.network.value(obs).float()[:, None]

    def look(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """The network's logits ``(N, num_actions)`` and values ``(N,)``, float32."""
        return self.network.look(planes, mixed=self.mixed)

    def _log_probs(self, logits: Tensor, masks: Tensor | npt.NDArray[Any] | None) -> Tensor:
        if masks is not None:
            logits = logits.masked_fill(torch.as_tensor(masks, device=logits.device) == 0, ILLEGAL)
        return logits.log_softmax(1)
