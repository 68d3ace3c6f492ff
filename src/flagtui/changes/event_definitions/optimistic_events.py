"""Optimistic updates of the list of event definitions."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager

from flagtui.changes.event_definitions.definition_plan import EventPlan
from flagtui.changes.optimistic_rows import OptimisticRows
from flagtui.changes.proposal import Outcome
from flagtui.models.event_definition import EventDefinition
from flagtui.models.json_value import JSON
from flagtui.store.kinds import EVENTS
from flagtui.store.optimistic_edits import apply_edit


class EventRows(OptimisticRows[EventPlan, EventDefinition]):
    """The list of event definitions."""

    kind = EVENTS.plural
    is_listed = True
    _shown_at: float = 0.0

    def showing(self, plan: EventPlan) -> AbstractContextManager[None]:
        self._shown_at = self.clock()
        return self.workspace.events.showing(plan.id, self._row_values(plan.values))

    async def refresh(self, outcome: Outcome[EventPlan, EventDefinition]) -> None:
        plan, events = outcome.plan, self.workspace.events
        if outcome.record is not None:
            events.put(outcome.record.row(), is_own=outcome.ending == "saved")
        elif not outcome.is_saved:
            return
        elif plan.is_deletion:
            events.remove(plan.id)
        elif (row := events.server_row(plan.id)) is not None:
            # Servers send no records back for bulk changes.
            at = max(self._shown_at, row.updated_at or 0.0)
            values = {**self._row_values(plan.values), "updated_at": at}
            events.put(apply_edit(row, values), is_own=True)

    def _row_values(self, values: Mapping[str, JSON]) -> Mapping[str, object]:
        """Return the values as the row shows them: owners by e-mail."""
        if "owner" not in values:
            return values
        number = values["owner"] if isinstance(values["owner"], int) else None
        owner = "" if number is None else self.workspace.people.get(number, "")
        return {**values, "owner_id": number, "owner": owner}
