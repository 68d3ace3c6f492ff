"""What is staged of records while keys stage; nothing while they send."""

from __future__ import annotations

from typing import TypeVar

from flagtui.app.state.app_state import AppState
from flagtui.changes.sets.after_set import record_after
from flagtui.changes.sets.change_set import ChangeSet
from flagtui.models.event_definition import EventDefinition
from flagtui.models.flag import Flag

Record = TypeVar("Record", Flag, EventDefinition)


def staged_now(app_state: AppState) -> ChangeSet | None:
    """Return what is staged of the open project; None while keys send."""
    return app_state.staged_set if app_state.is_staging else None


def as_staged(record: Record, app_state: AppState) -> Record:
    """Return the record with its staged change. Raises ChangeSetError when it has changed since."""
    staged = staged_now(app_state)
    return record if staged is None else record_after(record, staged)
