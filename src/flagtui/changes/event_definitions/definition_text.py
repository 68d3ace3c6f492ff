"""An event definition as JSON to edit, and what was changed in it."""

import json
from collections.abc import Callable, Mapping
from typing import Final

from flagtui.changes.event_definitions.definition_intent import EventIntent, tidy_tags
from flagtui.models.json_value import JSON
from flagtui.models.rows import EventDefinitionRow

_KINDS: Final[Mapping[str, tuple[str, Callable[[JSON], bool]]]] = {
    "description": ("a text", lambda value: isinstance(value, str)),
    "tags": ("a list of texts", lambda value: isinstance(value, list) and all(map(_is_text, value))),
    "verified": ("true or false", lambda value: isinstance(value, bool)),
    "hidden": ("true or false", lambda value: isinstance(value, bool)),
    "owner": ("the number of a person, or null", lambda value: value is None or type(value) is int),
    "primary_property": ("a text or null", lambda value: value is None or isinstance(value, str)),
    "enforcement_mode": ("allow or reject", lambda value: value in ("allow", "reject")),
}
"""By field: what it takes, in words, and the test of it."""


def _is_text(value: JSON) -> bool:
    return isinstance(value, str)


def values_of(row: EventDefinitionRow) -> dict[str, JSON]:
    """The fields that can be edited, as they are."""
    return {
        "description": row.description,
        "tags": list(row.tags),
        "verified": row.verified,
        "hidden": row.hidden,
        "owner": row.owner_id,
        "primary_property": row.primary_property or None,
        "enforcement_mode": row.enforcement,
    }


def definition_as_text(row: EventDefinitionRow) -> str:
    """What the editor opens."""
    return json.dumps(values_of(row), indent=2, ensure_ascii=False) + "\n"


def definition_from_text(text: str, row: EventDefinitionRow) -> EventIntent | str | None:
    """What was changed; why it is no edit; None when nothing was changed."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as fault:
        return f"this is no JSON: {fault}"
    if not isinstance(found, dict):
        return "this is no JSON object"
    for name, value in found.items():
        if name not in _KINDS:
            return f"there is no field {name} to change"
        words, is_right = _KINDS[name]
        if not is_right(value):
            return f"{name} takes {words}"
    if "tags" in found:
        found["tags"] = list(tidy_tags(found["tags"]))
    before = values_of(row)
    changes = {name: value for name, value in found.items() if value != before[name]}
    if changes.get("verified", row.verified) and changes.get("hidden", row.hidden):
        return "verifying un-hides and hiding un-verifies: it cannot be both"
    if not changes:
        return None
    return EventIntent(row.id, changes, "edit", {name: before[name] for name in changes})
