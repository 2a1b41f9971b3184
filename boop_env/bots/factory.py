"""Bots by their specs, the texts that name them: ``"random"``, ``"mcts:400"``, a checkpoint's name or path."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from boop_env.bots.bot import Bot
from boop_env.bots.models import CHECKPOINT, available, find_checkpoint, listed

LEVELS: dict[str, str] = {
    "easy": "greedy",
    "medium": "alphabeta:depth=2",
    "hard": "alphabeta:depth=4",
    "expert": "alphabeta:ms=1000",
}
"""The spec of each named level, weakest first; models/LADDER.md has their ratings."""


@dataclass(frozen=True)
class BotKind:
    """One way to write a spec.

    Attributes:
        usage: the spec as errors list it.
        make: the bot from a spec's argument, which is what follows the first colon (None without
            one), or the whole spec of a checkpoint. Raises a ValueError that says what is wrong with it.
    """

    usage: str
    make: Callable[[str | None], Bot]


def make_bot(spec: str | Bot) -> Bot:
    """The bot that a spec names; a bot is returned as it is.

    Example:
        >>> make_bot("greedy").move(Game("halls"))  # doctest: +SKIP
        'Od3'

    Args:
        spec: one of the texts that `BOTS` lists, such as ``"alphabeta:depth=4"``; a level of
            `LEVELS`; or a checkpoint, options after a ``?``: its path, or its name if it comes with
            the package.

    Raises:
        ValueError: the spec cannot be read; the message says why, and how bots of its kind are written or, if
            there is no such kind, what there is.
        ImportError: a trained policy without the libraries it needs; the message says what to install.
    """
    if isinstance(spec, Bot):
        return spec
    if not isinstance(spec, str):
        raise ValueError(f"bot {spec!r} is neither a spec nor a Bot; the specs are {usages()}")
    resolved = LEVELS.get(spec, spec)
    name, colon, argument = resolved.partition(":")
    file = resolved.partition("?")[0]
    is_checkpoint = name not in BOTS and (file.endswith(CHECKPOINT) or file in available())
    kind = BOTS.get(CHECKPOINT if is_checkpoint else name)
    if kind is None:
        raise ValueError(f"bot {spec!r}: there is no bot {name!r}; the specs are {usages()}")
    try:
        return kind.make(resolved if is_checkpoint else argument if colon else None)
    except (ValueError, OSError) as error:
        # A checkpoint's own error lists its options.
        usage = "" if is_checkpoint else f"; write {kind.usage}"
        raise ValueError(f"bot {spec!r}: {error}{usage}") from error


def usages() -> str:
    """All specs there are, for messages and help."""
    specs = ", ".join([*(kind.usage for kind in BOTS.values()), *LEVELS])
    return f"{specs}; CHECKPOINT is the path of a {CHECKPOINT} file or one of {listed()}"


def _random(argument: str | None) -> Bot:
    from boop_env.bots.random_bot import RandomBot

    _refuse_argument("random", argument)
    return RandomBot()


def _greedy(argument: str | None) -> Bot:
    from boop_env.bots.greedy import GreedyBot

    _refuse_argument("greedy", argument)
    return GreedyBot()


def _alphabeta(argument: str | None) -> Bot:
    from boop_env.bots.alphabeta import AlphaBetaBot

    limit, number = _limit(argument, ("depth", "ms", "nodes"))
    return AlphaBetaBot(**{limit: number})


def _mcts(argument: str | None) -> Bot:
    from boop_env.bots.mcts import MctsBot

    limit, number = _limit(argument, ("simulations", "ms"), default="simulations")
    return MctsBot(**{limit: number})


def _policy(spec: str | None) -> Bot:
    assert spec is not None
    path, options = checkpoint(spec)
    from boop_env.policy import load_policy

    return load_policy(path, **options)


def _az(argument: str | None) -> Bot:
    text, _, query = (argument or "").partition("?")
    path = find_checkpoint(text)
    options: dict[str, Any] = {}
    for name, value in parse_qsl(query, keep_blank_values=True):
        if name in ("sims", "ms"):
            if not re.fullmatch(r"[1-9][0-9]*", value):
                raise ValueError(f"option {_written(name, value)} is not one of the whole numbers above 0")
            options["simulations" if name == "sims" else name] = int(value)
        elif name == "lookahead" and re.fullmatch(r"[0-9]+", value):
            options[name] = int(value)
        elif name == "search" and value in ("gumbel", "puct"):
            options[name] = value
        elif name == "symmetric" and value == "":
            options[name] = True
        else:
            known = "sims=N, ms=N, search=gumbel, search=puct, symmetric, lookahead=N"
            raise ValueError(f"option {_written(name, value)} is not one of {known}")
    from boop_env.policy import AzBot, read_checkpoint

    return AzBot(read_checkpoint(path), **options)


def _openspiel(argument: str | None) -> Bot:
    found = re.fullmatch(r"mcts\?sims=([1-9][0-9]*)", argument or "")
    if not found:
        raise ValueError(f"{argument!r} is not mcts?sims=N" if argument else "no search is given")
    from boop_env.bridges.openspiel import OpenSpielMctsBot

    return OpenSpielMctsBot(int(found[1]))


def checkpoint(spec: str) -> tuple[Path, dict[str, Any]]:
    """Path and options of a checkpoint's spec, such as ``models/a.safetensors?temperature=0.5``.

    Raises:
        FileNotFoundError: there is no such file or name.
        ValueError: an option is unknown or has no such value, or a temperature comes with `greedy`.
    """
    text, _, query = spec.partition("?")
    path = find_checkpoint(text)
    options: dict[str, Any] = {}
    for name, value in parse_qsl(query, keep_blank_values=True):
        if name in ("greedy", "symmetric") and value == "":
            options[name] = True
        elif name == "temperature" and re.fullmatch(r"\d+(\.\d*)?|\.\d+", value):
            options[name] = float(value)
            if not 0 < options[name] < float("inf"):
                raise ValueError(f"temperature={value} is not a number above 0; ?greedy plays the best move")
        else:
            raise ValueError(
                f"option {_written(name, value)} is not one of temperature=NUMBER, greedy, symmetric; "
                "NUMBER is written like 0.5"
            )
    if "temperature" in options and "greedy" in options:
        raise ValueError("greedy play has no temperature; give one of temperature=NUMBER, greedy")
    return path, options


def _written(name: str, value: str) -> str:
    return f"{name}={value}" if value else name


def _refuse_argument(name: str, argument: str | None) -> None:
    if argument is not None:
        raise ValueError(f"{name} takes no argument, so {argument!r} means nothing")


def _limit(argument: str | None, names: tuple[str, ...], default: str | None = None) -> tuple[str, int]:
    """The one limit of a search, such as ``depth=4``, or a bare number for the default limit."""
    if not argument:
        raise ValueError("no limit is given")
    name, equals, number = argument.partition("=")
    if not equals and default:
        name, number = default, name
    if name not in names or not re.fullmatch(r"[1-9][0-9]*", number):
        raise ValueError(f"{argument!r} is not one whole number above 0 for one of {', '.join(names)}")
    return name, int(number)


BOTS: dict[str, BotKind] = {
    "random": BotKind("random", _random),
    "greedy": BotKind("greedy", _greedy),
    "alphabeta": BotKind("alphabeta:depth=N, alphabeta:ms=N, alphabeta:nodes=N", _alphabeta),
    "mcts": BotKind("mcts:N, mcts:ms=N", _mcts),
    CHECKPOINT: BotKind("CHECKPOINT, CHECKPOINT?temperature=X, CHECKPOINT?greedy, CHECKPOINT?symmetric", _policy),
    "az": BotKind("az:CHECKPOINT?sims=N, az:CHECKPOINT?ms=N, with &search=puct, &symmetric or &lookahead=N", _az),
    "openspiel": BotKind("openspiel:mcts?sims=N", _openspiel),
}
"""The kinds of bots by the first word of their spec; checkpoints by the end of their file's name."""
