"""Compare the applied changes of a set with the current records: others may have changed them since."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from flagtui.api import Client
from flagtui.api.errors import NotFound
from flagtui.api.heavy_work import off_loop
from flagtui.changes.planner import read_each
from flagtui.changes.sets.after_set import is_masked
from flagtui.changes.sets.change_set import StagedChange
from flagtui.changes.sets.outdated import Record, has_values
from flagtui.changes.sets.set_progress import SetProgress
from flagtui.changes.skipped import Skipped
from flagtui.models.flag import Flag
from flagtui.store.kinds import EXPERIMENTS, FLAGS

DELETED: Final = "it was applied, and the record was deleted since"
CHANGED: Final = "it was applied, and its values were changed since"


async def lost_since(changes: Sequence[StagedChange], progress: SetProgress, client: Client) -> list[Skipped]:
    """Return the applied changes that are no longer in effect. Raises ApiError."""

    async def compare(change: StagedChange) -> str:
        id = progress.new_ids[str(change.record)] if change.is_new else change.record
        try:
            record = await read_record(client, change.kind, id)
        except NotFound:
            return "" if change.values.get("deleted") is True else DELETED
        if getattr(record, "deleted", False) is True and change.values.get("deleted") is not True:
            return DELETED
        is_kept = await off_loop(lambda: _is_kept(record, change), record.raw)
        return "" if is_kept else CHANGED

    return [
        Skipped(change.record, change.key, reason)
        for change, reason in await read_each(changes, compare)
        if reason
    ]


def _is_kept(record: Record, change: StagedChange) -> bool:
    """Return whether the record has the values of the change, as far as they can be compared."""
    # Servers complete the values of a new flag, and mask encrypted payloads.
    if change.is_new or (isinstance(record, Flag) and is_masked(record, change)):
        return True
    return has_values(record, change)


async def read_record(client: Client, kind: str, id: int | str) -> Record:
    """Read the record of a change of this kind. Raises ApiError."""
    if kind == FLAGS.entry:
        return await client.flags.get(int(id))
    if kind == EXPERIMENTS.entry:
        return await client.experiments.get(int(id))
    return await client.event_definitions.get(str(id))
