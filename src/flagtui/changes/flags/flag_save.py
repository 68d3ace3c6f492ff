"""Send changes of flags: the server compares versions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Final

from flagtui.api.errors import ApiError, Conflict, Invalid
from flagtui.api.flags import NOT_COMPARED, Flags
from flagtui.api.heavy_work import off_loop
from flagtui.api.operations import NOT_HERE, after_write
from flagtui.changes.adapter import Adapter
from flagtui.changes.canonical_filters import means_same, normal_filters
from flagtui.changes.difference import FieldConflict, Path, difference, merge, same
from flagtui.changes.flags.flag_plan import Plan, live_key, stored_value
from flagtui.changes.flags.flag_words import hidden_conflict, in_words
from flagtui.changes.flags.narrow_writes import SHARE, narrow_write
from flagtui.changes.journal_entries import Entry
from flagtui.changes.proposal import NOT_KEPT, Outcome, why_not_kept
from flagtui.changes.tag_line import Retag
from flagtui.changes.unanswered import as_unknown
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON, as_id
from flagtui.models.record_fields import FLAG_FIELDS
from flagtui.safe_text import safe_text

_UNPROTECTED: Final = NOT_COMPARED - {"has_encrypted_payloads"}
FlagOutcome = Outcome[Plan, Flag]


@dataclass(frozen=True)
class FlagAdapter(Adapter[Plan, Flag]):
    """Rules of flags in the pipeline."""

    flags: Flags

    def journal_entry(self, plan: Plan) -> Entry:
        return Entry(
            key=plan.key,
            verb=plan.intent.verb,
            kind="flag",
            record=0 if plan.is_new else plan.id,
            version=plan.fresh.version,
            before=plan.before,
            after=plan.values,
            words=() if plan.is_secret else tuple(line.words for line in plan.lines),
            is_secret=plan.is_secret,
        )

    def is_compared(self, plan: Plan) -> bool:
        """Return True also for tags changed by name, which overwrite none; `send` compares other tags."""
        return plan.retag is not None or not _UNPROTECTED & plan.body.keys()

    async def read(self, plan: Plan) -> Flag | None:
        return await (self.flags.find(plan.key) if plan.is_new else self.flags.get(plan.id))

    def conflict(self, plan: Plan, now: Flag) -> FlagOutcome | None:
        values = {name: stored_value(now, name) for name in plan.before}
        is_newest = now.version == plan.fresh.version
        if is_newest and all(same(values[name], plan.before[name]) for name in values):
            return None
        return _conflict_outcome(plan, now)

    async def send(self, plan: Plan) -> FlagOutcome:
        stored = None
        if plan.retag is not None and (stored := await self._edit_tags(plan, plan.retag)) is None:
            now = await self.flags.get(plan.id)
            if conflict := await off_loop(lambda: self.conflict(plan, now), now.raw):
                return conflict
        try:
            stored = stored or await self._write(plan)
        except Conflict as error:
            return await self._after_conflict(plan, error)
        if saved := await off_loop(lambda: compare(plan, stored), plan.fresh.raw, stored.raw):
            return saved
        next = why_not_kept(plan.values) or "an approval may be pending; look at it in the browser"
        return Outcome(plan, "refused", None, NOT_KEPT, next)

    async def _edit_tags(self, plan: Plan, edit: Retag) -> Flag | None:
        """Add or remove tags by name; None when nothing was changed: an update can, or is refused."""
        try:
            done = await self.flags.edit_tags([plan.id], edit.action, edit.tags)
        except (*NOT_HERE, Invalid):
            return None
        tags = next((each.tags for each in done.updated if as_id(each.id) == plan.id), None)
        if tags is not None:
            return await off_loop(lambda: Flag.of({**plan.fresh.raw, "tags": list(tags)}), plan.fresh.raw)
        if done.skipped:
            return None
        with after_write():
            return await self.flags.get(plan.id)

    async def _write(self, plan: Plan) -> Flag:
        """Send a narrow write where the change and the server allow it, else an update."""
        if plan.is_new:
            return await self.flags.create(plan.body)
        narrow = None
        if plan.fresh.version is not None and plan.values.keys() == {"filters"}:
            narrow = await off_loop(lambda: narrow_write(plan), plan.fresh.raw)
        if plan.fresh.version is not None and narrow is not None:
            # A refusal wrote nothing: another request is the first one that can.
            try:
                return await narrow.send(plan, plan.fresh.version, self.flags)
            except NOT_HERE:
                pass
            except Invalid as refused:
                if refused.attr != SHARE:
                    raise
        return await self.flags.update(plan.id, plan.body, version=plan.fresh.version, original=plan.original)

    async def _after_conflict(self, plan: Plan, error: Conflict) -> FlagOutcome:
        """Read the flag after a conflict, which can be our own request delivered twice."""
        try:
            theirs = await self.flags.get(plan.id)
        except ApiError:
            # Either a write by another user or the second delivery of ours; the look-ups decide.
            return as_unknown(plan, error)

        def settle() -> FlagOutcome | None:
            return self.judge(plan, theirs) or self.conflict(plan, theirs)

        if settled := await off_loop(settle, plan.fresh.raw, theirs.raw):
            return settled
        words = safe_text(error.facts.detail, 300).rstrip(".")
        reason = "the server reports a conflict (409), but the flag is unchanged" + f": {words}" * bool(words)
        return Outcome(plan, "refused", None, reason, "try again", error)

    def judge(self, plan: Plan, seen: Flag | None) -> FlagOutcome | None:
        return None if seen is None else compare(plan, seen, is_whole=True)

    def is_as_before(self, plan: Plan, seen: Flag | None) -> bool:
        """Return whether a write is certainly not applied; unknown after two writes, or without versions."""
        if seen is None:
            return True
        if plan.fresh.version is None or seen.version is None:
            pairs = ((name, stored_value(seen, name), was) for name, was in plan.before.items())
            return all(means_same(now, was, (name,)) for name, now, was in pairs)
        return seen.version <= plan.fresh.version + 1

    def stored_record(self, outcome: FlagOutcome) -> Flag | None:
        return outcome.record if outcome.ending in ("saved", "failed") else None


def _conflict_outcome(plan: Plan, theirs: Flag) -> FlagOutcome:
    who = theirs.last_modified_by.label if theirs.last_modified_by else "another user"
    overlaps: list[FieldConflict] = []
    for name, mine in plan.values.items():
        overlaps += merge(plan.before[name], mine, stored_value(theirs, name), (name,), means_same)[1]
    conflicts = tuple(map(hidden_conflict, overlaps) if plan.is_secret else overlaps)
    reason = f"{who} changed {'the same thing' if conflicts else 'it'} first"
    return Outcome(plan, "conflicted", theirs, reason, "look at both, then decide again", conflicts=conflicts)


IGNORED: Final = frozenset(
    {
        "version",
        "updated_at",
        "last_modified_by",
        "last_called_at",
        "status",
        "usage_dashboard",
        "has_enriched_analytics",
        "experiment_set_metadata",
        "is_eligible_for_experiment",
        "is_simple_flag",
        "rollout_percentage",
        "user_access_level",
        "can_edit",
        "created_by",
    }
)
"""Fields that move with every write, or automatically."""
_MAY_BE_BLANKED: Final = FLAG_FIELDS.having("blanked")


def compare(plan: Plan, flag: Flag, *, is_whole: bool = False) -> FlagOutcome | None:
    """Return the saved outcome when anything of the plan is stored, or with `is_whole` all of it; else None.

    Its remarks name values that the server changed beyond the plan, or not as planned.
    """
    was, now = plan.fresh.raw, flag.raw
    unchanged = {name for name in was.keys() & now.keys() - plan.values.keys() if same(was[name], now[name])}
    before = normal(plan.fresh, unchanged)
    # Of tags changed by name, those of others are there too.
    is_retagged = plan.retag is not None and plan.retag.is_done(flag.tags)
    expected = {**before, **_in_one_form({"tags": [*flag.tags]} if is_retagged else plan.values)}
    stored = _seen_like(before, expected, normal(flag, unchanged))
    planned = [line.path for line in difference(before, expected)]
    missing = [line for line in difference(expected, stored) if _is_about(line.path, planned)]
    missing_paths = [line.path for line in missing]
    changed = difference(before, stored)
    # A field that the response lacks is not known to have another value.
    is_changed = any(_is_about(line.path, planned) and line.path[0] in stored for line in changed)
    is_missing = all(_is_about(path, missing_paths) for path in planned) and not is_changed
    if missing if is_whole else is_missing:
        return None
    remarks = []
    if plan.fresh.version is not None and flag.version is not None and flag.version > plan.fresh.version + 1:
        others = flag.version - plan.fresh.version - 1
        perhaps = ", perhaps the same values" if _UNPROTECTED & plan.body.keys() else ""
        remarks.append(f"saved; it was changed meanwhile, {others} time{'s' * (others > 1)}{perhaps}")
    beyond = [line for line in changed if not _is_about(line.path, planned)]
    remarks += [f"changed outside the plan: {in_words(line, before, stored)}" for line in beyond[:4]]
    remarks += [f"not changed as planned: {in_words(line, expected, stored)}" for line in missing[:4]]
    kept = _stored_instead(plan, flag, missing_paths) if missing and not plan.is_secret else {}
    return Outcome(plan, "saved", flag, remarks=tuple(remarks), server_values=kept)


def _stored_instead(plan: Plan, flag: Flag, missing: Sequence[Path]) -> dict[str, JSON]:
    """Return the fields that the server stored with other values than the planned ones, as the undo needs."""
    names = {path[0] for path in missing} & plan.values.keys() & flag.raw.keys()
    return {name: stored_value(flag, name) for name in plan.values if name in names}


def normal(flag: Flag, unchanged: Set[str]) -> dict[str, JSON]:
    """Return the flag's other fields in one form, however this generation of server writes them."""
    kept = {name: value for name, value in flag.raw.items() if name not in IGNORED | unchanged}
    if "evaluation_contexts" in flag.raw:
        # Servers that show both names keep one list.
        kept.pop("evaluation_tags", None)
    in_model = {"filters": flag.filters, "key": live_key(flag)}
    return _in_one_form(kept | {name: value for name, value in in_model.items() if name in kept})


def _in_one_form(values: Mapping[str, JSON]) -> dict[str, JSON]:
    return {
        name: normal_filters(value) if name == "filters" else FLAG_FIELDS.comparable(name, value)
        for name, value in values.items()
    }


def _seen_like(
    before: Mapping[str, JSON], expected: Mapping[str, JSON], stored: dict[str, JSON]
) -> dict[str, JSON]:
    """Return the comparable part of a stored record: responses may lack fields, or mask secrets."""
    shown = {name: value for name, value in stored.items() if name in expected}
    for name in before:
        is_blanked = name in _MAY_BE_BLANKED and before[name] == []
        if (name not in stored or is_blanked) and before[name] == expected[name]:
            shown[name] = before[name]
    return shown


def _is_about(path: Path, planned: list[Path]) -> bool:
    return any(path[: len(other)] == other or other[: len(path)] == path for other in planned)


class VersionedFlagAdapter(FlagAdapter):
    """The same, with the version read and compared right before each request."""

    def is_compared(self, plan: Plan) -> bool:
        return False
