"""The PettingZoo environments, over every module and preset."""

from __future__ import annotations

import copy
import pickle
from types import ModuleType
from typing import Any

import numpy as np
import pettingzoo
import pytest
from gymnasium import spaces
from pettingzoo.test import api_test, render_test, seed_test
from pettingzoo.utils.env import AECEnv

from boop_env import PRESETS, Game, IllegalMove, Reason, RuleSet, booop_v0, boop_v0, halls_v0
from boop_env.envs.aec import VARIANTS

MODULES = {"boop_v0": boop_v0, "booop_v0": booop_v0, "halls_v0": halls_v0}
CASES = [(MODULES[name], preset) for name, presets in VARIANTS.items() for preset in presets]
every_preset = pytest.mark.parametrize(("module", "preset"), CASES, ids=[preset for _, preset in CASES])
both_kinds = pytest.mark.parametrize("kind", ["env", "raw_env"])

# PettingZoo knows its own environments with dictionary observations by name and warns about all others.
third_party = pytest.mark.filterwarnings(
    "ignore:Observation is not a NumPy array:UserWarning",
    "ignore:Observation space for each agent probably should be gymnasium.spaces.box or:UserWarning",
)


def random_action(env: AECEnv, rng: np.random.Generator) -> int:
    mask = env.observe(env.agent_selection)["action_mask"]
    return int(rng.choice(np.flatnonzero(mask)))


def is_done(env: AECEnv) -> bool:
    return env.terminations[env.agent_selection] or env.truncations[env.agent_selection]


def play_on(env: AECEnv, rng: np.random.Generator, steps: int = 10_000) -> None:
    """Plays at random to the end of the game, or for so many steps."""
    for _ in range(steps):
        if is_done(env):
            return
        env.step(random_action(env, rng))


def snapshot(env: AECEnv) -> dict[str, Any]:
    """All that PettingZoo's interface shows of an environment."""
    names = ("agents", "agent_selection", "rewards", "_cumulative_rewards", "terminations", "truncations", "infos")
    shown = {name: copy.deepcopy(getattr(env, name)) for name in names}
    for agent in env.possible_agents:
        for key, value in env.observe(agent).items():
            shown[f"{agent} {key}"] = (value.dtype, value.shape, value.tobytes())
    shown["state"] = env.state().tobytes()
    return shown


def at_position(module: ModuleType, preset: str, position: str, kind: str = "raw_env", **kwargs: Any) -> AECEnv:
    env = getattr(module, kind)(rules=preset, **kwargs)
    env.reset(options={"position": position})
    return env


def push(env: AECEnv, move: str) -> None:
    env.step(env.rules.move_to_action(move))


class TestPettingZooTests:
    @every_preset
    @both_kinds
    @third_party
    def test_api(self, module: ModuleType, preset: str, kind: str) -> None:
        api_test(getattr(module, kind)(rules=preset), num_cycles=300)

    @every_preset
    @both_kinds
    def test_seed(self, module: ModuleType, preset: str, kind: str) -> None:
        seed_test(lambda: getattr(module, kind)(rules=preset), num_cycles=50)

    @every_preset
    def test_render(self, module: ModuleType, preset: str, monkeypatch: pytest.MonkeyPatch) -> None:
        pytest.importorskip("pygame")
        monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")

        def quick_env(render_mode: str) -> AECEnv:
            env = module.env(rules=preset, render_mode=render_mode)
            env.metadata["render_fps"] = 10_000
            return env

        render_test(quick_env)


