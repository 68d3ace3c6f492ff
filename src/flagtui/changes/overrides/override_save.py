"""Overrides in the pipeline and in the journal: a mirror counts no versions, so each is read again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flagtui.changes.adapter import Adapter
from flagtui.changes.difference import FieldConflict
from flagtui.changes.entry_kind import EntryKind, PlannedUndo, Recovery, RecoveryVerdict
from flagtui.changes.journal_entries import Entry
from flagtui.changes.overrides.override_plan import (
    KIND,
    VERBS,
    OverrideIntent,
    OverrideMirror,
    OverridePlan,
    plan_override,
    value_at,
    values_of,
)
from flagtui.changes.own_changes import mark_own_conflicts
from flagtui.changes.planner import Planned
from flagtui.changes.proposal import Outcome, conflict_because
from flagtui.changes.skipped import Blocked
from flagtui.models.json_value import JSON
from flagtui.models.mirror_state import MirrorState

if TYPE_CHECKING:
    from flagtui.api import Client
    from flagtui.changes.entry_kind import UndoContext

OverrideOutcome = Outcome[OverridePlan, MirrorState]


@dataclass(frozen=True)
class OverrideAdapter(Adapter[OverridePlan, MirrorState]):
    """The adapter of overrides for the pipeline."""

    mirror: OverrideMirror

    def journal_entry(self, plan: OverridePlan) -> Entry:
        intent = plan.intent
        person: dict[str, JSON] = {} if intent.person is None else {"person": intent.person}
        return Entry(
            key=plan.key,
            verb=plan.verb.name,
            kind=KIND,
            record=plan.id,
            before={**values_of(plan.previous), **person},
            after={**values_of(intent.value), **person},
            words=tuple(line.words for line in plan.lines),
        )

    def is_compared(self, plan: OverridePlan) -> bool:
        return False

    async def read(self, plan: OverridePlan) -> MirrorState:
        return await self.mirror.read()

    def conflict(self, plan: OverridePlan, now: MirrorState) -> OverrideOutcome | None:
        current = value_at(now, plan.intent)
        if current == plan.previous:
            return None
        return conflict_because(plan, now, f"its override is {current or 'removed'} now")

    async def send(self, plan: OverridePlan) -> OverrideOutcome:
        intent, override = plan.intent, plan.intent.override
        if override is None:
            state = await self.mirror.unset(intent.key, intent.person)
        else:
            state = await self.mirror.set(override)
        return self.judge(plan, state) or Outcome(
            plan, "refused", state, f"the mirror serves {value_at(state, intent) or 'no override'}"
        )

    def judge(self, plan: OverridePlan, seen: MirrorState | None) -> OverrideOutcome | None:
        if seen is None:
            return None
        current = value_at(seen, plan.intent)
        if current == plan.intent.value:
            return Outcome(plan, "saved", seen)
        if plan.intent.value is None and current != plan.previous:
            # The override of the file had been overruled.
            return Outcome(plan, "saved", seen, remarks=(f"{seen.file} sets {current}",))
        return None

    def is_as_before(self, plan: OverridePlan, seen: MirrorState | None) -> bool:
        return seen is not None and value_at(seen, plan.intent) == plan.previous


class OverrideEntries(EntryKind):
    """Undo overrides, in the mirror that is open."""

    noun = "flag"
    verbs = VERBS
    is_local = True

    async def prepare_undo(self, part: Entry, context: UndoContext) -> PlannedUndo:
        if context.mirror is None:
            return Blocked("elsewhere", "it is an override of a mirror", "open it with: flagtui --mirror")
        intent = _intent_of(part, part.before.get(KIND))
        state = await context.mirror.read()
        current = value_at(state, intent)
        conflicts: tuple[FieldConflict, ...] = ()
        if current not in (part.after.get(KIND), intent.value):
            conflicts = (FieldConflict((KIND,), part.after.get(KIND), intent.value, current),)
        own = mark_own_conflicts(conflicts, part, context.entries)
        plan = plan_override(intent, state, context.clock.time(), own)
        if plan is None or isinstance(plan, Blocked):
            return plan
        return Planned(OverrideAdapter(context.mirror), [plan])

    async def look(self, entry: Entry, client: Client, if_absent: RecoveryVerdict) -> Recovery:
        return Recovery(entry, "not known")

    async def look_in_mirror(
        self, entry: Entry, mirror: OverrideMirror, if_absent: RecoveryVerdict
    ) -> Recovery:
        current = value_at(await mirror.read(), _intent_of(entry, entry.after.get(KIND)))
        if current == entry.after.get(KIND):
            return Recovery(entry, "applied")
        return Recovery(entry, if_absent if current == entry.before.get(KIND) else "changed since")


def _intent_of(entry: Entry, value: JSON) -> OverrideIntent:
    """Return the override of the flag and person of an entry with this value."""
    person = entry.before.get("person")
    return OverrideIntent(
        entry.record,
        entry.key,
        value if isinstance(value, str) else None,
        person if isinstance(person, str) else None,
    )
