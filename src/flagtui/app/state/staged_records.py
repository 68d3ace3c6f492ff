"""The staged changes of records while keys stage; empty while they send."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flagtui.app.state.app_state import AppState
from flagtui.details.staged_details import EditedRecord

if TYPE_CHECKING:
    from flagtui.changes.sets.change_set import ChangeSet, StagedChange


def staged_now(app_state: AppState) -> ChangeSet | None:
    """Return the staged set of the open project; None while keys send."""
    return app_state.staged_set if app_state.is_staging else None


def staged_change(app_state: AppState, kind: str, record: int | str) -> StagedChange | None:
    """Return the staged change of this record; `kind` is the journal's name."""
    staged = staged_now(app_state)
    return None if staged is None else staged.change_of(kind, record)


async def as_staged(record: EditedRecord, app_state: AppState) -> EditedRecord:
    """Return the record with its staged change. Raises ChangeSetError when it has changed since."""
    staged = staged_now(app_state)
    if staged is None:
        return record
    # Loaded here: the connection to the server needs this module, but no staged change.
    from flagtui.api.heavy_work import off_loop
    from flagtui.changes.sets.after_set import record_after

    return await off_loop(lambda: record_after(record, staged), record.raw)
