"""Approved plans on their way: journal, together where that can be, and a true word about each."""

import asyncio
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol
from uuid import uuid4

from flagtui.api.clock import Clock, SystemClock
from flagtui.api.errors import (
    ApiError,
    Invalid,
    MissingScope,
    NotFound,
    NotOffered,
    NotSignedIn,
    PaymentNeeded,
    RateLimited,
    Unreachable,
)
from flagtui.changes.event_definitions.bulk import Bulk, BulkWriter, grouped, save_group
from flagtui.changes.event_definitions.definition_intent import KIND
from flagtui.changes.event_definitions.definition_lookup import judged, look_for
from flagtui.changes.event_definitions.definition_outcome import DefinitionEnded
from flagtui.changes.event_definitions.definition_plan import EventPlan
from flagtui.changes.guard import Approved, spend
from flagtui.changes.journal import Journal, JournalUnwritable
from flagtui.changes.journal_entries import Ending, Entry, Signature
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


async def save_all(
    approved: Approved[EventPlan], context: DefinitionSaveContext, undoes: Mapping[str, str] | None = None
) -> AsyncIterator[DefinitionEnded]:
    """Every plan with how it ended; what would stop all stops here, and the rest is not sent.

    `undoes` names by event name the journal entry a plan takes back. Raises for an approval that was used.
    """
    spend(approved)
    for group in grouped(approved.plans):
        ids = {}
        for plan in group.plans:
            entry = _entry(plan, approved, context, (undoes or {}).get(plan.key, ""))
            try:
                await asyncio.to_thread(context.journal.begin, entry)
            except JournalUnwritable as fault:
                reason = f"the journal cannot be written: {fault}"
                yield DefinitionEnded(plan, "refused", reason=reason, next="make room, then try again")
                return
            ids[plan.key] = entry.id
        stops = False
        for ended in await _send(group, context):
            await asyncio.to_thread(_write_down, ended, ids[ended.plan.key], context.journal)
            yield ended
            stops = stops or _stops_all(ended)
        if stops:
            return


async def _send(group: Bulk, context: DefinitionSaveContext) -> Sequence[DefinitionEnded]:
    if len(group.plans) > 1:
        return await save_group(group, context.definitions, context.clock)
    plan = group.plans[0]
    try:
        return [await _send_one(plan, context)]
    except RateLimited as error:
        wait = error.retry_after or 1.0
        if wait > LONGEST_WAIT:
            return [DefinitionEnded(plan, "refused", reason=error.what, next=error.next, error=error)]
    await context.clock.sleep(max(wait, 1.0))
    try:
        return [await _send_one(plan, context)]
    except RateLimited as error:
        return [DefinitionEnded(plan, "refused", reason=error.what, next=error.next, error=error)]


async def _send_one(plan: EventPlan, context: DefinitionSaveContext) -> DefinitionEnded:
    try:
        found = await _ask(plan, context.definitions)
    except RateLimited:
        raise
    except NotFound as error:
        if plan.is_deletion:
            return DefinitionEnded(plan, "saved")
        return DefinitionEnded(
            plan, "refused", reason=error.what, next="it may have been deleted; F5 looks", error=error
        )
    except ApiError as error:
        if error.sent:
            return await look_for(plan, error, context.definitions, context.clock)
        ending: Ending = "failed" if isinstance(error, Unreachable) else "refused"
        return DefinitionEnded(plan, ending, reason=error.what, next=error.next, error=error)
    return DefinitionEnded(plan, "saved") if found is None else judged(plan, found)


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


def _entry(
    plan: EventPlan, approved: Approved[EventPlan], context: DefinitionSaveContext, undoes: str
) -> Entry:
    return Entry(
        id=uuid4().hex,
        at=context.clock.time(),
        record=0,
        key=plan.key,
        verb=plan.intent.verb,
        signature=context.signature,
        kind=KIND,
        reason=approved.reason,
        before=plan.before,
        after=plan.values,
        words=tuple(line.words for line in plan.lines),
        batch=approved.batch,
        undoes=undoes,
        pid=os.getpid(),
        uuid=plan.id,
    )


def _write_down(ended: DefinitionEnded, id: str, journal: Journal) -> None:
    try:
        journal.finish(id, ended.ending, ended, ended.reason)
    except JournalUnwritable:
        # The entry stays open, and the next start looks what became of it.
        return


def _stops_all(ended: DefinitionEnded) -> bool:
    """Whether what happened to one would happen to the next, or is not understood yet."""
    stopping = NotSignedIn | MissingScope | PaymentNeeded | RateLimited
    return ended.ending in ("failed", "unknown") or isinstance(ended.error, stopping)
