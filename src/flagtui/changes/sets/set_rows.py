"""Optimistic updates for a set: each plan on the list of its kind of record."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from flagtui.changes.event_definitions.definition_plan import EventPlan
from flagtui.changes.event_definitions.optimistic_events import EventRows
from flagtui.changes.experiments.optimistic_experiments import ExperimentRows
from flagtui.changes.experiments.step_plan import ExperimentPlan
from flagtui.changes.flags.optimistic_flags import FlagRows
from flagtui.changes.optimistic_rows import OptimisticRows
from flagtui.changes.proposal import Outcome, Proposal
from flagtui.store.kinds import Kind


class SetRows(OptimisticRows[Proposal, Any], dict=True):
    """The lists of flags, of event definitions and of experiments."""

    def __post_init__(self) -> None:
        self._flags = FlagRows(self.workspace, self.clock, self.outdated)
        self._events = EventRows(self.workspace, self.clock)
        self._experiments = ExperimentRows(self.workspace, self.clock, self.outdated)

    def kind_of(self, plan: Proposal) -> Kind | None:
        return self._rows_of(plan).kind

    def showing(self, plan: Proposal) -> AbstractContextManager[None]:
        return self._rows_of(plan).showing(plan)

    async def refresh(self, outcome: Outcome[Proposal, Any]) -> None:
        await self._rows_of(outcome.plan).refresh(outcome)

    def _rows_of(self, plan: Proposal) -> OptimisticRows[Any, Any]:
        if isinstance(plan, ExperimentPlan):
            return self._experiments
        return self._events if isinstance(plan, EventPlan) else self._flags
