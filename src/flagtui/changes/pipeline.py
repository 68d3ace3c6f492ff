"""From a person's yes to what is true of it, the same for every kind of record.

Read again where that is due, journal, one request, look-ups where no answer came, journal. What is peculiar
to a kind of record is an adapter. Nothing is ever sent twice; a request that the server surely did not take,
because it asked to wait, is the only one that goes again.
"""

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, TypeVar
from uuid import uuid4

from flagtui.api.clock import Clock
from flagtui.api.errors import ApiError, MissingScope, NotSignedIn, PaymentNeeded, RateLimited
from flagtui.changes.guard import Approved
from flagtui.changes.journal import Journal, JournalUnwritable, Stored
from flagtui.changes.journal_entries import Ending, Entry, Signature
from flagtui.models.json_value import JSON

LOOKS: Final = (0.0, 1.0, 2.0, 4.0, 8.0)
"""Seconds after a request without an answer at which the record is read again."""
STOPPED: Final = "stopped while it was on its way"
NOT_SENT: Final = "not sent: the journal could not be written for all that go together"
STOPPING: Final = (NotSignedIn, MissingScope, PaymentNeeded, RateLimited)
"""What would happen to the next request as well."""


class Ended(Protocol):
    """How a plan ended."""

    @property
    def ending(self) -> Ending: ...


P_contra = TypeVar("P_contra", contravariant=True)
P = TypeVar("P")
E = TypeVar("E", bound=Ended)


@dataclass(frozen=True, slots=True)
class Remembered:
    """What the journal keeps of a plan before it leaves."""

    key: str
    verb: str
    kind: str
    record: int = 0
    """Its number; 0 for a new record, and for one that is known by a UUID."""
    uuid: str = ""
    version: int | None = None
    before: Mapping[str, JSON] = field(default_factory=dict)
    after: Mapping[str, JSON] = field(default_factory=dict)
    words: tuple[str, ...] = ()
    is_secret: bool = False


@dataclass(frozen=True, slots=True)
class Concluded:
    """What the journal keeps of how it ended; `learned` are values the server chose."""

    record: Stored | None = None
    note: str = ""
    learned: Mapping[str, JSON] = field(default_factory=dict)


class WriteContext(Protocol):
    """What every request needs around it."""

    @property
    def journal(self) -> Journal: ...
    @property
    def signature(self) -> Signature: ...
    @property
    def clock(self) -> Clock: ...
    @property
    def tell(self) -> Callable[[str], None]:
        """Hears what is known while an answer is missing."""


class Adapter(Protocol[P_contra, E]):
    """What is peculiar to a kind of record."""

    @property
    def longest_wait(self) -> float:
        """Seconds that the server may ask one request to wait; a longer pause refuses it."""

    def remembered(self, plan: P_contra) -> Remembered: ...

    async def changed_since_read(self, plan: P_contra) -> E | None:
        """A conflict, where the plan is too old to be sent without reading the record again."""

    async def send(self, plan: P_contra) -> E:
        """The one request, and the answer held against the plan. Raises ApiError."""

    def without_answer(self, plan: P_contra, error: ApiError) -> E:
        """Not known: it may have been done."""

    async def look(self, plan: P_contra, unknown: E) -> E:
        """One read of a change without an answer: known now, or still not."""

    def waiting_words(self, unknown: E) -> str:
        """What a read found that did not tell; empty says nothing."""

    def not_applied(self, plan: P_contra, error: ApiError) -> E:
        """The server, or the way to it, said no."""

    def not_remembered(self, plan: P_contra, fault: JournalUnwritable) -> E:
        """Nothing was sent, because the journal cannot be written."""

    def concluded(self, ended: E) -> Concluded: ...

    def noted(self, ended: E, journal_id: str, note: str) -> E:
        """The same with its entry in the journal, and why how it ended is not in there."""


async def write(
    approved: Approved[Any], plan: P, adapter: Adapter[P, E], context: WriteContext, undoes: str = ""
) -> E:
    """One plan of an approval whose use the caller has settled. `undoes` is the entry it takes back."""
    if not any(plan is agreed for agreed in approved.plans):
        raise ValueError("nobody approved this plan")
    if (conflict := await adapter.changed_since_read(plan)) is not None:
        return conflict

    async def send() -> Sequence[E]:
        return [await _sent(plan, adapter, context)]

    named = {adapter.remembered(plan).key: undoes}
    (ended,) = await write_together(approved, [plan], adapter, context, named, send)
    return ended


