"""The pieces as SVG symbols: kitten, cat, ornament and ghost of each player.

Kinds differ by shape. Players differ by colour (orange and blue, which colour-blind eyes tell apart) and by
pattern: player_0 is plain, player_1 striped. The colours are attributes, not CSS, so that the symbols look the
same on every page, light or dark, and under a content-security-policy.
"""

from __future__ import annotations

from typing import NamedTuple

KINDS = {"K": "kitten", "C": "cat", "O": "ornament", "G": "ghost"}
"""Name of each letter of a position text, and of a ghost's move text."""

STICKER = 'stroke="#fff" stroke-width="9" stroke-linejoin="round"'
"""The white rim that lifts a piece off any ground."""


class Coat(NamedTuple):
    """A player's colours.

    Attributes:
        light: where the light falls on fur and glass.
        main: the player's colour.
        ink: outlines and stripes.
        muzzle: around the mouth.
    """

    light: str
    main: str
    ink: str
    muzzle: str


COATS = (Coat("#ffc861", "#ee9a1d", "#5b3208", "#fff2d9"), Coat("#78b0ec", "#2f74bd", "#0f2c55", "#e4effc"))


def symbol_id(letter: str) -> str:
    """Id of the symbol of a letter: ``K C O`` and ``G`` of player_0, ``k c o`` and ``g`` of player_1."""
    return f"boop-{KINDS[letter.upper()]}-{int(letter.islower())}"


def piece_svg(letter: str, x: float, y: float, size: float, attributes: str = "") -> str:
    """A `<use>` of a piece's symbol.

    Args:
        letter: which piece, see `symbol_id`.
        x: middle.
        y: middle.
        size: width and height of a space.
        attributes: more of the element's attributes.
    """
    place = f'x="{x - size / 2:g}" y="{y - size / 2:g}" width="{size:g}" height="{size:g}"'
    return f'<use href="#{symbol_id(letter)}" {place}{attributes and " "}{attributes}/>'


def piece_symbols() -> str:
    """The definitions of all pieces, for the `<defs>` of a picture or a page.

    They are ``boop-kitten-0``, ``boop-cat-0``, ``boop-ornament-0``, ``boop-ghost-0`` and the same with ``-1``, each
    in a box of 100 by 100 around its middle, with the gradients they need.
    """
    draw = {"K": kitten, "C": cat, "O": ornament, "G": ghost}
    parts = []
    for player, coat in enumerate(COATS):
        parts.append(
            f'<radialGradient id="boop-coat-{player}" cx=".38" cy=".28" r=".85">'
            f'<stop stop-color="{coat.light}"/><stop offset=".75" stop-color="{coat.main}"/></radialGradient>'
        )
        for letter, drawing in draw.items():
            name = symbol_id(letter if player == 0 else letter.lower())
            parts.append(f'<symbol id="{name}" viewBox="-50 -50 100 100">{drawing(player)}</symbol>')
    return "".join(parts)


def silhouette(path: str, player: int) -> str:
    """A filled outline in a player's coat, on a white rim."""
    fill = f'fill="url(#boop-coat-{player})" stroke="{COATS[player].ink}" stroke-width="3" stroke-linejoin="round"'
    return f'<path d="{path}" fill="#fff" {STICKER}/><path d="{path}" {fill}/>'


def strokes(path: str, colour: str, width: float) -> str:
    """Lines with round ends."""
    return f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{width:g}" stroke-linecap="round"/>'


def kitten(player: int) -> str:
    """A small round head with small ears and big dark eyes."""
    coat = COATS[player]
    head = (
        "M-26 0L-25-19Q-24.5-25-19.5-22L-8-14.5Q0-16.5 8-14.5L19.5-22Q24.5-25 25-19L26 0C31 15 20 31 0 31S-31 15-26 0Z"
    )
    parts = [silhouette(head, player), '<path d="M-20.5-4V-16L-11-10ZM20.5-4V-16L11-10Z" fill="#f7b5b0"/>']
    if player == 1:
        parts.append(strokes("M0-14V-5M-7.5-12.5L-6-5.5M7.5-12.5L6-5.5M-27 9L-20 11M27 9L20 11", coat.ink, 3.6))
    parts.append(f'<ellipse cy="19" rx="12" ry="8.5" fill="{coat.muzzle}"/>')
    for side in (-1, 1):
        parts.append(f'<ellipse cx="{11 * side}" cy="6" rx="5.6" ry="6.8" fill="#241a1c"/>')
        parts.append(f'<circle cx="{11 * side - 1.8}" cy="3.4" r="2.2" fill="#fff"/>')
        parts.append(f'<ellipse cx="{19 * side}" cy="15" rx="4" ry="2.6" fill="#f58f8f" fill-opacity=".55"/>')
    parts.append('<path d="M-3.4 14H3.4L0 18Z" fill="#d8626c" stroke="#d8626c" stroke-linejoin="round"/>')
    parts.append(strokes("M0 18Q-1 22.5-5.5 22M0 18Q1 22.5 5.5 22", coat.ink, 1.8))
    return "".join(parts)


