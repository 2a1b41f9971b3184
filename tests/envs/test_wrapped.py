"""`env()` against PettingZoo's own wrappers around `raw_env()`, attribute by attribute."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from gymnasium.spaces import Discrete
from pettingzoo.utils import wrappers
from pettingzoo.utils.env import AECEnv
from pettingzoo.utils.env_logger import EnvLogger
from test_aec import CASES, ENDS, every_preset, snapshot

ATTRIBUTES = ("rewards", "terminations", "truncations", "infos", "agent_selection", "num_agents", "agents")
ACTIONS: list[Any] = [-1, 10_000, None, 3.0, "Kc3"]
ACTIONS += [np.int32(7), np.int64(7), np.uint8(7), np.uint64(7), np.array(7), np.array([7]), np.bool_(True)]
with contextlib.suppress(OverflowError):  # older Gymnasiums cannot even look at a number that long
    ACTIONS += [] if Discrete(3).contains(2**70) else [2**70]


def stock_stack(env: AECEnv) -> AECEnv:
    """What PettingZoo's classic environments put around a raw environment."""
    env = wrappers.TerminateIllegalWrapper(env, illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(env))


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    EnvLogger.suppress_output()
    yield
    EnvLogger.flush()
    EnvLogger.unsuppress_output()


def outcome(env: AECEnv, call: Any) -> tuple[Any, ...]:
    """What a call gives: its result or error, and what it logs."""
    EnvLogger.flush()
    try:
        result = call(env)
    except Exception as error:
        result = (type(error), str(error))
    return result, list(EnvLogger.mqueue)


class Pair:
    """The same calls on both."""

    def __init__(self, module: ModuleType, preset: str, **kwargs: Any) -> None:
        self.ours = module.env(rules=preset, **kwargs)
        self.stock = stock_stack(module.raw_env(rules=preset, **kwargs))

    def same(self, call: Any) -> Any:
        ours, stock = outcome(self.ours, call), outcome(self.stock, call)
        assert ours == stock
        return ours[0]

    def step(self, action: Any) -> None:
        self.same(lambda env: env.step(action))
        self.same(snapshot)

    def last(self) -> Any:
        return self.same(lambda env: repr(env.last()))

    def legal(self) -> np.ndarray:
        return self.ours.game.legal_actions()

    def run_out(self) -> None:
        """Steps all dead agents, and once more."""
        while self.ours.agents:
            self.last()
            self.step(None)
        self.step(None)
        self.step(3)


@every_preset
def test_random_games_with_an_illegal_end(module: ModuleType, preset: str) -> None:
    pair = Pair(module, preset, max_turns=30)
    rng = np.random.default_rng(1)
    for game in range(8):
        pair.same(lambda env: env.reset())
        pair.same(snapshot)
        illegal_at = 1000 if game == 0 else int(rng.integers(12))
        for step in range(200):
            pair.last()
            legal = pair.legal()
            if len(legal) == 0:
                break
            if step == illegal_at:
                pair.step(int(np.setdiff1d(np.arange(pair.ours.rules.num_actions), legal)[rng.integers(50)]))
                break
            pair.step(int(rng.choice(legal)))
        if game % 3:
            pair.run_out()


@pytest.mark.parametrize("offender", [0, 1])
def test_illegal_costs_the_offender(offender: int) -> None:
    module, preset = CASES[0]
    env = module.env(rules=preset)
    env.reset()
    for action in range(offender):
        env.step(action)
    env.step(env.rules.num_actions - 1)
    assert env.terminations == env.truncations == {"player_0": True, "player_1": True}
    received = {}
    for agent in env.agent_iter():
        received[agent] = env.last()[1]
        env.step(None)
    assert received == {f"player_{offender}": -1, f"player_{1 - offender}": 0}


def test_rendering_and_copies_after_an_illegal_end() -> None:
    module, preset = CASES[0]
    pair = Pair(module, preset, render_mode="ansi")
    pair.same(lambda env: env.reset())
    pair.step(pair.ours.rules.num_actions - 1)
    pair.same(lambda env: env.render())
    pair.run_out()


@pytest.mark.parametrize("action", ACTIONS, ids=repr)
def test_odd_actions(action: Any) -> None:
    module, preset = CASES[0]
    pair = Pair(module, preset)
    pair.same(lambda env: env.reset())
    pair.step(action)


@pytest.mark.parametrize("action", ACTIONS, ids=repr)
def test_odd_actions_of_a_dead_agent(action: Any) -> None:
    module, preset, position, move, _, _ = ENDS[0]
    pair = Pair(module, preset)
    pair.same(lambda env: env.reset(options={"position": position}))
    pair.step(pair.ours.rules.move_to_action(move))
    pair.step(action)
    pair.run_out()


CALLS = {
    "step": lambda env: env.step(0),
    "observe": lambda env: env.observe("player_0"),
    "last": lambda env: env.last(),
    "state": lambda env: env.state(),
    "render": lambda env: env.render(),
    "agent_iter": lambda env: env.agent_iter(),
    "iterate": lambda env: list(env.agent_iter()),
    **{name: lambda env, name=name: getattr(env, name) for name in ATTRIBUTES},
}


@pytest.mark.parametrize("name", CALLS)
def test_before_reset(name: str) -> None:
    module, preset = CASES[0]
    result = Pair(module, preset, render_mode="ansi").same(CALLS[name])
    assert issubclass(result[0], (AssertionError, AttributeError))


def test_a_loop_that_does_not_step() -> None:
    module, preset = CASES[0]
    pair = Pair(module, preset)
    pair.same(lambda env: env.reset())
    error = pair.same(lambda env: [env.agent_selection for _ in env.agent_iter()])
    assert error[0] is AssertionError and "need to call step()" in error[1]


def test_a_loop_of_limited_length() -> None:
    module, preset = CASES[0]
    pair = Pair(module, preset)
    pair.same(lambda env: env.reset())

    def agents(env: AECEnv) -> list[str]:
        seen = []
        for action, agent in enumerate(env.agent_iter(5)):
            seen.append(agent)
            env.step(action)
        return seen

    assert pair.same(agents) == ["player_0", "player_1"] * 2 + ["player_0"]


def test_names_are_alike() -> None:
    for module, preset in CASES:
        pair = Pair(module, preset)
        assert pair.same(str) == pair.ours.metadata["name"]
        assert pair.same(lambda env: env.metadata["name"]) == str(pair.ours)
        assert pair.ours.unwrapped is pair.ours
