"""Copies, schedules, cohorts and dashboards in the pipeline: the flag they are made from stays as it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flagtui.changes.adapter import Adapter, Remembered
from flagtui.changes.journal_entries import Entry
from flagtui.changes.outcome import Outcome
from flagtui.changes.related.creation import RelatedPlan, Send
from flagtui.changes.related.related_recovery import look
from flagtui.changes.unanswered import LookedUp
from flagtui.models.flag import Flag

if TYPE_CHECKING:
    from flagtui.api import Client
    from flagtui.models.json_value import JSON

Seen = Flag | LookedUp
"""The flag that it is made from, or what is there of it."""
RelatedOutcome = Outcome[RelatedPlan, Seen]


@dataclass(frozen=True)
class RelatedAdapter(Adapter[RelatedPlan, Seen]):
    """What is peculiar to them; `request` is the one request."""

    client: Client
    request: Send

    def remembered(self, plan: RelatedPlan) -> Remembered:
        return Remembered(
            key=plan.key,
            verb=plan.verb.name,
            kind=plan.kind,
            record=0 if plan.makes_a_flag else plan.id,
            before=plan.before,
            after=plan.after,
            words=(plan.told,),
        )

    def read_at(self, plan: RelatedPlan) -> float:
        return plan.read_at

    async def read(self, plan: RelatedPlan) -> Seen | None:
        return await self.client.flags.get(plan.id)

    def conflict(self, plan: RelatedPlan, now: Seen) -> RelatedOutcome | None:
        """What is made of a flag that was changed since is not what was agreed to."""
        old = plan.fresh
        if not isinstance(now, Flag) or _about(now) == _about(old):
            return None
        told = "it was deleted meanwhile" if now.deleted else "it was changed meanwhile"
        return Outcome(plan, "conflicted", now, told, "look at it, then try again")

    async def send(self, plan: RelatedPlan) -> RelatedOutcome:
        answer = await self.request()
        if not answer.is_done:
            return Outcome(plan, "refused", None, answer.note)
        return Outcome(plan, "saved", answer.made, answer.note, learned=answer.learned)

    async def find(self, plan: RelatedPlan) -> Seen | None:
        kept = self.remembered(plan)
        entry = Entry(
            "",
            plan.read_at,
            plan.id,
            kept.key,
            kept.verb,
            kind=kept.kind,
            before=kept.before,
            after=kept.after,
        )
        return await look(entry, self.client, "not applied")

    def judge(self, plan: RelatedPlan, seen: Seen | None) -> RelatedOutcome | None:
        if not isinstance(seen, LookedUp) or seen.truth != "applied":
            return None
        made = seen.record if isinstance(seen.record, Flag) else None
        return Outcome(plan, "saved", made, learned=seen.learned)

    def is_as_before(self, plan: RelatedPlan, seen: Seen | None) -> bool:
        """Nothing tells which cohort it made, or what it added to a dashboard."""
        return isinstance(seen, LookedUp) and seen.truth == "not applied"

    def stored(self, outcome: RelatedOutcome) -> Flag | None:
        record = outcome.record
        return record if outcome.is_saved and isinstance(record, Flag) else None


def _about(flag: Flag) -> Mapping[str, JSON]:
    """What a copy or a cohort takes from it, and what a schedule will change."""
    return {"deleted": flag.deleted, "active": flag.active, "filters": dict(flag.filters)}
