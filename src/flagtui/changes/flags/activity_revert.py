"""Undo of an activity entry of any person: the old values, unless they were changed since."""

from collections.abc import Mapping
from typing import Final

from flagtui.changes.difference import Clash, compact
from flagtui.changes.flags.flag_context import Context
from flagtui.changes.flags.flag_intent import Intent
from flagtui.changes.flags.flag_plan import NothingToDo, Plan, plan_flag
from flagtui.changes.flags.flag_refusals import Blocked
from flagtui.changes.verbs import verb_for
from flagtui.models.activity import Activity
from flagtui.models.activity_rows import version_made
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON, as_dict
from flagtui.models.record_fields import FLAG_FIELDS

NAMED: Final = 3
SIDE: Final = 120
"""Characters of one side of a clash."""


def plan_revert(entry: Activity, fresh: Flag, context: Context) -> Plan | NothingToDo | Blocked:
    """Plans the undo on the flag as it is now; blocked where the same field was changed since."""
    intent = revert_intent(entry, fresh)
    if isinstance(intent, Blocked):
        return intent
    found = plan_flag(intent, fresh, context)
    return moved_on(found.clashes) if isinstance(found, Plan) and found.clashes else found


def intended(entry: Activity, fresh: Flag) -> Intent:
    """The same intent, for reading the context before planning; without changes when there is none."""
    found = revert_intent(entry, fresh)
    return Intent(fresh.id, {}, "undo") if isinstance(found, Blocked) else found


def revert_intent(entry: Activity, fresh: Flag) -> Intent | Blocked:
    """The old values as an intent, with the new ones as what was seen."""
    version = version_made(entry)
    if entry.activity in ("created", "restored"):
        return _deletion(entry, fresh, version)
    if entry.activity == "deleted" or any(
        change.field == "deleted" and change.after is True for change in entry.changes
    ):
        return Intent(fresh.id, {"deleted": False}, "restore", seen_version=version)
    before = {change.field: change.before for change in entry.changes}
    after = {change.field: change.after for change in entry.changes}
    if not before:
        return Blocked("unlogged", "what was changed is not written down", "look at its history")
    strange = [name for name in before if name not in FLAG_FIELDS.edited]
    if len(strange) == len(before):
        name = strange[0].replace("_", " ")
        return Blocked("field", f"the old {name} cannot be set again", "change it by hand")
    is_secret = fresh.has_encrypted_payloads or "has_encrypted_payloads" in before
    if is_secret and _payloads(before) != _payloads(after):
        reason = "it replaced an encrypted payload, and those are not shown again"
        return Blocked("secret", reason, "enter the old payload again")
    wanted = _settable(before)
    seen = {name: value for name, value in _settable(after).items() if name in wanted}
    if not wanted:
        return Blocked("field", "there was no value before that could be set again", "change it by hand")
    return Intent(fresh.id, wanted, verb_for(wanted), seen=seen, seen_version=version)


def moved_on(clashes: tuple[Clash, ...]) -> Blocked:
    """The refusal with all three sides: what the entry made, what it was before, what it is now."""
    told = [
        f"{clash.where}: this change made it {_side(clash.seen)},"
        f" before that it was {_side(clash.mine)}, now it is {_side(clash.theirs)}"
        for clash in clashes[:NAMED]
    ]
    more = f"; and {len(clashes) - NAMED} more places" if len(clashes) > NAMED else ""
    reason = f"changed again since. {'; '.join(told)}{more}"
    return Blocked("moved on", reason, "take back the newer change first, or set the value by hand")


def _deletion(entry: Activity, fresh: Flag, version: int | None) -> Intent | Blocked:
    """Taking back a beginning removes what came after it as well, so there must be nothing."""
    if fresh.deleted:
        return Blocked("deleted", "the flag has been deleted since", "")
    if version is None or fresh.version != version:
        reason = "the flag was changed after it was " + entry.activity
        return Blocked("moved on", reason, "delete it from the list if that is meant")
    return Intent(fresh.id, {"deleted": True}, "delete", seen_version=version)


def _settable(values: Mapping[str, JSON]) -> dict[str, JSON]:
    known = {name: value for name, value in values.items() if name in FLAG_FIELDS.edited}
    filled = {name: FLAG_FIELDS[name].blank if value is None else value for name, value in known.items()}
    return {name: value for name, value in filled.items() if value is not None}


def _payloads(values: Mapping[str, JSON]) -> JSON:
    return as_dict(values.get("filters")).get("payloads") or {}


def _side(value: JSON) -> str:
    text = compact(value) or "nothing"
    return text if len(text) <= SIDE else f"{text[:SIDE]}…"
