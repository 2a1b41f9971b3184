"""Alpha-beta search (Knuth and Moore, 1975), compiled, on an explicit stack.

Values belong to the player who acts: a child's value changes sign only where the mover changes, so a turn
of several steps is searched as what it is. Depth counts turns: all steps of one turn cost one.

The stack lies in one record, `WORK`, so a search can be left at any node and taken up again; that is how
time limits work without a clock in compiled code. On it are principal variation search (Marsland and
Campbell, 1982) with aspiration windows, iterative deepening (Slate and Atkin, 1977), a transposition
table, killers (Akl and Newborn, 1977), history (Schaeffer, 1983) and late move reductions.
"""

# mypy: disallow-untyped-defs=False, disallow-untyped-calls=False

from __future__ import annotations

import numpy as np

from boop_env.rules.compiled import compiled, random_bits, random_next, scale
from boop_env.rules.kernel import (
    CAT,
    MAX_ACTIONS,
    OVER,
    PLACEMENT,
    STATE_WORDS,
    ZERO,
    bit,
    legal_actions,
    load,
    step,
    store,
)
from boop_env.search.evaluation import NUM_FEATURES, evaluate
from boop_env.search.table import (
    EXACT,
    LOWER,
    NO_MOVE,
    UPPER,
    action_of,
    bound_of,
    depth_of,
    look_up,
    new_search,
    remember,
    score_of,
    state_key,
)
from boop_env.search.threats import threatens, winning_placement

MAX_PLY = 120
"""Most steps from the root; deeper positions are evaluated as they stand."""

MAX_DEPTH = 64
MAX_LEGAL = 192
"""Most legal actions at once: an 8x8 board has 128 placements."""

WIN = 1_000_000
"""Value of a win here and now; a win in n steps is worth ``WIN - n``."""

PROVEN = WIN - 1000
"""Values beyond this, either way, are proven."""

SWITCHES = ("table", "reductions", "history", "extensions", "win check", "aspiration")
USE_TABLE, USE_REDUCTIONS, USE_HISTORY, USE_EXTENSIONS, USE_WIN_CHECK, USE_ASPIRATION = range(6)
"""Switches in `WORK.use`, all on in play; `train/ablate_search.py` measures what each is worth."""

EXTRA_TURNS = 4
LATE, VERY_LATE = 6, 20
"""Moves in the order after which a move is searched one or two turns less deep at first."""

FIRST_LOOK, SCOUT, FULL = range(3)
"""Stages of one move: reduced or not with a zero window, the same unreduced, with the whole window."""

ASPIRATION = 300

WORK = np.dtype(
    (
        np.record,
        [
            # The evaluation and the search's switches.
            ("rings", "u8", (3,)),
            ("weights", "i8", (2 * NUM_FEATURES,)),
            ("features", "i8", (2 * NUM_FEATURES,)),
            ("use", "i8", (len(SWITCHES),)),
            # The limits, and where the search stands.
            ("max_depth", "i8"),
            ("max_nodes", "i8"),
            ("nodes", "i8"),
            ("ply", "i8"),
            ("root_depth", "i8"),
            ("low", "i8"),
            ("high", "i8"),
            ("root_turn", "i8"),
            ("generation", "i8"),
            ("salt", "u8"),
            ("seed", "u8"),
            # What was found: from the last finished depth, or from the unfinished one if better.
            ("best_action", "i8"),
            ("value", "i8"),
            ("depth", "i8"),
            ("line_length", "i8"),
            ("line", "i8", (MAX_PLY,)),
            # Move ordering.
            ("killers", "i8", (MAX_PLY, 2)),
            ("history", "i8", (2, MAX_ACTIONS)),
            # The stack, by ply. Moves are packed ``score << 16 | action``.
            ("words", "u8", (MAX_PLY, STATE_WORDS)),
            ("key", "u8", (MAX_PLY,)),
            ("left", "i8", (MAX_PLY,)),
            ("alpha", "i8", (MAX_PLY,)),
            ("beta", "i8", (MAX_PLY,)),
            ("first_alpha", "i8", (MAX_PLY,)),
            ("best", "i8", (MAX_PLY,)),
            ("choice", "i8", (MAX_PLY,)),
            ("count", "i8", (MAX_PLY,)),
            ("index", "i8", (MAX_PLY,)),
            ("stage", "i8", (MAX_PLY,)),
            ("quiet", "i8", (MAX_PLY,)),
            ("moves", "i8", (MAX_PLY, MAX_LEGAL)),
            ("pv_length", "i8", (MAX_PLY + 1,)),
            ("pv", "i8", (MAX_PLY + 1, MAX_PLY + 1)),
        ],
    ),
    align=True,
)
"""Everything one search needs besides the table."""


