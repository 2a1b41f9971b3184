"""PPO self-play in one file, in plain torch: one network plays both seats, and learns from both.

    python -m train.ppo_selfplay --rules boop --minutes 10 --out runs/selfplay

Read this one to see how the two players' moves, in one stream, become advantages; train with `train.ppo`,
which meets more than its latest self. What matters is in `advantages`: a value belongs to the player who acts, and
one player may act several times in a row. So the value of the next position counts as it is when the same
player acts there, and negated when the other one does. To negate it at every step, as one reads in tutorials,
is wrong in any game with such turns; to negate it never makes a player wish the other one well.

The loser needs no reward of its own: the winner's last step has +1, which reaches the loser's last step, one
earlier in the stream, with its sign turned. The file ends with a checkpoint that `boop_env.load_policy` plays.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from boop_env.envs.batch import BatchEnv
from boop_env.policy.checkpoint import Card, write_checkpoint
from boop_env.policy.network import NetworkConfig, build_network, network_weights
from boop_env.rules.ruleset import PRESETS

ILLEGAL = -1e8
"""Logit of an illegal action: its chance is exactly 0, and 0 times its logarithm is still a number."""


def setting(default: Any, help: str) -> Any:
    """A field with its line of explanation, which is also its flag's help."""
    return field(default=default, metadata={"help": help})


@dataclass(frozen=True)
class Settings:
    """Everything that can be set; each field is a flag."""

    rules: str = setting("boop", f"what to play: {', '.join(PRESETS)}")
    minutes: float = setting(10.0, "how long to train")
    steps: int = setting(0, "steps of all games to train for, instead of minutes; such a run is repeatable")
    out: str = setting("runs/selfplay", "folder of the checkpoint")
    seed: int = setting(0, "of weights and games")
    threads: int = setting(2, "CPU threads of torch")
    width: int = setting(32, "channels of the residual network")
    depth: int = setting(2, "residual blocks")
    num_envs: int = setting(512, "games in step")
    rollout: int = setting(32, "steps of every game between two updates")
    epochs: int = setting(1, "times each rollout is learned from")
    batch_size: int = setting(2048, "steps in one gradient")
    learning_rate: float = setting(1.5e-3, "Adam's rate at the start, falling to 0 in a straight line")
    gamma: float = setting(0.995, "what a reward one step later is worth, whoever takes the step")
    gae_lambda: float = setting(0.8, "how far advantages look past the value estimate (GAE)")
    clip: float = setting(0.2, "how far an update may change an action's odds before it gains nothing more")
    entropy: float = setting(0.01, "weight of the entropy bonus")
    value: float = setting(0.5, "weight of the value loss")
    max_grad_norm: float = setting(0.5, "gradients longer than this are shortened to it")


