"""Optimistic updates of a list: rows of pending changes, and rows as the server responded."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final, Generic

from flagtui.api.errors import ApiError
from flagtui.changes.event_definitions.definition_plan import EventPlan
from flagtui.changes.event_definitions.definition_save import DefinitionOutcome
from flagtui.changes.experiments.step_plan import ExperimentPlan
from flagtui.changes.experiments.step_save import StepOutcome
from flagtui.changes.flags.flag_plan import Plan
from flagtui.changes.flags.flag_save import FlagOutcome
from flagtui.changes.planner import Planner
from flagtui.changes.proposal import Outcome, P, R
from flagtui.models.event_definition import EventDefinition
from flagtui.models.experiment import Experiment
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON
from flagtui.store.collection import Collection
from flagtui.store.kinds import EVENTS, EXPERIMENTS, FLAGS, Kind
from flagtui.store.optimistic_edits import apply_edit
from flagtui.store.record_list import Loading
from flagtui.store.workspace import Workspace


class OptimisticRows(Generic[P, R]):
    """Rows of one list for one approval, created when it is given. This base class shows nothing."""

    listed: tuple[Collection[Any], Loading[Any]] | None = None
    """The list and its load, to mark changes whose outcome is unknown."""

    kind: Kind = FLAGS.plural
    """The list in which the records are."""

    def __init__(self, workspace: Workspace, now: float) -> None:
        """`now` is the time in Unix seconds."""
        self.workspace = workspace

    def showing(self, plan: P) -> AbstractContextManager[None]:
        """Paint the plan over its row until the block ends, which is the rollback."""
        return nullcontext()

    async def refresh(self, outcome: Outcome[P, R]) -> None:
        """Put the record of the response into the list."""


class FlagRows(OptimisticRows[Plan, Flag]):
    """The list of flags."""

    def __init__(self, workspace: Workspace, now: float) -> None:
        super().__init__(workspace, now)
        self._flags = workspace.flags
        self._moment = workspace.flags.moment
        self.listed = workspace.flags, workspace.loading("flags")

    def showing(self, plan: Plan) -> AbstractContextManager[None]:
        return self._flags.showing(plan.id, plan.values)

    async def refresh(self, outcome: FlagOutcome) -> None:
        record = outcome.record
        if record is None:
            return
        if record.deleted:
            self._flags.remove(record.id)
        else:
            # A record that was read afterwards is newer than the request.
            self._flags.put(record.row(), None if outcome.was_read else self._moment)


class ExperimentRows(OptimisticRows[ExperimentPlan, Experiment]):
    """The list of experiments, and that of their flags."""

    kind = EXPERIMENTS.plural

    def __init__(self, workspace: Workspace, now: float) -> None:
        super().__init__(workspace, now)
        self.listed = workspace.experiments, workspace.loading("experiments")

    def showing(self, plan: ExperimentPlan) -> AbstractContextManager[None]:
        """Mark the row as pending without new values: the server decides what a step changes."""
        return self.workspace.experiments.showing(plan.id, {}) if plan.id else nullcontext()

    async def refresh(self, outcome: StepOutcome) -> None:
        workspace, record, step = self.workspace, outcome.record, outcome.plan.step.name
        if outcome.is_saved and step == "delete":
            workspace.experiments.remove(outcome.plan.id)
            return
        if record is None or step == "copy":
            return
        workspace.experiments.put(record.row())
        if not outcome.is_saved or record.feature_flag is None:
            return
        moment = workspace.flags.moment
        try:
            flag = await workspace.client.flags.get(record.feature_flag.id)
        except ApiError:
            # The next poll of the list of flags will bring it.
            return
        workspace.flags.put(flag.row(), moment)


class EventRows(OptimisticRows[EventPlan, EventDefinition]):
    """The list of event definitions."""

    kind = EVENTS.plural

    def __init__(self, workspace: Workspace, now: float) -> None:
        super().__init__(workspace, now)
        self._events, self._people, self._now = workspace.events, workspace.people, now
        self.listed = workspace.events, workspace.loading("events")

    def showing(self, plan: EventPlan) -> AbstractContextManager[None]:
        return self._events.showing(plan.id, self._shown(plan.values))

    async def refresh(self, outcome: DefinitionOutcome) -> None:
        plan = outcome.plan
        if outcome.record is not None:
            self._events.put(outcome.record.row())
        elif not outcome.is_saved:
            return
        elif plan.is_deletion:
            self._events.remove(plan.id)
        elif (row := self._events.said(plan.id)) is not None:
            # Servers send no records back for bulk changes.
            at = max(self._now, row.updated_at or 0.0)
            self._events.put(apply_edit(row, {**self._shown(plan.values), "updated_at": at}))

    def _shown(self, values: Mapping[str, JSON]) -> Mapping[str, object]:
        """Return the values as the row shows them: owners by e-mail."""
        if "owner" not in values:
            return values
        number = values["owner"] if isinstance(values["owner"], int) else None
        owner = "" if number is None else self._people.get(number, "")
        return {**values, "owner_id": number, "owner": owner}


_ROWS: Final[Mapping[Kind, type[OptimisticRows[Any, Any]]]] = {
    FLAGS.plural: FlagRows,
    EXPERIMENTS.plural: ExperimentRows,
    EVENTS.plural: EventRows,
}


def rows_of(planner: Planner[Any, P, R], workspace: Workspace) -> OptimisticRows[P, R]:
    """Return the rows of this project that show plans of this planner."""
    rows = _ROWS[planner.kind] if planner.is_listed else OptimisticRows
    return rows(workspace, planner.context.clock.time())
