"""PPO self-play with action masks in RLlib: both seats are played, and trained, by one network.

pip install "boop-env[rllib]"
python examples/rllib_self_play.py --rules boop --iterations 100 --env-runners 2 --out boop-rllib.safetensors
python -m train.evaluate boop-rllib.safetensors random greedy

What is written is a checkpoint of ours, so it plays wherever a bot does. RLlib keeps each agent's steps apart and
computes advantages along them, so a turn of several steps needs nothing special.
"""

import argparse

import numpy as np
import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

import boop_env
from boop_env.bridges.rllib import BoopMultiAgentEnv, MaskedModule
from boop_env.policy import Card, write_checkpoint
from boop_env.policy.network import NetworkConfig, network_weights


def main() -> None:
    """Trains, writes the checkpoint and plays it against random."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rules", default="boop", choices=boop_env.PRESETS, help="preset to train on")
    parser.add_argument("--iterations", type=int, default=100, help="rollouts, each with an update")
    parser.add_argument("--env-runners", type=int, default=1, help="processes that play; 0 plays in this one")
    parser.add_argument("--batch-size", type=int, default=8192, help="steps of an iteration, both agents together")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--games", type=int, default=200, help="games against random at the end")
    parser.add_argument("--out", default="boop-rllib.safetensors", help="checkpoint to write")
    arguments = parser.parse_args()

    rules = boop_env.ruleset(arguments.rules)
    network = NetworkConfig("mlp", width=256, depth=2).to_dict()
    spaces = BoopMultiAgentEnv({"rules": arguments.rules})
    module = RLModuleSpec(
        module_class=MaskedModule,
        observation_space=spaces.observation_spaces["player_0"],
        action_space=spaces.action_spaces["player_0"],
        model_config={"rules": arguments.rules, "network": network},
    )
    config = (
        PPOConfig()
        # RLlib's check of an environment plays any action, legal or not.
        .environment(BoopMultiAgentEnv, env_config={"rules": arguments.rules}, disable_env_checking=True)
        .env_runners(num_env_runners=arguments.env_runners)
        .multi_agent(policies={"both"}, policy_mapping_fn=lambda agent, episode, **_: "both")
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"both": module}))
        .training(
            train_batch_size_per_learner=arguments.batch_size,
            minibatch_size=min(1024, arguments.batch_size),
            num_epochs=4,
            lr=3e-4,
            gamma=1.0,
            lambda_=0.9,
            entropy_coeff=0.01,
            vf_clip_param=4.0,
            grad_clip=0.5,
        )
        .debugging(seed=arguments.seed)
    )
    ray.init(include_dashboard=False, ignore_reinit_error=True)
    algorithm = config.build_algo()
    for iteration in range(1, arguments.iterations + 1):
        result = algorithm.train()
        length = result["env_runners"].get("episode_len_mean", float("nan"))
        steps = result["env_runners"]["num_env_steps_sampled_lifetime"]
        print(f"iteration {iteration}: {steps:.0f} steps, mean game {length:.1f} steps", flush=True)

    trained = module.build()
    trained.set_state(algorithm.learner_group.get_weights()["both"])
    write_checkpoint(arguments.out, network_weights(trained.network), Card(rules=rules, network=network))
    algorithm.stop()
    ray.shutdown()

    # Half of the games from either seat; a game that reached the turn cap counts half.
    policy, random = boop_env.load_policy(arguments.out), boop_env.make_bot("random")
    rng = np.random.default_rng(arguments.seed)
    score = 0.0
    for number in range(arguments.games):
        game = boop_env.Game(rules)
        while not game.is_over:
            bot = policy if game.mover == number % 2 else random
            game.push(bot.move(game, rng))
        score += 0.5 if game.winner is None else game.winner == number % 2
    if arguments.games:
        print(f"{arguments.out} scores {100 * score / arguments.games:.1f} % against random")


if __name__ == "__main__":
    main()
