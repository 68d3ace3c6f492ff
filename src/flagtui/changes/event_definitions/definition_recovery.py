"""What an event definition tells of a change without an ending."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from flagtui.api.errors import NotFound
from flagtui.changes.difference import same
from flagtui.changes.event_definitions.definition_plan import MADE_AGAIN, stored
from flagtui.changes.event_definitions.definition_save import Named
from flagtui.changes.event_definitions.definition_undo import is_deletion, is_recreation
from flagtui.changes.journal_entries import Entry
from flagtui.changes.unanswered import LookedUp, Truth
from flagtui.models.event_definition import EventDefinition
from flagtui.models.json_value import JSON

if TYPE_CHECKING:
    from flagtui.api import Client


async def look(entry: Entry, client: Client, not_there: Truth) -> LookedUp:
    """One open entry held against the definition. Raises ApiError."""
    definitions, again = client.event_definitions, is_recreation(entry)
    try:
        record = await (definitions.by_name(entry.key) if again else definitions.get(entry.uuid))
    except NotFound:
        return LookedUp(entry, "applied" if is_deletion(entry) else not_there, Named(entry.uuid))
    stored_as = Named(record.id)
    if is_deletion(entry):
        return LookedUp(entry, not_there, stored_as)
    if _is_now(record, entry.after):
        return LookedUp(entry, "applied", stored_as)
    # Definitions have no versions: what is neither as before nor as wanted was changed since.
    is_as_before = again or _is_now(record, entry.before)
    return LookedUp(entry, not_there if is_as_before else "changed since", stored_as)


def _is_now(record: EventDefinition, values: Mapping[str, JSON]) -> bool:
    known = {name: value for name, value in values.items() if name in MADE_AGAIN}
    return all(same(stored(record, name), value) for name, value in known.items())