@compiled
def start(t, w, table, s, seed):
    """Makes ready for a search from `s`, which is not over, under the limits in `w`."""
    new_search(table, w)
    w.seed = seed
    w.nodes = 0
    w.ply = -1
    w.root_depth = 0
    w.root_turn = s.turn
    w.value = 0
    w.depth = 0
    w.killers[:] = NO_MOVE
    w.history[:] = 0
    store(s, w.words[0])
    count = legal_actions(t, s, w.moves[0])
    w.best_action = w.moves[0, scale(random_bits(seed), count)]
    w.line_length = 1
    w.line[0] = w.best_action


@compiled
def search(t, w, table, budget):
    """Searches on for about `budget` nodes; returns whether the search is finished.

    It is finished when `max_depth` is done, a win or loss is proven, or `max_nodes` is reached.
    """
    stop = min(w.nodes + budget, w.max_nodes)
    while True:
        if w.ply < 0:
            if w.root_depth == w.max_depth or abs(w.value) >= PROVEN:
                return True
            w.root_depth += 1
            wide = w.root_depth < 3 or w.use[USE_ASPIRATION] == 0
            open_root(t, w, table, -WIN if wide else w.value - ASPIRATION, WIN if wide else w.value + ASPIRATION)
        if not run(t, w, table, stop):
            return w.nodes >= w.max_nodes
        w.ply = -1
        if w.best[0] <= w.low and w.low > -WIN:
            open_root(t, w, table, -WIN, w.high)
        elif w.best[0] >= w.high and w.high < WIN:
            open_root(t, w, table, w.low, WIN)
        else:
            w.value = w.best[0]
            w.depth = w.root_depth
            take_line(w)


@compiled
def open_root(t, w, table, low, high):
    """Starts one depth at the root with a window."""
    w.low = low
    w.high = high
    s = load(w.words[0])
    w.ply = 0
    enter(t, w, table, s, 0, w.root_depth, low, high)


@compiled
def take_line(w):
    """Makes the root's line the result."""
    if w.pv_length[0] > 0:
        w.best_action = w.pv[0, 0]
        w.line_length = min(w.pv_length[0], MAX_PLY)
        for index in range(w.line_length):
            w.line[index] = w.pv[0, index]


@compiled
def run(t, w, table, stop):
    """Works on the stack until the root is done (True) or `stop` nodes were visited (False)."""
    ply = w.ply
    s = load(w.words[ply])
    while True:
        if w.index[ply] == w.count[ply] or w.alpha[ply] >= w.beta[ply]:
            value = w.best[ply]
            leave(w, table, s, ply, value)
            if ply == 0:
                return True
            mover = s.mover
            ply -= 1
            s = load(w.words[ply])
            receive(w, ply, value if s.mover == mover else -value)
            continue
        if w.nodes >= stop:
            w.ply = ply
            return False
        child = step(t, s, pick(w, ply) & 65535)
        same = child.mover == s.mover
        left = w.left[ply] - (child.turn - s.turn) - reduction(w, ply)
        alpha = w.alpha[ply]
        beta = w.beta[ply] if w.stage[ply] == FULL else alpha + 1
        low, high = (alpha, beta) if same else (-beta, -alpha)
        w.nodes += 1
        known, value = enter(t, w, table, child, ply + 1, left, low, high)
        if known:
            receive(w, ply, value if same else -value)
        else:
            ply += 1
            s = child


