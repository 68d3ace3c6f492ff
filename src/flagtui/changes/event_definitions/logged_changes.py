"""Changes of event definitions in the activity, by any user, as entries of the journal that can be undone."""

from typing import Final

from flagtui.changes.event_definitions.definition_intent import KIND
from flagtui.changes.event_definitions.definition_plan import RECREATED_FIELDS
from flagtui.changes.journal_entries import Entry
from flagtui.changes.revert_refusals import NOT_LOGGED, not_kept, not_settable
from flagtui.changes.skipped import Blocked
from flagtui.models.activity import Activity, Change
from flagtui.models.json_value import JSON
from flagtui.models.record_fields import EVENT_FIELDS

_CREATED: Final = Blocked(
    "created",
    "event definitions have no versions, so later changes of it cannot be ruled out",
    "delete it in the list if you want that",
)
_DELETED: Final = Blocked(
    "deleted",
    "servers do not keep a deleted event definition",
    "the journal of the user who deleted it has a copy",
)


def logged_change(entry: Activity) -> Entry | Blocked:
    """Return the change of an entry with the values before and after; blocked where the log lacks them."""
    if entry.activity == "created":
        return _CREATED
    if entry.activity == "deleted":
        return _DELETED
    changes = {change.field: change for change in entry.changes}
    if not changes:
        return NOT_LOGGED
    settable = [change for name, change in changes.items() if name in RECREATED_FIELDS]
    if not settable:
        return not_settable(next(iter(changes)))
    before = {change.field: _value(change, change.before) for change in settable}
    for change in settable:
        is_lost = change.before is None and change.action != "created"
        if is_lost or EVENT_FIELDS.problems({change.field: before[change.field]}):
            return not_kept(change.field)
    after = {change.field: _value(change, change.after) for change in settable}
    return Entry(
        key=entry.name, verb="edit", kind=KIND, uuid=entry.item_id, before=before, after=after, ending="saved"
    )


def _value(change: Change, value: JSON) -> JSON:
    """Return a value as an edit has it; the log has null for every kind of empty."""
    return EVENT_FIELDS[change.field].blank if value is None else value
