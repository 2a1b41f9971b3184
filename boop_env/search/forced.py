"""Forced wins: short proofs that the player to act wins whatever the other does, for the tree search.

An attack is a turn after which the attacker would win with one more placement, if the other player could
pass. Only attacks are tried, and an attack is given up where more than a few answers to it do not lose at
once, as in threat-space search (Allis, van den Herik and Huntjens, 1994). So what is found is proven, and
much is not found; the search is small enough for every node of a tree.
"""

# mypy: disallow-untyped-defs=False, disallow-untyped-calls=False

from __future__ import annotations

import numpy as np

from boop_env.rules.compiled import compiled, popcount
from boop_env.rules.kernel import (
    GHOST,
    ONGOING,
    ORNAMENT,
    OVER,
    PLACEMENT,
    STATE_WORDS,
    legal_actions,
    load,
    step,
    store,
)
from boop_env.rules.state import with_phase
from boop_env.rules.turn import pass_turn
from boop_env.search.alphabeta import MAX_LEGAL
from boop_env.search.threats import winning_placement

MAX_STEPS = 24
"""Steps of a proof, at most: a proof has few turns, and a turn few steps."""

PROOF_TURNS = 3
PROOF_WIDTH = 2
"""How far the proofs of a tree's nodes go: see `forced_win`. Going further costs time and won no games."""

SELF_PLAY_PROOF_TURNS = 2
"""The same where games are played to learn from, which is better done with more of them."""

ATTACK, ANSWER, LAST_ANSWER = range(3)
"""What is tried at a level of the stack: attacks, answers, answers that do not lose at once."""

UNKNOWN = -1

PROOF = np.dtype(
    (
        np.record,
        [
            ("most_turns", "i8"),
            ("width", "i8"),
            ("words", "u8", (MAX_STEPS, STATE_WORDS)),
            ("kind", "i8", (MAX_STEPS,)),
            ("turns", "i8", (MAX_STEPS,)),
            ("count", "i8", (MAX_STEPS,)),
            ("index", "i8", (MAX_STEPS,)),
            ("kept", "i8", (MAX_STEPS,)),
            ("longest", "i8", (MAX_STEPS,)),
            ("refutation", "i8", (MAX_STEPS,)),
            ("moves", "i8", (MAX_STEPS, MAX_LEGAL)),
        ],
    ),
    align=True,
)
"""How far a proof may go (see `forced_win`), and its stack, by step: states, what is tried there with how
many placements left to the attacker, its moves with the one at hand and how many were kept, the longest
defence, and the last answer that held."""


@compiled
def forced_win(t, p, s):
    """Looks for a forced win of the player to act, one that needs fewer placements first.

    So whoever plays the first step, and asks again after the answer, needs one placement less each time.

    Args:
        t: the rule set's tables.
        p: one `PROOF`: `most_turns` is how many placements the winner may need, 1 or more, `width` how many
            answers to an attack may be looked into; with 0 all must lose at once.
        s: a state whose game goes on.

    Returns:
        (first step, steps of both players, at most), or (-1, 0) if none was found.
    """
    if s.phase == PLACEMENT:
        action = winning_placement(t, s)
        if action >= 0:
            return action, 1
    p.refutation[:] = -1
    first = 2 if s.phase == PLACEMENT else 1
    for turns in range(first, p.most_turns + 1):
        if within_reach(t, s, turns):
            action, steps = win_within(t, p, s, turns)
            if steps > 0:
                return action, steps
    return np.int64(-1), 0


@compiled
def longest_answer(t, p, s, moves):
    """The step of a player who loses by force that puts the loss off longest.

    Args:
        t: the rule set's tables.
        p: as in `forced_win`.
        s: a state whose game goes on.
        moves: scratch, ``int64 (MAX_LEGAL,)``.
    """
    count = legal_actions(t, s, moves)
    best, longest = moves[0], -1
    for index in range(count):
        after = step(t, s, moves[index])
        steps = 0
        if after.phase != OVER and after.mover != s.mover:
            _, steps = forced_win(t, p, after)
        if steps > longest:
            best, longest = moves[index], steps
    return best


