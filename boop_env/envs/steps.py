"""Compiled steps of many games, for `BatchEnv`."""

from __future__ import annotations

from boop_env.envs.planes import write_fixed_planes, write_mask, write_planes
from boop_env.rules import kernel
from boop_env.rules.compiled import compiled

OPENING_TRIES = 100
"""Openings drawn for a game before one that would end it is cut short."""


@compiled
def start(t, opening_plies, words, seed):
    """Writes the start of a game, some random steps in; returns the generator state.

    An opening that ends the game is drawn again, `OPENING_TRIES` times in all; the last one stops
    before the step that ends the game.
    """
    for _ in range(OPENING_TRIES):
        s = kernel.initial(t)
        kernel.store(s, words)
        for _ in range(opening_plies):
            action, seed = kernel.random_action(t, s, seed)
            s = kernel.step(t, s, action)
            if s.phase == kernel.OVER:
                break
            kernel.store(s, words)
        if s.phase != kernel.OVER:
            break
    return seed


@compiled
def restart_games(tables, opening_plies, games, states, seeds):
    """Starts some games anew."""
    for game in games:
        seeds[game] = start(tables[0], opening_plies, states[game], seeds[game])


@compiled
def write_all_fixed_planes(tables, planes, games):
    """The planes that never change, of every game."""
    size = len(planes) // games
    for index in range(games):
        write_fixed_planes(tables[0], planes, index * size, size)


@compiled
def observe_games(tables, states, planes, masks, mover):
    """Planes (but the fixed ones), masks and movers of every game."""
    t = tables[0]
    size = len(planes) // len(states)
    for index in range(len(states)):
        s = kernel.load(states[index])
        if size > 0:
            write_planes(t, s, 0, planes, index * size, size)
        write_mask(t, s, masks, index * t.num_actions)
        mover[index] = s.mover


@compiled
def first_illegal(tables, states, actions):
    """Index of the first illegal action, -1 when all are legal."""
    t = tables[0]
    for index in range(len(states)):
        if not kernel.is_legal(t, kernel.load(states[index]), actions[index]):
            return index
    return -1


@compiled
def sample_actions(tables, states, seeds, actions):
    """A random legal action for every game."""
    t = tables[0]
    for index in range(len(states)):
        actions[index], seeds[index] = kernel.random_action(t, kernel.load(states[index]), seeds[index])


@compiled
def advance_games(tables, opening_plies, games, actions, states, seeds, outcome, winner, final_states):
    """One action in some games, without planes; returns the first bad index, or -1."""
    t = tables[0]
    for index in range(len(games)):
        if not kernel.is_legal(t, kernel.load(states[games[index]]), actions[index]):
            return index
    for index in range(len(games)):
        game = games[index]
        s = kernel.step(t, kernel.load(states[game]), actions[index])
        outcome[index] = s.outcome
        winner[index] = s.winner
        if s.phase == kernel.OVER:
            kernel.store(s, final_states[game])
            seeds[game] = start(t, opening_plies, states[game], seeds[game])
        else:
            kernel.store(s, states[game])
    return -1


@compiled
def step_games(
    tables,
    opening_plies,
    low,
    high,
    actions,
    states,
    seeds,
    planes,
    masks,
    rewards,
    acted,
    mover,
    terminated,
    truncated,
    outcome,
    winner,
    final_states,
    final_planes,
):
    """One action in games `low` to `high`, with everything a `BatchStep` holds."""
    t = tables[0]
    size = len(planes) // len(states)
    for index in range(low, high):
        s = kernel.load(states[index])
        acted[index] = s.mover
        s = kernel.step(t, s, actions[index])
        outcome[index] = s.outcome
        winner[index] = s.winner
        terminated[index] = s.winner >= 0
        truncated[index] = s.outcome == kernel.TRUNCATED
        rewards[index, 0] = 0 if s.winner < 0 else 1 - 2 * s.winner
        rewards[index, 1] = -rewards[index, 0]
        if s.phase == kernel.OVER:
            kernel.store(s, final_states[index])
            if size > 0:
                write_planes(t, s, 0, final_planes, index * size, size)
            seeds[index] = start(t, opening_plies, states[index], seeds[index])
            s = kernel.load(states[index])
        else:
            kernel.store(s, states[index])
        mover[index] = s.mover
        if size > 0:
            write_planes(t, s, 0, planes, index * size, size)
        write_mask(t, s, masks, index * t.num_actions)
