"""`Analysis`: what a search found out."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Analysis:
    """What a search found out about a position.

    Attributes:
        value: what the player to act can expect, from -1 (loss) to 1 (win).
        proven: if proven, steps to the player's win (> 0) or loss (< 0), at most that many for the
            winner, steps of both players counted; else None.
        line: best play for both as move texts, as far as it is known; never empty.
        nodes: positions visited, or simulations run.
        depth: turns searched in full, or the deepest step of the tree.
        seconds: time taken.
    """

    value: float
    proven: int | None
    line: tuple[str, ...]
    nodes: int
    depth: int
    seconds: float

    @property
    def nodes_per_second(self) -> float:
        """Nodes a second."""
        return self.nodes / max(self.seconds, 1e-9)

    def __str__(self) -> str:
        worth = f"{self.value:+.2f}"
        if self.proven is not None:
            worth = f"{'win' if self.proven > 0 else 'loss'} in {abs(self.proven)}"
        return (
            f"{worth}  {' '.join(self.line)}  (depth {self.depth}, {self.nodes} nodes, "
            f"{self.nodes_per_second:.0f} a second)"
        )


def only_limit(**limits: int | None) -> tuple[str, int]:
    """Name and value of the one limit that is given.

    Raises:
        ValueError: none or several are given, or the value is not a whole number above 0.
    """
    given = [(name, value) for name, value in limits.items() if value is not None]
    if len(given) != 1:
        found = ", ".join(f"{name}={value}" for name, value in given) or "none"
        raise ValueError(f"give exactly one of {', '.join(limits)}; given: {found}")
    name, value = given[0]
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ValueError(f"{name}={value!r} is not a whole number above 0")
    return name, value
