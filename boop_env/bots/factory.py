"""Bots by their specs, the texts that name them: ``"random"``, ``"mcts:400"``, a checkpoint's path."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from boop_env.bots.bot import Bot

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
            `LEVELS`; or the path of a checkpoint, options after a ``?``.

    Raises:
        ValueError: the spec cannot be read; the message says why and lists what there is.
    """
    if isinstance(spec, Bot):
        return spec
    if not isinstance(spec, str):
        raise ValueError(f"bot {spec!r} is neither a spec nor a Bot; the specs are {usages()}")
    resolved = LEVELS.get(spec, spec)
    name, colon, argument = resolved.partition(":")
    is_path = name not in BOTS and resolved.partition("?")[0].endswith(CHECKPOINT)
    kind = BOTS.get(CHECKPOINT if is_path else name)
    if kind is None:
        raise ValueError(f"bot {spec!r}: there is no bot {name!r}; the specs are {usages()}")
    try:
        return kind.make(resolved if is_path else argument if colon else None)
    except (ValueError, OSError) as error:
        # A checkpoint's own error says more than the list of specs could.
        listed = "" if is_path else f"; the specs are {usages()}"
        raise ValueError(f"bot {spec!r}: {error}{listed}") from error


def usages() -> str:
    """All specs there are, for messages and help."""
    return ", ".join([*(kind.usage for kind in BOTS.values()), *LEVELS])


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
    path = checkpoint_path(text)
    options: dict[str, Any] = {}
    for name, value in parse_qsl(query, keep_blank_values=True):
        if name in ("sims", "ms") and re.fullmatch(r"[1-9][0-9]*", value):
            options["simulations" if name == "sims" else name] = int(value)
        elif name == "search" and value in ("gumbel", "puct"):
            options[name] = value
        else:
            raise ValueError(f"option {name}={value} is not one of sims=N, ms=N, search=gumbel, search=puct")
    from boop_env.policy import read_checkpoint
    from boop_env.policy.az import AzBot

    return AzBot(read_checkpoint(path), **options)


def checkpoint_path(text: str) -> Path:
    """The path of a checkpoint; ValueError with what there is instead when there is no such file."""
    path = Path(text)
    if not path.is_file():
        folder = path.parent
        found = sorted(str(other) for other in folder.glob(f"*{CHECKPOINT}")) if folder.is_dir() else []
        raise ValueError(f"there is no file {text}; {folder} has {', '.join(found) or 'no checkpoints'}")
    return path


def checkpoint(spec: str) -> tuple[Path, dict[str, Any]]:
    """Path and options of a checkpoint's spec, such as ``models/a.safetensors?temperature=0.5``.

    Raises:
        ValueError: there is no such file, or an option is unknown or has no such value.
    """
    text, _, query = spec.partition("?")
    path = checkpoint_path(text)
    options: dict[str, Any] = {}
    for name, value in parse_qsl(query, keep_blank_values=True):
        if name == "greedy" and value == "":
            options[name] = True
        elif name == "temperature" and re.fullmatch(r"\d+(\.\d*)?|\.\d+", value):
            options[name] = float(value)
        else:
            raise ValueError(f"option {name}={value} is not one of temperature=NUMBER, greedy")
    return path, options


def _refuse_argument(name: str, argument: str | None) -> None:
    if argument is not None:
        raise ValueError(f"{name} takes no argument, so {argument!r} means nothing")


def _limit(argument: str | None, names: tuple[str, ...], default: str | None = None) -> tuple[str, int]:
    """The one limit of a search, such as ``depth=4``, or a bare number for the default limit."""
    name, equals, number = (argument or "").partition("=")
    if not equals and default:
        name, number = default, name
    if name not in names or not re.fullmatch(r"[1-9][0-9]*", number):
        raise ValueError(f"{argument or 'nothing'!r} is not one whole number above 0 for one of {', '.join(names)}")
    return name, int(number)


CHECKPOINT = ".safetensors"

BOTS: dict[str, BotKind] = {
    "random": BotKind("random", _random),
    "greedy": BotKind("greedy", _greedy),
    "alphabeta": BotKind("alphabeta:depth=N, alphabeta:ms=N, alphabeta:nodes=N", _alphabeta),
    "mcts": BotKind("mcts:N, mcts:ms=N", _mcts),
    CHECKPOINT: BotKind("PATH.safetensors, PATH.safetensors?temperature=X, PATH.safetensors?greedy", _policy),
    "az": BotKind("az:PATH.safetensors?sims=N, az:PATH.safetensors?sims=N&search=puct, az:PATH.safetensors?ms=N", _az),
}
"""The kinds of bots by the first word of their spec; checkpoints by how their path ends."""
