"""One journalled change taken back, by the path of the kind of record it changed."""

from typing import Final

from flagtui.app.changing import Changing
from flagtui.app.desk import Desk
from flagtui.app.event_changing import EventChanging
from flagtui.app.experiment_undoing import ExperimentUndoing
from flagtui.app.experimenting import Experimenting
from flagtui.app.scheduling import Scheduling
from flagtui.changes.entries import Entry
from flagtui.changes.event_definitions.intent import KIND as EVENT
from flagtui.changes.scheduling import KIND as SCHEDULED

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
