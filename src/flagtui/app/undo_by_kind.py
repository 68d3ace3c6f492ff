"""One journalled change taken back, by the path of the kind of record it changed."""

from flagtui.app.events.event_changes import EventChanging
from flagtui.app.experiments.experiment_steps import Experimenting
from flagtui.app.experiments.experiment_undo import ExperimentUndoing
from flagtui.app.flags.flag_schedules import Scheduling
from flagtui.app.state.app_state import Desk
from flagtui.app.writing.changes import Changing
from flagtui.changes.event_definitions.definition_intent import KIND as EVENT
from flagtui.changes.journal_entries import Entry
from flagtui.changes.related.schedules import KIND as SCHEDULED


def undo_entry(entry: Entry, desk: Desk, changing: Changing) -> None:
    """Begin to take back this change of this person, whatever came after it; it is confirmed as any is."""
    if entry.kind == EVENT:
        EventChanging(desk, changing).undo_entry(entry)
    elif entry.kind == "experiment":
        ExperimentUndoing(desk, Experimenting(desk, changing)).undo_entry(entry)
    elif entry.kind == SCHEDULED:
        Scheduling(desk, changing).undo_entry(entry)
    else:
        changing.undo_entry(entry)
