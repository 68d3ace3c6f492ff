"""An approved plan on its way: journal, one request, and a true word about how it ended."""

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Protocol, TypeVar
from uuid import uuid4

from flagtui.api.clock import Clock, SystemClock
from flagtui.api.errors import ApiError, ApprovalNeeded, Conflict, NotFound, Unreachable
from flagtui.changes.difference import Clash, merge, same
from flagtui.changes.flags.canonical_filters import means_same
from flagtui.changes.flags.flag_body import NOT_COMPARABLE
from flagtui.changes.flags.flag_context import FRESH_FOR
from flagtui.changes.flags.flag_lookup import FlagReader, Tell, resolve
from flagtui.changes.flags.flag_plan import Plan, stored_value
from flagtui.changes.flags.flag_words import hidden_clash
from flagtui.changes.flags.verification import compare
from flagtui.changes.guard import Approved, spend
from flagtui.changes.journal import Journal, JournalUnwritable
from flagtui.changes.journal_entries import Entry, Signature
from flagtui.changes.outcome import (
    AwaitingApproval,
    Conflicted,
    Failed,
    Outcome,
    Refused,
    Saved,
    Unknown,
)
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON

_UNPROTECTED: Final = NOT_COMPARABLE - {"has_encrypted_payloads"}
_Ended = TypeVar("_Ended", bound=Outcome)


class FlagsApi(FlagReader, Protocol):
    """Reads and writes single flags: `client.flags`."""

    async def create(self, body: Mapping[str, JSON]) -> Flag: ...

    async def update(
        self,
        id: int,
        changes: Mapping[str, JSON],
        *,
        version: int | None = None,
        original: Mapping[str, JSON] | None = None,
    ) -> Flag: ...


def _silent(words: str) -> None:
    """For those who do not watch."""


@dataclass(frozen=True)
class FlagSaveContext:
    """What saving works with."""

    flags: FlagsApi
    journal: Journal
    signature: Signature = field(default_factory=Signature)
    clock: Clock = field(default_factory=SystemClock)
    tell: Tell = _silent
    """Hears what is known while an answer is missing."""


async def save(approved: Approved, context: FlagSaveContext, undoes: str = "") -> Outcome:
    """Sends the one approved plan once. Raises for an approval that was used, or one for several plans."""
    if len(approved.plans) != 1:
        raise ValueError("several plans are saved by a batch")
    spend(approved)
    return await save_plan(approved, approved.plans[0], context, undoes)


async def save_plan(approved: Approved, plan: Plan, context: FlagSaveContext, undoes: str = "") -> Outcome:
    """One plan of an approval whose use the caller has settled."""
    if not any(plan is agreed for agreed in approved.plans):
        raise ValueError("nobody approved this plan")
    if conflict := await _changed_since_read(plan, context):
        return conflict
    entry = _entry(plan, approved, context, undoes)
    try:
        await asyncio.to_thread(context.journal.begin, entry)
    except JournalUnwritable as fault:
        if not approved.without_journal:
            return _no_journal(plan, fault)
        return await _send(plan, context, "")
    try:
        outcome = await _send(plan, context, entry.id)
    except asyncio.CancelledError:
        _note_ending(context.journal, entry.id, "stopped while it was on its way")
        raise
    return await _written_down(outcome, entry.id, context.journal)


async def _send(plan: Plan, context: FlagSaveContext, journal_id: str) -> Outcome:
    try:
        found = await _ask(plan, context.flags)
    except Conflict as error:
        return await _after_conflict(plan, error, context, journal_id)
    except ApiError as error:
        if not error.sent:
            return _not_applied(plan, error)
        context.tell(f"{plan.key}: no answer; looking whether it was done")
        return await resolve(
            Unknown(plan, error, None, journal_id), context.flags, context.clock, context.tell
        )
    return _judged(plan, found, journal_id)


async def _ask(plan: Plan, flags: FlagsApi) -> Flag:
    if plan.is_new:
        return await flags.create(plan.body)
    return await flags.update(plan.id, plan.body, version=plan.version, original=plan.original)


