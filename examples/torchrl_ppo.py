"""PPO with action masks in TorchRL, against a bot, with TorchRL's own collector, advantages and loss.

pip install "boop-env[torchrl]"
python examples/torchrl_ppo.py --rules boop --opponent random --steps 500000
"""

import argparse

import torch
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

import boop_env
from boop_env.bridges.torchrl import BoopTorchRLEnv


def main() -> None:
    """Trains and prints the score of the games of each rollout."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rules", default="boop", choices=boop_env.PRESETS, help="preset to train on")
    parser.add_argument("--opponent", default="random", help="spec of the bot to train against")
    parser.add_argument("--num-envs", type=int, default=64, help="games at a time")
    parser.add_argument("--rollout", type=int, default=64, help="steps of each game between updates")
    parser.add_argument("--steps", type=int, default=500_000, help="steps of the learner in all")
    parser.add_argument("--epochs", type=int, default=4, help="passes over each rollout")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()

    torch.manual_seed(arguments.seed)
    env = BoopTorchRLEnv(arguments.rules, arguments.num_envs, arguments.opponent, seed=arguments.seed)
    cells = env.observation_spec["observation"].shape[1:].numel()
    actions = env.games.rules.num_actions
    policy = nn.Sequential(nn.Flatten(-3), nn.Linear(cells, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU())
    policy.append(nn.Linear(256, actions))
    critic = nn.Sequential(nn.Flatten(-3), nn.Linear(cells, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU())
    critic.append(nn.Linear(256, 1))
    actor = ProbabilisticActor(
        TensorDictModule(policy, in_keys=["observation"], out_keys=["logits"]),
        in_keys={"logits": "logits", "mask": "action_mask"},
        out_keys=["action"],
        distribution_class=MaskedCategorical,
        spec=env.action_spec,
        return_log_prob=True,
    )
    value = ValueOperator(critic, in_keys=["observation"])

    frames = arguments.num_envs * arguments.rollout
    # The network remembers nothing, so it needs to know of no beginnings.
    collector = Collector(
        env,
        actor,
        frames_per_batch=frames,
        total_frames=arguments.steps,
        auto_register_policy_transforms=False,
    )
    advantage = GAE(gamma=1.0, lmbda=0.9, value_network=value)
    loss = ClipPPOLoss(actor, value, entropy_coeff=0.01, normalize_advantage=True)
    optimiser = torch.optim.Adam(loss.parameters(), lr=3e-4)
    for number, data in enumerate(collector, 1):
        with torch.no_grad():
            advantage(data)
        flat = data.reshape(-1)
        for _ in range(arguments.epochs):
            for rows in torch.randperm(len(flat)).split(1024):
                losses = loss(flat[rows])
                optimiser.zero_grad()
                (losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]).backward()
                nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
                optimiser.step()
        over = data["next", "done"].squeeze(-1)
        rewards = data["next", "reward"].squeeze(-1)[over]
        score = 100 * (rewards.mean().item() + 1) / 2 if len(rewards) else float("nan")
        print(f"{number * frames} steps: {len(rewards)} games, score {score:.1f} %", flush=True)
    collector.shutdown()


if __name__ == "__main__":
    main()
