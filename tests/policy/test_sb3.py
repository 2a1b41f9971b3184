from pathlib import Path

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO

import boop_env
from boop_env import make_bot, ruleset
from boop_env.envs.batch import BatchEnv
from boop_env.envs.sb3 import BoopVecEnv
from boop_env.policy import Card, write_checkpoint
from boop_env.policy.network import NetworkConfig, network_weights
from boop_env.policy.sb3 import NetworkPolicy

CONFIGS = (NetworkConfig("residual", 8, 1, 8), NetworkConfig("mlp", 16, 1, 8))


def model(rules: str, config: NetworkConfig) -> MaskablePPO:
    env = BoopVecEnv(rules, 16, [make_bot("random")])
    return MaskablePPO(
        NetworkPolicy,
        env,
        n_steps=8,
        batch_size=64,
        learning_rate=0.01,
        policy_kwargs={"rules": env.rules, "config": config},
        seed=1,
        device="cpu",
    )


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.kind)
@pytest.mark.parametrize("rules", ["boop", "booop", "halls"])
def test_an_exported_policy_is_the_trained_one(tmp_path: Path, rules: str, config: NetworkConfig) -> None:
    trained = model(rules, config)
    trained.learn(256)
    policy = trained.policy
    assert isinstance(policy, NetworkPolicy)
    path = tmp_path / "a.safetensors"
    write_checkpoint(path, network_weights(policy.network), Card(trained.env.rules, config.to_dict()))
    bot = boop_env.load_policy(path, greedy=True)

    env = BatchEnv(rules, 32, seed=3, opening_plies=7)
    planes = torch.from_numpy(env.planes)
    logits, values = bot.evaluator(env.planes)
    with torch.no_grad():
        np.testing.assert_array_equal(logits, policy.network(planes)[0].numpy())
        np.testing.assert_array_equal(values, policy.predict_values(planes)[:, 0].numpy())
        _, sb3_values, _ = policy(planes, action_masks=env.masks)
        np.testing.assert_array_equal(values, sb3_values[:, 0].numpy())
    predicted, _ = trained.predict(env.planes, action_masks=env.masks, deterministic=True)
    np.testing.assert_array_equal(bot.choose(env.states, np.random.default_rng(0)), predicted)


def test_probabilities_are_those_of_sb3s_own_masked_distribution() -> None:
    policy = model("boop", CONFIGS[0]).policy
    env = BatchEnv("boop", 32, seed=3, opening_plies=7)
    planes, masks = torch.from_numpy(env.planes), torch.from_numpy(env.masks)
    actions = torch.from_numpy(env.sample())
    with torch.no_grad():
        values, log_probs, entropy = policy.evaluate_actions(planes, actions, masks.float())
        reference = policy.get_distribution(planes, env.masks).distribution
    assert values.shape == (32, 1)
    torch.testing.assert_close(log_probs, reference.log_prob(actions))
    torch.testing.assert_close(entropy, reference.entropy())


def test_forward_draws_legal_actions_and_tells_their_chances() -> None:
    policy = model("halls", CONFIGS[0]).policy
    env = BatchEnv("halls", 64, seed=3)
    planes = torch.from_numpy(env.planes)
    for deterministic in (False, True):
        with torch.no_grad():
            actions, _, log_probs = policy(planes, deterministic, env.masks)
            _, expected, _ = policy.evaluate_actions(planes, actions, torch.from_numpy(env.masks))
        assert env.masks[np.arange(64), actions.numpy()].all()
        torch.testing.assert_close(log_probs, expected)


def test_all_weights_are_the_networks() -> None:
    policy = model("boop", CONFIGS[0]).policy
    assert {id(p) for p in policy.parameters()} == {id(p) for p in policy.network.parameters()}


def test_mixed_precision_computes_in_bfloat16_and_learns_in_float32() -> None:
    rules = ruleset("boop")
    env = BoopVecEnv(rules, 64, [make_bot("random")], opening_plies=6)
    found = {}
    for mixed in (False, True):
        torch.manual_seed(0)
        policy = MaskablePPO(
            NetworkPolicy,
            env,
            policy_kwargs={"rules": rules, "config": NetworkConfig("residual", 16, 2), "mixed": mixed},
        ).policy
        planes, masks = torch.from_numpy(env.observe()), env.action_masks()
        actions = policy(planes, action_masks=masks)[0]
        values, log_probs, entropies = policy.evaluate_actions(planes, actions, masks)
        (values.sum() + log_probs.sum()).backward()
        assert {tensor.dtype for tensor in (values, log_probs, entropies)} == {torch.float32}
        assert {p.dtype for p in policy.parameters()} | {p.grad.dtype for p in policy.parameters()} == {torch.float32}
        found[mixed] = policy.network.stem.weight.grad
        with torch.no_grad():
            inner = policy.look(planes)[0]
        assert torch.equal(inner, inner.bfloat16().float()) is mixed
    torch.testing.assert_close(found[True], found[False], rtol=0.1, atol=0.1 * float(found[False].abs().max()))