async def write_together(
    approved: Approved[Any],
    plans: Sequence[P],
    adapter: Adapter[P, E],
    context: WriteContext,
    undoes: Mapping[str, str],
    send: Callable[[], Awaitable[Sequence[E]]],
) -> Sequence[E]:
    """Plans that go in one request, each with its own entry; `send` gives how each ended, in their order.

    `undoes` names by key the entry that a plan takes back.
    """
    ids: list[str] = []
    for plan in plans:
        kept = adapter.remembered(plan)
        entry = _entry(kept, approved, context, undoes.get(kept.key, ""))
        try:
            await asyncio.to_thread(context.journal.begin, entry)
        except JournalUnwritable as fault:
            if not approved.without_journal:
                for begun in filter(None, ids):
                    _close(context.journal, begun, "refused", NOT_SENT)
                return [adapter.not_remembered(one, fault) for one in plans]
            ids.append("")
        else:
            ids.append(entry.id)
    try:
        every = await send()
    except asyncio.CancelledError:
        for begun in filter(None, ids):
            _close(context.journal, begun, "unknown", STOPPED)
        raise
    return [await _written_down(one, begun, adapter, context) for one, begun in zip(every, ids, strict=True)]


async def look_up(plan: P, unknown: E, adapter: Adapter[P, E], context: WriteContext) -> E:
    """Looks at 0, 1, 2, 4 and 8 seconds; still unknown when the record has not become as planned by then."""
    waited, told = 0.0, ""
    for at in LOOKS:
        await context.clock.sleep(at - waited)
        waited = at
        unknown = await adapter.look(plan, unknown)
        if unknown.ending != "unknown":
            return unknown
        before, told = told, adapter.waiting_words(unknown)
        if told and told != before:
            context.tell(told)
    return unknown


def stops_all(ended: Ended, error: ApiError | None, *, by_journal: bool) -> bool:
    """Whether what happened to one would happen to the next, or is not understood yet."""
    return ended.ending in ("failed", "unknown") or by_journal or isinstance(error, STOPPING)


async def _sent(plan: P, adapter: Adapter[P, E], context: WriteContext) -> E:
    try:
        ended = await _sent_within_limits(plan, adapter, context)
    except ApiError as error:
        if not error.sent:
            return adapter.not_applied(plan, error)
        context.tell(f"{adapter.remembered(plan).key}: no answer; looking whether it was done")
        ended = adapter.without_answer(plan, error)
    return ended if ended.ending != "unknown" else await look_up(plan, ended, adapter, context)


async def _sent_within_limits(plan: P, adapter: Adapter[P, E], context: WriteContext) -> E:
    try:
        return await adapter.send(plan)
    except RateLimited as error:
        wait = max(error.retry_after or 1.0, 1.0)
        if wait > adapter.longest_wait:
            raise
    await context.clock.sleep(wait)
    return await adapter.send(plan)


def _entry(remembered: Remembered, approved: Approved[Any], context: WriteContext, undoes: str) -> Entry:
    return Entry(
        id=uuid4().hex,
        at=context.clock.time(),
        record=remembered.record,
        key=remembered.key,
        verb=remembered.verb,
        signature=context.signature,
        kind=remembered.kind,
        reason=approved.reason,
        version=remembered.version,
        before=remembered.before,
        after=remembered.after,
        is_secret=remembered.is_secret,
        words=remembered.words,
        batch=approved.batch,
        undoes=undoes,
        pid=os.getpid(),
        uuid=remembered.uuid,
    )


async def _written_down(ended: E, begun: str, adapter: Adapter[P, E], context: WriteContext) -> E:
    if not begun:
        return ended
    told, note = adapter.concluded(ended), ""
    finish = context.journal.finish
    try:
        await asyncio.to_thread(finish, begun, ended.ending, told.record, told.note, told.learned)
    except JournalUnwritable as fault:
        # The entry stays open, and the next start finds out what became of it.
        note = f"how it ended could not be written down: {fault}"
    return adapter.noted(ended, begun, note)


def _close(journal: Journal, begun: str, ending: Ending, note: str) -> None:
    try:
        journal.finish(begun, ending, None, note)
    except JournalUnwritable:
        # The entry stays open without it, which says the same.
        return
