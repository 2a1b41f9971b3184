from pathlib import Path

import numpy as np
import pytest
import torch

from boop_env import PRESETS, States, ruleset
from boop_env.envs.batch import BatchEnv
from boop_env.policy import inference
from boop_env.policy.inference import TOLERANCE, StateEvaluator, filled_up, make_evaluator
from boop_env.policy.network import Network, NetworkConfig, build_network, network_weights
from boop_env.policy.policy_bot import TorchEvaluator

CONFIGS = (
    NetworkConfig("residual", 16, 2, 16),
    NetworkConfig("mlp", 32, 1, 16),
    NetworkConfig("residual", 16, 1, 16, prospects=2),
)
BACKENDS = [
    "torch",
    pytest.param(
        "openvino", marks=pytest.mark.skipif(not inference.has_openvino(), reason="OpenVINO is not installed")
    ),
]


def name_of(config: NetworkConfig) -> str:
    return f"{config.kind} with prospects" if config.prospects else config.kind


def network(rules: str, config: NetworkConfig) -> Network:
    """A network with opinions."""
    torch.manual_seed(1)
    net = build_network(ruleset(rules), config)
    with torch.no_grad():
        for parameter in net.parameters():
            if parameter.dim() > 1:
                parameter.add_(0.1 * torch.randn_like(parameter))
    return net.eval()


def some_planes(rules: str, count: int) -> np.ndarray:
    return BatchEnv(rules, count, opening_plies=12).planes.copy()


def check_close(found: np.ndarray, expected: np.ndarray, tolerance: float) -> None:
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("config", CONFIGS, ids=name_of)
@pytest.mark.parametrize("rules", ["boop", "booop", "halls"])
def test_all_agree(rules: str, config: NetworkConfig, backend: str, precision: str) -> None:
    net = network(rules, config)
    planes = some_planes(rules, 70)
    with torch.inference_mode():
        logits, values = (output.numpy() for output in net(torch.from_numpy(planes)))
    assert logits.std() > 0.1 and values.std() > 0.01
    evaluate = make_evaluator(net, backend=backend, precision=precision)
    for count in (70, 1, 3, 33):
        found = evaluate(planes[:count])
        check_close(found[0], logits[:count], TOLERANCE[precision])
        check_close(found[1], values[:count], TOLERANCE[precision])


@pytest.mark.parametrize("backend", BACKENDS)
def test_batches_larger_than_one_go(backend: str) -> None:
    evaluate = make_evaluator(network("boop", CONFIGS[0]), backend=backend)
    planes = some_planes("boop", 600)
    logits, values = evaluate(planes)
    assert logits.shape == (600, 189) and values.shape == (600,)
    first = evaluate(planes[:5])
    np.testing.assert_allclose(logits[:5], first[0], atol=1e-5)
    np.testing.assert_allclose(values[:5], first[1], atol=1e-5)


@pytest.mark.parametrize("backend", BACKENDS)
def test_answers_last(backend: str) -> None:
    evaluate = make_evaluator(network("boop", CONFIGS[0]), backend=backend)
    planes = some_planes("boop", 16)
    first, kept = (evaluate(planes[:8])[0] for _ in range(2))
    evaluate(planes[8:])
    np.testing.assert_array_equal(first, kept)


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("config", CONFIGS, ids=name_of)
def test_other_weights_are_other_answers(config: NetworkConfig, backend: str, precision: str) -> None:
    rules = ruleset("boop")
    torch.manual_seed(7)
    evaluate = make_evaluator(build_network(rules, config), backend=backend, precision=precision)
    net = network("boop", config)
    planes = some_planes("boop", 20)
    evaluate(planes)
    evaluate.load_weights(network_weights(net))
    with torch.inference_mode():
        logits, values = (output.numpy() for output in net(torch.from_numpy(planes)))
    found = evaluate(planes)
    check_close(found[0], logits, TOLERANCE[precision])
    check_close(found[1], values, TOLERANCE[precision])


def test_states_are_seen_by_who_acts() -> None:
    net = network("booop", CONFIGS[0])
    evaluate = StateEvaluator(make_evaluator(net, backend="torch"), ruleset("booop"))
    env = BatchEnv("booop", 20, opening_plies=7)
    for count in (20, 4):
        logits, _ = evaluate(env.states[:count])
        with torch.inference_mode():
            np.testing.assert_allclose(logits, net(torch.from_numpy(env.planes[:count]))[0].numpy(), atol=1e-5)
    assert evaluate.positions == 24
    assert isinstance(env.states, States)


def test_says_once_what_it_chose(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inference, "_told", set())
    monkeypatch.setattr(inference, "has_openvino", lambda: False)
    for _ in range(2):
        make_evaluator(network("boop", CONFIGS[1]))
    assert capsys.readouterr().err == "boop_env: networks run with torch on cpu in float32\n"


def test_refuses_what_it_cannot_run(monkeypatch: pytest.MonkeyPatch) -> None:
    net = network("boop", CONFIGS[1])
    with pytest.raises(ValueError, match="not on cuda"):
        make_evaluator(net, backend="openvino", device="cuda")
    monkeypatch.setattr(inference, "has_openvino", lambda: False)
    with pytest.raises(ValueError, match="pip install"):
        make_evaluator(net, backend="openvino")


def test_sizes_are_few() -> None:
    sizes = {filled_up(count) for count in range(1, 257)}
    assert sizes == {1, 2, 4, 8, 16, *range(32, 257, 32)}
    assert all(filled_up(count) >= count for count in range(1, 257))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
@pytest.mark.parametrize("config", [CONFIGS[0], CONFIGS[2]], ids=["residual", "residual with prospects"])
@pytest.mark.parametrize("rules", PRESETS)
def test_a_gpu_agrees(rules: str, config: NetworkConfig, precision: str, tmp_path: Path) -> None:
    net = network(rules, config)
    planes = some_planes(rules, 70)
    with torch.inference_mode():
        logits, values = (output.numpy() for output in net(torch.from_numpy(planes)))
    found = make_evaluator(net, device="cuda", precision=precision)(planes)
    tolerance = max(TOLERANCE[precision], 2e-3)  # GPUs round float32 convolutions to TF32
    check_close(found[0], logits, tolerance)
    check_close(found[1], values, tolerance)


@pytest.mark.parametrize(
    ("features", "device", "precision"),
    [
        ({"avx2": True, "avx512bf16": False}, "cpu", "float32"),
        ({"avx512bf16": True}, "cpu", "bfloat16"),
        ({"amx-bf16": True}, "cpu", "bfloat16"),
        ({"avx512bf16": True}, "cuda", "float32"),
    ],
)
def test_training_computes_in_what_the_processor_can(
    monkeypatch: pytest.MonkeyPatch, features: dict[str, bool], device: str, precision: str
) -> None:
    monkeypatch.setattr(inference, "get_host_cpu_features", lambda: features)
    assert inference.native_precision(device) == precision


def test_torch_in_mixed_precision_agrees() -> None:
    net, planes = network("boop", CONFIGS[0]), some_planes("boop", 40)
    plain, mixed = TorchEvaluator(net)(planes), TorchEvaluator(net, mixed=True)(planes)
    for found, expected in zip(mixed, plain, strict=True):
        check_close(found, expected, TOLERANCE["bfloat16"])
        assert not np.array_equal(found, expected)
