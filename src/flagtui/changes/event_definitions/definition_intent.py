"""Intents for event definitions, also as JSON in an editor, and the words of each change."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

import msgspec
from msgspec.structs import replace

from flagtui.changes.editor_text import RecordText
from flagtui.changes.tag_line import Action, Retag, Retagging
from flagtui.changes.verbs import Verb, verb_table
from flagtui.models.editable_fields import is_plain_key, trim
from flagtui.models.json_value import JSON
from flagtui.models.record_fields import EVENT_FIELDS
from flagtui.models.rows import EventDefinitionRow
from flagtui.safe_text import safe_text

KIND: Final = "event_definition"


class EventIntent(msgspec.Struct, frozen=True):
    """New values for some fields of one definition; `seen` holds the values that the user saw."""

    id: str
    changes: Mapping[str, JSON]
    verb: str
    seen: Mapping[str, JSON] = {}
    retag: Retag | None = None
    """The same tags for many events, which servers can change together."""
    name: str = ""
    """Of a new definition, which has no id yet; and of one that may have been deleted."""


EVENT_VERBS: Final = verb_table("""
verify | Verify | is verified | unverify it
unverify | Unverify | is not verified any more | verify it again
hide | Hide | is hidden | unhide it
unhide | Unhide | is not hidden any more | hide it again
describe | Describe | has a new description | put back the old description
retag | Change the tags of | has new tags | put back the old tags
set owner | Change the owner of | has a new owner | put back the old owner
set property | Change the primary property of | has a new primary property | put it back
set enforcement | Change the enforcement of | has a new enforcement | put it back
merge | Mark as a look-alike | is hidden, with a note where to look | unhide it with the old description
tidy up | Tidy up | is tidied up | put back the old values
edit | Change | is changed | put back the old values
delete | Delete | is deleted until it is sent again | recreate it, as far as the server allows | typed
create | Create | is created | delete it
recreate | Recreate | is there again | delete it again
""")


VALUES_OF_VERBS: Final[Mapping[str, Mapping[str, JSON]]] = {
    "verify": {"verified": True},
    "unverify": {"verified": False},
    "hide": {"hidden": True},
    "unhide": {"hidden": False},
}
"""The value that a change with this verb sets, perhaps with others."""
TITLES_OF_MANY: Final[Mapping[str, str]] = {"unhide": "Show {} again", "merge": "Mark {} as look-alikes"}
"""Titles in which the number of events does not come last."""


_CLEARED: Final = {"describe": "description", "set owner": "owner", "set property": "primary property"}
"""The field that a verb can clear."""


def event_verb(name: str, values: Mapping[str, JSON] = MappingProxyType({})) -> Verb:
    """Return the words for a verb that sets these values."""
    verb = EVENT_VERBS.get(name, EVENT_VERBS["edit"])
    is_cleared = name in _CLEARED and bool(values) and not any(values.values())
    return replace(verb, done=f"has no {_CLEARED[name]} any more") if is_cleared else verb


def verify(id: str, verified: bool = True) -> EventIntent:
    """Return an intent to verify or unverify an event; verifying also unhides it."""
    return EventIntent(id, {"verified": verified}, "verify" if verified else "unverify")


def hide(id: str, hidden: bool = True) -> EventIntent:
    """Return an intent to hide or unhide an event; hiding also unverifies it."""
    return EventIntent(id, {"hidden": hidden}, "hide" if hidden else "unhide")


_SETTING: Final = {
    "description": "describe",
    "owner": "set owner",
    "primary_property": "set property",
    "enforcement_mode": "set enforcement",
}
"""The verb of a change of this field alone."""


def verb_of(values: Mapping[str, JSON]) -> str:
    """Return the verb of a change to these values; `edit` for several."""
    if len(values) != 1:
        return "edit"
    switched = next((verb for verb, needed in VALUES_OF_VERBS.items() if needed == values), "edit")
    return {**_SETTING, "tags": "retag"}.get(next(iter(values)), switched)


def set_field(id: str, name: str, value: JSON, seen: JSON) -> EventIntent:
    """Return an intent to set a field; an empty text is None where the field can be empty."""
    if not EVENT_FIELDS[name].takes.wrong(None):
        value, seen = value or None, seen or None
    return EventIntent(id, {name: value}, _SETTING[name], {name: seen})


def retag(id: str, action: Action, tags: Sequence[str], before: Sequence[str]) -> EventIntent:
    """Add or remove tags; changes of other tags by other users stay."""
    given = tidy_tags(tags)
    result = [*before, *given] if action == "add" else [tag for tag in before if tag not in given]
    return EventIntent(
        id, {"tags": list(tidy_tags(result))}, "retag", {"tags": list(before)}, Retag(action, given)
    )


def tag_intent(row: EventDefinitionRow, tags: Retagging) -> EventIntent:
    """Return an intent for a line of tags; adding only, or removing only, can go for many events together."""
    if tags.added and not tags.removed and not tags.replaces:
        return retag(row.id, "add", tags.added, row.tags)
    if tags.removed and not tags.added:
        return retag(row.id, "remove", tags.removed, row.tags)
    after = sorted(tags.of(row.tags))
    return EventIntent(row.id, {"tags": list(after)}, "retag", {"tags": list(row.tags)})


def create(name: str, values: Mapping[str, JSON]) -> EventIntent:
    """Return the intent of a definition for an event without data so far."""
    stored = {field: trim(value) for field, value in values.items()}
    return EventIntent("", stored, "create", name=name.strip())


def delete(id: str) -> EventIntent:
    """Delete the definition immediately; the next event with its name creates it again."""
    return EventIntent(id, {"deleted": True}, "delete")


def tidy_tags(tags: Sequence[str]) -> tuple[str, ...]:
    """Normalise tags as servers do: trimmed, lower case, each once."""
    return tuple(dict.fromkeys(tag.strip().lower() for tag in tags if tag.strip()))


def definition_text(row: EventDefinitionRow) -> RecordText:
    """Return the text that the editor opens."""
    shown = {name: _stored_value(row, name) for name in EVENT_FIELDS.edited}

    def problems(changed: Mapping[str, JSON]) -> Sequence[str]:
        problems = EVENT_FIELDS.problems(changed)
        if changed.get("verified", row.verified) and changed.get("hidden", row.hidden):
            problems.append("verifying unhides and hiding unverifies: an event cannot be both")
        return problems

    file = f"event-{row.id}" if is_plain_key(row.id) else "event"
    return RecordText(row.name, f"event definition {safe_text(row.id, 80)}", file, shown, problems)


def edit_intent(row: EventDefinitionRow, changes: Mapping[str, JSON]) -> EventIntent | None:
    """Return the intent of the edited values; None without a difference."""
    values = dict(changes)
    if "tags" in values:
        values["tags"] = list(tidy_tags(values["tags"]))
    seen = {name: _stored_value(row, name) for name in values}
    values = {name: value for name, value in values.items() if value != seen[name]}
    return EventIntent(row.id, values, "edit", {name: seen[name] for name in values}) if values else None


def _stored_value(row: EventDefinitionRow, name: str) -> JSON:
    """Return a field as it is written: an owner is a number."""
    if name == "owner":
        return row.owner_id
    value: JSON = EVENT_FIELDS[name].value_of(row)
    return list(value) if isinstance(value, tuple) else value or EVENT_FIELDS[name].blank