def _judged(plan: Plan, found: Flag, journal_id: str) -> Outcome:
    report = compare(plan, found)
    if report.is_applied:
        return Saved(plan, found, report, journal_id)
    reason = "the server said yes but did not change it; an approval may be pending"
    return Refused(plan, reason, "look at it in the browser")


async def _after_conflict(plan: Plan, error: Conflict, context: FlagSaveContext, journal_id: str) -> Outcome:
    """A conflict can be our own success, delivered twice; only the record itself can tell."""
    try:
        theirs = await context.flags.get(plan.id)
    except ApiError:
        # Either another person's write or the second delivery of ours; reading it again will tell.
        return await resolve(
            Unknown(plan, error, None, journal_id), context.flags, context.clock, context.tell
        )
    report = compare(plan, theirs)
    if not report.missing:
        return Saved(plan, theirs, report, journal_id)
    return Conflicted(plan, theirs, _clashes(plan, theirs))


async def _changed_since_read(plan: Plan, context: FlagSaveContext) -> Outcome | None:
    """Reads again before a plan that is old, or that the server cannot check against other writes."""
    if plan.is_new:
        return None
    is_old = context.clock.time() - plan.read_at > FRESH_FOR
    if not is_old and not _UNPROTECTED & plan.body.keys():
        return None
    try:
        theirs = await context.flags.get(plan.id)
    except ApiError as error:
        return _not_applied(plan, error)
    values = {name: stored_value(theirs, name) for name in plan.before}
    if theirs.version == plan.version and all(same(values[name], plan.before[name]) for name in values):
        return None
    return Conflicted(plan, theirs, _clashes(plan, theirs))


def _clashes(plan: Plan, theirs: Flag) -> tuple[Clash, ...]:
    found = (
        merge(plan.before[name], plan.values[name], stored_value(theirs, name), (name,), means_same)[1]
        for name in plan.values
    )
    clashes = [clash for some in found for clash in some]
    return tuple(map(hidden_clash, clashes) if plan.is_secret else clashes)


def _not_applied(plan: Plan, error: ApiError) -> Outcome:
    match error:
        case ApprovalNeeded():
            return AwaitingApproval(plan, error, error.change_request_id, error.pending)
        case Unreachable():
            return Failed(plan, error.what, error.next, error)
        case NotFound():
            return Refused(plan, error.what, "it may have been deleted for good; refresh", error)
    return Refused(plan, error.what, error.next, error)


def _no_journal(plan: Plan, fault: JournalUnwritable) -> Refused:
    reason = f"the journal cannot be written: {fault}"
    return Refused(plan, reason, "make room, or agree to go without it", by="journal")


def _entry(plan: Plan, approved: Approved, context: FlagSaveContext, undoes: str) -> Entry:
    return Entry(
        id=uuid4().hex,
        at=context.clock.time(),
        record=0 if plan.is_new else plan.id,
        key=plan.key,
        verb=plan.intent.verb,
        signature=context.signature,
        kind=plan.intent.kind,
        reason=approved.reason,
        version=plan.version,
        before=plan.before,
        after=plan.values,
        is_secret=plan.is_secret,
        words=() if plan.is_secret else tuple(line.words for line in plan.lines),
        batch=approved.batch,
        undoes=undoes,
        pid=os.getpid(),
    )


async def _written_down(outcome: _Ended, id: str, journal: Journal) -> _Ended:
    record = outcome.record if isinstance(outcome, Saved) else None
    note = outcome.reason if isinstance(outcome, Refused | Failed) else ""
    try:
        await asyncio.to_thread(journal.finish, id, outcome.ending, record, note)
    except JournalUnwritable as fault:
        return replace(outcome, note=f"how it ended could not be written down: {fault}")
    return outcome


def _note_ending(journal: Journal, id: str, note: str) -> None:
    try:
        journal.finish(id, "unknown", None, note)
    except JournalUnwritable:
        # The entry stays open without it, which says the same.
        return
