"""How networks run: torch, in float32 or bfloat16 and on a GPU, or OpenVINO on the CPU when it is installed.

`make_evaluator` chooses, and says once a process what it chose. Whatever it chooses, logits and values are
within `TOLERANCE` of torch's in float32.
"""

from __future__ import annotations

import copy
import importlib.util
import sys
import warnings
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import torch
from llvmlite.binding import get_host_cpu_features
from torch import Tensor, nn

from boop_env.envs.planes import plane_shape, write_batch
from boop_env.policy.network import Network
from boop_env.policy.policy_bot import Evaluator, Floats, TorchEvaluator
from boop_env.policy.prospects import with_prospects
from boop_env.rules.ruleset import RuleSet
from boop_env.rules.states import States

Backend = Literal["auto", "torch", "openvino"]
Precision = Literal["float32", "bfloat16"]

TOLERANCE: dict[str, float] = {"float32": 1e-4, "bfloat16": 0.03}
"""How far logits and values may be from torch's in float32: absolutely, and again relatively for logits above 1."""

BFLOAT16_FEATURES = ("avx512bf16", "amx-bf16", "bf16")
"""LLVM's names of processor features that multiply in bfloat16, of x86 and of ARM."""

BATCH = 256
"""Positions OpenVINO looks at in one go: more gain nothing on a CPU and no longer fit its caches."""

SMALL_BATCH = 32
"""Batches up to this are filled up to a power of two, larger ones to a multiple of this."""

_told: set[str] = set()


class Bfloat16Network(nn.Module):
    """A network whose layers compute in bfloat16; planes, logits and values stay float32.

    Args:
        network: what to copy the weights from.
    """

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.network = copy.deepcopy(network).bfloat16()

    def inputs(self, planes: Tensor) -> Tensor:
        """See `Network.inputs`."""
        return self.network.inputs(planes)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """See `Network.forward`."""
        logits, values = self.network(planes.bfloat16())
        return logits.float(), values.float()

    def load_state_dict(self, *arguments: Any, **options: Any) -> Any:
        """Takes the weights of a network in float32."""
        return self.network.load_state_dict(*arguments, **options)


class OpenVinoEvaluator:
    """A network run by OpenVINO on the CPU.

    Batches are filled up to a few sizes, because OpenVINO prepares itself anew for every size it meets.

    Args:
        network: the network; its weights are copied.
        precision: what its layers compute in.
        threads: CPU threads; as many as there are cores when not given.

    Raises:
        ImportError: OpenVINO is not installed.
    """

    def __init__(self, network: Network, precision: Precision = "float32", threads: int | None = None) -> None:
        self._rules, self._prospects = network.rules, network.config.prospects
        hint = {"float32": "f32", "bfloat16": "bf16"}[precision]
        import openvino

        options: dict[str, Any] = {"INFERENCE_PRECISION_HINT": hint, "PERFORMANCE_HINT": "LATENCY"}
        if threads is not None:
            options["INFERENCE_NUM_THREADS"] = threads
        self._options = options
        self._core = openvino.Core()
        self._model = openvino_model(network)
        self._planes = np.zeros((BATCH, *network.input_shape), np.float32)
        self._compile()

    def _compile(self) -> None:
        self._request = self._core.compile_model(self._model, "CPU", self._options).create_infer_request()

    def load_weights(self, weights: Mapping[str, Floats]) -> None:
        """See `Evaluator.load_weights`."""
        from openvino.op import Constant

        # Converting the network again would take several times as long, and leaks three megabytes each time.
        for node in self._model.get_ops():
            name = node.get_friendly_name()
            if node.get_type_name() == "Constant" and name.removeprefix("self.") in weights:
                fresh = Constant(np.ascontiguousarray(weights[name.removeprefix("self.")]))
                fresh.set_friendly_name(name)
                for reader in node.output(0).get_target_inputs():
                    reader.replace_source_output(fresh.output(0))
        self._compile()

    def __call__(self, planes: Floats) -> tuple[Floats, Floats]:
        """See `Evaluator`."""
        parts = [self._infer(planes[at : at + BATCH]) for at in range(0, len(planes), BATCH)]
        logits, values = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        return logits, values

    def _infer(self, planes: Floats) -> tuple[Floats, Floats]:
        planes = with_prospects(self._rules, planes, self._prospects) if self._prospects else planes
        count = len(planes)
        size = filled_up(count)
        if size > count or not planes.flags.c_contiguous:
            self._planes[:count] = planes
            planes = self._planes[:size]
        outputs = self._request.infer([planes], share_inputs=True)
        return outputs[0][:count], outputs[1][:count]


