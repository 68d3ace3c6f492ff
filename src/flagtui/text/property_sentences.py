"""Describe one property filter in a sentence. Server text is made safe here."""

from typing import Final

from flagtui.changes.flags.flag_words import Role, property_words
from flagtui.models.filters import Property
from flagtui.models.flag_details import NO_NAMES, Names
from flagtui.safe_text import safe_text
from flagtui.text.styled import Piece

LONG: Final = 4_000
"""The most characters of a sentence's values, with invisible characters spelled out."""
BULLET: Final = " ·  "
COLOURS: Final[dict[Role, str]] = {
    "name": "$primary",
    "verb": "$text-muted",
    "value": "",
    "variant": "$secondary",
    "odd": "$warning",
    "note": "$faint",
}


def property_pieces(item: Property, names: Names = NO_NAMES, audience: int | None = None) -> list[Piece]:
    """Return `email ends with @acme.com`, with the colours of the preview.

    `audience` is the group type of the condition, None for users.
    """
    return [
        (safe_text(text, 60 if role == "name" else LONG), COLOURS[role])
        for role, text in property_words(item, names, audience)
    ]
