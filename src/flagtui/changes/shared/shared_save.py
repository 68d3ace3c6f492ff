"""Holdouts and shared metrics in the pipeline and in the journal; they have no versions."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from flagtui.api.errors import NotFound
from flagtui.changes.adapter import Adapter
from flagtui.changes.difference import same
from flagtui.changes.entry_kind import EntryKind, PlannedUndo, Recovery, RecoveryVerdict
from flagtui.changes.journal import Numbered
from flagtui.changes.journal_entries import Entry
from flagtui.changes.own_changes import mark_own_conflicts
from flagtui.changes.planner import Planned
from flagtui.changes.proposal import Outcome, conflict_over
from flagtui.changes.shared.shared_plan import (
    FIELDS,
    HOLDOUT,
    METRIC,
    NOUNS,
    VERBS,
    SharedIntent,
    SharedPlan,
    SharedRecord,
    is_stored,
    plan_shared,
    stored_fields,
)
from flagtui.changes.skipped import Blocked
from flagtui.models.json_value import as_id

if TYPE_CHECKING:
    from flagtui.api import Client
    from flagtui.changes.entry_kind import UndoContext

NEWEST: Final = "newest"
"""The name in the journal of the highest id before a creation."""
SharedOutcome = Outcome[SharedPlan, SharedRecord]


def operations_of(client: Client, kind: str) -> Any:
    """Return the operations on records of this kind."""
    return client.holdouts if kind == HOLDOUT else client.saved_metrics


@dataclass(frozen=True)
class SharedAdapter(Adapter[SharedPlan, SharedRecord]):
    """Rules of holdouts and shared metrics in the pipeline."""

    client: Client

    def journal_entry(self, plan: SharedPlan) -> Entry:
        return Entry(
            key=plan.key,
            verb=plan.verb.name,
            kind=plan.intent.kind,
            record=plan.id,
            before={NEWEST: plan.newest} if plan.makes_record else plan.before,
            after={"deleted": True} if plan.is_deletion else plan.values,
            words=tuple(line.words for line in plan.lines),
        )

    def is_compared(self, plan: SharedPlan) -> bool:
        return False

    async def read(self, plan: SharedPlan) -> SharedRecord | None:
        operations = operations_of(self.client, plan.intent.kind)
        if not plan.makes_record:
            record: SharedRecord = await operations.get(plan.id)
            return record
        return next(
            (
                record
                for record in await operations.all()
                if record.id > plan.newest and record.name == plan.key
            ),
            None,
        )

    def conflict(self, plan: SharedPlan, now: SharedRecord) -> SharedOutcome | None:
        current = stored_fields(plan.intent.kind, now)
        moved = [name for name, value in plan.before.items() if not same(current[name], value)]
        return conflict_over(moved, plan, now)

    async def send(self, plan: SharedPlan) -> SharedOutcome:
        operations = operations_of(self.client, plan.intent.kind)
        if plan.is_deletion:
            with suppress(NotFound):
                await operations.delete(plan.id)
            return Outcome(plan, "saved")
        if plan.makes_record:
            record = await operations.create(plan.values)
        else:
            record = await operations.update(plan.id, plan.values)
        lost = _not_stored(plan, record)
        remarks = (f"the server did not store: {', '.join(lost)}",) if lost else ()
        return Outcome(plan, "saved", record, remarks=remarks)

    def judge(self, plan: SharedPlan, seen: SharedRecord | None) -> SharedOutcome | None:
        if seen is None or plan.is_deletion or _not_stored(plan, seen):
            return None
        return Outcome(plan, "saved", seen)

    def is_as_before(self, plan: SharedPlan, seen: SharedRecord | None) -> bool:
        if plan.makes_record:
            # Another user may have created a record of that name with other fields.
            return seen is None
        if seen is None or plan.is_deletion:
            return True
        current = stored_fields(plan.intent.kind, seen)
        return all(same(current[name], value) for name, value in plan.before.items())


def _not_stored(plan: SharedPlan, record: SharedRecord) -> list[str]:
    current = stored_fields(plan.intent.kind, record)
    return [name for name, value in plan.values.items() if not is_stored(value, current[name])]


@dataclass(frozen=True)
class SharedEntries(EntryKind):
    """Undo changes of one kind: create a deleted record again, delete a created record."""

    kind: str
    verbs = VERBS

    @property
    def noun(self) -> str:  # type: ignore[override]
        return NOUNS[self.kind]

    def why_not(self, entry: Entry) -> Blocked | None:
        if entry.verb == "create" and not entry.record:
            return Blocked(
                "number", f"the number of the new {self.noun} was not learned", "delete it by hand"
            )
        return None

    async def prepare_undo(self, part: Entry, context: UndoContext) -> PlannedUndo:
        operations, now = operations_of(context.client, self.kind), context.clock.time()
        fresh: SharedRecord | None = None
        newest = 0
        if part.verb == "delete":
            values = {name: part.before[name] for name in FIELDS[self.kind] if name in part.before}
            intent = SharedIntent(self.kind, 0, values, "create")
            newest = max((record.id for record in await operations.all()), default=0)
        else:
            try:
                fresh = await operations.get(part.record)
            except NotFound:
                return Blocked("gone", f"the {self.noun} is not there any more")
            # What others changed since it was created is lost with it.
            intent = SharedIntent(self.kind, part.record, {}, "delete", {"description": "", **part.after})
            if part.verb != "create":
                intent = SharedIntent(self.kind, part.record, part.before, "edit", part.after)
        plan = plan_shared(intent, fresh, now, newest)
        if not isinstance(plan, SharedPlan):
            return plan
        plan = replace(plan, conflicts=mark_own_conflicts(plan.conflicts, part, context.entries))
        return Planned(SharedAdapter(context.client), [plan])

    async def look(self, entry: Entry, client: Client, if_absent: RecoveryVerdict) -> Recovery:
        operations = operations_of(client, self.kind)
        if entry.verb == "create":
            newest = as_id(entry.before.get(NEWEST)) or 0
            made = [
                record for record in await operations.all() if record.id > newest and record.name == entry.key
            ]
            return Recovery(entry, "applied", Numbered(made[0].id)) if made else Recovery(entry, if_absent)
        try:
            record = await operations.get(entry.record)
        except NotFound:
            return Recovery(entry, "applied" if entry.verb == "delete" else "gone", Numbered(entry.record))
        current, number = stored_fields(self.kind, record), Numbered(entry.record)
        if entry.verb == "delete":
            return Recovery(entry, if_absent, number)
        if all(is_stored(value, current.get(name)) for name, value in entry.after.items()):
            return Recovery(entry, "applied", number)
        is_as_before = all(same(current.get(name), value) for name, value in entry.before.items())
        return Recovery(entry, if_absent if is_as_before else "changed since", number)


SHARED: Final[dict[str, EntryKind]] = {kind: SharedEntries(kind) for kind in (HOLDOUT, METRIC)}
"""By their names in the journal."""