@compiled
def reduction(w, ply):
    """Turns by which the move at hand is searched less deep at first."""
    if w.stage[ply] != FIRST_LOOK or w.quiet[ply] == 0 or w.left[ply] < 2 or w.index[ply] < LATE:
        return 0
    return 2 if w.index[ply] >= VERY_LATE and w.left[ply] >= 4 else 1


@compiled
def receive(w, ply, value):
    """Takes the value of the move at hand, and decides whether the move must be searched again."""
    if value > w.alpha[ply]:
        if w.stage[ply] == FIRST_LOOK and reduction(w, ply) > 0:
            w.stage[ply] = SCOUT
            return
        if w.stage[ply] != FULL and value < w.beta[ply]:
            w.stage[ply] = FULL
            return
    action = w.moves[ply, w.index[ply]] & 65535
    if value > w.best[ply]:
        w.best[ply] = value
        w.choice[ply] = action
    if value > w.alpha[ply]:
        w.alpha[ply] = value
        length = w.pv_length[ply + 1]
        w.pv[ply, 0] = action
        for index in range(length):
            w.pv[ply, index + 1] = w.pv[ply + 1, index]
        w.pv_length[ply] = length + 1
        if ply == 0 and value < w.beta[0]:
            take_line(w)
    w.index[ply] += 1
    w.stage[ply] = FIRST_LOOK


@compiled
def leave(w, table, s, ply, value):
    """Keeps what a finished node taught."""
    cut = value >= w.beta[ply]
    action = w.choice[ply]
    if cut and w.use[USE_HISTORY]:
        if w.killers[ply, 0] != action:
            w.killers[ply, 1] = w.killers[ply, 0]
            w.killers[ply, 0] = action
        w.history[s.mover, action] += w.left[ply] * w.left[ply]
    if w.use[USE_TABLE]:
        bound = LOWER if cut else (EXACT if value > w.first_alpha[ply] else UPPER)
        if value >= PROVEN:
            value += ply
        elif value <= -PROVEN:
            value -= ply
        remember(table, w, w.key[ply], value, w.left[ply], bound, action if bound != UPPER else NO_MOVE)


@compiled
def enter(t, w, table, s, ply, left, alpha, beta):
    """Looks at a node: its value if that needs no search, else it is put on the stack.

    Args:
        t: the rule set's tables.
        w: the search.
        table: the transposition table.
        s: the state.
        ply: steps from the root.
        left: turns left to search.
        alpha: the window's lower end, as the state's mover sees it.
        beta: its upper end.

    Returns:
        (known, value); the value belongs to the state's mover.
    """
    w.pv_length[ply] = 0
    if s.phase == OVER:
        if s.winner < 0:
            return True, 0
        return True, WIN - ply if s.winner == s.mover else ply - WIN
    if ply > 0:
        if s.phase == PLACEMENT and w.use[USE_WIN_CHECK]:
            action = winning_placement(t, s)
            if action >= 0:
                w.pv[ply, 0] = action
                w.pv_length[ply] = 1
                return True, WIN - ply - 1
        if left <= 0:
            extended = (
                w.use[USE_EXTENSIONS]
                and s.phase == PLACEMENT
                and s.turn - w.root_turn < w.root_depth + EXTRA_TURNS
                and threatens(t, s)
            )
            if not extended:
                return True, evaluate(t, w, s)
            left = 1
        if ply >= MAX_PLY - 1:
            return True, evaluate(t, w, s)
        # No win can be nearer than the next step, nor a loss.
        alpha = max(alpha, ply - WIN)
        beta = min(beta, WIN - ply - 1)
        if alpha >= beta:
            return True, alpha
    key = state_key(t, s, w.salt)
    if s.phase <= PLACEMENT:
        for earlier in range(ply - 1):
            if w.key[earlier] == key:
                return True, 0
    hint = NO_MOVE
    entry = look_up(table, key) if w.use[USE_TABLE] else ZERO
    if entry != ZERO:
        hint = action_of(entry)
        score = score_of(entry)
        bound = bound_of(entry)
        proven = abs(score) >= PROVEN
        if score >= PROVEN:
            score -= ply
        elif score <= -PROVEN:
            score += ply
        if ply > 0 and beta - alpha == 1 and (proven or depth_of(entry) >= left):
            if bound != UPPER and score >= beta:
                return True, score
            if bound != LOWER and score <= alpha:
                return True, score
    w.key[ply] = key
    w.left[ply] = left
    w.alpha[ply] = alpha
    w.first_alpha[ply] = alpha
    w.beta[ply] = beta
    w.best[ply] = -2 * WIN
    w.choice[ply] = NO_MOVE
    w.index[ply] = 0
    w.stage[ply] = FULL
    store(s, w.words[ply])
    order_moves(t, w, s, ply, hint)
    return False, 0


