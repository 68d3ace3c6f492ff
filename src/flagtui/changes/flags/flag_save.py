"""An approved plan on its way: journal, one request, and a true word about how it ended."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from flagtui.api.capabilities import NOT_HERE
from flagtui.api.clock import Clock, SystemClock
from flagtui.api.errors import ApiError, ApprovalNeeded, Conflict, Invalid, NotFound, Unreachable
from flagtui.changes.difference import Clash, merge, same
from flagtui.changes.flags.canonical_filters import means_same
from flagtui.changes.flags.flag_body import NOT_COMPARABLE
from flagtui.changes.flags.flag_context import FRESH_FOR
from flagtui.changes.flags.flag_lookup import FlagReader, Tell, look, state_in_words
from flagtui.changes.flags.flag_plan import Plan, stored_value
from flagtui.changes.flags.flag_words import hidden_clash
from flagtui.changes.flags.narrow_write import SHARE, NarrowWrites, narrow_write
from flagtui.changes.flags.verification import compare
from flagtui.changes.guard import Approved, spend
from flagtui.changes.journal import Journal, JournalUnwritable
from flagtui.changes.journal_entries import Signature
from flagtui.changes.outcome import (
    AwaitingApproval,
    Conflicted,
    Failed,
    Outcome,
    Refused,
    Saved,
    Unknown,
)
from flagtui.changes.pipeline import Concluded, Remembered, write
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON

_UNPROTECTED: Final = NOT_COMPARABLE - {"has_encrypted_payloads"}


class FlagsApi(FlagReader, NarrowWrites, Protocol):
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
    return await write(approved, plan, FlagAdapter(context.flags, context.clock), context, undoes)


@dataclass(frozen=True)
class FlagAdapter:
    """Flags on the way of every change: the server compares versions, and counts conflicts."""

    flags: FlagsApi
    clock: Clock
    longest_wait: float = 0.0
    """A batch waits for the server itself, and says so."""

    def remembered(self, plan: Plan) -> Remembered:
        return Remembered(
            key=plan.key,
            verb=plan.intent.verb,
            kind=plan.intent.kind,
            record=0 if plan.is_new else plan.id,
            version=plan.version,
            before=plan.before,
            after=plan.values,
            words=() if plan.is_secret else tuple(line.words for line in plan.lines),
            is_secret=plan.is_secret,
        )

    async def changed_since_read(self, plan: Plan) -> Outcome | None:
        """Reads again before a plan that is old, or that the server cannot check against other writes."""
        if plan.is_new:
            return None
        is_old = self.clock.time() - plan.read_at > FRESH_FOR
        if not is_old and not _UNPROTECTED & plan.body.keys():
            return None
        try:
            theirs = await self.flags.get(plan.id)
        except ApiError as error:
            return self.not_applied(plan, error)
        values = {name: stored_value(theirs, name) for name in plan.before}
        if theirs.version == plan.version and all(same(values[name], plan.before[name]) for name in values):
            return None
        return Conflicted(plan, theirs, _clashes(plan, theirs))

    async def send(self, plan: Plan) -> Outcome:
        try:
            found = await self._written(plan)
        except Conflict as error:
            return await self._after_conflict(plan, error)
        report = compare(plan, found)
        if report.is_applied:
            return Saved(plan, found, report)
        reason = "the server said yes but did not change it; an approval may be pending"
        return Refused(plan, reason, "look at it in the browser")

    async def _written(self, plan: Plan) -> Flag:
        """As one narrow write where the change and the server allow it, else as an update."""
        if plan.is_new:
            return await self.flags.create(plan.body)
        if plan.version is not None and (narrow := narrow_write(plan)) is not None:
            # A refusal wrote nothing: another request is the first one that can.
            try:
                return await narrow.send(plan, plan.version, self.flags)
            except NOT_HERE:
                pass
            except Invalid as refused:
                if refused.attr != SHARE:
                    raise
        return await self.flags.update(plan.id, plan.body, version=plan.version, original=plan.original)

    async def _after_conflict(self, plan: Plan, error: Conflict) -> Outcome:
        """A conflict can be our own success, delivered twice; only the record itself can tell."""
        try:
            theirs = await self.flags.get(plan.id)
        except ApiError:
            # Either another person's write or the second delivery of ours; the look-ups will tell.
            return Unknown(plan, error)
        report = compare(plan, theirs)
        if not report.missing:
            return Saved(plan, theirs, report)
        return Conflicted(plan, theirs, _clashes(plan, theirs))

    def without_answer(self, plan: Plan, error: ApiError) -> Outcome:
        return Unknown(plan, error)

    async def look(self, plan: Plan, unknown: Outcome) -> Outcome:
        return await look(unknown, self.flags) if isinstance(unknown, Unknown) else unknown

    def waiting_words(self, unknown: Outcome) -> str:
        return state_in_words(unknown) if isinstance(unknown, Unknown) else ""

    def not_applied(self, plan: Plan, error: ApiError) -> Outcome:
        match error:
            case ApprovalNeeded():
                return AwaitingApproval(plan, error, error.change_request_id, error.pending)
            case Unreachable():
                return Failed(plan, error.what, error.next, error)
            case NotFound():
                return Refused(plan, error.what, "it may have been deleted for good; refresh", error)
        return Refused(plan, error.what, error.next, error)

    def not_remembered(self, plan: Plan, fault: JournalUnwritable) -> Outcome:
        reason = f"the journal cannot be written: {fault}"
        return Refused(plan, reason, "make room, or agree to go without it", by="journal")

    def concluded(self, ended: Outcome) -> Concluded:
        record = ended.record if isinstance(ended, Saved) else None
        return Concluded(record, ended.reason if isinstance(ended, Refused | Failed) else "")

    def noted(self, ended: Outcome, journal_id: str, note: str) -> Outcome:
        if isinstance(ended, Saved | Unknown):
            return replace(ended, journal_id=journal_id, note=note)
        return replace(ended, note=note)


def _clashes(plan: Plan, theirs: Flag) -> tuple[Clash, ...]:
    found = (
        merge(plan.before[name], plan.values[name], stored_value(theirs, name), (name,), means_same)[1]
        for name in plan.values
    )
    clashes = [clash for some in found for clash in some]
    return tuple(map(hidden_clash, clashes) if plan.is_secret else clashes)
