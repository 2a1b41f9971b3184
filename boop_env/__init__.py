"""Reinforcement-learning suite for the boop. family of board games."""

from boop_env.bots.bot import Bot
from boop_env.bots.factory import make_bot
from boop_env.rules.game import Game, Reason, perft
from boop_env.rules.layout import Layout
from boop_env.rules.moves import IllegalMove, UnreadableMove
from boop_env.rules.position import InvalidPosition
from boop_env.rules.ruleset import PRESETS, RuleSet, ruleset
from boop_env.rules.states import States

__all__ = [
    "PRESETS",
    "Bot",
    "Game",
    "IllegalMove",
    "InvalidPosition",
    "Layout",
    "Reason",
    "RuleSet",
    "States",
    "UnreadableMove",
    "make_bot",
    "perft",
    "ruleset",
]
