"""Send, recover and undo copies, schedules, cohorts and dashboards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from msgspec.structs import replace

from flagtui.api import Client
from flagtui.api.errors import NotFound
from flagtui.changes.adapter import Adapter
from flagtui.changes.difference import FieldConflict
from flagtui.changes.entry_kind import EntryKind, PlannedUndo, Recovery, RecoveryVerdict, UndoContext
from flagtui.changes.flags.flag_entries import FlagEntries
from flagtui.changes.journal_entries import Entry
from flagtui.changes.planner import Planned
from flagtui.changes.proposal import Outcome, conflict_because
from flagtui.changes.related.creation import NEWEST, RelatedPlan
from flagtui.changes.related.project_copies import KIND as COPY
from flagtui.changes.related.project_copies import UNDO_WORDS, as_creation, kept_of, project_of
from flagtui.changes.related.schedules import (
    DROP_WORDS,
    SCHEDULE_WORDS,
    inverse_of,
    plan_later,
    refuse_undo_of_schedule,
    schedule_conflicts,
    why_not_dropped,
)
from flagtui.changes.related.schedules import KIND as SCHEDULED
from flagtui.changes.skipped import Blocked
from flagtui.changes.unanswered import WATCH_FOR
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON, as_text

Seen = Flag | Recovery
"""The flag that it is made from, or the known part of it."""
RelatedOutcome = Outcome[RelatedPlan, Seen]


@dataclass(frozen=True)
class RelatedAdapter(Adapter[RelatedPlan, Seen]):
    """The flag they are made from stays as it is."""

    client: Client

    def journal_entry(self, plan: RelatedPlan) -> Entry:
        return Entry(
            key=plan.key,
            verb=plan.verb.name,
            kind=plan.kind,
            record=0 if plan.makes_a_flag else plan.id,
            before=plan.before,
            after=plan.after,
            words=(plan.summary,),
        )

    async def read(self, plan: RelatedPlan) -> Seen | None:
        return await self.client.flags.get(plan.id)

    def conflict(self, plan: RelatedPlan, now: Seen) -> RelatedOutcome | None:
        """Return the conflict of a flag that was changed since it was confirmed."""
        old = plan.fresh
        if not isinstance(now, Flag) or _about(now) == _about(old):
            return None
        return conflict_because(plan, now, f"it was {'deleted' if now.deleted else 'changed'} meanwhile")

    async def send(self, plan: RelatedPlan) -> RelatedOutcome:
        answer = await plan.send(self.client)
        if not answer.is_done:
            return Outcome(plan, "refused", None, answer.note)
        return Outcome(plan, "saved", answer.made, answer.note, server_values=answer.server_values)

    async def find(self, plan: RelatedPlan) -> Seen | None:
        entry = replace(self.journal_entry(plan), at=plan.read_at, record=plan.id)
        return await RELATED[plan.kind].look(entry, self.client, "not applied")

    def judge(self, plan: RelatedPlan, seen: Seen | None) -> RelatedOutcome | None:
        if not isinstance(seen, Recovery) or seen.verdict != "applied":
            return None
        made = seen.record if isinstance(seen.record, Flag) else None
        return Outcome(plan, "saved", made, server_values=seen.server_values)

    def is_as_before(self, plan: RelatedPlan, seen: Seen | None) -> bool:
        """Return whether nothing was applied; insights added to a dashboard cannot be traced."""
        return isinstance(seen, Recovery) and seen.verdict == "not applied"

    def stored_record(self, outcome: RelatedOutcome) -> Flag | None:
        record = outcome.record
        return record if outcome.is_saved and isinstance(record, Flag) else None


def _about(flag: Flag) -> Mapping[str, JSON]:
    """Return the fields that a copy or cohort uses, or that a schedule changes."""
    return {"deleted": flag.deleted, "active": flag.active, "filters": dict(flag.filters)}


class CopyEntries(EntryKind):
    """A copy of a flag in another project, an independent flag there."""

    noun = "copied flag"

    def why_not(self, entry: Entry) -> Blocked | None:
        if entry.record and project_of(entry):
            return None
        return Blocked("number", "its id is not known", "find it there and delete it")

    def undo_words(self, _entry: Entry) -> str:
        return UNDO_WORDS

    def creation(self, entry: Entry) -> Entry | None:
        return as_creation(entry)

    async def prepare_undo(self, part: Entry, context: UndoContext) -> PlannedUndo:
        project = project_of(part)
        if project is None:
            return self.why_not(part)
        place = as_text(part.after.get("project_name")) or f"project #{project}"
        client, made = context.client.for_project(project), as_creation(part)
        planned = await FlagEntries().prepare_undo(made, replace(context, client=client, rows=None))
        if not isinstance(planned, Planned):
            return planned
        return replace(planned, place=place, project=project, signature=made.signature)

    async def look(self, entry: Entry, client: Client, if_absent: RecoveryVerdict) -> Recovery:
        """Return whether the copy exists; its key was unused there before the request."""
        project = project_of(entry)
        if project is None:
            return Recovery(entry, "not known")
        made = await client.for_project(project).flags.find(entry.key)
        if made is None:
            return Recovery(entry, if_absent)
        return Recovery(entry, "applied", made, kept_of(made))


class ScheduleEntries(EntryKind):
    """A change that was scheduled, or a scheduled one that was dropped."""

    def why_not(self, entry: Entry) -> Blocked | None:
        return refuse_undo_of_schedule(entry)

    def undo_words(self, entry: Entry) -> str:
        return DROP_WORDS if entry.after else SCHEDULE_WORDS

    async def prepare_undo(self, part: Entry, context: UndoContext) -> PlannedUndo:
        client, now, later = context.client, context.clock.time(), inverse_of(part)
        conflicts: tuple[FieldConflict, ...] = ()
        try:
            fresh = await client.flags.get(part.record)
        except NotFound:
            return Blocked("gone", "its flag no longer exists")
        if refusal := refuse_undo_of_schedule(part):
            return refusal
        if later.scheduled_id is None and later.at.timestamp() <= now and not later.again:
            return Blocked("past", "its time has passed", "schedule it again")
        if later.scheduled_id is not None:
            try:
                current = await client.schedule.get(later.scheduled_id)
            except NotFound:
                return None
            if refusal := why_not_dropped(current):
                return refusal
            conflicts = tuple(schedule_conflicts(later, current))
        plan = plan_later(later, fresh)
        if isinstance(plan, Blocked):
            return plan
        plan = replace(plan, conflicts=conflicts, read_at=context.clock.time())
        return Planned(RelatedAdapter(client), [plan])

    async def look(self, entry: Entry, client: Client, if_absent: RecoveryVerdict) -> Recovery:
        if not entry.after:
            dropped = entry.before.get("scheduled")
            if not isinstance(dropped, int):
                return Recovery(entry, "not known")
            try:
                await client.schedule.get(dropped)
            except NotFound:
                return Recovery(entry, "applied")
            return Recovery(entry, if_absent)
        later = inverse_of(entry)
        for scheduled in await client.schedule.all({"model_name": "FeatureFlag", "record_id": entry.record}):
            is_then = (
                scheduled.scheduled_at is not None
                and scheduled.scheduled_at.timestamp() == later.at.timestamp()
            )
            is_late = scheduled.created_at is None or scheduled.created_at.timestamp() >= entry.at - WATCH_FOR
            if is_then and is_late and scheduled.payload == dict(later.payload):
                return Recovery(entry, "applied", server_values={"scheduled": scheduled.id})
        return Recovery(entry, if_absent)


@dataclass(frozen=True)
class LastingEntries(EntryKind):
    """Records that cannot be undone."""

    reason: str
    next: str

    def why_not(self, _entry: Entry) -> Blocked | None:
        return Blocked("kind", self.reason, self.next)

    async def prepare_undo(self, part: Entry, _context: UndoContext) -> PlannedUndo:
        return self.why_not(part)

    async def look(self, entry: Entry, client: Client, if_absent: RecoveryVerdict) -> Recovery:
        newest, is_made = entry.before.get(NEWEST), False
        if entry.kind == "cohort" and isinstance(newest, int):
            # The server names it after the flag; those there were before have lower numbers.
            name = f"Users with feature flag {entry.key} enabled at "
            later = (cohort for cohort in await client.cohorts.all() if cohort.id > newest)
            is_made = any(cohort.name.startswith(name) for cohort in later)
        elif entry.kind == "dashboard":
            is_made = (await client.flags.get(entry.record)).usage_dashboard is not None
        else:
            return Recovery(entry, "not known")
        return Recovery(entry, "applied" if is_made else if_absent)


RELATED: Final[dict[str, EntryKind]] = {
    COPY: CopyEntries(),
    SCHEDULED: ScheduleEntries(),
    "cohort": LastingEntries("no server deletes a cohort for an API key", "delete the cohort in the browser"),
    "dashboard": LastingEntries(
        "no server deletes a dashboard for an API key", "delete the dashboard in the browser"
    ),
    "enrich": LastingEntries("it is not known what was added to the dashboard", "remove it in the browser"),
}
"""By their names in the journal."""
