"""The greedy bot: one turn deep, fast enough to train against."""

# mypy: disallow-untyped-defs=False, disallow-untyped-calls=False

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from boop_env.bots.bot import Bot, seeds
from boop_env.rules import kernel
from boop_env.rules.compiled import compiled, lowest_bit, popcount, random_bits, random_next, scale
from boop_env.rules.kernel import ENTER, GHOST, GRADUATION, ORNAMENT, OVER, ZERO
from boop_env.rules.states import States

CAT_VALUE = 40
"""A cat owned, on the board or in the pool. Outweighs all else, so that graduations are taken."""

ORNAMENT_VALUE = 60
"""An ornament not yet taken."""

ROW_VALUE = 60
"""A row left standing, which may graduate or win at the end of its owner's turn."""

PAIR_VALUE = 2
"""Two pieces side by side."""

CAT_PAIR_VALUE = 3
"""Two cats side by side, on top of their worth as a pair."""

INNER_VALUE = 2
"""A piece that no single push sends off the board; the same again a ring further in."""

PIECE_VALUE = 1
"""A piece on the board rather than in the pool."""

WIN = 1_000_000


class GreedyBot(Bot):
    """Plays the turn whose end it likes best.

    A turn can be several steps, so a step is judged by the best way to finish the turn after it.

    1. A turn that wins is played.
    2. A turn after which the other player could win at once is avoided, if any turn avoids it.
    3. Else the position at the end of the turn is valued, the mover's features less the other
       player's: `CAT_VALUE`, `ORNAMENT_VALUE`, `ROW_VALUE`, `PAIR_VALUE`, `CAT_PAIR_VALUE`,
       `INNER_VALUE` and `PIECE_VALUE`. Equal turns are drawn from at random.

    A ghost changes nothing on the turn it is placed, so an entry is valued by the board as the
    ghost's next move would leave it, and earlier steps of the turn are valued without it.
    """

    name = "greedy"

    def choose(self, states: States, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """One action for each position; see `Bot.choose`."""
        actions = np.empty(len(states), np.int64)
        write_greedy(states.rules.tables, states.words, seeds(rng, len(states)), actions)
        return actions


@compiled
def write_greedy(tables, words, seeds, actions):
    """Writes the greedy action for each position.

    Args:
        tables: the rule set's tables.
        words: stored states, ``uint64 (N, 6)``, none of them over.
        seeds: a generator state for each, ``uint64 (N,)``.
        actions: written, ``int64 (N,)``.
    """
    t = tables[0]
    inner = surrounded(t, t.spaces)
    rings = (inner, surrounded(t, inner))
    scratch = np.empty((3, t.num_actions), np.int64)
    values = np.empty(t.num_actions, np.int64)
    for i in range(len(words)):
        actions[i] = greedy_action(t, rings, kernel.load(words[i]), seeds[i], scratch, values)


@compiled
def greedy_action(t, rings, s, seed, scratch, values):
    """The greedy action of one position.

    Args:
        t: the rule set's tables.
        rings: the two bitboards of `INNER_VALUE`.
        s: a state that is not over.
        seed: generator state, for ties.
        scratch: ``int64 (3, num_actions)``.
        values: scratch, ``int64 (num_actions,)``.
    """
    legal = scratch[0]
    count = kernel.legal_actions(t, s, legal)
    if count == 1:
        return legal[0]
    for i in range(count):
        if s.phase == GHOST:
            values[i] = entry_value(t, rings, s, legal[i])
        else:
            values[i] = turn_value(t, rings, kernel.step(t, s, legal[i]), s.mover, scratch)
    # Best first, so that only the few best turns are searched for the other player's answer.
    fallback = -1
    for _ in range(count):
        best, seed = pick_best(values, count, seed)
        if fallback < 0:
            fallback = legal[best]
        if values[best] == WIN or is_safe(t, kernel.step(t, s, legal[best]), s.mover, scratch):
            return legal[best]
        values[best] = -2 * WIN
    return fallback


@compiled
def pick_best(values, count, seed):
    """Index of a largest value among the first `count`, ties drawn at random, and the next seed."""
    best, ties = 0, 1
    for i in range(1, count):
        if values[i] > values[best]:
            best, ties = i, 1
        elif values[i] == values[best]:
            seed = random_next(seed)
            ties += 1
            if scale(random_bits(seed), ties) == 0:
                best = i
    return best, seed


@compiled
def turn_value(t, rings, s, me, scratch):
    """What a state is worth to `me`, who finishes the turn in the best way if it is still theirs."""
    if s.phase == OVER or s.mover != me or s.phase == GHOST:
        return end_value(t, rings, s, me)
    if s.phase == GRADUATION:
        return graduation_value(t, rings, s, me, scratch[2])
    best = -2 * WIN
    count = kernel.legal_actions(t, s, scratch[1])
    for i in range(count):
        following = kernel.step(t, s, scratch[1, i])
        if following.phase == GRADUATION and following.mover == me:
            best = max(best, graduation_value(t, rings, following, me, scratch[2]))
        else:
            best = max(best, end_value(t, rings, following, me))
    return best


@compiled
def graduation_value(t, rings, s, me, legal):
    """What a graduation is worth to `me`, who chooses."""
    best = -2 * WIN
    for i in range(kernel.legal_actions(t, s, legal)):
        best = max(best, end_value(t, rings, kernel.step(t, s, legal[i]), me))
    return best


@compiled
def end_value(t, rings, s, me):
    """What a state is worth to `me` with no more choices of theirs that matter before the turn passes."""
    if s.phase == OVER:
        return 0 if s.winner < 0 else WIN if s.winner == me else -WIN
    value = evaluate(t, rings, s)
    return value if s.mover == me else -value


@compiled
def entry_value(t, rings, s, action):
    """What a ghost entry, or none, is worth to the mover."""
    if t.action_kind[action] == ENTER:
        ghost = kernel.ON_BOARD + 8 * t.action_at[action]
        s = kernel.move_ghost(t, kernel.with_own_ghost(s, ghost))
    return evaluate(t, rings, s)


@compiled
def evaluate(t, rings, s):
    """Static evaluation, the mover's features less the other player's."""
    return (
        CAT_VALUE * (s.own_cats - s.opp_cats)
        + ORNAMENT_VALUE * (s.own_ornaments - s.opp_ornaments)
        + board_value(t, rings, s.own, s.cats)
        - board_value(t, rings, s.opp, s.cats)
    )


@compiled
def board_value(t, rings, pieces, cats):
    """What one player's pieces are worth where they stand."""
    value = PIECE_VALUE * popcount(pieces)
    value += INNER_VALUE * (popcount(pieces & rings[0]) + popcount(pieces & rings[1]))
    for direction in range(4):
        shift = np.uint64((1, 8, 9, 7)[direction])
        pairs = pieces & (pieces >> shift) & t.can_step[direction]
        if pairs != ZERO:
            value += PAIR_VALUE * popcount(pairs)
            value += CAT_PAIR_VALUE * popcount(pairs & cats & (cats >> shift))
            value += ROW_VALUE * popcount(pairs & (pairs >> shift))
    return value


@compiled
def is_safe(t, s, me, scratch):
    """Whether `me` can finish the turn so that the other player cannot win in the next one."""
    if s.phase == OVER:
        return s.winner == me or s.winner < 0
    if s.mover != me:
        return not can_win(t, s, scratch[2])
    if s.phase == GHOST:
        return not can_win(t, kernel.pass_turn(t, s), scratch[2])
    count = kernel.legal_actions(t, s, scratch[1])
    for i in range(count):
        following = kernel.step(t, s, scratch[1, i])
        if following.mover == me and following.phase == GRADUATION:
            return True  # after hanging an ornament: the choice is judged when it comes
        if following.mover == me and following.phase == GHOST:
            following = kernel.pass_turn(t, following)
        if following.winner != 1 - me and not can_win(t, following, scratch[2]):
            return True
    return False


@compiled
def can_win(t, s, legal):
    """Whether the mover, whose turn begins, can win in it."""
    if s.phase == OVER or not might_win(s):
        return False
    if s.phase == ORNAMENT:
        spaces = kernel.hanging_spaces(t, s)
        while spaces != ZERO:
            at = lowest_bit(spaces)
            spaces &= spaces - kernel.ONE
            if can_win_now(t, kernel.hang(s, at), legal):
                return True
        return False
    return can_win_now(t, s, legal)


@compiled
def can_win_now(t, s, legal):
    """Whether one placement, or the pass in its place, wins for the mover."""
    for i in range(kernel.legal_actions(t, s, legal)):
        following = kernel.step(t, s, legal[i])
        if following.phase == OVER and following.winner == s.mover:
            return True
    return False


@compiled
def might_win(s):
    """False where no placement could win, told without trying.

    A row needs three cats, two of them on the board by now; of ornaments, only the last one taken
    ends the game, and only one that hangs can be taken.
    """
    cats = s.own_cats >= 3 and popcount(s.own & s.cats) >= 2
    return cats or (s.opp_ornaments == 1 and s.opp_ornament != ZERO)


@compiled
def surrounded(t, spaces):
    """Those of `spaces` whose eight neighbours are all among them."""
    inside = ZERO
    for i in range(t.num_spaces):
        at = t.space_bits[i]
        near = t.neighbours[at]
        if popcount(near) == 8 and near & ~spaces == ZERO:
            inside |= kernel.bit(at)
    return inside & spaces
