"""Rebuild an earlier version of a flag from the activity feed."""

from collections.abc import Mapping, Sequence
from typing import Final

from flagtui.models.activity import Activity
from flagtui.models.flag import Flag
from flagtui.models.flag_responses import FlagVersion
from flagtui.models.json_value import JSON, as_list, as_whole

_EMPTY: Final[Mapping[str, JSON]] = {"name": "", "filters": {}, "tags": [], "evaluation_contexts": []}
"""Fields that are never null, with the value that the feed logs as null."""


def rebuilt_version(flag: Flag, entries: Sequence[Activity], number: int) -> FlagVersion | None:
    """Return the flag at version `number`, or None when the feed has a gap or does not reach it.

    `entries` are newest first. A write whose content was not logged (tags) keeps the current values.
    """
    if flag.version is None or not 0 < number <= flag.version or flag.has_encrypted_payloads:
        return None
    state, version = dict(flag.raw), flag.version
    moment = entries[0].created_at if entries else flag.updated_at
    for index, entry in enumerate(entries):
        if version == number:
            break
        undone = _undo(state, entry)
        if undone is None:
            continue
        if undone != version - 1:
            return None
        version = undone
        moment = entries[index + 1].created_at if index + 1 < len(entries) else flag.created_at
    if version != number:
        return None
    kept = {name: state.get(name) for name in FlagVersion.model_fields if name in state}
    return FlagVersion.of({**kept, "version": number, "is_historical": number != flag.version}).model_copy(
        update={"version_timestamp": moment}
    )


def _undo(state: dict[str, JSON], entry: Activity) -> int | None:
    """Restore the values before the entry; return the version before it, or None if the entry made none."""
    before: int | None = None
    for change in as_list(entry.detail.get("changes")):
        if not isinstance(change, dict) or not isinstance(change.get("field"), str):
            continue
        if change["field"] == "version":
            before = as_whole(change.get("before"))
        else:
            old = change.get("before")
            state[change["field"]] = _EMPTY.get(change["field"]) if old is None else old
    return before
