"""Recover and undo changes of flags in the journal."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Final

from msgspec.structs import replace

from flagtui.api import Client
from flagtui.api.errors import ApiError, NotFound
from flagtui.changes.canonical_filters import means_same
from flagtui.changes.difference import Author, FieldConflict
from flagtui.changes.entry_kind import EntryKind, PlannedUndo, Recovery, RecoveryVerdict, UndoContext
from flagtui.changes.flags.current_flag import UNCOUNTED, FlagReading, add_context
from flagtui.changes.flags.flag_context import Context, NotKnown
from flagtui.changes.flags.flag_intent import LASTING, Intent
from flagtui.changes.flags.flag_plan import SETS, Plan, live_key, stored_value
from flagtui.changes.flags.flag_planner import FlagChange
from flagtui.changes.flags.flag_save import FlagAdapter
from flagtui.changes.flags.flag_words import hidden_conflict
from flagtui.changes.flags.flags_together import sort_by_dependency
from flagtui.changes.flags.unlisted_flags import rows_in_lists
from flagtui.changes.journal_entries import Entry, restore_payloads
from flagtui.changes.own_changes import MOST_READ, OwnChanges, author_of, mark_own_conflicts
from flagtui.changes.planner import Planned
from flagtui.changes.revert_refusals import NOT_LOGGED, as_partial, changed_since, not_settable
from flagtui.changes.skipped import Blocked
from flagtui.changes.tag_line import retag_between
from flagtui.changes.verbs import STATES, verb, verb_for
from flagtui.evaluate import wire
from flagtui.models.activity import Activity, version_made
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON, as_text
from flagtui.models.record_fields import FLAG_FIELDS

_MADE_WITH: Final = ("key", "name", "active", "filters", "tags")
_UNSAID: Final[Mapping[str, JSON]] = {"name": "", "tags": []}
"""Values of a new flag for fields that were not given."""


class FlagEntries(EntryKind):
    """Rules of recovery and undo for flags."""

    noun = "flag"

    def sort(self, plans: Sequence[Plan]) -> Sequence[Plan]:
        return sort_by_dependency(plans)

    def why_not(self, entry: Entry) -> Blocked | None:
        if entry.verb == LASTING:
            return Blocked("permanent", "servers cannot restore a flag with rules", "")
        if not entry.record:
            reason = "the id of the new flag is not known"
            return Blocked("number", reason, "find it in the list and delete it")
        if entry.is_secret and entry.verb != "create" and entry.has_hidden_payload:
            reason = "it replaced an encrypted payload, which is never stored"
            return Blocked("secret", reason, "enter the old payload again")
        return None

    async def is_reverted(self, part: Entry, client: Client) -> bool:
        flag = await client.flags.get(part.record)
        return all(_is_now(flag, name, old) for name, old in part.before.items())

    async def prepare_undo(self, part: Entry, context: UndoContext) -> PlannedUndo:
        client = context.client
        fresh = await client.flags.get(part.record)
        request = undo_of(part, context.entries, await _authors_since(part, fresh, context))
        intent = request.intent(fresh)
        if isinstance(intent, Blocked):
            return intent
        rows = context.rows
        if rows is None:
            ids = sorted(fresh.targeting.depends_on)
            rows = await rows_in_lists(client.flags, client.flags.get, ids)
        base = Context(
            now=context.clock.time(), me=context.me, reach=NotKnown(UNCOUNTED), names=context.names
        )
        is_one_of_many = len(context.together) > 1 and context.rows is not None
        ask = None if is_one_of_many else client.flags
        reading = FlagReading(fresh, intent, base, request.finish)
        reading = await add_context(reading, rows, ask, adds_later=context.adds_later)
        plan = await reading.plan_off_loop(context.together)
        if isinstance(plan, Plan):
            late = reading.plan_later(plan, context.together)
            return Planned(FlagAdapter(client.flags), [plan], late=late)
        reading.stop()
        return plan if isinstance(plan, Blocked) else None

    async def look(self, entry: Entry, client: Client, if_absent: RecoveryVerdict) -> Recovery:
        flags = client.flags
        try:
            record = await (flags.get(entry.record) if entry.record else flags.find(entry.key))
        except NotFound:
            return Recovery(entry, "gone")
        if record is None:
            return Recovery(entry, if_absent)
        return Recovery(entry, _verdict(entry, record, if_absent), record)


async def _authors_since(entry: Entry, fresh: Flag, context: UndoContext) -> Mapping[str, Author]:
    """Return the fields that were changed after the entry outside the journal, each with the author.

    A field may have the value of the entry again.
    """
    since, now = entry.saved_version, fresh.version
    if since is None or now is None or now <= since:
        return {}
    own = OwnChanges.of(context.entries, entry.signature).of_record("flag", entry.record, since, entry.at)
    if own.has_made_all(since, now):
        return {}
    authors: dict[str, Author] = {}
    # Without access to the activity, the values alone show what others changed.
    with suppress(ApiError):
        page = await context.client.flags.activity(entry.record, limit=min(now - since, MOST_READ))
        later = ((logged, version_made(logged) or 0) for logged in page.entries)
        for logged in (each for each, made in later if made > since and not own.has_made_all(made - 1, made)):
            author = author_of(logged.user, context.me)
            for change in logged.changes:
                newest = authors.setdefault(change.field, author)
                if change.field == "filters" and newest != author:
                    # Of many values, and the log is not searched for each.
                    authors[change.field] = ""
    return authors


def undo_of(entry: Entry, entries: Sequence[Entry] = (), authors: Mapping[str, Author] = {}) -> FlagChange:
    """Return the change that undoes an entry; its conflicts are later changes.

    `entries` is all of the journal, to recognize later changes by this user. `authors` are those of changes
    in no journal: their fields conflict even with the value that the entry set.
    """

    def finish(plan: Plan) -> Plan:
        if entry.verb == "create":
            conflicts = _changes_since_creation(entry, plan.fresh)
        else:
            conflicts = (*plan.conflicts, *_contested_again(plan, authors))
        conflicts = tuple(replace(each, by=authors.get(str(each.path[0]), each.by)) for each in conflicts)
        return replace(plan, conflicts=mark_own_conflicts(conflicts, entry, entries))

    return FlagChange(
        entry.record, lambda fresh: FlagEntries().why_not(entry) or _undo_intent(entry, fresh), finish
    )


def _undo_intent(entry: Entry, fresh: Flag) -> Intent:
    """Return the previous values as an intent. Payloads that were not journalled stay unchanged."""
    if entry.verb == "create":
        return Intent(entry.record, {"deleted": True}, "delete", seen_version=entry.saved_version)
    before, after = dict(entry.before), dict(entry.after)
    if entry.is_secret:
        before, after = restore_payloads(before, fresh.filters), restore_payloads(after, fresh.filters)
    if as_text(before.get("key")).endswith(f":deleted:{fresh.id}"):
        # Restoring removed the suffix that the server adds to the key of a deleted flag.
        del before["key"], after["key"]
    elif "key" in after and after["key"] == live_key(fresh):
        # A set can rename a flag and delete it.
        after["key"] = fresh.key
    version = entry.saved_version
    if version is None and entry.version is not None:
        version = entry.version + 1
    return Intent(entry.record, before, verb_for(before), seen=after, seen_version=version, is_undo=True)


def _contested_again(plan: Plan, contested: Collection[str]) -> Iterator[FieldConflict]:
    """Yield a conflict for each place in fields that were changed and that have the seen value again."""
    others = set(contested) & plan.intent.seen.keys() - SETS - {
        conflict.path[0] for conflict in plan.conflicts
    }
    for line in plan.lines:
        if line.path[0] in others:
            yield FieldConflict(line.path, line.before, line.after, line.before)


def _changes_since_creation(entry: Entry, fresh: Flag) -> tuple[FieldConflict, ...]:
    """Return changes since the flag was created, which a deletion would lose."""
    saved, gone = entry.saved_version, "deleted"
    if saved is not None and saved == fresh.version:
        return ()
    after = restore_payloads(entry.after, fresh.filters) if entry.is_secret else entry.after
    after = {**_UNSAID, **after}
    now = {name: stored_value(fresh, name) for name in _MADE_WITH if name in after}
    revertible = [
        FieldConflict((name,), after[name], gone, now[name])
        for name in now
        if not means_same(after[name], now[name], (name,))
    ]
    return tuple(map(hidden_conflict, revertible) if fresh.has_encrypted_payloads else revertible)


def _verdict(entry: Entry, record: Flag, if_absent: RecoveryVerdict) -> RecoveryVerdict:
    after = restore_payloads(entry.after, record.filters) if entry.is_secret else entry.after
    # A change of tags by name makes no version.
    edit = retag_between(entry.before.get("tags"), after["tags"]) if after.keys() == {"tags"} else None
    if edit is not None and edit.is_done(record.tags):
        return "applied"
    if entry.version is not None and record.version is not None and record.version <= entry.version:
        return if_absent
    if entry.has_hidden_payload:
        return "changed since"
    if all(_is_now(record, name, value) for name, value in after.items()):
        return "applied"
    if entry.version is not None and record.version is not None and record.version == entry.version + 1:
        # The one write since was not ours, or it would show.
        return "not applied"
    return "changed since"


def _is_now(record: Flag, name: str, value: JSON) -> bool:
    return means_same(stored_value(record, name), value, (name,))


def revert_of(entry: Activity) -> FlagChange:
    """Return the change that reverts an entry of the activity; blocked when the field changed later."""
    before = {change.field: change.before for change in entry.changes}

    def finish(plan: Plan) -> Plan | Blocked:
        if plan.conflicts:
            return changed_since(plan.conflicts)
        # A deletion and a restore revert the entry as a whole.
        left = () if "deleted" in plan.values else before.keys() - _settable(before).keys()
        return as_partial(plan, sorted(left))

    return FlagChange(entry.record_id or 0, partial(_revert_intent, entry), finish)


def _revert_intent(entry: Activity, fresh: Flag) -> Intent | Blocked:
    """Return the previous values as an intent, with the new values as seen."""
    version = version_made(entry)
    if entry.activity in ("created", "restored"):
        return _deletion(entry, fresh, version)
    before = {change.field: change.before for change in entry.changes}
    after = {change.field: change.after for change in entry.changes}
    if entry.activity == "deleted" or after.get("deleted") is True:
        return Intent(fresh.id, {"deleted": False}, "restore", seen_version=version)
    if not before:
        return NOT_LOGGED
    if before.keys().isdisjoint(FLAG_FIELDS.edited):
        return not_settable(next(iter(before)))
    is_secret = fresh.has_encrypted_payloads or "has_encrypted_payloads" in before
    old, new = (wire.stored_payloads(side.get("filters")) or {} for side in (before, after))
    if is_secret and old != new:
        reason = "it replaced an encrypted payload, which cannot be read back"
        return Blocked("secret", reason, "enter the old payload again")
    values = _settable(before)
    seen = {name: value for name, value in _settable(after).items() if name in values}
    if not values:
        return Blocked("field", "there was no value before that could be set again", "change it by hand")
    name = verb_for(values)
    named = name if name in STATES or verb(name).is_grave else "revert"
    return Intent(fresh.id, values, named, seen=seen, seen_version=version, is_undo=True)


def _deletion(entry: Activity, fresh: Flag, version: int | None) -> Intent | Blocked:
    """Return the deletion that reverts a creation; refused when the flag changed later."""
    if fresh.deleted:
        return Blocked("deleted", "the flag has been deleted since", "")
    if version is None or fresh.version != version:
        reason = "the flag was changed after it was " + entry.activity
        return Blocked("moved on", reason, "delete it from the list if you want that")
    return Intent(fresh.id, {"deleted": True}, "delete", seen_version=version)


def _settable(values: Mapping[str, JSON]) -> dict[str, JSON]:
    settable = {name: value for name, value in values.items() if name in FLAG_FIELDS.edited}
    filled = {name: FLAG_FIELDS[name].blank if value is None else value for name, value in settable.items()}
    return {name: value for name, value in filled.items() if value is not None}
