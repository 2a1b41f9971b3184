"""The networks: planes in, action logits and a value out, for every rule set alike.

Both kinds read ``(N, C, H, W)`` planes and take the number and meaning of their outputs from the rule
set, so one definition serves all variants.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from boop_env.envs.planes import plane_shape
from boop_env.policy.checkpoint import Card, Checkpoint
from boop_env.policy.prospects import PROSPECTS_VERSION, prospect_planes, with_prospects
from boop_env.rules.layout import DIRECTIONS
from boop_env.rules.ruleset import RuleSet

VALUE_PLANES = 8
"""Channels the residual network's value head looks at."""


@dataclass(frozen=True)
class NetworkConfig:
    """Shape of a network; the rest follows from the rule set.

    Attributes:
        kind: ``"residual"``, convolutions over the board, or ``"mlp"``.
        width: channels of a residual network, units a layer of an MLP.
        depth: residual blocks of two convolutions, or hidden layers of an MLP.
        value_hidden: units of the value head's hidden layer.
        prospects: version of the `prospect_planes` that it has made from the planes it is given and looks at, too;
            0 for none.

    Raises:
        ValueError: a value is out of range.
    """

    kind: Literal["residual", "mlp"] = "residual"
    width: int = 32
    depth: int = 2
    value_hidden: int = 64
    prospects: int = 0

    def __post_init__(self) -> None:
        if self.kind not in ("residual", "mlp"):
            raise ValueError(f"network kind {self.kind!r} is not one of residual, mlp")
        ranges = ("width", 1, 4096), ("depth", 1, 64), ("value_hidden", 1, 4096), ("prospects", 0, PROSPECTS_VERSION)
        for name, low, high in ranges:
            value = getattr(self, name)
            if not isinstance(value, int) or not low <= value <= high:
                raise ValueError(f"network {name}={value!r} is not a whole number from {low} to {high}")

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain values, for JSON; `NetworkConfig(**fields)` makes it again."""
        return asdict(self)


class Network(nn.Module):
    """A policy and value network.

    Attributes:
        rules: the rule set whose planes it reads.
        config: its shape.
        input_shape: ``(C, H, W)`` of what the first layer reads: the planes, and prospect planes if it has them.
    """

    def __init__(self, rules: RuleSet, config: NetworkConfig) -> None:
        super().__init__()
        self.rules, self.config = rules, config
        channels, height, width = plane_shape(rules)
        if config.prospects:
            channels += len(prospect_planes(rules, config.prospects))
        self.input_shape = channels, height, width

    def inputs(self, planes: Tensor) -> Tensor:
        """What the first layer reads: the planes, and behind them prospect planes if the network has them.

        The rules make those on the CPU. Who runs a network elsewhere asks for them before the planes go there; what
        has them already stays as it is.
        """
        if planes.shape[1] == self.input_shape[0]:
            return planes
        seen = with_prospects(self.rules, planes.detach().to("cpu", torch.float32).numpy(), self.config.prospects)
        return torch.from_numpy(seen).to(planes.device, planes.dtype)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """What the network thinks of a batch of positions, for the player who is to act.

        Args:
            planes: float32 ``(N, C, H, W)``, or what `inputs` makes of them.

        Returns:
            Action logits, float32 ``(N, num_actions)``, illegal actions included, and values, float32
            ``(N,)`` from -1 (a sure loss) to 1 (a sure win).
        """
        raise NotImplementedError

    def look(self, planes: Tensor, *, mixed: bool = False) -> tuple[Tensor, Tensor]:
        """The same in mixed precision, if asked: in bfloat16 where torch's autocast does, with float32 results."""
        with torch.autocast(planes.device.type, torch.bfloat16, enabled=mixed):
            logits, values = self(planes)
        return logits.float(), values.float()

    def value(self, planes: Tensor) -> Tensor:
        """The values alone, float32 ``(N,)``."""
        return self(planes)[1]  # type: ignore[no-any-return]


