"""Rows of a list while a change of them is on its way, and once the server has answered."""

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
    """Rows of one list for one approval; they know what was there when it was given. These show in none."""

    listed: tuple[Collection[Any], Loading[Any]] | None = None
    """The list, for the sign of a change that is not known."""

    def __init__(self, workspace: Workspace, now: float) -> None:
        """`now` is the time in Unix seconds."""

    def showing(self, plan: P) -> AbstractContextManager[None]:
        """Paints the plan over its row until the block is left, which is the rollback."""
        return nullcontext()

    async def believe(self, outcome: Outcome[P, R]) -> None:
        """Puts what the server said into the list."""


class FlagRows(OptimisticRows[Plan, Flag]):
    """The list of flags."""

    def __init__(self, workspace: Workspace, now: float) -> None:
        self._flags = workspace.flags
        self._asked = workspace.flags.moment
        self.listed = workspace.flags, workspace.loading("flags")

    def showing(self, plan: Plan) -> AbstractContextManager[None]:
        return self._flags.showing(plan.id, plan.values)

    async def believe(self, outcome: FlagOutcome) -> None:
        record = outcome.record
        if record is None:
            return
        if record.deleted:
            self._flags.remove(record.id)
        else:
            # What was found by looking is newer than what was asked for with the request.
            self._flags.put(record.row(), None if outcome.was_read else self._asked)


class ExperimentRows(OptimisticRows[ExperimentPlan, Experiment]):
    """The list of experiments, and of the flags that go with them."""

    def __init__(self, workspace: Workspace, now: float) -> None:
        self._workspace = workspace
        self.listed = workspace.experiments, workspace.loading("experiments")

    def showing(self, plan: ExperimentPlan) -> AbstractContextManager[None]:
        """A step is not shown before it is taken: what it brings along is the server's to say."""
        return self._workspace.experiments.showing(plan.id, {}) if plan.id else nullcontext()

    async def believe(self, outcome: StepOutcome) -> None:
        workspace, record, step = self._workspace, outcome.record, outcome.plan.step.name
        if outcome.is_saved and step == "delete":
            workspace.experiments.remove(outcome.plan.id)
            return
        if record is None or step == "copy":
            return
        workspace.experiments.put(record.row())
        if not outcome.is_saved or record.feature_flag is None:
            return
        asked = workspace.flags.moment
        try:
            flag = await workspace.client.flags.get(record.feature_flag.id)
        except ApiError:
            # The list of flags will learn of it when it looks for changes.
            return
        workspace.flags.put(flag.row(), asked)


class EventRows(OptimisticRows[EventPlan, EventDefinition]):
    """The list of event definitions."""

    def __init__(self, workspace: Workspace, now: float) -> None:
        self._events, self._people, self._now = workspace.events, workspace.people, now
        self.listed = workspace.events, workspace.loading("events")

    def showing(self, plan: EventPlan) -> AbstractContextManager[None]:
        return self._events.showing(plan.id, self._shown(plan.values))

    async def believe(self, outcome: DefinitionOutcome) -> None:
        plan = outcome.plan
        if outcome.record is not None:
            self._events.put(outcome.record.row())
        elif not outcome.is_saved:
            return
        elif plan.is_deletion:
            self._events.remove(plan.id)
        elif (row := self._events.said(plan.id)) is not None:
            # Changed together with others, for which servers do not send the records back.
            at = max(self._now, row.updated_at or 0.0)
            self._events.put(apply_edit(row, {**self._shown(plan.values), "updated_at": at}))

    def _shown(self, values: Mapping[str, JSON]) -> Mapping[str, object]:
        """A change as the row shows it, which has owners by e-mail."""
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
    """The rows that show plans of this planner in that project."""
    rows = _ROWS[planner.kind] if planner.is_listed else OptimisticRows
    return rows(workspace, planner.context.clock.time())
