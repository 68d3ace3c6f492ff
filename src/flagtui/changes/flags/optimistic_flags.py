"""Optimistic updates of the list of flags."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

from flagtui.changes.flags.flag_plan import Plan
from flagtui.changes.flags.flag_save import FlagOutcome
from flagtui.changes.optimistic_rows import OptimisticRows
from flagtui.models.flag import Flag
from flagtui.store.workspace import Workspace


class FlagRows(OptimisticRows[Plan, Flag]):
    """The list of flags."""

    def __init__(self, workspace: Workspace, clock: Callable[[], float]) -> None:
        super().__init__(workspace, clock)
        self._flags = workspace.flags
        self.listed = workspace.flags, workspace.loading("flags")

    def showing(self, plan: Plan) -> AbstractContextManager[None]:
        # The list as it is now is what a response is newer than.
        self._moment = self._flags.moment
        return self._flags.showing(plan.id, plan.values)

    async def refresh(self, outcome: FlagOutcome) -> None:
        record = outcome.record
        if record is None:
            return
        if record.deleted:
            self._flags.remove(record.id)
        else:
            # A record that was read afterwards is newer than the request.
            moment = None if outcome.was_read else self._moment
            self._flags.put(record.row(), moment, is_own=outcome.ending == "saved")
