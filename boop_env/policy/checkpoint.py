"""Checkpoint files: weights as safetensors, with a JSON card inside that says what they are.

Reading one never runs code from it: the weights are plain arrays and the card is JSON. The card is
one entry, ``boop_env``, of the safetensors metadata, so any safetensors reader can print it.
"""

from __future__ import annotations

import json
import os
import platform
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from boop_env.bots.models import short_name
from boop_env.envs.planes import PLANES_VERSION, plane_names
from boop_env.rules.ruleset import PRESETS, RuleSet

FORMAT_VERSION = 1
"""Changes when a reader of today's files could not read tomorrow's."""

CARD_KEY = "boop_env"
"""The metadata entry that holds the card."""

Weights = Mapping[str, npt.NDArray[np.float32]]


class CheckpointError(ValueError):
    """The file is no checkpoint, is damaged, or does not fit what it is asked to play."""


@dataclass(frozen=True)
class Card:
    """What a checkpoint is: read before its weights are touched.

    Attributes:
        rules: the rule set it was trained on.
        network: the network's shape, `NetworkConfig.to_dict`.
        training: how it was made: command, seconds, steps, seed, settings, whatever the trainer knows.
        rating: Elo on the project's scale, None while nobody has measured it.
        notes: anything a reader should know.
        planes_version: `PLANES_VERSION` of the planes it reads.
        plane_names: those planes, in channel order; from the rule set when not given.
        num_actions: how many logits it gives; from the rule set when not given.
        versions: of the libraries that wrote it.
    """

    rules: RuleSet
    network: Mapping[str, Any]
    training: Mapping[str, Any] = field(default_factory=dict)
    rating: float | None = None
    notes: str = ""
    planes_version: int = PLANES_VERSION
    plane_names: tuple[str, ...] = ()
    num_actions: int = 0
    versions: Mapping[str, str] = field(default_factory=lambda: library_versions())

    def __post_init__(self) -> None:
        if not self.plane_names:
            object.__setattr__(self, "plane_names", plane_names(self.rules))
        if not self.num_actions:
            object.__setattr__(self, "num_actions", self.rules.num_actions)

    def to_json(self) -> str:
        """The card as JSON text."""
        return json.dumps(
            {
                "format_version": FORMAT_VERSION,
                "preset": self.rules.name,
                "rules": self.rules.to_dict(),
                "planes_version": self.planes_version,
                "plane_names": list(self.plane_names),
                "num_actions": self.num_actions,
                "network": dict(self.network),
                "training": dict(self.training),
                "rating": self.rating,
                "versions": dict(self.versions),
                "notes": self.notes,
            },
            allow_nan=False,
        )

    def presets(self) -> list[str]:
        """The presets whose planes and actions are the network's, the one it was trained on first."""
        fitting = [name for name, rules in PRESETS.items() if not self.differences(rules)]
        return sorted(fitting, key=lambda name: name != self.rules.name)

    @classmethod
    def from_json(cls, text: str) -> Card:
        """Reads a card.

        Raises:
            ValueError: not JSON, another format version, or a field that is missing or makes no sense;
                the message names it.
        """
        try:
            entries = json.loads(text)
        except (json.JSONDecodeError, RecursionError) as error:
            raise ValueError(f"its card is not JSON: {error}") from None
        if not isinstance(entries, dict):
            raise ValueError("its card is not a JSON object")
        version = entries.get("format_version")
        if version != FORMAT_VERSION:
            raise ValueError(
                f"its format version is {version!r} and this boop_env reads {FORMAT_VERSION}; "
                "use the boop_env version that wrote it, or a newer one"
            )

        def entry(name: str, kind: type | tuple[type, ...]) -> Any:
            if name not in entries:
                raise ValueError(f"its card has no {name!r}")
            if not isinstance(entries[name], kind) or isinstance(entries[name], bool):
                raise ValueError(f"its card's {name!r} is {entries[name]!r}, which makes no sense")
            return entries[name]

        try:
            rules = RuleSet(**entry("rules", dict))
        except TypeError as error:
            raise ValueError(f"its card's rules are not a rule set: {error}") from None
        rating = entry("rating", (int, float, type(None)))
        return cls(
            rules=rules,
            network=entry("network", dict),
            training=entry("training", dict),
            rating=None if rating is None else float(rating),
            notes=entry("notes", str),
            planes_version=entry("planes_version", int),
            plane_names=tuple(str(name) for name in entry("plane_names", list)),
            num_actions=entry("num_actions", int),
            versions=entry("versions", dict),
        )

    def differences(self, rules: RuleSet) -> list[str]:
        """What keeps the network from playing a rule set; empty when nothing does.

        Rule sets with the same board, planes and actions may play each other's networks, as `boop`
        and `boop_bga` do.
        """
        found = []
        if self.planes_version != PLANES_VERSION:
            found.append(f"planes version {self.planes_version} against {PLANES_VERSION}")
        ours, theirs = self.plane_names, plane_names(rules)
        if ours != theirs:
            only = [name for name in ours if name not in theirs], [name for name in theirs if name not in ours]
            listed = [f"{who} has {', '.join(names)}" for who, names in zip(WHO, only, strict=True) if names]
            found.append("planes: " + ("; ".join(listed) or "another order"))
        mine, other = self.rules.board, rules.board
        if (mine.height, mine.width) != (other.height, other.width):
            found.append(f"board {mine.height}x{mine.width} against {other.height}x{other.width}")
        elif mine.spaces != other.spaces:
            found.append("boards with other spaces")
        if self.num_actions != rules.num_actions:
            found.append(f"{self.num_actions} actions against {rules.num_actions}")
        elif self.rules.actions.texts != rules.actions.texts:
            found.append("actions with other meanings")
        return found


