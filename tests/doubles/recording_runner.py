"""A runner of changes that notes which records each change is about, and carries none out."""

from collections.abc import Coroutine, Iterator, Sequence
from typing import Any

from flagtui.app.shell.change_tasks import OnReport, ignore
from flagtui.app.writing.change_runner import ChangeRunner
from flagtui.changes.journal_entries import Entry
from flagtui.changes.skipped import Skipped
from flagtui.models.activity import ChangeRow


class RecordingRunner(ChangeRunner):
    """`records` has the ids of the records of the last change that was begun."""

    records: frozenset[Any] = frozenset()

    def run(self, change: Coroutine[Any, Any, Any]) -> None:
        """Note what a change was begun with, and drop it."""
        self.records = frozenset(_ids(list(change.cr_frame.f_locals.values())))  # type: ignore[attr-defined]  # of every coroutine
        change.close()

    def revert(self, rows: Sequence[ChangeRow], on_report: OnReport = ignore) -> None:
        self.records = frozenset(row.id for row in rows)

    def undo_entries(self, entries: Sequence[Entry], skipped: Sequence[Skipped] = ()) -> None:
        self.records = frozenset(entry.id for entry in entries)


def _ids(values: Sequence[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, list | tuple):
            yield from _ids(value)
        elif not callable(value) and getattr(value, "id", None) is not None:
            yield value.id
