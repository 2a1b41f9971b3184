from importlib.util import find_spec

import numpy as np
import pytest

from boop_env.envs import boop_v0
from boop_env.rules.ruleset import ruleset

for module in ("ray", "tree", "lz4", "ormsgpack", "pandas", "pydantic", "tensorboardX"):
    if find_spec(module) is None:
        pytest.skip(f"{module}, which RLlib needs, is not installed (the rllib extra)", allow_module_level=True)

pytestmark = [
    # Ray's and Gymnasium's own, at RLlib's import and about how RLlib uses them.
    pytest.mark.filterwarnings("ignore::DeprecationWarning:ray"),
]


@pytest.mark.parametrize("rules", ["boop", "booop", "halls"])
def test_a_game_step_by_step(rules: str) -> None:
    from boop_env.bridges.rllib import BoopMultiAgentEnv

    env = BoopMultiAgentEnv({"rules": rules, "max_turns": 60})
    plain = boop_v0.raw_env(rules=ruleset(rules), max_turns=60)
    plain.reset()
    seen, _ = env.reset()
    rng = np.random.default_rng(2)
    over = False
    while not over:
        assert list(seen) == [plain.agent_selection]
        ((agent, observation),) = seen.items()
        assert env.observation_spaces[agent].contains(observation)
        np.testing.assert_array_equal(observation["observation"], plain.observe(agent)["observation"])
        action = int(rng.choice(observation["action_mask"].nonzero()[0]))
        plain.step(action)
        seen, rewards, terminated, truncated, _ = env.step({agent: action})
        over = terminated["__all__"]
        assert not truncated["__all__"]
        assert over or rewards == dict.fromkeys(seen, 0.0)
    assert set(seen) == {"player_0", "player_1"}
    assert rewards == plain.rewards


def test_illegal_actions_have_no_chance() -> None:
    import torch
    from ray.rllib.core.columns import Columns

    from boop_env.bridges.rllib import BoopMultiAgentEnv, MaskedModule

    env = BoopMultiAgentEnv({"rules": "halls"})
    module = MaskedModule(
        observation_space=env.observation_spaces["player_0"],
        action_space=env.action_spaces["player_0"],
        model_config={"rules": "halls", "network": {"kind": "mlp", "width": 8, "depth": 1}},
    )
    seen = env.reset()[0]["player_0"]
    batch = {Columns.OBS: {name: torch.from_numpy(array[None]) for name, array in seen.items()}}
    chances = module.forward_exploration(batch)[Columns.ACTION_DIST_INPUTS].softmax(1)[0]
    legal = torch.from_numpy(seen["action_mask"] == 1)
    assert (chances[legal] > 0).all() and not chances[~legal].any()
    assert module.compute_values(batch).shape == (1,)
