"""Games of a bot against itself, many at a time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from boop_env.bots.bot import Bot
from boop_env.bots.factory import make_bot
from boop_env.data.games import StoredGame
from boop_env.envs.batch import BatchEnv
from boop_env.rules.game import Game, Reason
from boop_env.rules.ruleset import RuleSet, ruleset
from boop_env.rules.states import States

AT_ONCE = 1024


def self_play(
    bot: str | Bot,
    rules: str | RuleSet = "boop",
    *,
    games: int,
    opening: int = 6,
    seed: int = 0,
    on_game: Callable[[StoredGame], None] | None = None,
) -> list[StoredGame]:
    """Plays a bot against itself.

    Every game that is begun is finished, so short games are no likelier to be among them. The same
    arguments give the same games, unless the bot is limited by time.

    Args:
        bot: a bot or its spec.
        rules: a preset's name or a rule set.
        games: how many, 1 or more.
        opening: a game begins with random steps, each number of them up to this as likely.
        seed: of openings and of the bot's chance.
        on_game: called with every game as it ends.

    Raises:
        ValueError: a number is out of range, or the bot's spec or the preset is unknown.
    """
    for name, value, least in (("games", games, 1), ("opening", opening, 0)):
        if value < least:
            raise ValueError(f"{name}={value} is too small; give {least} or more")
    player, rules = make_bot(bot), ruleset(rules)
    rng = np.random.default_rng(seed)
    env = BatchEnv(rules, min(games, AT_ONCE), seed=seed, threads=1, observation="states")
    texts, start = rules.actions.texts, Game(rules).position()
    lengths = rng.integers(0, opening + 1, games)
    numbers = np.arange(env.num_envs)  # which game is played in each place
    records: list[list[int]] = [[] for _ in range(games)]
    finished: list[StoredGame] = []
    begun = env.num_envs
    while len(places := np.flatnonzero(numbers < games)):
        steps = np.array([len(records[numbers[place]]) for place in places])
        actions = env.sample()[places]
        chosen = steps >= lengths[numbers[places]]
        if chosen.any():
            actions[chosen] = player.choose(env.states[places[chosen]], rng)
        for place, action in zip(places, actions.tolist(), strict=True):
            records[numbers[place]].append(action)
        outcomes, winners = env.advance(places, actions)
        for index in np.flatnonzero(outcomes):
            place, winner = places[index], int(winners[index])
            moves = records[numbers[place]]
            stored = StoredGame(
                rules=rules,
                start=start,
                record=" ".join(texts[action] for action in moves),
                players=(player.name, player.name),
                opening=min(int(lengths[numbers[place]]), len(moves)),
                winner=None if winner < 0 else winner,
                reason=Reason(int(outcomes[index])).name.lower(),
                turns=int(States(rules, env.final_states[place : place + 1]).turns[0]),
            )
            finished.append(stored)
            if on_game:
                on_game(stored)
            numbers[place] = begun  # past the last one the place stays empty
            begun += 1
    return finished