WHO = ("the checkpoint", "the rule set")


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint in memory.

    Attributes:
        card: what it is.
        weights: float32 arrays by parameter name.
        path: the file it came from.
    """

    card: Card
    weights: Weights
    path: Path

    @property
    def name(self) -> str:
        """Its bare name if it comes with the package, else its path."""
        return short_name(self.path)

    def refuse(self, why: str) -> CheckpointError:
        """An error that names the file."""
        return CheckpointError(f"checkpoint {self.path} {why}")

    def check_rules(self, rules: RuleSet) -> None:
        """Checks that the network reads the planes and gives the actions of a rule set.

        Raises:
            CheckpointError: it does not; the message says what differs, and which presets it plays.
        """
        differences = self.card.differences(rules)
        if differences:
            trained = self.card.rules.name
            plays = self.card.presets()
            differences += [f"it plays {', '.join(plays)}"] if plays else []
            raise self.refuse(f"was trained on {trained!r} and cannot play {rules.name!r}: {'; '.join(differences)}")


def write_checkpoint(path: str | Path, weights: Weights, card: Card) -> None:
    """Writes a checkpoint file; a file of that name is replaced in one step or not at all.

    Args:
        path: where to, usually ending in ``.safetensors``; missing folders are made.
        weights: float32 arrays by parameter name.
        card: what they are.

    Raises:
        ValueError: a weight is not float32, or the card holds what JSON cannot.
    """
    for name, array in weights.items():
        if array.dtype != np.float32:
            raise ValueError(f"weight {name!r} is {array.dtype}; checkpoints hold float32")
    tensors = {name: np.ascontiguousarray(array) for name, array in weights.items()}
    data = save(tensors, {CARD_KEY: card.to_json()})
    replace_file(path, lambda temporary: temporary.write_bytes(data))


def replace_file(path: str | Path, write: Callable[[Path], object]) -> None:
    """Replaces a file in one step, so that a crash leaves the old one or the new one.

    Args:
        path: the file; missing folders are made.
        write: writes a file at the path it is given, a temporary one beside `path`.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        write(temporary)
        with open(temporary, "rb+") as file:
            os.fsync(file.fileno())
        temporary.chmod(0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def read_checkpoint(path: str | Path) -> Checkpoint:
    """Reads a checkpoint file.

    Raises:
        FileNotFoundError: there is no such file.
        CheckpointError: the file is damaged, is no checkpoint, or is of another format version; the
            message names the file and the fault.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"no checkpoint file {path}")
    try:
        with safe_open(path, framework="numpy") as file:
            card = (file.metadata() or {}).get(CARD_KEY)
            weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  (not a dict)
    except (SafetensorError, OSError, TypeError, ValueError) as error:
        raise CheckpointError(f"{path} is no checkpoint, or a damaged one: {error}") from None
    if card is None:
        raise CheckpointError(f"{path} is a safetensors file without a boop_env card, so no checkpoint")
    try:
        return Checkpoint(Card.from_json(card), weights, path)
    except ValueError as error:
        raise CheckpointError(f"checkpoint {path} cannot be read: {error}") from None


def library_versions() -> dict[str, str]:
    """Versions of Python and of the libraries that decide what a checkpoint is."""
    versions = {"python": platform.python_version()}
    for name in ("boop-env", "numpy", "torch", "stable-baselines3", "sb3-contrib"):
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return versions


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
