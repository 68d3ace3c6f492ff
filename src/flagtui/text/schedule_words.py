"""Describe a scheduled change of a flag."""

from flagtui.models.filters import Filters
from flagtui.models.flag_answers import ScheduledChange
from flagtui.models.json_value import as_dict
from flagtui.safe_text import safe_text
from flagtui.text.formats import percent


def scheduled_words(change: ScheduledChange) -> str:
    """Describe the change and, if it recurs, how often."""
    if not change.is_recurring:
        return _what(change)
    interval = safe_text(change.recurrence_interval or "repeatedly", 20)
    return f"{_what(change)}, {interval} in the time zone {safe_text(change.timezone or 'UTC', 40)}"


def _what(change: ScheduledChange) -> str:
    value = change.payload.get("value")
    match change.operation:
        case "update_status":
            return "turned on" if value else "turned off"
        case "add_release_condition":
            added = Filters.of(value).conditions
            return (
                " ".join(f"+ condition at {percent(condition.rollout)}" for condition in added)
                or "+ condition"
            )
        case "update_variants":
            variants = Filters.of({"multivariate": as_dict(value)}).variants
            parts = [f"{safe_text(variant.key, 20)} {percent(variant.rollout)}" for variant in variants]
            return f"variants {', '.join(parts)}" if parts else "variants"
    return safe_text(change.operation, 40) or "a change that this version does not know"
