"""What a flag tells of a change without an ending."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flagtui.api.errors import NotFound
from flagtui.changes.flags.canonical_filters import means_same
from flagtui.changes.flags.flag_lookup import find
from flagtui.changes.flags.flag_plan import stored_value
from flagtui.changes.journal_entries import Entry, with_payloads
from flagtui.changes.unanswered import LookedUp, Truth
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON

if TYPE_CHECKING:
    from flagtui.api import Client


async def look(entry: Entry, client: Client, not_there: Truth) -> LookedUp:
    """One open entry held against the flag. Raises ApiError."""
    flags = client.flags
    try:
        record = await (flags.get(entry.record) if entry.record else find(entry.key, flags))
    except NotFound:
        return LookedUp(entry, "gone")
    if record is None:
        return LookedUp(entry, not_there)
    return LookedUp(entry, _truth(entry, record, not_there), record)


def _truth(entry: Entry, record: Flag, not_there: Truth) -> Truth:
    after = with_payloads(entry.after, record.filters) if entry.is_secret else entry.after
    if entry.version is not None and record.version is not None and record.version <= entry.version:
        return not_there
    if entry.hides_a_payload:
        return "changed since"
    if all(_is_now(record, name, value) for name, value in after.items()):
        return "applied"
    if entry.version is not None and record.version is not None and record.version == entry.version + 1:
        # The one write since was not ours, or it would show.
        return "not applied"
    return "changed since"


def _is_now(record: Flag, name: str, value: JSON) -> bool:
    return means_same(stored_value(record, name), value, (name,))
