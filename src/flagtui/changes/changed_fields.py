"""A changed field in words. The texts are raw: callers pass them through `safe_text` before drawing."""

from typing import Final

from flagtui.changes.difference import MISSING, compact
from flagtui.models.editable_fields import EditableField, FieldTable
from flagtui.models.json_value import JSON, as_list

SHORT: Final = 80
"""Characters of one value inside a sentence."""


def field_words(fields: FieldTable, name: str, before: JSON, after: JSON) -> str:
    """`description: old → new`, `tags: + billing, − old`, `off → on`; either side can be `MISSING`."""
    field = fields.get(name)
    if isinstance(before, list) or isinstance(after, list):
        before, after = as_list(before), as_list(after)
        gained = [f"+ {brief(item)}" for item in after if item not in before]
        lost = [f"− {brief(item)}" for item in before if item not in after]
        return f"{fields.words(name)}: {', '.join(gained + lost) or 'in another order'}"
    told = arrow(value_words(field, before), value_words(field, after))
    if field is None or not field.says_itself or MISSING in (before, after):
        return f"{fields.words(name)}: {told}"
    return told


def value_words(field: EditableField | None, value: JSON) -> JSON:
    """What people call a value of the field, where it has a name; else the value."""
    if field is None or value is MISSING:
        return value
    option = field.option(value)
    return option.words if option is not None else "none" if value in (None, "") else value


def arrow(before: JSON, after: JSON) -> str:
    """`old → new`, or which side is missing."""
    if before is MISSING:
        return f"+ {brief(after)}"
    if after is MISSING:
        return f"− {brief(before)}"
    return f"{brief(before)} → {brief(after)}"


def brief(value: JSON) -> str:
    """A value short enough for a sentence."""
    text = value if isinstance(value, str) and value else compact(value)
    return text if len(text) <= SHORT else f"{text[:SHORT]}…"
