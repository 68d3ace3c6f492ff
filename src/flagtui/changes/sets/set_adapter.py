"""Send the changes of a set: each record is read and compared again right before its own request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from flagtui.api import Client
from flagtui.changes.adapter import Adapter
from flagtui.changes.event_definitions.definition_plan import EventPlan
from flagtui.changes.event_definitions.definition_save import DefinitionAdapter
from flagtui.changes.experiments.step_plan import ExperimentPlan
from flagtui.changes.experiments.step_save import StepAdapter
from flagtui.changes.flags.flag_plan import Plan
from flagtui.changes.flags.flag_save import FlagAdapter
from flagtui.changes.flags.property_rules import NEW_FLAG
from flagtui.changes.journal import Stored
from flagtui.changes.journal_entries import Entry
from flagtui.changes.proposal import Outcome, Proposal
from flagtui.changes.sets.after_set import resolve_references


@dataclass(frozen=True)
class SetAdapter(Adapter[Proposal, Any]):
    """Rules of change sets in the pipeline: those of each kind of record, one record per request."""

    client: Client
    new_ids: dict[str, int] = field(default_factory=dict)
    """The numbers of the flags that the set has created, by their names in the set."""
    is_all_or_nothing = True

    def journal_entry(self, plan: Proposal) -> Entry:
        resolved = self._resolve(plan)
        return self._rules(plan).journal_entry(plan if resolved is None else resolved)

    def is_compared(self, plan: Proposal) -> bool:
        """Return True: every record is compared here, whatever its server compares."""
        return False

    async def read(self, plan: Proposal) -> Any:
        return await self._rules(plan).read(plan)

    def conflict(self, plan: Proposal, now: Any) -> Outcome | None:
        return self._rules(plan).conflict(plan, now)

    async def send(self, plan: Proposal) -> Outcome:
        resolved = self._resolve(plan)
        if resolved is None:
            reason = "a flag that it depends on was not created"
            return Outcome(plan, "refused", None, reason, "apply the set again once that flag exists")
        outcome = await self._rules(plan).send(resolved)
        self._learn(plan, outcome)
        return replace(outcome, plan=plan)

    async def find(self, plan: Proposal) -> Any:
        return await self._rules(plan).find(plan)

    def judge(self, plan: Proposal, seen: Any) -> Outcome | None:
        outcome = self._rules(plan).judge(self._resolve(plan) or plan, seen)
        if outcome is None:
            return None
        self._learn(plan, outcome)
        return replace(outcome, plan=plan)

    def is_as_before(self, plan: Proposal, seen: Any) -> bool:
        return self._rules(plan).is_as_before(plan, seen)

    def stored_record(self, outcome: Outcome) -> Stored | None:
        return self._rules(outcome.plan).stored_record(outcome)

    async def send_group(self, plans: Sequence[Proposal]) -> Sequence[Outcome]:
        return [await self.send(plan) for plan in plans]

    def _rules(self, plan: Proposal) -> Adapter[Any, Any]:
        if isinstance(plan, EventPlan):
            return DefinitionAdapter(self.client.event_definitions)
        if isinstance(plan, ExperimentPlan):
            return StepAdapter(self.client.experiments)
        return FlagAdapter(self.client.flags)

    def _learn(self, plan: Proposal, outcome: Outcome) -> None:
        """Keep the number of a flag that was created."""
        if isinstance(plan, Plan) and plan.is_new and outcome.is_saved and outcome.record is not None:
            self.new_ids[f"{NEW_FLAG}{plan.key}"] = outcome.record.id

    def _resolve(self, plan: Proposal) -> Proposal | None:
        """Return the plan with the numbers of new flags; None when one of them does not exist."""
        if not isinstance(plan, Plan):
            return plan
        try:
            values, body = (resolve_references(side, self.new_ids) for side in (plan.values, plan.body))
        except KeyError:
            return None
        return plan if values == plan.values else replace(plan, values=values, body=body)
