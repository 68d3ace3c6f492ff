"""One journalled change taken back, by the path of the kind of record it changed."""

from typing import Final

from flagtui.app.events.event_changes import EventChanging
from flagtui.app.experiments.experiment_steps import Experimenting
from flagtui.app.experiments.experiment_undo import ExperimentUndoing
from flagtui.app.flags.flag_schedules import Scheduling
from flagtui.app.state.app_state import Desk
from flagtui.app.writing.changes import Changing
from flagtui.changes.event_definitions.definition_intent import KIND as EVENT
from flagtui.changes.journal_entries import Entry
from flagtui.changes.related.schedules import KIND as SCHEDULED

PLACES: Final = {"experiment": "experiments", EVENT: "events"}
"""By kind of record: where such changes are made."""


def place_of(entry: Entry | None) -> str:
    """The place whose scope taking this back needs."""
    return PLACES.get(entry.kind, "flags") if entry is not None else "journal"


class TakingBack:
    """Begins the path; what is asked and sent there is confirmed as any change is."""

    def __init__(self, desk: Desk, changing: Changing) -> None:
        self._desk = desk
        self._changing = changing

    def start(self, entry: Entry) -> None:
        """Take back this change of this person, whatever came after it."""
        if entry.kind == EVENT:
            EventChanging(self._desk, self._changing).undo_entry(entry)
        elif entry.kind == "experiment":
            experimenting = Experimenting(self._desk, self._changing)
            ExperimentUndoing(self._desk, experimenting).undo_entry(entry)
        elif entry.kind == SCHEDULED:
            Scheduling(self._desk, self._changing).undo_entry(entry)
        else:
            self._changing.undo_entry(entry)
