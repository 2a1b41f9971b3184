"""Settings of the trainers: fields of a dataclass, each with its line of help and the range of its number."""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping
from dataclasses import field, fields
from typing import Any

import torch

ABOVE_ZERO = 1e-9
"""The least of numbers that must be above 0."""


def setting(default: Any, help: str, least: float = -math.inf, most: float = math.inf) -> Any:
    """A field with its line of explanation, which is also its flag's help, and the range of a number."""
    return field(default=default, metadata={"help": help, "least": least, "most": most})


def as_flags(settings: Mapping[str, Any]) -> list[str]:
    """Settings as they are given on the command line."""
    flags = []
    for name, value in settings.items():
        flag = name.replace("_", "-")
        if isinstance(value, bool):
            flags.append(f"--{flag}" if value else f"--no-{flag}")
        else:
            flags += [f"--{flag}", str(value)]
    return flags


def check_ranges(parser: argparse.ArgumentParser, settings: Any) -> None:
    """Ends the program where a number is out of its range, saying which and what the range is."""
    for f in fields(settings):
        value, least, most = getattr(settings, f.name), f.metadata["least"], f.metadata["most"]
        if not isinstance(value, int | float) or least <= value <= most:
            continue
        limit = f"{least:g} to {most:g}" if most < math.inf else f"{least:g} or more"
        limit = "more than 0" if least == ABOVE_ZERO else limit
        parser.error(f"--{f.name.replace('_', '-')}={value} is out of range; give {limit}")


def check_device(parser: argparse.ArgumentParser, device: str) -> None:
    """Ends the program where torch cannot use a device, saying why."""
    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        parser.error(f"--device={device} cannot be used: {error}")