@compiled
def win_within(t, p, s, turns):
    """`forced_win` with a fixed number of placements, which the next one does not win."""
    attacker = s.mover
    push(t, p, s, 0, attacker, turns)
    ply = 0
    while True:
        if p.index[ply] == p.count[ply]:
            if p.kind[ply] == ATTACK:
                steps = 0
            elif p.kind[ply] == ANSWER and p.kept[ply] > 0:
                p.kind[ply] = LAST_ANSWER
                p.count[ply] = p.kept[ply]
                p.index[ply] = 0
                continue
            else:
                steps = p.longest[ply] + 1
            if ply == 0:
                return np.int64(-1), 0
            ply -= 1
        else:
            s = load(p.words[ply])
            child = step(t, s, p.moves[ply, p.index[ply]])
            turns = 1 if p.kind[ply] == ANSWER else p.turns[ply]
            if s.mover == attacker and child.mover != attacker:
                turns -= 1
            steps = look(t, child, attacker, turns)
            if steps == UNKNOWN and ply + 1 < MAX_STEPS:
                ply += 1
                push(t, p, child, ply, attacker, turns)
                continue
            steps = max(steps, 0)
        # What the step at hand leads to is known now; a level that is decided by it is left at once.
        while take(p, ply, steps):
            if p.kind[ply] == ATTACK:
                steps += 1
                if ply == 0:
                    return p.moves[0, p.index[0]], steps
            else:
                steps = 0
            ply -= 1


@compiled
def look(t, s, attacker, turns):
    """Steps to the end of a forced win that is seen at once, 0 where there is none to find, or ``UNKNOWN``."""
    if s.phase == OVER:
        return 0 if s.winner != attacker else 1
    if turns == 0:
        return 0
    if s.mover == attacker and s.phase == PLACEMENT:
        if winning_placement(t, s) >= 0:
            return 1
        return UNKNOWN if turns > 1 and within_reach(t, s, turns) else 0
    return 0 if is_quiet(t, s, attacker) else UNKNOWN


@compiled
def push(t, p, s, ply, attacker, turns):
    """Puts a state on the stack, the last answer that held at its level in front.

    The attacker hangs an ornament in one place only, and places no ghost: neither matters much to an attack.
    """
    moves = p.moves[ply]
    count = legal_actions(t, s, moves)
    if s.mover == attacker and s.phase == ORNAMENT:
        count = 1
    elif s.mover == attacker and s.phase == GHOST:
        moves[0] = t.pass_action
        count = 1
    store(s, p.words[ply])
    p.kind[ply] = ATTACK if s.mover == attacker else ANSWER
    p.turns[ply] = turns
    p.count[ply] = count
    p.index[ply] = 0
    p.kept[ply] = 0
    p.longest[ply] = 0
    for index in range(1, count):
        if moves[index] == p.refutation[ply]:
            moves[index] = moves[0]
            moves[0] = p.refutation[ply]


@compiled
def take(p, ply, steps):
    """Takes what the step at hand leads to; returns whether it decides its level."""
    if p.kind[ply] == ATTACK:
        if steps > 0:
            return True
    elif steps > 0:
        p.longest[ply] = max(p.longest[ply], steps)
    elif p.kind[ply] == ANSWER and p.turns[ply] > 1 and p.kept[ply] < p.width:
        p.moves[ply, p.kept[ply]] = p.moves[ply, p.index[ply]]
        p.kept[ply] += 1
    else:
        p.refutation[ply] = p.moves[ply, p.index[ply]]
        return True
    p.index[ply] += 1
    return False


@compiled
def within_reach(t, s, turns):
    """Whether the player to act has cats enough to win in so many turns, or has taken ornaments enough."""
    cats = popcount(s.own & s.cats)
    return (s.own_cats >= 2 and cats + turns >= 3) or (t.ornaments > 0 and s.opp_ornaments < turns)


@compiled
def is_quiet(t, s, attacker):
    """Whether the attacker's placement threatens nothing: one more, now, would not win."""
    if s.mover == attacker:
        return s.phase == GHOST and winning_placement(t, with_phase(s, PLACEMENT, ONGOING, -1)) < 0
    passed = pass_turn(t, s)
    return s.phase == PLACEMENT and passed.phase == PLACEMENT and winning_placement(t, passed) < 0
