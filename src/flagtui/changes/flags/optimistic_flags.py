"""Optimistic updates of the list of flags."""

from __future__ import annotations

from contextlib import AbstractContextManager

from flagtui.changes.flags.flag_plan import Plan
from flagtui.changes.flags.flag_save import FlagOutcome
from flagtui.changes.optimistic_rows import OptimisticRows
from flagtui.models.flag import Flag
from flagtui.store.collection import Moment


class FlagRows(OptimisticRows[Plan, Flag]):
    """The list of flags."""

    is_listed = True
    _moment: Moment = 0
    """That of the list before the change: a response is newer."""

    def showing(self, plan: Plan) -> AbstractContextManager[None]:
        flags = self.workspace.flags
        self._moment = flags.moment
        return flags.showing(plan.id, plan.values)

    async def refresh(self, outcome: FlagOutcome) -> None:
        record, flags = outcome.record, self.workspace.flags
        if record is None:
            return
        if record.version is None:
            # The row alone does not show that the details changed.
            self.outdated.add(record.id)
        if record.deleted:
            flags.remove(record.id)
        else:
            # A record that was read afterwards is newer than the request.
            moment = None if outcome.was_read else self._moment
            flags.put(record.row(), moment, is_own=outcome.ending == "saved")