class TestAgainstGame:
    @every_preset
    @both_kinds
    def test_random_games_follow_the_rules(self, module: ModuleType, preset: str, kind: str) -> None:
        env = getattr(module, kind)(rules=preset, max_turns=40)
        rng = np.random.default_rng(1)
        for _ in range(4):
            env.reset()
            game = Game(env.rules)
            while not game.is_over:
                actor, other = f"player_{game.mover}", f"player_{1 - game.mover}"
                assert env.agent_selection == actor
                mask = env.observe(actor)["action_mask"]
                assert np.flatnonzero(mask).tolist() == game.legal_actions().tolist()
                assert not env.observe(other)["action_mask"].any()
                for agent in env.agents:
                    assert env.infos[agent] == {"winner": None, "reason": None, "turn": game.turn}
                assert env.rewards == {"player_0": 0, "player_1": 0}
                assert not any(env.terminations.values()) and not any(env.truncations.values())
                action = int(rng.choice(game.legal_actions()))
                game.push(action)
                env.step(action)
                assert env.game == game
            truncated = game.reason is Reason.TRUNCATED
            assert env.truncations == {"player_0": truncated, "player_1": truncated}
            assert env.terminations == {"player_0": not truncated, "player_1": not truncated}
            won = {None: (0, 0), 0: (1, -1), 1: (-1, 1)}[game.winner]
            assert env.rewards == dict(zip(("player_0", "player_1"), won, strict=True))
            for agent in env.agents:
                assert env.infos[agent] == {"winner": game.winner, "reason": game.reason, "turn": game.turn}

    @every_preset
    def test_own_side_is_the_agents(self, module: ModuleType, preset: str) -> None:
        env = module.raw_env(rules=preset)
        env.reset()
        rng = np.random.default_rng(2)
        play_on(env, rng, 12)
        first, second = (env.observe(agent)["observation"] for agent in env.possible_agents)
        assert (first[0] == second[2]).all() and (first[2] == second[0]).all()
        assert first[0].any() and first[2].any()


class TestCopies:
    @every_preset
    @both_kinds
    @pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
    def test_copies_are_faithful_and_independent(self, module: ModuleType, preset: str, kind: str, copied: Any) -> None:
        env = getattr(module, kind)(rules=preset, max_turns=60)
        env.reset()
        play_on(env, np.random.default_rng(3), 15)
        env.observation_space("player_0").seed(5)
        other = copied(env)
        assert snapshot(other) == snapshot(env)
        before = snapshot(env)
        trail = []
        rng = np.random.default_rng(4)
        while not is_done(other):
            action = random_action(other, rng)
            other.step(action)
            trail.append((action, snapshot(other)))
        assert snapshot(env) == before
        for action, expected in trail:
            env.step(action)
            assert snapshot(env) == expected
        for one in (env, other):
            one.step(None)
            one.step(None)
            assert one.agents == []

    def test_a_copy_before_reset_can_be_reset(self) -> None:
        env = copy.deepcopy(boop_v0.env())
        env.reset()
        assert env.agent_selection == "player_0"

    def test_a_copy_does_not_share_the_window(self, monkeypatch: pytest.MonkeyPatch) -> None:
        pytest.importorskip("pygame")
        monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
        env = boop_v0.env(render_mode="human")
        env.metadata["render_fps"] = 10_000
        env.reset()
        other = pickle.loads(pickle.dumps(env))
        env.close()
        env.close()
        other.step(0)
        other.close()

    def test_sampling_goes_on_alike(self) -> None:
        env = booop_v0.env()
        env.reset()
        mask = env.observe("player_0")["action_mask"]
        env.action_space("player_0").seed(7)
        other = copy.deepcopy(env)
        draws = [[one.action_space("player_0").sample(mask) for _ in range(20)] for one in (env, other)]
        assert draws[0] == draws[1]


