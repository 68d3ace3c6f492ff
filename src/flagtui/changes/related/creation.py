"""What is asked for with a flag that stays as it is: planned, agreed to, written down and sent once."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from uuid import uuid4

from flagtui.api.clock import Clock
from flagtui.api.errors import ApiError
from flagtui.changes.difference import Clash
from flagtui.changes.flags.flag_cautions import Caution
from flagtui.changes.flags.flag_consequences import Consequence
from flagtui.changes.flags.flag_plan import DiffLine
from flagtui.changes.flags.flag_summary import AboutFlag
from flagtui.changes.guard import Approved, spend
from flagtui.changes.journal import Journal, JournalUnwritable
from flagtui.changes.journal_entries import Ending, Entry, Signature
from flagtui.changes.verbs import Verb
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class RelatedPlan(AboutFlag):
    """Something that could be made from a flag, or kept for later; the flag itself stays as it is."""

    fresh: Flag
    verb: Verb
    kind: str
    """What the journal calls it."""
    told: str
    """What was asked for, in the journal's words."""
    consequences: tuple[Consequence, ...]
    cautions: tuple[Caution, ...] = ()
    stays: str = "the flag stays as it is"
    lines: tuple[DiffLine, ...] = ()
    clashes: tuple[Clash, ...] = ()
    before: Mapping[str, JSON] = field(default_factory=dict)
    after: Mapping[str, JSON] = field(default_factory=dict)
    """What the journal keeps to take it back by."""
    undoes: str = ""
    """The entry of the journal it takes back."""
    makes_a_flag: bool = False
    """The number in the journal is that of the new flag then, and 0 until the server gave it one."""

    @property
    def versions(self) -> str:
        return f"#{self.id} · {self.stays}"


@dataclass(frozen=True, slots=True)
class RelatedEnded:
    """How it ended, in the words of the journal."""

    plan: RelatedPlan
    ending: Ending
    note: str = ""
    error: ApiError | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    """What the server said."""

    note: str = ""
    is_done: bool = True
    made: Flag | None = None
    """The new flag, where one was made."""
    learned: Mapping[str, JSON] = field(default_factory=dict)
    """Values the server chose, which taking it back has to know."""


Send = Callable[[], Awaitable[Answered]]
"""The one request."""


@dataclass(frozen=True)
class RelatedSaveContext:
    """What sending works with."""

    journal: Journal
    signature: Signature
    clock: Clock


async def send_related(
    approved: Approved[RelatedPlan], send: Send, context: RelatedSaveContext
) -> RelatedEnded:
    """Asks for it once, written down before and after. Raises for an approval that was used."""
    spend(approved)
    plan = approved.plans[0]
    entry = Entry(
        id=uuid4().hex,
        at=context.clock.time(),
        record=0 if plan.makes_a_flag else plan.id,
        key=plan.key,
        verb=plan.verb.name,
        signature=context.signature,
        kind=plan.kind,
        reason=approved.reason,
        before=plan.before,
        after=plan.after,
        words=(plan.told,),
        undoes=plan.undoes,
        pid=os.getpid(),
    )
    try:
        await asyncio.to_thread(context.journal.begin, entry)
    except JournalUnwritable as fault:
        if not approved.without_journal:
            return RelatedEnded(plan, "refused", f"the journal cannot be written: {fault}")
        return (await _sent(plan, send))[0]
    ended, answered = await _sent(plan, send)
    finish = context.journal.finish
    await asyncio.to_thread(finish, entry.id, ended.ending, answered.made, ended.note, answered.learned)
    return ended


async def _sent(plan: RelatedPlan, send: Send) -> tuple[RelatedEnded, Answered]:
    try:
        answered = await send()
    except ApiError as error:
        return RelatedEnded(plan, "unknown" if error.sent else "refused", error.what, error), Answered()
    return RelatedEnded(plan, "saved" if answered.is_done else "refused", answered.note), answered
