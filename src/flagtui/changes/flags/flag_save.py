"""Flags in the pipeline: the server compares versions, and counts conflicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from flagtui.api.capabilities import NOT_HERE
from flagtui.api.errors import ApiError, Conflict, Invalid
from flagtui.changes.adapter import Adapter
from flagtui.changes.difference import Clash, merge, same
from flagtui.changes.flags.canonical_filters import means_same
from flagtui.changes.flags.flag_body import NOT_COMPARABLE
from flagtui.changes.flags.flag_plan import Plan, stored_value
from flagtui.changes.flags.flag_words import hidden_clash
from flagtui.changes.flags.narrow_write import SHARE, narrow_write
from flagtui.changes.flags.verification import Report, compare
from flagtui.changes.journal_entries import Entry
from flagtui.changes.outcome import Outcome
from flagtui.changes.unanswered import without_answer
from flagtui.models.flag import Flag

if TYPE_CHECKING:
    from flagtui.api.flags import Flags

_UNPROTECTED: Final = NOT_COMPARABLE - {"has_encrypted_payloads"}
FlagOutcome = Outcome[Plan, Flag]


@dataclass(frozen=True)
class FlagAdapter(Adapter[Plan, Flag]):
    """What is peculiar to flags."""

    flags: Flags

    def remembered(self, plan: Plan) -> Entry:
        return Entry(
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

    def read_at(self, plan: Plan) -> float:
        return 0.0 if plan.is_new else plan.read_at

    def is_compared(self, plan: Plan) -> bool:
        return not _UNPROTECTED & plan.body.keys()

    async def read(self, plan: Plan) -> Flag | None:
        return await (self.flags.find(plan.key) if plan.is_new else self.flags.get(plan.id))

    def conflict(self, plan: Plan, now: Flag) -> FlagOutcome | None:
        values = {name: stored_value(now, name) for name in plan.before}
        if now.version == plan.version and all(same(values[name], plan.before[name]) for name in values):
            return None
        return _conflicted(plan, now)

    async def send(self, plan: Plan) -> FlagOutcome:
        try:
            found = await self._written(plan)
        except Conflict as error:
            return await self._after_conflict(plan, error)
        report = compare(plan, found)
        if report.is_applied:
            return _saved(plan, found, report)
        reason = "the server said yes but did not change it; an approval may be pending"
        return Outcome(plan, "refused", None, reason, "look at it in the browser")

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

    async def _after_conflict(self, plan: Plan, error: Conflict) -> FlagOutcome:
        """A conflict can be our own success, delivered twice; only the record itself can tell."""
        try:
            theirs = await self.flags.get(plan.id)
        except ApiError:
            # Either another person's write or the second delivery of ours; the look-ups will tell.
            return without_answer(plan, error)
        return self.judge(plan, theirs) or _conflicted(plan, theirs)

    def judge(self, plan: Plan, seen: Flag | None) -> FlagOutcome | None:
        if seen is None:
            return None
        report = compare(plan, seen)
        return None if report.missing else _saved(plan, seen, report)

    def is_as_before(self, plan: Plan, seen: Flag | None) -> bool:
        """Not with two writes since, or where no versions are counted: ours may be overwritten by then."""
        if seen is None:
            return True
        if plan.version is None or seen.version is None:
            return all(
                means_same(stored_value(seen, name), plan.before[name], (name,)) for name in plan.before
            )
        return seen.version <= plan.version + 1

    def stored(self, outcome: FlagOutcome) -> Flag | None:
        return outcome.record if outcome.ending in ("saved", "failed") else None


def _saved(plan: Plan, found: Flag, report: Report) -> FlagOutcome:
    """What is said besides is what the server did beyond the plan, and what it did not do of it."""
    remarks = []
    if report.others:
        times = f"{report.others} time{'s' * (report.others > 1)}"
        remarks.append(f"saved; somebody else changed it meanwhile, {times}")
    remarks += [f"moved beyond the plan: {line.words}" for line in report.beyond[:4]]
    remarks += [f"did not move as planned: {line.words}" for line in report.missing[:4]]
    return Outcome(plan, "saved", found, remarks=tuple(remarks))


def _conflicted(plan: Plan, theirs: Flag) -> FlagOutcome:
    who = theirs.last_modified_by.label if theirs.last_modified_by else "somebody else"
    clashes = _clashes(plan, theirs)
    reason = f"{who} changed {'the same thing' if clashes else 'it'} first"
    next = "look at both, then decide again"
    return Outcome(plan, "conflicted", theirs, reason, next, clashes=clashes)


def _clashes(plan: Plan, theirs: Flag) -> tuple[Clash, ...]:
    found = (
        merge(plan.before[name], plan.values[name], stored_value(theirs, name), (name,), means_same)[1]
        for name in plan.values
    )
    clashes = [clash for some in found for clash in some]
    return tuple(map(hidden_clash, clashes) if plan.is_secret else clashes)
