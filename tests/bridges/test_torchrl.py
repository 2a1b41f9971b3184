import numpy as np
import pytest
import torch

from boop_env.envs import boop_v0

pytest.importorskip("torchrl", reason="TorchRL is not installed (the torchrl extra)")

from torchrl.envs.utils import check_env_specs

from boop_env.bridges.torchrl import BoopTorchRLEnv, both_agents


@pytest.mark.parametrize("rules", ["boop", "booop", "halls"])
def test_the_pettingzoo_wrapper_plays_our_games(rules: str) -> None:
    env = both_agents(rules, max_turns=20)
    check_env_specs(env)
    torch.manual_seed(1)
    played = env.rollout(200)
    steps, rewards = played["player"], played["next", "player", "reward"]
    plain = boop_v0.raw_env(rules=env.rules)
    plain.reset()
    for step in steps:
        mover = int(step["mask"].nonzero().item())
        assert plain.agent_selection == f"player_{mover}"
        seen = plain.observe(plain.agent_selection)
        np.testing.assert_array_equal(step["observation", "observation"][mover].numpy(), seen["observation"])
        np.testing.assert_array_equal(step["action_mask"][mover].numpy(), seen["action_mask"] == 1)
        plain.step(int(step["action"][mover]))
    assert all(plain.terminations.values()) or all(plain.truncations.values())
    assert rewards[-1].ravel().tolist() == [plain.rewards["player_0"], plain.rewards["player_1"]]
    assert not rewards[:-1].any()


@pytest.mark.parametrize("rules", ["boop", "booop", "halls"])
def test_specs_hold(rules: str) -> None:
    env = BoopTorchRLEnv(rules, 8, "greedy", max_turns=12)
    check_env_specs(env, return_contiguous=True, break_when_any_done=False)


def test_only_legal_actions_are_drawn_and_rewards_are_the_learners() -> None:
    env = BoopTorchRLEnv("boop", 16, "greedy", seed=1, max_turns=60)
    data = env.rollout(150, break_when_any_done=False)
    chosen = data["action_mask"].gather(-1, data["action"][..., None])
    assert chosen.all()
    done, reward = data["next", "done"], data["next", "reward"]
    assert done.sum() > 16
    assert not reward[~done].any()
    # Greedy beats a random learner nearly always, whoever moves last.
    assert (reward[done] == -1).sum() > 0.9 * done.sum()
    # A finished game goes on from a new start: next to nothing has been played there.
    turns = data["observation"][:, :, -3, 0, 0] * 60
    after = done[:, :-1].squeeze(-1)
    assert (turns[:, 1:][after] <= 1.5).all()
    assert (data["next", "action_mask"][done.squeeze(-1)].sum(-1) == 1).all()


def test_the_same_seed_gives_the_same_games() -> None:
    runs = []
    for _ in range(2):
        env = BoopTorchRLEnv("halls", 4, "random", opening_plies=3)
        env.set_seed(5)
        torch.manual_seed(5)
        runs.append(env.rollout(30, break_when_any_done=False))
    assert (runs[0]["action"] == runs[1]["action"]).all()
    assert (runs[0]["observation"] == runs[1]["observation"]).all()


def test_a_game_under_way_cannot_be_reset_alone() -> None:
    env = BoopTorchRLEnv("boop", 2)
    start = env.reset()
    start["_reset"] = torch.tensor([[True], [False]])
    with pytest.raises(ValueError, match="only finished games"):
        env.reset(start)
