"""A trained policy as a bot."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt
import torch

from boop_env.bots.bot import Bot
from boop_env.bots.models import find_checkpoint
from boop_env.envs.planes import observe_states
from boop_env.policy.checkpoint import Checkpoint, read_checkpoint
from boop_env.policy.network import Network, network_from_checkpoint
from boop_env.policy.symmetric import seen_from_all_sides
from boop_env.rules.ruleset import RuleSet
from boop_env.rules.states import States

CHUNK = 4096
"""Positions a network looks at in one go, which bounds its memory."""

Floats = npt.NDArray[np.float32]


class Evaluator(Protocol):
    """Whatever runs a network; torch here, and other runtimes in its place."""

    def __call__(self, planes: Floats) -> tuple[Floats, Floats]:
        """Logits ``(N, num_actions)`` and values ``(N,)`` of planes ``(N, C, H, W)``, all float32."""

    def load_weights(self, weights: Mapping[str, Floats]) -> None:
        """Goes on with other weights for the same network, all of them, float32 by parameter name."""


class TorchEvaluator:
    """A network run by torch.

    Args:
        network: the network; it is moved to the device and only read from.
        device: a torch device, such as ``"cpu"`` or ``"cuda"``.
        mixed: compute in bfloat16 where torch's autocast does; the weights stay as they are.
    """

    def __init__(self, network: Network, device: str | torch.device = "cpu", *, mixed: bool = False) -> None:
        self.device = torch.device(device)
        self.mixed = mixed
        self.network = network.to(self.device).eval()

    def load_weights(self, weights: Mapping[str, Floats]) -> None:
        """See `Evaluator.load_weights`."""
        self.network.load_state_dict({name: torch.tensor(array) for name, array in weights.items()})

    def __call__(self, planes: Floats) -> tuple[Floats, Floats]:
        """See `Evaluator`."""
        with torch.inference_mode(), torch.autocast(self.device.type, torch.bfloat16, enabled=self.mixed):
            chunks = [torch.from_numpy(planes[i : i + CHUNK]) for i in range(0, len(planes), CHUNK)]
            outputs = [self.network(self.network.inputs(chunk).to(self.device)) for chunk in chunks]
            logits, values = (torch.cat(parts).float().cpu().numpy() for parts in zip(*outputs, strict=True))
        return logits, values


class PolicyBot(Bot):
    """Plays by a network's policy head, without search.

    Args:
        checkpoint: where the network comes from; its card says what it can play.
        temperature: above 0; 1 samples from the policy as it was trained, less is closer to its
            favourite move, more is closer to uniform.
        greedy: play the favourite move always.
        symmetric: average over the symmetries of the board, which takes eight looks instead of one and plays
            better: see `boop_env.policy.symmetric`.
        device: a torch device.

    Raises:
        CheckpointError: the weights do not fit the card, or the card today's planes.
        ValueError: the temperature is not above 0.
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        *,
        temperature: float = 1.0,
        greedy: bool = False,
        symmetric: bool = False,
        device: str = "cpu",
    ) -> None:
        if not 0 < temperature < float("inf"):
            raise ValueError(f"temperature={temperature} is not a number above 0; greedy=True plays the best move")
        self.checkpoint = checkpoint
        self.temperature = float(temperature)
        self.greedy = greedy
        self.evaluator: Evaluator = TorchEvaluator(network_from_checkpoint(checkpoint), device)
        self.symmetric = symmetric
        # Specs know no exponents, and all digits are wanted.
        digits = np.format_float_positional(self.temperature, trim="-")
        options = ["greedy"] if greedy else [] if temperature == 1 else [f"temperature={digits}"]
        options += ["symmetric"] if symmetric else []
        self.name = f"{checkpoint.name}?{'&'.join(options)}".removesuffix("?")
        self._fits: RuleSet | None = None

    def choose(self, states: States, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """One action for each position; see `Bot.choose`.

        Raises:
            CheckpointError: the network cannot play this rule set; the message says what differs.
            ValueError: the network gives no number, as one does whose training went wrong.
        """
        if states.rules is not self._fits:
            self.checkpoint.check_rules(states.rules)
            self._fits = states.rules
        planes, masks = observe_states(states)
        logits, _ = seen_from_all_sides(self._look)(states) if self.symmetric else self.evaluator(planes)
        logits = np.where(masks, logits, -np.inf)
        best = logits.max(1, keepdims=True)
        if not np.isfinite(best).all():
            raise ValueError(f"the network of {self.name} gives logits that are not finite")
        if self.greedy:
            favourites: npt.NDArray[np.int64] = logits.argmax(1)
            return favourites
        with np.errstate(over="ignore"):  # far behind the best at a low temperature: a weight of 0
            return sample(np.exp((logits.astype(np.float64) - best) / self.temperature), rng)

    def _look(self, states: States) -> tuple[Floats, Floats]:
        return self.evaluator(observe_states(states)[0])


def sample(weights: npt.NDArray[np.floating], rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Draws one index a row with chances in proportion to the weights; a weight of 0 is never drawn.

    Args:
        weights: ``(N, K)``, not negative, each row with one above 0.
        rng: gives one number a row.

    Returns:
        int64 ``(N,)``.
    """
    sums = weights.cumsum(1, np.float64)
    totals = sums[:, -1]
    # Rounding must not push a point past the last weight above 0.
    points = np.minimum(rng.random(len(weights)) * totals, np.nextafter(totals, 0))
    drawn: npt.NDArray[np.int64] = (sums > points[:, None]).argmax(1)
    return drawn


def load_policy(
    path: str | Path,
    *,
    temperature: float = 1.0,
    greedy: bool = False,
    symmetric: bool = False,
    device: str = "cpu",
) -> PolicyBot:
    """A trained policy as a bot. Loading never runs code from the file.

    Example:
        >>> bot = load_policy("boop-ppo", greedy=True)  # doctest: +SKIP
        >>> bot.move(Game("boop"))  # doctest: +SKIP
        'Kc3'

    Args:
        path: a checkpoint file, or the name of one that comes with the package
            (`boop_env.policy.available` lists them).
        temperature: above 0; 1 samples from the policy as it was trained.
        greedy: play the favourite move always.
        symmetric: average over the symmetries of the board; slower and stronger.
        device: a torch device.

    Raises:
        FileNotFoundError: there is no such file or name.
        CheckpointError: the file is no checkpoint, is damaged, or does not fit this boop_env.
    """
    checkpoint = read_checkpoint(find_checkpoint(path))
    return PolicyBot(checkpoint, temperature=temperature, greedy=greedy, symmetric=symmetric, device=device)