class TestReset:
    @every_preset
    def test_position(self, module: ModuleType, preset: str) -> None:
        game = Game(preset)
        rng = np.random.default_rng(5)
        for _ in range(9):
            game.push(int(rng.choice(game.legal_actions())))
        env = at_position(module, preset, game.position())
        assert env.game == game
        assert env.agent_selection == f"player_{game.mover}"
        assert env.infos["player_1"]["turn"] == game.turn
        env.reset()
        assert env.game == Game(preset)

    def test_unreadable_position_names_the_field(self) -> None:
        env = boop_v0.env()
        with pytest.raises(ValueError, match="'mover'"):
            env.reset(options={"position": "6/6/6/6/6/6 2 p 8,0/8,0 - 0"})

    def test_finished_position_is_refused(self) -> None:
        env = boop_v0.env()
        with pytest.raises(ValueError, match="is of a game that is over"):
            env.reset(options={"position": "CCC3/6/6/6/6/6 0 x 5,0/8,0 - 3"})

    def test_refused_position_leaves_a_running_game_alone(self) -> None:
        env = boop_v0.raw_env()
        env.reset()
        push(env, "Kc3")
        before = snapshot(env)
        with pytest.raises(ValueError):
            env.reset(options={"position": "nonsense"})
        assert snapshot(env) == before


class TestTurnsOfSeveralChoices:
    def test_graduation(self) -> None:
        # Four kittens in a row after the placement hold two rows.
        env = at_position(boop_v0, "boop", "KK1Kk1/6/6/6/6/6 0 p 5,0/7,0 - 4")
        push(env, "Kc1")
        assert env.agent_selection == "player_0"
        assert env.game.legal_moves() == ["+a1c1", "+b1d1"]
        assert env.infos["player_0"]["turn"] == 4
        push(env, "+b1d1")
        assert env.agent_selection == "player_1"
        assert env.game.position() == "K3k1/6/6/6/6/6 1 p 4,3/7,0 - 5"

    def test_ghost(self) -> None:
        env = booop_v0.env()
        env.reset()
        push(env, "Kc3")
        assert env.agent_selection == "player_0"
        push(env, "Ga1b1")
        assert env.agent_selection == "player_1"

    def test_ornament(self) -> None:
        env = halls_v0.env()
        env.reset()
        push(env, "Oc3")
        assert env.agent_selection == "player_0"
        push(env, "Ka4")
        assert env.agent_selection == "player_1"


ENDS = [
    (boop_v0, "boop", "CC4/6/6/6/6/6 0 p 5,1/8,0 - 10", "Cc1", 0, Reason.THREE_CATS),
    (boop_v0, "boop", "cc4/6/6/6/6/6 1 p 8,0/5,1 - 10", "Cc1", 1, Reason.THREE_CATS),
    (boop_v0, "boop", "C1C1C1/6/C1C1C1/6/C5/6 0 p 0,1/8,0 - 10", "Ce6", 0, Reason.EIGHT_CATS),
    # The mover pushes the other player's cats into a row, and with `cat_row="at_once"` loses by it.
    (boop_v0, "boop_overview", "c5/1c4/6/3c2/6/6 0 p 7,1/5,0 - 10", "Ce5", 1, Reason.THREE_CATS),
    (halls_v0, "halls", "-5-/7/3O3/o6/7/7/-5- 0 p 8,0,2/8,0,0 - 10", "Kb4", 0, Reason.ORNAMENTS_TAKEN),
    # The mover's own cat makes the other player's cat pounce on the mover's last ornament.
    (halls_v0, "halls", "-5-/7/3O3/3c3/7/7/-5- 0 p 7,1,0/7,0,2 - 10", "Cd5", 1, Reason.ORNAMENTS_TAKEN),
]


