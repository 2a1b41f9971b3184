"""`BoopEnv` with the manners of PettingZoo's wrappers, which is what the modules' `env()` makes."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from pettingzoo.utils.env import AECIterable, AECIterator
from pettingzoo.utils.env_logger import EnvLogger

from boop_env.envs.aec import AGENTS, BoopEnv, Observation, advance

ILLEGAL_REWARD = -1.0
"""What an illegal action through `env()` costs."""


class WrappedBoopEnv(BoopEnv):
    """`BoopEnv` with the manners of PettingZoo's wrappers, built in because the wrappers cost more than the game.

    It behaves as ``OrderEnforcingWrapper(AssertOutOfBoundsWrapper(TerminateIllegalWrapper(BoopEnv(...), -1)))``:
    an illegal action ends the game for both agents at the offender's cost, an action outside the space and a
    call before reset raise AssertionError, and a step after the end logs a warning.
    """

    _has_reset = False
    _has_updated = False

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """See `BoopEnv.reset`."""
        self._has_reset = True
        self._has_updated = True
        super().reset(seed, options)

    def step(self, action: int | None) -> None:
        """Plays the selected agent's choice; None when its game is over.

        Raises:
            AssertionError: not reset yet, or the action is not in the action space.
            ValueError: an action other than None when the game is over.
        """
        if not self._has_reset:
            EnvLogger.error_step_before_reset()
        self._has_updated = True
        if not self.agents:
            EnvLogger.warn_step_after_terminated_truncated()
            return
        agent = self.agent_selection
        dead = self.terminations[agent] or self.truncations[agent]
        if not self._in_space(action) and not (dead and action is None):
            raise AssertionError("action is not in action space")
        if dead:
            self._was_dead_step(action)
            return
        result = advance(self._tables, self._words, int(action))  # type: ignore[arg-type]  # in the space
        if result < 0:
            self._end_illegal(agent)
        else:
            self._follow(agent, result)

    def _in_space(self, action: Any) -> bool:
        if type(action) in (int, np.int64):
            return bool(0 <= action < self._num_actions)
        return self.action_space(AGENTS[0]).contains(action)

    def _end_illegal(self, agent: str) -> None:
        EnvLogger.warn_on_illegal_move()
        self._cumulative_rewards[agent] = 0
        self.terminations = dict.fromkeys(self.agents, True)
        self.truncations = dict.fromkeys(self.agents, True)
        self.rewards = dict.fromkeys(self.agents, 0)
        self.rewards[agent] = ILLEGAL_REWARD
        self._accumulate_rewards()
        self._deads_step_first()

    def observe(self, agent: str) -> Observation:
        """See `BoopEnv.observe`; AssertionError before the first reset."""
        if not self._has_reset:
            EnvLogger.error_observe_before_reset()
        return super().observe(agent)

    def state(self) -> npt.NDArray[np.float32]:
        """See `BoopEnv.state`; AssertionError before the first reset."""
        if not self._has_reset:
            EnvLogger.error_state_before_reset()
        return super().state()

    def render(self) -> npt.NDArray[np.uint8] | str | None:
        """See `BoopEnv.render`; AssertionError before the first reset."""
        if not self._has_reset:
            EnvLogger.error_render_before_reset()
        return super().render()

    def agent_iter(self, max_iter: int = 2**63) -> AECIterable[str, Observation, int | None]:
        """Yields the selected agent until all are done; AssertionError unless each is stepped."""
        if not self._has_reset:
            EnvLogger.error_agent_iter_before_reset()
        return OrderEnforcingIterable(self, max_iter)


class OrderEnforcingIterable(AECIterable[str, Observation, "int | None"]):
    """What `WrappedBoopEnv.agent_iter` gives."""

    def __iter__(self) -> OrderEnforcingIterator:
        return OrderEnforcingIterator(self.env, self.max_iter)


class OrderEnforcingIterator(AECIterator[str, Observation, "int | None"]):
    """Selected agents, one for each step or reset in the loop."""

    def __next__(self) -> str:
        agent: str = super().__next__()
        if not self.env._has_updated:
            raise AssertionError("need to call step() or reset() in a loop over `agent_iter`")
        self.env._has_updated = False
        return agent
