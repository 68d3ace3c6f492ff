"""Approved plans on their way: journal, together where that can be, and a true word about each."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from flagtui.api.clock import Clock, SystemClock
from flagtui.api.errors import (
    ApiError,
    Invalid,
    NotFound,
    NotOffered,
    Unreachable,
)
from flagtui.changes.difference import same
from flagtui.changes.event_definitions.bulk import Bulk, BulkWriter, grouped, save_group
from flagtui.changes.event_definitions.definition_intent import KIND
from flagtui.changes.event_definitions.definition_lookup import judged, look
from flagtui.changes.event_definitions.definition_outcome import DefinitionEnded
from flagtui.changes.event_definitions.definition_plan import EventPlan, stored
from flagtui.changes.flags.flag_context import FRESH_FOR
from flagtui.changes.guard import Approved, spend
from flagtui.changes.journal import Journal, JournalUnwritable
from flagtui.changes.journal_entries import Ending, Signature
from flagtui.changes.pipeline import Concluded, Remembered, stops_all, write, write_together
from flagtui.models.event_definition import EventDefinition
from flagtui.models.json_value import JSON

LONGEST_WAIT: Final = 120.0
"""Seconds the server may make a batch wait before it stops."""


class Writer(BulkWriter, Protocol):
    """Reads and writes definitions: `client.event_definitions`."""

    async def by_name(self, name: str) -> EventDefinition: ...
    async def create(self, name: str, more: Mapping[str, JSON] | None = None) -> EventDefinition: ...
    async def update(self, id: str, changes: Mapping[str, JSON]) -> EventDefinition: ...
    async def delete(self, id: str) -> None: ...


@dataclass(frozen=True)
class DefinitionSaveContext:
    """What saving works with."""

    definitions: Writer
    journal: Journal
    signature: Signature = field(default_factory=Signature)
    clock: Clock = field(default_factory=SystemClock)
    tell: Callable[[str], None] = lambda _words: None


async def save_all(
    approved: Approved[EventPlan], context: DefinitionSaveContext, undoes: Mapping[str, str] | None = None
) -> AsyncIterator[DefinitionEnded]:
    """Every plan with how it ended; what would stop all stops here, and the rest is not sent.

    `undoes` names by event name the journal entry a plan takes back. Raises for an approval that was used.
    """
    spend(approved)
    adapter = DefinitionAdapter(context.definitions, context.clock)
    for group in grouped(approved.plans):
        every = await _save_group(group, approved, adapter, context, undoes or {})
        for ended in every:
            yield ended
        if any(stops_all(ended, ended.error, by_journal=ended.is_without_journal) for ended in every):
            return


async def _save_group(
    group: Bulk,
    approved: Approved[EventPlan],
    adapter: "DefinitionAdapter",
    context: DefinitionSaveContext,
    undoes: Mapping[str, str],
) -> Sequence[DefinitionEnded]:
    if len(group.plans) == 1:
        plan = group.plans[0]
        return [await write(approved, plan, adapter, context, undoes.get(plan.key, ""))]

    async def send() -> Sequence[DefinitionEnded]:
        return await save_group(group, adapter, context)

    return await write_together(approved, group.plans, adapter, context, undoes, send)


@dataclass(frozen=True)
class DefinitionAdapter:
    """Event definitions on the way of every change: they have no version, and older servers make none."""

    definitions: Writer
    clock: Clock
    longest_wait: float = LONGEST_WAIT

    def remembered(self, plan: EventPlan) -> Remembered:
        return Remembered(
            key=plan.key,
            verb=plan.intent.verb,
            kind=KIND,
            uuid=plan.id,
            before=plan.before,
            after=plan.values,
            words=tuple(line.words for line in plan.lines),
        )

    async def changed_since_read(self, plan: EventPlan) -> DefinitionEnded | None:
        """A question that stood long is checked against the definition as it is now."""
        if plan.is_new or not plan.read_at or self.clock.time() - plan.read_at <= FRESH_FOR:
            return None
        try:
            now = await self.definitions.get(plan.id)
        except NotFound:
            return None
        except ApiError as error:
            return self.not_applied(plan, error)
        moved = [name for name in plan.body if not same(stored(now, name), plan.before.get(name))]
        if not moved:
            return None
        reason = f"changed since it was shown: {', '.join(moved)}"
        return DefinitionEnded(plan, "conflicted", now, reason, "look at it, then try again")

    async def send(self, plan: EventPlan) -> DefinitionEnded:
        try:
            found = await _ask(plan, self.definitions)
        except NotFound as error:
            if plan.is_deletion:
                return DefinitionEnded(plan, "saved")
            next = "it may have been deleted; F5 looks"
            return DefinitionEnded(plan, "refused", reason=error.what, next=next, error=error)
        return DefinitionEnded(plan, "saved") if found is None else judged(plan, found)

    def without_answer(self, plan: EventPlan, error: ApiError) -> DefinitionEnded:
        next = "it is kept in the journal as not known; F5 looks again"
        return DefinitionEnded(
            plan, "unknown", None, "no answer came, and it is not there so far", next, error
        )

    async def look(self, plan: EventPlan, unknown: DefinitionEnded) -> DefinitionEnded:
        return await look(plan, unknown, self.definitions)

    def waiting_words(self, unknown: DefinitionEnded) -> str:
        return ""

    def not_applied(self, plan: EventPlan, error: ApiError) -> DefinitionEnded:
        ending: Ending = "failed" if isinstance(error, Unreachable) else "refused"
        return DefinitionEnded(plan, ending, reason=error.what, next=error.next, error=error)

    def not_remembered(self, plan: EventPlan, fault: JournalUnwritable) -> DefinitionEnded:
        reason = f"the journal cannot be written: {fault}"
        next = "make room, or agree to go without it"
        return DefinitionEnded(plan, "refused", reason=reason, next=next, is_without_journal=True)

    def concluded(self, ended: DefinitionEnded) -> Concluded:
        return Concluded(ended, ended.reason)

    def noted(self, ended: DefinitionEnded, journal_id: str, note: str) -> DefinitionEnded:
        return replace(ended, journal_id=journal_id, note=note)


async def _ask(plan: EventPlan, definitions: Writer) -> EventDefinition | None:
    if plan.is_deletion:
        await definitions.delete(plan.id)
        return None
    if not plan.is_new:
        return await definitions.update(plan.id, plan.body)
    try:
        return await definitions.create(plan.key, plan.body)
    except Invalid as error:
        # The event was sent again meanwhile, which brought a bare definition back.
        if error.attr != "name":
            raise
        found = await definitions.by_name(plan.key)
    except NotOffered as error:
        found = await _sent_again(plan, error, definitions)
    return await definitions.update(found.id, plan.body) if plan.body else found


async def _sent_again(plan: EventPlan, error: NotOffered, definitions: Writer) -> EventDefinition:
    """Older servers make definitions from events alone; raises until there was one."""
    try:
        return await definitions.by_name(plan.key)
    except NotFound:
        next = "The copy stays in the journal; u gives it its metadata back once the event is sent again."
        raise NotOffered(
            "This server makes definitions from events alone.", next=next, facts=error.facts
        ) from None