def filled_up(count: int) -> int:
    """The batch size that so many positions are filled up to."""
    if count > SMALL_BATCH:
        return -(-count // SMALL_BATCH) * SMALL_BATCH
    return 1 << (count - 1).bit_length()


def openvino_model(network: Network) -> Any:
    """The network as an OpenVINO model for any number of positions, which takes what `Network.inputs` gives.

    This is what ``openvino.convert_model`` does, without the usage report that it sends to its makers.
    """
    from openvino import PartialShape
    from openvino.frontend import FrontEndManager
    from openvino.frontend.pytorch.ts_decoder import TorchScriptPythonDecoder

    frontend = FrontEndManager().load_by_framework("pytorch")
    network = copy.deepcopy(network).cpu().eval()
    with warnings.catch_warnings(), torch.no_grad():
        # OpenVINO still traces networks that way.
        warnings.filterwarnings("ignore", r"`torch\.jit\.", DeprecationWarning)
        warnings.filterwarnings("ignore", "Converting a tensor to a Python boolean")  # `inputs` asks for a fixed shape
        example = torch.zeros(2, *network.input_shape)
        decoder = TorchScriptPythonDecoder(network, example_input=example)  # outlives what reads it
        model = frontend.convert(frontend.load(decoder))
    model.reshape(PartialShape([-1, *network.input_shape]))
    return model


def native_precision(device: str = "cpu") -> Precision:
    """What training computes in unless told: bfloat16 where the processor has instructions for it, else float32.

    Only the CPU is asked; on other devices the answer is float32.
    """
    features = get_host_cpu_features() if device == "cpu" else {}
    return "bfloat16" if any(features.get(name) for name in BFLOAT16_FEATURES) else "float32"


def training_precision(asked: Literal["auto"] | Precision, device: str) -> Precision:
    """What training computes in: what was asked for, and with ``"auto"`` what `native_precision` says."""
    return native_precision(device) if asked == "auto" else asked


def has_openvino() -> bool:
    """Whether OpenVINO is installed."""
    return importlib.util.find_spec("openvino") is not None


def make_evaluator(
    network: Network,
    *,
    device: str = "cpu",
    backend: Backend = "auto",
    precision: Precision = "float32",
    threads: int | None = None,
) -> Evaluator:
    """What runs a network.

    Args:
        network: the network.
        device: a torch device; anything but ``"cpu"`` is torch's.
        backend: ``"auto"`` takes OpenVINO for the CPU where it is installed, else torch.
        precision: what the layers compute in.
        threads: CPU threads of OpenVINO, as many as there are cores when not given; torch has its own setting.

    Raises:
        ValueError: the backend cannot be had; the message says what would help.
    """
    if backend == "auto":
        backend = "openvino" if device == "cpu" and has_openvino() else "torch"
    if backend == "openvino" and device != "cpu":
        raise ValueError(f"OpenVINO runs networks on the CPU, not on {device}; use torch there")
    if backend == "openvino" and not has_openvino():
        raise ValueError("OpenVINO is not installed; pip install 'boop-env[openvino]', or use torch")
    chosen = f"{backend} on {device} in {precision}"
    if chosen not in _told:
        _told.add(chosen)
        print(f"boop_env: networks run with {chosen}", file=sys.stderr)
    if backend == "openvino":
        return OpenVinoEvaluator(network, precision, threads)
    return TorchEvaluator(network if precision == "float32" else Bfloat16Network(network), device)  # type: ignore[arg-type]  # any module that gives logits and values


class StateEvaluator:
    """What a search asks: positions in, logits and values out, through buffers that are kept.

    Args:
        evaluator: what runs the network.
        rules: the rule set of the positions.
    """

    def __init__(self, evaluator: Evaluator, rules: RuleSet) -> None:
        self.evaluator = evaluator
        self.positions = 0
        self._shape = plane_shape(rules)
        self._actions = rules.num_actions
        self._planes = np.empty((0, *self._shape), np.float32)
        self._masks = np.empty((0, self._actions), np.int8)

    def __call__(self, states: States) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Logits ``(N, num_actions)`` and values ``(N,)`` of N positions, as each mover sees them."""
        count = len(states)
        self.positions += count
        if count > len(self._planes):
            self._planes = np.empty((count, *self._shape), np.float32)
            self._masks = np.empty((count, self._actions), np.int8)
        planes, masks = self._planes[:count], self._masks[:count]
        write_batch(states.rules.tables, states.words, planes.reshape(-1), masks.reshape(-1))
        return self.evaluator(planes)