class TestEnds:
    @both_kinds
    @pytest.mark.parametrize(("module", "preset", "position", "move", "winner", "reason"), ENDS)
    def test_each_reason(
        self, module: ModuleType, preset: str, position: str, move: str, winner: int, reason: Reason, kind: str
    ) -> None:
        env = at_position(module, preset, position, kind)
        mover = env.agent_selection
        push(env, move)
        received = {}
        assert env.agent_selection != mover
        for agent in env.agent_iter():
            observation, reward, terminated, truncated, info = env.last()
            assert terminated and not truncated
            assert (info["winner"], info["reason"]) == (winner, reason)
            # Nothing is to be chosen, and a mask without a 1 would be of no use to anybody's softmax.
            assert observation["action_mask"].sum() == 1
            received[agent] = reward
            env.step(None)
        assert received == {f"player_{winner}": 1, f"player_{1 - winner}": -1}
        assert env.agents == []

    @every_preset
    @both_kinds
    def test_truncation(self, module: ModuleType, preset: str, kind: str) -> None:
        env = getattr(module, kind)(rules=preset, max_turns=3)
        env.reset()
        play_on(env, np.random.default_rng(6))
        seen = []
        for agent in env.agent_iter():
            _, reward, terminated, truncated, info = env.last()
            assert (reward, terminated, truncated) == (0, False, True)
            assert info == {"winner": None, "reason": Reason.TRUNCATED, "turn": 3}
            seen.append(agent)
            env.step(None)
        assert sorted(seen) == ["player_0", "player_1"]

    @both_kinds
    def test_rewards_are_those_since_the_agent_last_acted(self, kind: str) -> None:
        env = getattr(booop_v0, kind)()
        rng = np.random.default_rng(7)
        for _ in range(5):
            env.reset()
            since = {"player_0": 0.0, "player_1": 0.0}
            for agent in env.agent_iter():
                _, reward, terminated, truncated, _ = env.last()
                assert reward == since[agent]
                since[agent] = 0.0
                env.step(None if terminated or truncated else random_action(env, rng))
                for other, received in env.rewards.items():
                    since[other] += received

    def test_a_dead_agent_may_only_step_none(self) -> None:
        env = at_position(*ENDS[0][:3], kind="env")
        push(env, ENDS[0][3])
        with pytest.raises(ValueError, match="the only valid action is None"):
            env.step(0)


class TestIllegalInRawEnv:
    @pytest.mark.parametrize(
        ("move", "why"), [("Kc3", "c3 is occupied"), ("Ca1", "no cat in the pool"), ("-", "a piece to place")]
    )
    def test_names_the_move_and_why(self, move: str, why: str) -> None:
        env = boop_v0.raw_env()
        env.reset()
        push(env, "Kc3")
        before = snapshot(env)
        with pytest.raises(IllegalMove, match=why) as caught:
            push(env, move)
        assert move in str(caught.value)
        assert snapshot(env) == before

    @pytest.mark.parametrize("action", [-1, 189, 10_000])
    def test_out_of_range(self, action: int) -> None:
        env = boop_v0.raw_env()
        env.reset()
        with pytest.raises(IllegalMove, match="out of range"):
            env.step(action)

    @pytest.mark.parametrize("action", [None, 3.0, "Kc3"])
    def test_not_a_number(self, action: Any) -> None:
        env = boop_v0.raw_env()
        env.reset()
        with pytest.raises(TypeError):
            env.step(action)