class ResidualBlock(nn.Module):
    """Two 3x3 convolutions around which the input is carried (He et al., 2016), without normalisation."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(channels, channels, 3, padding=1)
        self.second = nn.Conv2d(channels, channels, 3, padding=1)
        # A block starts as the identity, which keeps a network without normalisation stable.
        nn.init.zeros_(self.second.weight)
        assert self.second.bias is not None
        nn.init.zeros_(self.second.bias)

    def forward(self, x: Tensor) -> Tensor:
        """``(N, channels, H, W)`` to the same shape."""
        return torch.relu(x + self.second(torch.relu(self.first(x))))


class ResidualNetwork(Network):
    """Convolutions over the board, and a policy head that is convolutional as well.

    Every action but the pass belongs to a plane and a cell (`action_planes`), so its logit comes from
    what the trunk knows about that cell; the pass looks at the mean over the board.
    """

    order: Tensor

    def __init__(self, rules: RuleSet, config: NetworkConfig) -> None:
        super().__init__(rules, config)
        planes, height, width = self.input_shape
        order, action_planes = action_order(rules)
        self.stem = nn.Conv2d(planes, config.width, 3, padding=1)
        self.blocks = nn.Sequential(*(ResidualBlock(config.width) for _ in range(config.depth)))
        self.policy = nn.Conv2d(config.width, action_planes, 1)
        self.pass_logit = nn.Linear(config.width, 1)
        self.value_planes = nn.Conv2d(config.width, VALUE_PLANES, 1)
        self.value_hidden = nn.Linear(VALUE_PLANES * height * width, config.value_hidden)
        self.value_out = nn.Linear(config.value_hidden, 1)
        self.register_buffer("order", torch.from_numpy(order), persistent=False)
        for head in (self.policy, self.pass_logit, self.value_out):
            start_small(head)
        self.to(memory_format=torch.channels_last)  # type: ignore[call-overload]  # torch's stub lacks it

    def trunk(self, planes: Tensor) -> Tensor:
        """What the network knows about each cell, ``(N, width, H, W)``."""
        # Convolutions on CPUs are about twice as fast with the channels last in memory.
        planes = self.inputs(planes).contiguous(memory_format=torch.channels_last)
        return self.blocks(torch.relu(self.stem(planes)))  # type: ignore[no-any-return]

    def value_head(self, trunk: Tensor) -> Tensor:
        """Values, ``(N,)``, from the trunk."""
        hidden = torch.relu(self.value_planes(trunk)).flatten(1)
        return torch.tanh(self.value_out(torch.relu(self.value_hidden(hidden)))).squeeze(1)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """See `Network.forward`."""
        return self.heads(self.trunk(planes))

    def heads(self, trunk: Tensor) -> tuple[Tensor, Tensor]:
        """Action logits and values from the trunk, see `Network.forward`."""
        scores = torch.cat([self.policy(trunk).flatten(1), self.pass_logit(trunk.mean((2, 3)))], 1)
        return scores.index_select(1, self.order), self.value_head(trunk)

    def value(self, planes: Tensor) -> Tensor:
        """See `Network.value`."""
        return self.value_head(self.trunk(planes))


class MlpNetwork(Network):
    """Fully connected layers over the flattened planes."""

    def __init__(self, rules: RuleSet, config: NetworkConfig) -> None:
        super().__init__(rules, config)
        sizes = [int(np.prod(self.input_shape)), *[config.width] * config.depth]
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(sizes))
        self.policy = nn.Linear(config.width, rules.num_actions)
        self.value_hidden = nn.Linear(config.width, config.value_hidden)
        self.value_out = nn.Linear(config.value_hidden, 1)
        start_small(self.policy)
        start_small(self.value_out)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """See `Network.forward`."""
        x = self.inputs(planes).flatten(1)
        for layer in self.layers:
            x = torch.relu(layer(x))
        value = torch.tanh(self.value_out(torch.relu(self.value_hidden(x)))).squeeze(1)
        return self.policy(x), value


def action_order(rules: RuleSet) -> tuple[npt.NDArray[np.int64], int]:
    """Where the residual network's scores hold each action.

    The scores are action planes, cell by cell, then the pass. A kitten, a cat, an ornament and a
    full-bed single have a plane each, at the cell they name. A row has one of four planes, by its
    direction, at its middle cell. A ghost entry has one of four planes, by its heading, at the first of
    its two cells.

    Returns:
        For each action its index into the scores, int64 ``(num_actions,)``, and the number of planes.
    """
    board = rules.board
    size = board.num_cells
    order: list[int] = []
    planes = 0
    for block in rules.actions.blocks:
        if block.kind == "pass":
            order.append(-1)
        elif block.kind == "row":
            for first, middle, _ in board.rows:
                step = middle // board.width - first // board.width, middle % board.width - first % board.width
                order.append((planes + DIRECTIONS.index(step)) * size + middle)
            planes += len(DIRECTIONS)
        elif block.kind == "ghost":
            order += [(planes + "v^><".index(entry.heading)) * size + entry.stitches[0][0] for entry in board.entries]
            planes += 4
        else:
            order += [planes * size + cell for cell in range(size)]
            planes += 1
    return np.array([planes * size if index < 0 else index for index in order], np.int64), planes


def start_small(layer: nn.Conv2d | nn.Linear) -> None:
    """Makes an output start near zero: near uniform play, and values near a draw."""
    nn.init.normal_(layer.weight, std=0.01)
    assert layer.bias is not None
    nn.init.zeros_(layer.bias)


def build_network(rules: RuleSet, config: NetworkConfig) -> Network:
    """A new network for a rule set, its weights drawn from torch's random generator."""
    kinds = {"residual": ResidualNetwork, "mlp": MlpNetwork}
    return kinds[config.kind](rules, config)


def network_weights(network: Network) -> dict[str, npt.NDArray[np.float32]]:
    """The weights as float32 arrays by parameter name, copies that a checkpoint can hold."""
    return {
        name: np.ascontiguousarray(tensor.detach().cpu().numpy().astype(np.float32))
        for name, tensor in network.state_dict().items()
    }


def network_from_checkpoint(checkpoint: Checkpoint) -> Network:
    """The network of a checkpoint, ready to play.

    Raises:
        CheckpointError: this version of boop_env sees the rule set's planes or actions otherwise, the
            card describes no network, or the weights do not fit the one it describes.
    """
    card: Card = checkpoint.card
    checkpoint.check_rules(card.rules)
    try:
        config = NetworkConfig(**card.network)
        with torch.device("meta"):  # shapes without memory, so that no card can ask for all there is
            expected = {name: tuple(t.shape) for name, t in build_network(card.rules, config).state_dict().items()}
    except (TypeError, ValueError) as error:
        raise checkpoint.refuse(f"describes no network we know: {error}") from None
    found = {name: array.shape for name, array in checkpoint.weights.items()}
    for name in sorted(expected.keys() | found.keys()):
        if expected.get(name) != found.get(name):
            raise checkpoint.refuse(
                f"does not fit its card: weight {name!r} is {found.get(name, 'missing')} "
                f"and the network has {expected.get(name, 'none')}"
            )
        array = checkpoint.weights[name]
        if array.dtype != np.float32 or not np.isfinite(array).all():
            raise checkpoint.refuse(f"has a weight {name!r} that is not finite float32")
    network = build_network(card.rules, config)
    network.load_state_dict({name: torch.from_numpy(np.array(a)) for name, a in checkpoint.weights.items()})
    return network.eval()