@compiled
def order_moves(t, w, s, ply, hint):
    """Writes the legal moves of a node with the scores that order them."""
    moves = w.moves[ply]
    count = legal_actions(t, s, moves)
    w.count[ply] = count
    # A threat calls for an answer that may stand anywhere in the order.
    threatened = s.phase == PLACEMENT and threatens(t, s)
    w.quiet[ply] = 0 if threatened else w.use[USE_REDUCTIONS]
    killer, second = w.killers[ply, 0], w.killers[ply, 1]
    history = w.history[s.mover]
    for index in range(count):
        action = moves[index]
        score = min(history[action], 1 << 20)
        if action == hint:
            score += 1 << 30
        elif action == killer:
            score += 1 << 22
        elif action == second:
            score += 1 << 21
        if s.phase == PLACEMENT and t.action_kind[action] <= CAT:
            at = bit(t.action_at[action])
            if w.rings[0] & at == ZERO:
                score += 1 if w.rings[1] & at != ZERO else 2
        if ply == 0:
            # Moves that are worth the same are tried in an order of the seed's choosing.
            w.seed = random_next(w.seed)
            score = score * 1024 + scale(random_bits(w.seed), 1024)
        moves[index] = score << 16 | action


@compiled
def pick(w, ply):
    """The move at hand; brings the best of those left to the front where order matters."""
    index = w.index[ply]
    if index < LATE or w.left[ply] > 1:
        moves = w.moves[ply]
        best = index
        for other in range(index + 1, w.count[ply]):
            if moves[other] > moves[best]:
                best = other
        chosen = moves[best]
        moves[best] = moves[index]
        moves[index] = chosen
    return w.moves[ply, index]


@compiled
def start_search(tables, words, work, table, seed):
    """`start` as Python calls it."""
    start(tables[0], work[0], table, load(words), seed)


@compiled
def continue_search(tables, work, table, budget):
    """`search` as Python calls it."""
    return search(tables[0], work[0], table, budget)


@compiled
def search_many(tables, states, seeds, work, table, actions):
    """Searches positions one after the other, each as if it were alone.

    Args:
        tables: the rule set's tables.
        states: ``uint64 (N, 6)``.
        seeds: ``uint64 (N,)``.
        work: ``WORK (1,)``, limits set.
        table: ``uint64 (entries, 2)``.
        actions: ``int64 (N,)``, written.
    """
    w = work[0]
    for index in range(len(states)):
        start(tables[0], w, table, load(states[index]), seeds[index])
        search(tables[0], w, table, w.max_nodes)
        actions[index] = w.best_action