def cat(player: int) -> str:
    """A large head with tall ears, whiskers, slit eyes, and a collar with a bell."""
    coat = COATS[player]
    head = "M-37-4L-36.5-37Q-36-44-30-40L-13.5-27Q0-30 13.5-27L30-40Q36-44 36.5-37L37-4C43 14 28 29 0 29S-43 14-37-4Z"
    collar = "M-23 27Q0 44 23 27"
    parts = [
        f'<path d="{collar}" fill="none" stroke="#fff" stroke-width="20" stroke-linecap="round"/>',
        silhouette(head, player),
        '<path d="M-30-13V-31L-16-20ZM30-13V-31L16-20Z" fill="#f7b5b0"/>',
    ]
    if player == 1:
        tabby = "M0-27V-14M-10-25L-7.5-14M10-25L7.5-14M-39 5L-29 7M39 5L29 7M-36 15L-28 15M36 15L28 15"
        parts.append(strokes(tabby, coat.ink, 4.4))
    parts.append(f'<ellipse cy="14" rx="16" ry="11" fill="{coat.muzzle}"/>')
    for side in (-1, 1):
        x = 16 * side
        almond = f"M{x - 9}-2Q{x}-13 {x + 9}-2Q{x} 7 {x - 9}-2Z"
        parts.append(f'<path d="{almond}" fill="#e9f4a8" stroke="{coat.ink}" stroke-width="2.4"/>')
        parts.append(f'<ellipse cx="{x}" cy="-2.6" rx="2.6" ry="5.2" fill="#241a1c"/>')
    parts.append('<path d="M-4.6 7H4.6L0 12.5Z" fill="#d8626c" stroke="#d8626c" stroke-linejoin="round"/>')
    parts.append(strokes("M0 12.5Q-1.5 18.5-8 17.5M0 12.5Q1.5 18.5 8 17.5", coat.ink, 2.2))
    parts.append(strokes("M-17 11L-45 5M-17 15L-46 16M17 11L45 5M17 15L46 16", "#fff", 4))
    parts.append(strokes("M-17 11L-45 5M-17 15L-46 16M17 11L45 5M17 15L46 16", coat.ink, 1.7))
    parts.append(strokes(collar, coat.ink, 11) + strokes(collar, "#c9304f", 7))
    parts.append(f'<circle cy="38" r="7" fill="#ffd95e" stroke="{coat.ink}" stroke-width="2.4"/>')
    parts.append(strokes("M0 38V42", coat.ink, 2.4))
    return "".join(parts)


def ornament(player: int) -> str:
    """A glass bauble with a golden cap: a star on player_0's, stripes round player_1's."""
    coat = COATS[player]
    ball = "M-26 9A26 26 0 1 1 26 9A26 26 0 1 1-26 9Z"
    cap = "M-8.5-14V-23H8.5V-14Z"
    parts = [
        f'<circle cy="-28" r="5.5" fill="none" {STICKER}/><path d="{cap}" fill="#fff" {STICKER}/>',
        silhouette(ball, player),
    ]
    if player == 1:
        parts.append(strokes("M-22-2Q0 8 22-2M-23 13Q0 24 23 13", coat.ink, 5.5))
        parts.append(strokes("M-22-2Q0 8 22-2M-23 13Q0 24 23 13", "#fff", 2))
    else:
        parts.append(
            '<path d="M0-5L4.4 4.9 15 6 7 13.2 9.3 23.8 0 18.4-9.3 23.8-7 13.2-15 6-4.4 4.9Z" fill="#fff7d6"/>'
        )
    parts.append(f'<circle cy="-28" r="5.5" fill="none" stroke="{coat.ink}" stroke-width="3"/>')
    parts.append(f'<path d="{cap}" fill="#ffd95e" stroke="{coat.ink}" stroke-width="3" stroke-linejoin="round"/>')
    parts.append(
        '<ellipse cx="-12" cy="-5" rx="6" ry="4" fill="#fff" fill-opacity=".85" transform="rotate(-38-12-5)"/>'
    )
    return "".join(parts)


def ghost(player: int) -> str:
    """A sheet with a face and a scarf: plain for player_0, striped for player_1."""
    coat = COATS[player]
    sheet = "M-25 34V-4C-25-42 25-42 25-4V34Q18.7 23 12.5 32T0 32-12.5 32-25 34Z"
    parts = [
        f'<path d="{sheet}" fill="#fff" {STICKER}/>',
        f'<path d="{sheet}" fill="#f8f6ff" stroke="{coat.main}" stroke-width="5" stroke-linejoin="round"/>',
        f'<path d="M-23.5 7Q0 18 23.5 7V17Q0 28-23.5 17Z" fill="{coat.main}" stroke="{coat.ink}" stroke-width="2"/>',
    ]
    if player == 1:
        parts.append(strokes("M-15 13V18M-5 15V20M5 15V20M15 13V18", "#fff", 3.6))
    for side in (-1, 1):
        parts.append(f'<ellipse cx="{8.5 * side}" cy="-12" rx="4.4" ry="6.4" fill="#241a1c"/>')
        parts.append(f'<circle cx="{8.5 * side - 1.4}" cy="-14.6" r="1.7" fill="#fff"/>')
    parts.append('<ellipse cy="0" rx="3.8" ry="4.6" fill="#241a1c"/>')
    return "".join(parts)
