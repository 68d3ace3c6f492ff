"""Event definitions in the pipeline and in the journal: they have no version, and older servers make none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from flagtui.api.errors import Invalid, NotFound, NotOffered, Unanswered
from flagtui.changes.adapter import Adapter
from flagtui.changes.difference import FieldConflict, same
from flagtui.changes.entry_kind import EntryKind, PlannedUndo, Recovery, RecoveryVerdict
from flagtui.changes.event_definitions.definition_intent import KIND, EventIntent, event_verb, verb_of
from flagtui.changes.event_definitions.definition_plan import (
    CREATING,
    RECREATED_FIELDS,
    DefinitionContext,
    EventPlan,
    plan_event,
    plan_recreation,
    stored_event_value,
)
from flagtui.changes.event_definitions.logged_changes import logged_change
from flagtui.changes.journal import Numbered
from flagtui.changes.journal_entries import Entry
from flagtui.changes.own_changes import mark_own_conflicts
from flagtui.changes.planner import Planned
from flagtui.changes.proposal import NOT_KEPT, Caution, Outcome, conflict_over, why_not_kept
from flagtui.changes.skipped import Blocked
from flagtui.changes.unanswered import as_unknown
from flagtui.models.activity import Activity
from flagtui.models.event_definition import EventDefinition
from flagtui.models.flag_responses import BulkError
from flagtui.models.json_value import JSON, as_text
from flagtui.models.record_fields import EVENT_FIELDS

if TYPE_CHECKING:
    from flagtui.api import Client
    from flagtui.api.event_definitions import EventDefinitions
    from flagtui.changes.entry_kind import UndoContext


DefinitionOutcome = Outcome[EventPlan, EventDefinition]


MOST: Final = 500
"""Definitions a server takes at once."""


@dataclass(frozen=True)
class DefinitionAdapter(Adapter[EventPlan, EventDefinition]):
    """The adapter of event definitions for the pipeline."""

    definitions: EventDefinitions

    def journal_entry(self, plan: EventPlan) -> Entry:
        return Entry(
            key=plan.key,
            verb=plan.intent.verb,
            kind=KIND,
            uuid=plan.id,
            before=plan.before,
            after=plan.values,
            words=tuple(line.words for line in plan.lines),
        )

    def is_compared(self, plan: EventPlan) -> bool:
        """Return False: nothing is lost where a tag or the verification of another user is set again."""
        return _together(plan) is not None

    async def read(self, plan: EventPlan) -> EventDefinition | None:
        if not plan.is_new:
            return await self.definitions.get(plan.id)
        try:
            return await self.definitions.by_name(plan.key)
        except NotFound:
            return None

    def conflict(self, plan: EventPlan, now: EventDefinition) -> DefinitionOutcome | None:
        # The journal alone keeps what a deletion loses: it must have the current values.
        names = RECREATED_FIELDS if plan.is_deletion else plan.body
        fresh = plan.fresh
        moved = [name for name in names if not same(*(stored_event_value(it, name) for it in (now, fresh)))]
        return conflict_over(moved, plan, now)

    async def send(self, plan: EventPlan) -> DefinitionOutcome:
        try:
            outcome = await _ask(plan, self.definitions)
        except NotFound:
            if plan.is_deletion:
                return Outcome(plan, "saved")
            raise
        if outcome is None:
            return Outcome(plan, "saved")
        stored = {name: stored_event_value(outcome, name) for name in missing_in(plan, outcome)}
        lost = [name for name in stored if same(stored[name], stored_event_value(plan.fresh, name))]
        if lost and len(lost) == len(plan.body):
            why = why_not_kept(lost) or "it may not be licensed"
            return Outcome(plan, "refused", outcome, NOT_KEPT, why)
        words = {"the server did not store": lost, "not changed as planned": stored.keys() - lost}
        remarks = tuple(f"{what}: {', '.join(sorted(names))}" for what, names in words.items() if names)
        return Outcome(plan, "saved", outcome, remarks=remarks, server_values=stored)

    def judge(self, plan: EventPlan, seen: EventDefinition | None) -> DefinitionOutcome | None:
        if seen is None or plan.is_deletion or missing_in(plan, seen):
            return None
        return Outcome(plan, "saved", seen)

    def is_as_before(self, plan: EventPlan, seen: EventDefinition | None) -> bool:
        """Return whether no planned field has changed: without versions, only its base value proves that."""
        if seen is None or plan.is_deletion:
            return True
        return all(same(stored_event_value(seen, name), plan.before.get(name)) for name in plan.body)

    def groups(self, plans: Sequence[EventPlan]) -> Iterator[Sequence[EventPlan]]:
        """Yield the groups in the order of their first plans."""
        groups: dict[tuple[object, ...], list[EventPlan]] = {}
        for place, plan in enumerate(plans):
            groups.setdefault(_together(plan) or (place,), []).append(plan)
        for group in groups.values():
            for start in range(0, len(group), MOST):
                yield tuple(group[start : start + MOST])

    async def send_group(self, plans: Sequence[EventPlan]) -> Sequence[DefinitionOutcome]:
        kept, skipped = await self._asked_together(plans)
        return [_of_group(plan, kept.get(plan.id), skipped.get(plan.id)) for plan in plans]

    async def _asked_together(
        self, plans: Sequence[EventPlan]
    ) -> tuple[dict[str, JSON], dict[str, BulkError]]:
        """Return what each definition has now, by id, and why others were skipped. Raises ApiError."""
        first, ids = plans[0], [plan.id for plan in plans]
        retag = first.intent.retag
        if retag is None:
            is_verified = first.body.get("verified") is True
            verified = await self.definitions.bulk_update_verified(ids, is_verified)
            # No-ops appear in neither list.
            kept: dict[str, JSON] = dict.fromkeys(ids, is_verified)
            kept |= {result.id: result.verified for result in verified.updated}
            return kept, {str(skip.id): skip for skip in verified.skipped}
        tagged = await self.definitions.bulk_update_tags(ids, retag.action, retag.tags)
        kept = {str(result.id): list(result.tags) for result in tagged.updated}
        return kept, {str(skip.id): skip for skip in tagged.skipped}


def missing_in(plan: EventPlan, event: EventDefinition) -> tuple[str, ...]:
    """Return the planned fields that have another value."""
    return tuple(
        name
        for name, value in plan.body.items()
        if not same(stored_event_value(event, name), EVENT_FIELDS.comparable(name, value))
    )


def _together(plan: EventPlan) -> tuple[object, ...] | None:
    """Return what groups it with others in one request; None when it goes alone."""
    if plan.is_deletion or plan.is_new:
        return None
    if set(plan.body) == {"verified"}:
        return "verified", plan.body["verified"]
    if set(plan.body) == {"tags"} and plan.intent.retag is not None:
        return "tags", plan.intent.retag.action, plan.intent.retag.tags
    return None


def _of_group(plan: EventPlan, kept: JSON, skipped: BulkError | None) -> DefinitionOutcome:
    if skipped is not None and skipped.is_sent:
        return as_unknown(plan, Unanswered(skipped.reason))
    if skipped is not None:
        next = "read the list again to see whether it is still there"
        return Outcome(plan, "refused", None, skipped.reason, next)
    retag = plan.intent.retag
    if retag is None or not isinstance(kept, list):
        return Outcome(plan, "saved")
    is_kept = retag.is_done([*map(as_text, kept)])
    return (
        Outcome(plan, "saved")
        if is_kept
        else Outcome(plan, "refused", None, NOT_KEPT, why_not_kept(["tags"]))
    )


async def _ask(plan: EventPlan, definitions: EventDefinitions) -> EventDefinition | None:
    if plan.is_deletion:
        await definitions.delete(plan.id)
        return None
    if not plan.is_new:
        return await definitions.update(plan.id, plan.body)
    try:
        return await definitions.create(plan.key, plan.body)
    except Invalid as error:
        # The event was sent again meanwhile, which brought a bare definition back.
        if error.attr != "name" or plan.intent.verb == "create":
            raise
        definition = await definitions.by_name(plan.key)
    except NotOffered as error:
        if plan.intent.verb == "create":
            raise
        # Older servers make definitions from events alone.
        try:
            definition = await definitions.by_name(plan.key)
        except NotFound:
            next = "The copy stays in the journal; undo restores its metadata once the event is sent again."
            what = "This server creates definitions only from events."
            raise NotOffered(what, next=next, facts=error.facts) from None
    return await definitions.update(definition.id, plan.body) if plan.body else definition


class DefinitionEntries(EntryKind):
    """Undo changes of event definitions: recreate a deleted one, delete a recreated one."""

    noun = "event definition"

    def from_log(self, entry: Activity) -> Entry | Blocked:
        return logged_change(entry)

    def undo_words(self, entry: Entry) -> str:
        return event_verb(entry.verb).undo

    def creation(self, entry: Entry) -> Entry | None:
        return entry if _is_recreation(entry) else None

    async def prepare_undo(self, part: Entry, context: UndoContext) -> PlannedUndo:
        definition_context = DefinitionContext(context.clock.time(), context.people)
        if is_deletion(part):
            undo_plan = plan_recreation(part.key, part.before, definition_context)
        else:
            fresh = await _read(part, context.client)
            planned = plan_undo(part, fresh, definition_context)
            if planned is None:
                return None
            undo_plan = replace(planned, cautions=(*planned.cautions, *_cautions(planned, part, context)))
        plan = replace(undo_plan, conflicts=mark_own_conflicts(undo_plan.conflicts, part, context.entries))
        return Planned(DefinitionAdapter(context.client.event_definitions), [plan])

    async def look(self, entry: Entry, client: Client, if_absent: RecoveryVerdict) -> Recovery:
        try:
            record = await _read(entry, client)
        except NotFound:
            return Recovery(entry, "applied" if is_deletion(entry) else if_absent, Numbered(entry.uuid))
        if is_deletion(entry):
            return Recovery(entry, if_absent, Numbered(record.id))
        if _is_now(record, entry.after):
            return Recovery(entry, "applied", Numbered(record.id))
        # Definitions have no versions: what is neither as before nor as wanted was changed since.
        is_as_before = _is_recreation(entry) or _is_now(record, entry.before)
        return Recovery(entry, if_absent if is_as_before else "changed since", Numbered(record.id))


def _cautions(plan: EventPlan, entry: Entry, context: UndoContext) -> Iterator[Caution]:
    """Yield the caution that another user changed the definition last, after the entry; no log has what."""
    editor, at, me = plan.fresh.updated_by, plan.fresh.updated_at, context.me
    is_of_another = editor is not None and me is not None and editor.id != me.id
    if not plan.conflicts and is_of_another and at is not None and at.timestamp() > entry.at:
        yield Caution("another user changed it since, perhaps the same values")


def is_deletion(entry: Entry) -> bool:
    """Return whether it deleted the definition, so that undoing means recreating it."""
    return entry.after.get("deleted") is True


def plan_undo(entry: Entry, fresh: EventDefinition, context: DefinitionContext) -> EventPlan | None:
    """Plan the old values on the current definition; a field changed since is a conflict."""
    if _is_recreation(entry):
        plan = plan_event(EventIntent(fresh.id, {"deleted": True}, "delete"), fresh, context)
        return plan and replace(plan, conflicts=tuple(_changed_since(entry, fresh)))
    names = [name for name in entry.after if name in RECREATED_FIELDS and name in entry.before]
    before = {name: entry.before[name] for name in names}
    seen = {name: entry.after[name] for name in names}
    # Both at once are refused only when both are true, and the one that was true brings the other along.
    return plan_event(EventIntent(fresh.id, before, verb_of(before), seen), fresh, context)


def _changed_since(entry: Entry, fresh: EventDefinition) -> Iterator[FieldConflict]:
    """Yield the later changes of a created definition, which deleting it would lose."""
    bare = EventDefinition.of({"id": "", "name": entry.key})
    for name in RECREATED_FIELDS:
        made = EVENT_FIELDS.comparable(name, entry.after.get(name, stored_event_value(bare, name)))
        now = stored_event_value(fresh, name)
        if not same(made, now):
            yield FieldConflict((name,), made, "deleted", now)


def _is_recreation(entry: Entry) -> bool:
    """Return whether it created the definition, so that undoing means deleting it."""
    return entry.verb in CREATING


async def _read(entry: Entry, client: Client) -> EventDefinition:
    definitions = client.event_definitions
    # Until its response is read, a new definition is known by its name alone.
    return await (definitions.get(entry.uuid) if entry.uuid else definitions.by_name(entry.key))


def _is_now(record: EventDefinition, values: Mapping[str, JSON]) -> bool:
    recreated = {name: value for name, value in values.items() if name in RECREATED_FIELDS}
    return all(same(stored_event_value(record, name), value) for name, value in recreated.items())
