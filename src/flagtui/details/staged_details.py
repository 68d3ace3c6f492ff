"""Details of a record with a staged change: the record as it will be, and the change in words."""

from __future__ import annotations

from typing import TypeVar

from flagtui.api.heavy_work import off_loop
from flagtui.changes.sets.after_set import event_after, flag_after, is_outdated
from flagtui.changes.sets.change_lines import change_words
from flagtui.changes.sets.change_set import StagedChange
from flagtui.models.event_definition import EventDefinition
from flagtui.models.experiment import Experiment
from flagtui.models.flag import Flag
from flagtui.models.staged_words import StagedWords

EditedRecord = TypeVar("EditedRecord", Flag, EventDefinition)


def staged_words(record: Flag | EventDefinition | Experiment, change: StagedChange) -> StagedWords:
    """Return the staged change of the record as the server has it."""
    return StagedWords(tuple(change_words(change)), is_outdated(record, change))


def as_if_applied(record: EditedRecord, change: StagedChange) -> EditedRecord:
    """Return the record with the staged values; that of the server when it has changed since."""
    if is_outdated(record, change):
        return record
    return flag_after(record, change) if isinstance(record, Flag) else event_after(record, change)


async def flag_as_staged(flag: Flag, change: StagedChange) -> tuple[StagedWords, Flag]:
    """Return the staged change in words, and the flag with it; a heavy one is read in a thread."""

    def apply() -> tuple[StagedWords, Flag]:
        applied = as_if_applied(flag, change)
        # Its conditions are read now, so that drawing it costs nothing.
        applied.row()
        return staged_words(flag, change), applied

    return await off_loop(apply, flag.filters)