class TestSpaces:
    @every_preset
    def test_contain_what_is_observed(self, module: ModuleType, preset: str) -> None:
        env = module.env(rules=preset)
        env.reset()
        rng = np.random.default_rng(8)
        for _ in range(20):
            play_on(env, rng, 3)
            for agent in env.possible_agents:
                assert env.observation_space(agent).contains(env.observe(agent))
            assert env.state_space.contains(env.state())

    def test_masked_samples_are_those_of_discrete(self) -> None:
        space, discrete = boop_v0.env().action_space("player_0"), spaces.Discrete(189)
        assert space == discrete and discrete == space
        space.seed(9)
        discrete.seed(9)
        rng = np.random.default_rng(9)
        for _ in range(200):
            mask = (rng.random(189) < rng.choice([0.01, 0.2, 1.0])).astype(np.int8)
            one, other = space.sample(mask), discrete.sample(mask)
            assert one == other and type(one) is type(other)
        assert space.sample() == discrete.sample()
        probability = np.eye(189)[17]
        assert space.sample(probability=probability) == 17
        for wrong in (np.ones(189, bool), np.ones(3, np.int8), [1] * 189):
            with pytest.raises(AssertionError):
                space.sample(wrong)

    def test_environments_do_not_share_generators(self) -> None:
        one, other = boop_v0.env(), boop_v0.env()
        assert one.action_space("player_0") is one.action_space("player_0")
        assert one.action_space("player_0") is not other.action_space("player_0")
        assert one.observation_space("player_0") is not one.observation_space("player_1")

    def test_arrays_are_the_callers_own(self) -> None:
        env = boop_v0.env()
        env.reset()
        observation = env.observe("player_0")
        kept = copy.deepcopy(observation)
        env.step(0)
        assert all((observation[key] == kept[key]).all() for key in kept)
        for key in observation:
            observation[key][:] = 0
        assert env.observe("player_1")["action_mask"].sum() == 35

    def test_infos_of_past_steps_stay(self) -> None:
        env = boop_v0.env()
        env.reset()
        info = env.last()[4]
        env.step(0)
        assert info["turn"] == 0 and env.last()[4]["turn"] == 1

    def test_state_tells_whose_turn_it_is(self) -> None:
        states = []
        for mover in "01":
            env = at_position(boop_v0, "boop", f"6/6/6/6/6/6 {mover} p 8,0/8,0 - 3")
            states.append(env.state())
        assert (states[0][:-1] == states[1][:-1]).all()
        assert not states[0][-1].any() and states[1][-1].all()


class TestArguments:
    @every_preset
    def test_metadata(self, module: ModuleType, preset: str) -> None:
        env = module.env(rules=preset)
        assert env.rules == PRESETS[preset]
        assert str(env) == env.metadata["name"] == module.__name__.rpartition(".")[2]
        assert env.metadata["render_modes"] == ["human", "rgb_array", "ansi"]
        assert env.metadata["is_parallelizable"] is False

    def test_the_first_preset_is_the_default(self) -> None:
        for name, presets in VARIANTS.items():
            assert MODULES[name].env().rules == MODULES[name].raw_env().rules == PRESETS[presets[0]]

    def test_every_preset_belongs_to_one_module(self) -> None:
        assert sorted(preset for presets in VARIANTS.values() for preset in presets) == sorted(PRESETS)

    def test_any_rule_set(self) -> None:
        rules = RuleSet(layout="1111\n1111\n1111", ghosts=True, pieces=4)
        env = boop_v0.env(rules=rules, max_turns=12)
        assert env.rules.max_turns == 12
        env.reset()
        play_on(env, np.random.default_rng(10))
        assert env.infos["player_0"]["reason"] is not None

    def test_refusals(self) -> None:
        with pytest.raises(ValueError, match="boop_v0 has no preset 'halls'; it has boop, boop_bga"):
            boop_v0.env(rules="halls")
        with pytest.raises(ValueError, match="render_mode='svg' is not one of human, rgb_array, ansi"):
            boop_v0.env(render_mode="svg")
        with pytest.raises(ValueError, match="max_turns=0"):
            boop_v0.env(max_turns=0)

    @pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="this PettingZoo has no registry")
    @pytest.mark.parametrize("name", VARIANTS)
    def test_registry(self, name: str) -> None:
        preset = VARIANTS[name][-1]
        env = pettingzoo.make("aec", f"boop_env/{name}", rules=preset, max_turns=7)
        assert type(env) is type(MODULES[name].env())
        assert env.rules.max_turns == 7 and env.rules.name == preset
        assert str(pettingzoo.make("aec", f"boop_env/{name.removesuffix('_v0')}-v0")) == name


def test_class_documents_itself() -> None:
    headings = "Description,Action Space,Observation Space,Rewards,Starting State,Episode End,Arguments,Version History"
    text = type(boop_v0.raw_env()).__doc__ or ""
    found = [line.strip().removeprefix("## ") for line in text.splitlines() if line.strip().startswith("## ")]
    assert found == headings.split(",")
    for name, presets in VARIANTS.items():
        assert all(f"`{word}`" in text for word in (name, *presets))
