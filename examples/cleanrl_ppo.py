"""PPO with action masks in one file, in the manner of CleanRL, on `gymnasium.make_vec` and nothing else of ours.

pip install "boop-env[policy]"
python examples/cleanrl_ppo.py --env-id boop_env:boop_env/Boop-v0 --opponent random --total-timesteps 500000

`boop_env:` before the id makes Gymnasium import the package that registers it.
"""

import argparse
import time

import gymnasium as gym
import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical


def layer(inputs: int, outputs: int, gain: float = 2**0.5) -> nn.Linear:
    """A linear layer with orthogonal weights and no bias to begin with."""
    made = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(made.weight, gain)
    nn.init.zeros_(made.bias)
    return made


class Agent(nn.Module):
    """Policy and value network over flattened planes."""

    def __init__(self, envs: gym.vector.VectorEnv) -> None:
        super().__init__()
        cells = int(np.prod(envs.single_observation_space.shape))
        actions = int(envs.single_action_space.n)
        self.trunk = nn.Sequential(nn.Flatten(), layer(cells, 256), nn.ReLU(), layer(256, 256), nn.ReLU())
        self.actor = layer(256, actions, 0.01)
        self.critic = layer(256, 1, 1.0)

    def forward(self, planes: torch.Tensor, masks: torch.Tensor) -> tuple[Categorical, torch.Tensor]:
        """The distribution over legal actions, and values ``(N,)``."""
        hidden = self.trunk(planes)
        # A finite logit: minus infinity would make the entropy of a masked distribution not a number.
        logits = self.actor(hidden).masked_fill(~masks, -1e8)
        return Categorical(logits=logits), self.critic(hidden).squeeze(-1)


def main() -> None:
    """Trains and prints the score of the games of each rollout."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--env-id", default="boop_env:boop_env/Boop-v0")
    parser.add_argument("--opponent", default="random", help="spec of the bot that answers inside step")
    parser.add_argument("--total-timesteps", type=int, default=500_000)
    parser.add_argument("--num-envs", type=int, default=64)
    parser.add_argument("--num-steps", type=int, default=64, help="steps of each game in a rollout")
    parser.add_argument("--num-minibatches", type=int, default=4)
    parser.add_argument("--update-epochs", type=int, default=4)
    parser.add_argument("--learning-rate", type=float, default=5e-4)
    parser.add_argument("--gamma", type=float, default=1.0, help="1: a win late in a game is a win")
    parser.add_argument("--gae-lambda", type=float, default=0.9)
    parser.add_argument("--clip-coef", type=float, default=0.2)
    parser.add_argument("--ent-coef", type=float, default=0.01)
    parser.add_argument("--vf-coef", type=float, default=0.5)
    parser.add_argument("--max-grad-norm", type=float, default=0.5)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    envs = gym.make_vec(args.env_id, num_envs=args.num_envs, opponent=args.opponent)
    agent = Agent(envs)
    optimizer = torch.optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)

    # storage
    shape = (args.num_steps, args.num_envs)
    obs = torch.zeros(shape + envs.single_observation_space.shape)
    masks = torch.zeros((*shape, int(envs.single_action_space.n)), dtype=torch.bool)
    actions = torch.zeros(shape, dtype=torch.long)
    logprobs, rewards, dones, values = (torch.zeros(shape) for _ in range(4))

    planes, info = envs.reset(seed=args.seed)
    next_obs, next_mask = torch.from_numpy(planes), torch.from_numpy(info["action_mask"]).bool()
    iterations = args.total_timesteps // (args.num_envs * args.num_steps)
    start = time.time()
    for iteration in range(1, iterations + 1):
        # rollout: dones[t] says whether the game ended with the action of step t
        outcomes: list[float] = []
        for step in range(args.num_steps):
            obs[step], masks[step] = next_obs, next_mask
            with torch.no_grad():
                chances, values[step] = agent(next_obs, next_mask)
                actions[step] = chances.sample()
                logprobs[step] = chances.log_prob(actions[step])
            planes, reward, terminated, truncated, info = envs.step(actions[step].numpy())
            over = terminated | truncated
            rewards[step] = torch.from_numpy(reward).float()
            dones[step] = torch.from_numpy(over).float()
            outcomes += reward[over].tolist()
            next_obs, next_mask = torch.from_numpy(planes), torch.from_numpy(info["action_mask"]).bool()

        # advantages; a game at the turn cap is over by the rules, so nothing is bootstrapped from it
        with torch.no_grad():
            next_value = agent(next_obs, next_mask)[1]
            advantages = torch.zeros_like(rewards)
            last = torch.zeros(args.num_envs)
            for step in reversed(range(args.num_steps)):
                goes_on = 1.0 - dones[step]
                delta = rewards[step] + args.gamma * next_value * goes_on - values[step]
                advantages[step] = last = delta + args.gamma * args.gae_lambda * goes_on * last
                next_value = values[step]
            returns = advantages + values

        # update
        batch = [array.flatten(0, 1) for array in (obs, masks, actions, logprobs, advantages, returns)]
        size = args.num_envs * args.num_steps
        for _ in range(args.update_epochs):
            for rows in torch.randperm(size).split(max(1, size // args.num_minibatches)):
                b_obs, b_masks, b_actions, b_logprobs, b_advantages, b_returns = (array[rows] for array in batch)
                chances, value = agent(b_obs, b_masks)
                ratio = (chances.log_prob(b_actions) - b_logprobs).exp()
                b_advantages = (b_advantages - b_advantages.mean()) / (b_advantages.std() + 1e-8)
                clipped = ratio.clamp(1 - args.clip_coef, 1 + args.clip_coef)
                policy_loss = -torch.min(b_advantages * ratio, b_advantages * clipped).mean()
                value_loss = 0.5 * (value - b_returns).square().mean()
                loss = policy_loss + args.vf_coef * value_loss - args.ent_coef * chances.entropy().mean()
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), args.max_grad_norm)
                optimizer.step()

        done_steps = iteration * size
        score = 50 * (np.mean(outcomes) + 1) if outcomes else float("nan")
        speed = done_steps / (time.time() - start)
        print(f"{done_steps} steps: {len(outcomes)} games, score {score:.1f} %, {speed:.0f} steps/s", flush=True)
    envs.close()


if __name__ == "__main__":
    main()
