"""What a person types for a property's value, as JSON for its operator, and back."""

import json
from typing import Final

from flagtui.changes.flags.property_rules import LIST_OPERATORS, PRESENCE_OPERATORS, problems_in_property
from flagtui.models.json_value import JSON, as_id

MANY: Final = LIST_OPERATORS | {"exact", "is_not"}
"""Operators that take several values."""


def needs_value(operator: str) -> bool:
    """Whether there is anything to type."""
    return operator not in PRESENCE_OPERATORS


def typed_value(line: str, kind: str, operator: str) -> JSON:
    """The JSON this line stands for: several values with commas, or as a JSON list when one has a comma."""
    text = line.strip()
    if kind == "cohort":
        found = as_id(text)
        return text if found is None else found
    if operator not in MANY:
        return text
    if text.startswith("["):
        try:
            listed = json.loads(text)
        except (ValueError, RecursionError):
            return None
        return listed if isinstance(listed, list) else None
    return [value for piece in text.split(",") if (value := piece.strip())] or None


def value_line(value: JSON) -> str:
    """The line that stands for a stored value."""
    if isinstance(value, str):
        return value if value.isprintable() else json.dumps(value)
    if isinstance(value, list) and all(_is_plain(item) for item in value):
        return ", ".join(value)
    return "" if value is None else json.dumps(value)


def value_problem(item: dict[str, JSON], group_type: int | None, flag_id: int | None) -> str:
    """What is wrong with the property's value, in words; empty when nothing is."""
    if item.get("value") in (None, "", []) and needs_value(str(item.get("operator"))):
        return "type a value; several with commas" if item.get("operator") in MANY else "type a value"
    found = problems_in_property(item, group_type, flag_id)
    return next((words for name, words in found if name in ("value", "key")), "")


def _is_plain(item: JSON) -> bool:
    return (
        isinstance(item, str)
        and item.isprintable()
        and bool(item)
        and item == item.strip()
        and "," not in item
        and not item.startswith("[")
    )
