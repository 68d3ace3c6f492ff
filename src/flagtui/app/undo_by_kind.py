"""Undo of one journalled change, by the pipeline of the kind of record it changed."""

from flagtui.app.events.event_changes import EventChanges
from flagtui.app.experiments.experiment_steps import ExperimentSteps
from flagtui.app.experiments.experiment_undo import ExperimentUndo
from flagtui.app.flags.flag_schedules import FlagSchedules
from flagtui.app.state.app_state import AppState
from flagtui.app.writing.changes import Changes
from flagtui.changes.event_definitions.definition_intent import KIND as EVENT
from flagtui.changes.journal_entries import Entry
from flagtui.changes.related.schedules import KIND as SCHEDULED


def undo_entry(entry: Entry, app_state: AppState, changing: Changes) -> None:
    """Begin to take back this change of this person, whatever came after it; it is confirmed as any is."""
    if entry.kind == EVENT:
        EventChanges(app_state, changing).undo_entry(entry)
    elif entry.kind == "experiment":
        ExperimentUndo(app_state, ExperimentSteps(app_state, changing)).undo_entry(entry)
    elif entry.kind == SCHEDULED:
        FlagSchedules(app_state, changing).undo_entry(entry)
    else:
        changing.undo_entry(entry)
