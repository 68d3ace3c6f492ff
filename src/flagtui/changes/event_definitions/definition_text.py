"""An event definition as JSON for an editor, and what an edit of it asks for."""

from collections.abc import Mapping, Sequence

from flagtui.changes.event_definitions.definition_intent import EventIntent, tidy_tags
from flagtui.changes.record_text import RecordText
from flagtui.models.editable_fields import is_plain_key
from flagtui.models.json_value import JSON
from flagtui.models.record_fields import EVENT_FIELDS
from flagtui.models.rows import EventDefinitionRow
from flagtui.safe_text import safe_text


def definition_text(row: EventDefinitionRow) -> RecordText:
    """What the editor opens."""
    shown = {name: _stored(row, name) for name in EVENT_FIELDS.edited}

    def problems(changed: Mapping[str, JSON]) -> Sequence[str]:
        found = EVENT_FIELDS.problems(changed)
        if changed.get("verified", row.verified) and changed.get("hidden", row.hidden):
            found.append("verifying un-hides and hiding un-verifies: it cannot be both")
        return found

    file = f"event-{row.id}" if is_plain_key(row.id) else "event"
    return RecordText(row.name, f"event definition {safe_text(row.id, 80)}", file, shown, problems)


def edit_intent(row: EventDefinitionRow, changes: Mapping[str, JSON]) -> EventIntent | None:
    """What the edited values ask for; None where they are as they were."""
    wanted = dict(changes)
    if "tags" in wanted:
        wanted["tags"] = list(tidy_tags(wanted["tags"]))
    seen = {name: _stored(row, name) for name in wanted}
    wanted = {name: value for name, value in wanted.items() if value != seen[name]}
    return EventIntent(row.id, wanted, "edit", {name: seen[name] for name in wanted}) if wanted else None


def _stored(row: EventDefinitionRow, name: str) -> JSON:
    """A field as it is written: an owner is a number."""
    if name == "owner":
        return row.owner_id
    value: JSON = EVENT_FIELDS[name].value_of(row)
    return list(value) if isinstance(value, tuple) else value or EVENT_FIELDS[name].blank
