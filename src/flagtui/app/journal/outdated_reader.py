"""Read the records of outdated staged changes, to show both sides of what differs."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from flagtui.api.errors import ApiError
from flagtui.app.state.app_state import AppState
from flagtui.changes.own_changes import OwnChanges
from flagtui.changes.planner import read_each
from flagtui.changes.sets.applied_changes import read_record
from flagtui.changes.sets.change_set import ChangeSet, StagedChange
from flagtui.changes.sets.outdated import OutdatedChange, OutdatedChanges
from flagtui.changes.sets.set_progress import Identity
from flagtui.store.kinds import BY_ENTRY

MOST: Final = 20
"""Records read for one look at the list; questions about the set read all of them."""


class OutdatedReader:
    """Reads each record once for each version of it that the lists have."""

    def __init__(self, app_state: AppState) -> None:
        self._app_state = app_state
        self._read: dict[Identity, tuple[StagedChange, object, OutdatedChange | None]] = {}

    def change_of(self, change: StagedChange) -> OutdatedChange | None:
        """Return what was read about the change; None before that, or when its record could not be read."""
        earlier = self._read.get(change.identity)
        return earlier[2] if earlier is not None and self._is_current(change, earlier) else None

    async def read(self, change_set: ChangeSet, outdated: Sequence[StagedChange]) -> bool:
        """Read the records that are not known yet; return whether there were any."""
        workspace = self._app_state.workspace
        unread = [change for change in outdated if not self._is_read(change)][:MOST]
        if workspace is None or not unread:
            return False
        rows = {change.identity: self._row_of(change) for change in unread}
        entries = await asyncio.to_thread(self._app_state.session.journal.entries)
        own = OwnChanges.of(entries, self._app_state.signature(workspace))
        since = OutdatedChanges(change_set, own)

        async def compare(change: StagedChange) -> OutdatedChange | None:
            try:
                record = await read_record(workspace.client, change.kind, change.record)
                return await since.compare_off_loop(record, change)
            except ApiError:
                return None

        for change, seen in await read_each(unread, compare):
            self._read[change.identity] = change, rows[change.identity], seen
        return True

    def _is_read(self, change: StagedChange) -> bool:
        earlier = self._read.get(change.identity)
        return earlier is not None and self._is_current(change, earlier)

    def _is_current(
        self, change: StagedChange, earlier: tuple[StagedChange, object, OutdatedChange | None]
    ) -> bool:
        return earlier[0] == change and earlier[1] == self._row_of(change)

    def _row_of(self, change: StagedChange) -> object:
        workspace = self._app_state.workspace
        if workspace is None:
            return None
        return workspace.collection(BY_ENTRY[change.kind].plural).server_row(change.record)
