"""Colours of everything but the pieces, light and dark, as CSS."""

from __future__ import annotations

THEMES = ("light", "dark", "auto")

COLOURS = {
    # class: (property, light, dark)
    "table": ("fill", "#fbf7ee", "#22212a"),
    "words": ("fill", "#3a3440", "#f1ebdf"),
    "quiet": ("fill", "#857b88", "#a49cab"),
    "strip": ("fill", "#efe7d6", "#302f3a"),
    "to-move": ("fill", "#fff0bd", "#4d4526"),
    "won": ("fill", "#d6efc6", "#2f4d33"),
    "tray": ("fill", "#fbf7ee", "#22212a"),
    "slot": ("stroke", "#b9ae9c", "#5f5b6b"),
    "frame": ("fill", "#93a9cc", "#2d3853"),
    "frame-words": ("fill", "#23324f", "#d5deee"),
    "patch": ("fill", "#e3ecf8", "#4a5878"),
    "patch-2": ("fill", "#d3e0f2", "#42506f"),
    "seam": ("stroke", "#8fa6cb", "#7d8fb4"),
    "night-frame": ("fill", "#9d8fc7", "#352d52"),
    "night-words": ("fill", "#2f2450", "#ded7f0"),
    "night-patch": ("fill", "#ece6f8", "#544973"),
    "night-patch-2": ("fill", "#ded5f2", "#4b4168"),
    "night-seam": ("stroke", "#7462ab", "#a999d8"),
    "snow": ("fill", "#e4edf0", "#2a3439"),
    "snow-words": ("fill", "#3c5157", "#c6d4d8"),
    "tier-1": ("fill", "#d8eec0", "#86b57c"),
    "tier-2": ("fill", "#aed69a", "#639868"),
    "tier-3": ("fill", "#85bb80", "#457a53"),
    "tier-4": ("fill", "#5f9e68", "#2f5c41"),
    "side-1": ("fill", "#92b97c", "#55824f"),
    "side-2": ("fill", "#72a166", "#3f6b47"),
    "side-3": ("fill", "#4f8653", "#2a5138"),
    "side-4": ("fill", "#38683f", "#1d3b2a"),
    "ring": ("stroke", "#3f7a4a", "#9cc79b"),
    "shadow": ("fill", "#0d2614", "#000"),
    "arrow": ("stroke", "#b3124e", "#ff8ab3"),
    "arrow-head": ("fill", "#b3124e", "#ff8ab3"),
    "casing": ("stroke", "#fff", "#1b1a22"),
    "glow": ("stroke", "#f0a800", "#ffd04d"),
    "glow-fill": ("fill", "#ffd65a", "#ffcf4a"),
}
"""CSS class, the property it sets, and the property's value in light and dark."""


def style_sheet(theme: str) -> str:
    """CSS of a theme, for pictures whose root has the class ``boop-THEME``.

    Raises:
        ValueError: there is no such theme.
    """
    if theme not in THEMES:
        raise ValueError(f"theme={theme!r} is not one of {', '.join(THEMES)}")

    def rules(column: int) -> str:
        return "".join(f".boop-{theme} .{name}{{{row[0]}:{row[column]}}}" for name, row in COLOURS.items())

    if theme == "auto":
        return f"{rules(1)}@media (prefers-color-scheme:dark){{{rules(2)}}}"
    return rules(1 if theme == "light" else 2)
