"""Describe a scheduled change of a flag, its recurrence and its failure."""

from collections.abc import Sequence

from flagtui import local_time
from flagtui.changes.flags.flag_words import condition_in_short
from flagtui.evaluate import wire
from flagtui.local_time import age
from flagtui.models.filters import Filters
from flagtui.models.flag_details import NO_NAMES
from flagtui.models.flag_responses import ScheduledChange
from flagtui.models.json_value import JSON, as_dict, as_list
from flagtui.safe_text import safe_text
from flagtui.text.formats import percent

_TRUE = frozenset(("true", "t", "yes", "y", "on", "1"))
_FALSE = frozenset(("false", "f", "no", "n", "off", "0"))
"""Texts that servers read as true or false when they apply the change, like Django REST framework."""
LONGEST = 400
"""The most characters of a description."""


def scheduled_words(change: ScheduledChange) -> str:
    """Describe the change, how often it recurs, and whether it is done or why it failed."""
    words = f"{_what(change)}{_recurrence(change)}"
    if not change.failure_reason:
        return f"done: {words}" if change.is_done else words
    reason = safe_text(change.failure_reason, 200)
    return f"{words}; last run failed: {reason}" if change.is_recurring else f"failed: {reason}; {words}"


def scheduled_in_short(changes: Sequence[ScheduledChange], now: float) -> str:
    """Format the next of these changes, and how many follow: `+3d off`, `+2h +condition, 1 more`."""
    change = changes[0]
    at = local_time.unix(change.scheduled_at)
    when = "" if at is None else "repeats" if at < now and change.is_recurring else age(at, now)
    match change.operation:
        case "update_status":
            what = {"turned on": "on", "turned off": "off"}.get(_status(change.payload.get("value")), "?")
        case "add_release_condition":
            what = "+condition"
        case "update_variants":
            what = "variants"
        case _:
            what = "a change"
    more = f", {len(changes) - 1:,} more" if len(changes) > 1 else ""
    return f"{when} {what}{more}".strip()


def _recurrence(change: ScheduledChange) -> str:
    pattern = safe_text(change.recurrence_interval, 20) if change.recurrence_interval else ""
    if change.cron_expression:
        pattern = f"by cron {safe_text(change.cron_expression, 60)}"
    if not change.is_recurring:
        return f", {pattern} (paused)" if pattern else ""
    zone = safe_text(change.timezone or "UTC", 40)
    end = f" until {local_time.minute(change.end_date.timestamp())}" if change.end_date else ""
    return f", {pattern or 'repeatedly'} in the time zone {zone}{end}"


def _what(change: ScheduledChange) -> str:
    value = change.payload.get("value")
    match change.operation:
        case "update_status":
            return _status(value)
        case "add_release_condition":
            flag_type = as_dict(value).get("aggregation_group_type_index")
            added = (condition_in_short(raw, NO_NAMES, flag_type) for raw in wire.conditions(value))
            return safe_text(" ".join(f"+ condition: {words}" for words in added), LONGEST) or "+ condition"
        case "update_variants":
            variants = Filters.of(wire.with_variants({}, as_list(as_dict(value).get("variants")))).variants
            parts = [f"{safe_text(variant.key, 20)} {percent(variant.rollout)}" for variant in variants]
            return f"variants {', '.join(parts)}" if parts else "variants"
    return safe_text(change.operation, 40) or "a change that this version does not know"


def _status(value: JSON) -> str:
    text = str(value).lower() if isinstance(value, str | bool | int) else ""
    if text in _TRUE:
        return "turned on"
    return "turned off" if text in _FALSE else "turned on or off: the value is invalid"
