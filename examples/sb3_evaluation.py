"""MaskablePPO with sb3-contrib's evaluation callbacks: the best policy is kept, and training stops when it wins.

pip install "boop-env[train]"
python examples/sb3_evaluation.py --rules boop --opponent random --steps 1000000 --out runs/sb3

Two things make the callbacks at home here. Both environments are in a `VecMonitor`, which the callbacks look for.
And `use_masking` (the default) asks the environment for its masks, so the policy that is rated plays legal moves.
"""

import argparse

from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from stable_baselines3.common.callbacks import StopTrainingOnRewardThreshold
from stable_baselines3.common.vec_env import VecMonitor

import boop_env
from boop_env.envs.sb3 import BoopVecEnv


def main() -> None:
    """Trains, evaluating as it goes, and rates the best policy that was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rules", default="boop", choices=boop_env.PRESETS, help="preset to train on")
    parser.add_argument("--opponent", default="random", help="spec of the bot to train and to be rated against")
    parser.add_argument("--num-envs", type=int, default=64, help="games at a time")
    parser.add_argument("--n-steps", type=int, default=64, help="steps of each game in a rollout")
    parser.add_argument("--steps", type=int, default=1_000_000, help="steps of the learner in all")
    parser.add_argument("--eval-every", type=int, default=50_000, help="steps between evaluations")
    parser.add_argument("--eval-games", type=int, default=200, help="games of an evaluation")
    parser.add_argument("--out", default="runs/sb3", help="folder for best_model.zip and evaluations.npz")
    arguments = parser.parse_args()

    bot = boop_env.make_bot(arguments.opponent)
    training = VecMonitor(BoopVecEnv(arguments.rules, arguments.num_envs, [bot], seed=1))
    # Random openings of four steps: without chance in them, two fixed policies would play one game over and over.
    rating = VecMonitor(BoopVecEnv(arguments.rules, arguments.num_envs, [bot], seed=2, opening_plies=4))
    callback = MaskableEvalCallback(
        rating,
        n_eval_episodes=arguments.eval_games,
        eval_freq=max(1, arguments.eval_every // arguments.num_envs),
        best_model_save_path=arguments.out,
        log_path=arguments.out,
        callback_on_new_best=StopTrainingOnRewardThreshold(0.98),  # the mean of +1 and -1: it wins 99 %
    )
    model = MaskablePPO(
        "MlpPolicy", training, n_steps=arguments.n_steps, batch_size=1024, n_epochs=4, gamma=1.0, seed=1, device="cpu"
    )
    model.learn(arguments.steps, callback=callback)

    best = MaskablePPO.load(f"{arguments.out}/best_model", device="cpu")
    mean, deviation = evaluate_policy(best, rating, n_eval_episodes=arguments.eval_games)
    score, error = 50 * (mean + 1), 50 * deviation / arguments.eval_games**0.5
    print(f"the best policy scores {score:.1f} % (+- {error:.1f}) against {bot.name}")


if __name__ == "__main__":
    main()
