"""Taking back a journalled change: the old values on today's record, no colleague's work lost unseen."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from flagtui.changes.difference import Clash
from flagtui.changes.flags.canonical_filters import means_same
from flagtui.changes.flags.flag_context import Context
from flagtui.changes.flags.flag_intent import Intent
from flagtui.changes.flags.flag_plan import NothingToDo, Plan, plan_flag, stored_value
from flagtui.changes.flags.flag_refusals import Blocked
from flagtui.changes.flags.flag_words import hidden_clash
from flagtui.changes.journal_entries import Entry, with_payloads
from flagtui.changes.verbs import verb_for
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON

_MADE_WITH: Final = ("key", "name", "active", "filters", "tags")
_UNSAID: Final[Mapping[str, JSON]] = {"name": "", "tags": []}
"""What a new flag has where nothing was said about it."""


@dataclass(frozen=True, slots=True)
class Contested:
    """The same field was changed since: the three sides, and the plan that would overwrite theirs."""

    entry: Entry
    fresh: Flag
    clashes: tuple[Clash, ...]
    """`seen` is what this person wrote, `mine` what undoing brings back, `theirs` what is there now."""
    overwrite: Plan


def why_not(entry: Entry) -> Blocked | None:
    """Why a saved change of a flag cannot be undone at all, whatever the flag is like today."""
    if not entry.record:
        return Blocked(
            "number", "the number of the new flag was not learned", "find it in the list and delete it"
        )
    if entry.is_secret and entry.verb != "create" and entry.hides_a_payload:
        reason = "it replaced an encrypted payload, and those are not written down"
        return Blocked("secret", reason, "enter the old payload again")
    return None


def plan_undo(entry: Entry, fresh: Flag, context: Context) -> Plan | NothingToDo | Blocked | Contested:
    """Plans the undo of one change on the flag as it is now."""
    if refusal := why_not(entry):
        return refusal
    found = plan_flag(undo_intent(entry, fresh), fresh, context)
    if isinstance(found, Plan) and entry.verb == "create":
        found = replace(found, clashes=_made_of_it_since(entry, fresh))
    if isinstance(found, Plan) and found.clashes:
        return Contested(entry, fresh, found.clashes, found)
    return found


def undo_intent(entry: Entry, fresh: Flag) -> Intent:
    """The old values as an intent. Payloads that were not written down stay as they are."""
    if entry.verb == "create":
        return Intent(entry.record, {"deleted": True}, "delete", seen_version=entry.saved_version)
    before, after = dict(entry.before), dict(entry.after)
    if entry.is_secret:
        before, after = with_payloads(before, fresh.filters), with_payloads(after, fresh.filters)
    if after.get("deleted") is True:
        # Deleting can rename the flag, and restoring gives the old key back.
        before.pop("key", None)
        after.pop("key", None)
    return Intent(entry.record, before, verb_for(before), seen=after, seen_version=_version_after(entry))


def _made_of_it_since(entry: Entry, fresh: Flag) -> tuple[Clash, ...]:
    """Changes made since the flag was created, which deleting it would lose."""
    saved, gone = entry.saved_version, "deleted"
    if saved is not None and saved == fresh.version:
        return ()
    after = with_payloads(entry.after, fresh.filters) if entry.is_secret else entry.after
    after = {**_UNSAID, **after}
    now = {name: stored_value(fresh, name) for name in _MADE_WITH if name in after}
    found = [
        Clash((name,), after[name], gone, now[name])
        for name in now
        if not means_same(after[name], now[name], (name,))
    ]
    return tuple(map(hidden_clash, found) if fresh.has_encrypted_payloads else found)


def _version_after(entry: Entry) -> int | None:
    if entry.saved_version is not None:
        return entry.saved_version
    return None if entry.version is None else entry.version + 1