def advantages(
    rewards: npt.NDArray[np.float32],
    values: npt.NDArray[np.float32],
    movers: npt.NDArray[np.int8],
    dones: npt.NDArray[np.bool_],
    gamma: float,
    gae_lambda: float,
) -> npt.NDArray[np.float32]:
    """Generalised advantage estimates (Schulman et al., 2016) for two players in one stream.

    Args:
        rewards: for the player who acts, float32 ``(T, N)``.
        values: of each position for the player who acts in it, float32 ``(T + 1, N)``.
        movers: who acts, int8 ``(T + 1, N)``.
        dones: whether a game ended with that step, bool ``(T, N)``; the next position is another game's.
        gamma: the discount of a step.
        gae_lambda: the weight of looking a step further.

    Returns:
        float32 ``(T, N)``, each for the player who acts.
    """
    found = np.zeros_like(rewards)
    ahead = np.zeros(rewards.shape[1], np.float32)
    for t in reversed(range(len(rewards))):
        # +1 where the same player acts next, -1 where the other one does, 0 where nobody does.
        sign = np.where(dones[t], 0, np.where(movers[t] == movers[t + 1], 1, -1)).astype(np.float32)
        error = rewards[t] + gamma * sign * values[t + 1] - values[t]
        ahead = error + gamma * gae_lambda * sign * ahead
        found[t] = ahead
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Trains; returns the exit code."""
    # Settings
    parser = argparse.ArgumentParser(
        prog="python -m train.ppo_selfplay", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for f in fields(Settings):
        help_text = f"{f.metadata['help']} ({f.default})"
        parser.add_argument(f"--{f.name.replace('_', '-')}", type=type(f.default), default=f.default, help=help_text)
    args = Settings(**vars(parser.parse_args(arguments)))
    if args.rules not in PRESETS:
        parser.error(f"--rules {args.rules}: the presets are {', '.join(PRESETS)}")
    command = shlex.join(["python", "-m", "train.ppo_selfplay", *(sys.argv[1:] if arguments is None else arguments)])

    # Games, network, room for a rollout
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    env = BatchEnv(args.rules, args.num_envs, seed=args.seed)
    config = NetworkConfig("residual", args.width, args.depth)
    network = build_network(env.rules, config)
    optimizer = torch.optim.Adam(network.parameters(), lr=args.learning_rate, eps=1e-5)
    T, N = args.rollout, args.num_envs
    planes = torch.zeros((T, *env.planes.shape))
    masks = torch.zeros((T, N, env.num_actions), dtype=torch.bool)
    actions = torch.zeros((T, N), dtype=torch.int64)
    log_probs = torch.zeros((T, N))
    values = np.zeros((T + 1, N), np.float32)
    movers = np.zeros((T + 1, N), np.int8)
    rewards = np.zeros((T, N), np.float32)
    dones = np.zeros((T, N), np.bool_)

    def distribution(planes: torch.Tensor, masks: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Log probabilities of all actions, and values, for the players who act."""
        logits, value = network(planes)
        return logits.masked_fill(~masks, ILLEGAL).log_softmax(1), value

    started = shown = time.monotonic()
    steps = games = 0
    while (progress := steps / args.steps if args.steps else (time.monotonic() - started) / (60 * args.minutes)) < 1:
        optimizer.param_groups[0]["lr"] = args.learning_rate * (1 - progress)

        # Play: whoever is to act in a game acts by the one network
        for t in range(T):
            planes[t] = torch.from_numpy(env.planes)
            masks[t] = torch.from_numpy(env.masks) == 1
            movers[t] = env.mover
            with torch.no_grad():
                log_prob, value = distribution(planes[t], masks[t])
            actions[t] = torch.multinomial(log_prob.exp(), 1).squeeze(1)
            log_probs[t] = log_prob.gather(1, actions[t, :, None]).squeeze(1)
            values[t] = value.numpy()
            step = env.step(actions[t].numpy())
            rewards[t] = step.rewards[np.arange(N), step.acted]
            dones[t] = step.terminated | step.truncated  # the turn cap is a rule, so a capped game is over
            games += int(dones[t].sum())
        steps += T * N

        # Judge
        movers[T] = env.mover
        with torch.no_grad():
            values[T] = network.value(torch.from_numpy(env.planes)).numpy()
        advantage = advantages(rewards, values, movers, dones, args.gamma, args.gae_lambda)
        flat_advantage = torch.from_numpy(advantage).flatten()
        flat_return = flat_advantage + torch.from_numpy(values[:T]).flatten()

        # Learn
        for _ in range(args.epochs):
            for rows in np.array_split(rng.permutation(T * N), max(1, T * N // args.batch_size)):
                index = torch.from_numpy(rows)
                log_prob, value = distribution(planes.flatten(0, 1)[index], masks.flatten(0, 1)[index])
                chosen = log_prob.gather(1, actions.flatten()[index, None]).squeeze(1)
                ratio = (chosen - log_probs.flatten()[index]).exp()
                gain = flat_advantage[index]
                gain = (gain - gain.mean()) / (gain.std() + 1e-8)
                policy_loss = -torch.min(gain * ratio, gain * ratio.clamp(1 - args.clip, 1 + args.clip)).mean()
                value_loss = (value - flat_return[index]).square().mean()
                entropy = -(log_prob.exp() * log_prob).sum(1).mean()
                optimizer.zero_grad()
                loss: torch.Tensor = policy_loss + args.value * value_loss - args.entropy * entropy
                loss.backward()  # type: ignore[no-untyped-call]  # torch's own
                torch.nn.utils.clip_grad_norm_(network.parameters(), args.max_grad_norm)
                optimizer.step()

        if time.monotonic() - shown > 10:
            shown = time.monotonic()
            speed = steps / (shown - started)
            print(
                f"{steps:,} steps, {games:,} games, {speed:,.0f} steps/s, value loss {value_loss.item():.3f}, "
                f"entropy {entropy.item():.2f}",
                flush=True,
            )

    # Keep
    training = {
        "algorithm": "PPO self-play, both seats in one stream",
        "command": command,
        "seconds": round(time.monotonic() - started, 1),
        "steps": steps,
        "games": games,
        "settings": asdict(args),
    }
    path = Path(args.out) / "policy.safetensors"
    write_checkpoint(path, network_weights(network), Card(env.rules, config.to_dict(), training))
    env.close()
    print(f"ppo_selfplay: {steps:,} steps and {games:,} games in {training['seconds']} s: {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
