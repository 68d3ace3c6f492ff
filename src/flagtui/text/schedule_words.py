"""What a scheduled change of a flag will do, in words."""

from flagtui.models.filters import Filters
from flagtui.models.flag_answers import ScheduledChange
from flagtui.models.json_value import as_dict
from flagtui.safe_text import safe_text
from flagtui.text.formats import percent


def scheduled_words(change: ScheduledChange) -> str:
    """What it will do, and how often when it comes again."""
    if not change.is_recurring:
        return _what(change)
    often = safe_text(change.recurrence_interval or "again and again", 20)
    return f"{_what(change)}, {often} by the clock of {safe_text(change.timezone or 'UTC', 40)}"


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
            parts = [f"{safe_text(one.key, 20)} {percent(one.rollout)}" for one in variants]
            return f"variants {', '.join(parts)}" if parts else "variants"
    return safe_text(change.operation, 40) or "a change of a kind that is not known"
