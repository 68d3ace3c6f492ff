"""Describe one property filter in a sentence. Server text is made safe here."""

from collections.abc import Mapping
from typing import Final

from flagtui.changes.flags.flag_words import Role, property_words
from flagtui.evaluate import wire
from flagtui.evaluate.text import is_boolean_like
from flagtui.models.filters import Property
from flagtui.models.flag_details import NO_NAMES, Names
from flagtui.models.json_value import JSON, as_dict
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


def needs_names(filters: Mapping[str, JSON]) -> bool:
    """Return whether sentences need the project's group types, or its rule for true and false."""
    sides = [filters, *map(as_dict, wire.conditions(filters))]
    if any(side.get("aggregation_group_type_index") is not None for side in sides):
        return True
    items = [item for side in sides for item in map(as_dict, wire.properties(side))]
    return any(
        item.get("group_type_index") is not None or is_boolean_like(item.get("value")) for item in items
    )


def property_pieces(item: Property, names: Names = NO_NAMES, audience: int | None = None) -> list[Piece]:
    """Return `email ends with @acme.com`, with the colours of the preview.

    `audience` is the group type of the condition, None for users.
    """
    return [
        (safe_text(text, 60 if role == "name" else LONG), COLOURS[role])
        for role, text in property_words(item, names, audience)
    ]
