"""Describe activity entries in a few words: `rollout 25 % → 50 %`, `turned on`, `condition 1: + country`."""

from collections.abc import Iterator
from itertools import zip_longest

from flagtui.changes.flags.context_queries import UNLOGGED
from flagtui.models.activity import EXPERIMENT, Activity, Change
from flagtui.models.filters import Condition, Filters, Property
from flagtui.models.flag_details import NO_NAMES, Names
from flagtui.models.json_value import as_list
from flagtui.models.record_fields import EXPERIMENT_FIELDS, FLAG_FIELDS
from flagtui.safe_text import safe_text
from flagtui.text.flag_sentences import value_text
from flagtui.text.formats import percent

STAFF = "staff of the product, signed in as "
"""Precedes the user's name if a member of the product's staff was signed in as that user."""
_SWITCHES = {
    "active": ("turned on", "turned off"),
    "archived": ("archived", "unarchived"),
    "deleted": ("deleted", "restored"),
}


def activity_words(entry: Activity, limit: int = 80, names: Names = NO_NAMES) -> str:
    """Describe what an entry changed; an entry without details is named by its kind."""
    if entry.activity in ("created", "deleted", "restored"):
        return entry.activity
    if entry.is_unlogged:
        return UNLOGGED
    if entry.scope == EXPERIMENT:
        words = [experiment_change_words(change) for change in entry.changes]
    else:
        words = [part for change in entry.changes for part in change_words(change, names)]
    return safe_text(", ".join(words) or entry.activity or "changed", limit)


_METRICS = {
    "metrics": "metric",
    "metrics_secondary": "secondary metric",
    "saved_metrics_ids": "shared metric",
}


def experiment_change_words(change: Change) -> str:
    """Describe one changed field of an experiment: `launched`, `secondary metric added`."""
    if change.field in _METRICS:
        more = len(as_list(change.after)) - len(as_list(change.before))
        return f"{_METRICS[change.field]} {'added' if more > 0 else 'removed' if more < 0 else 'changed'}"
    if change.field in ("start_date", "end_date"):
        words = ("launched", "start removed") if change.field == "start_date" else ("ended", "end removed")
        if change.before is not None and change.after is not None:
            return f"{change.field.replace('_', ' ')} changed"
        return words[change.after is None]
    if change.field in ("name", "conclusion"):
        return f"{change.field} → {value_text(change.after, 40)}"
    if change.field in _SWITCHES and change.is_on is not None:
        return _SWITCHES[change.field][0 if change.is_on else 1]
    field = EXPERIMENT_FIELDS.get(change.field)
    return safe_text(field.label if field is not None else change.field.replace("_", " "), 40)


def actor_name(entry: Activity) -> str:
    """Return the user, `staff as` the user, or `system`."""
    return safe_text(entry.actor, 60)


def change_words(change: Change, names: Names = NO_NAMES) -> Iterator[str]:
    """Yield the parts of one changed field, in words."""
    if change.field in _SWITCHES and change.is_on is not None:
        yield _SWITCHES[change.field][0 if change.is_on else 1]
    elif change.field == "filters":
        yield from filters_words(Filters.of(change.before), Filters.of(change.after), names)
    elif change.field == "tags":
        yield tags_words(change)
    elif change.field == "key":
        yield f"key → {value_text(change.after, 40)}"
    elif change.field == "name":
        yield "description"
    elif not change.field:
        value = "" if change.after is None else f" → {value_text(change.after, 40)}"
        yield f"something without a name{value}"
    else:
        field = FLAG_FIELDS.get(change.field)
        name = field.label if field is not None else change.field.replace("_", " ")
        yield f"{safe_text(name, 40)} → {value_text(change.after, 40)}"


def tags_words(change: Change) -> str:
    """Format changed tags: `tags +nav -old`."""
    before = set(change.before) if _is_texts(change.before) else set()
    after = set(change.after) if _is_texts(change.after) else set()
    added = [f"+{safe_text(tag, 30)}" for tag in sorted(after - before)]
    removed = [f"-{safe_text(tag, 30)}" for tag in sorted(before - after)]
    return " ".join(["tags", *added, *removed])


def filters_words(before: Filters, after: Filters, names: Names = NO_NAMES) -> Iterator[str]:
    """Yield what changed between two filters: conditions, variants, payloads, other fields."""
    yield from _conditions_words(before.conditions, after.conditions, names)
    if before.variants != after.variants:
        old = {variant.key: variant.rollout for variant in before.variants}
        new = {variant.key: variant.rollout for variant in after.variants}
        for key in dict.fromkeys([*old, *new]):
            if old.get(key) != new.get(key):
                yield f"variant {safe_text(key, 30)}: {_share_change(old.get(key), new.get(key))}"
    for key in dict.fromkeys([*before.payloads, *after.payloads]):
        if before.payloads.get(key) != after.payloads.get(key):
            sign = "+ payload" if key not in before.payloads else "- payload"
            word = sign if (key in before.payloads) != (key in after.payloads) else "payload"
            yield word if key == "true" else f"variant {safe_text(key, 30)}: {word}"
    for key in sorted({*before.raw, *after.raw} - {"groups", "multivariate", "payloads"}):
        if before.raw.get(key) != after.raw.get(key):
            yield safe_text(key.replace("_", " "), 40)


def _conditions_words(
    before: tuple[Condition, ...], after: tuple[Condition, ...], names: Names
) -> Iterator[str]:
    alone = len(before) == len(after) == 1
    for number, (old, new) in enumerate(zip_longest(before, after), 1):
        place = "" if alone else f"condition {number}: "
        if old is None:
            yield f"+ condition {number} at {percent(new.rollout)}"
        elif new is None:
            yield f"- condition {number}"
        elif old != new:
            if old.rollout != new.rollout:
                yield f"{place or 'rollout '}{percent(old.rollout)} → {percent(new.rollout)}"
            yield from _property_words(f"condition {number}: ", old, new, names)
            if old.variant != new.variant:
                yield f"condition {number}: as {safe_text(new.variant or 'any variant', 30)}"


def _property_words(place: str, old: Condition, new: Condition, names: Names) -> Iterator[str]:
    removed = {_name_of(item, names): item for item in old.properties if item not in new.properties}
    added = {_name_of(item, names): item for item in new.properties if item not in old.properties}
    parts = [f"{name} changed" for name in sorted(removed.keys() & added.keys())]
    parts += [f"+ {name}" for name in added if name not in removed]
    parts += [f"- {name}" for name in removed if name not in added]
    if parts:
        yield place + ", ".join(parts)


def _name_of(item: Property, names: Names) -> str:
    """Return `country`, `Paying customers`, or `cohort 31` while its name is not known."""
    label = item.label
    if item.type == "cohort":
        label = label or names.cohorts.get(item.cohort_id or 0, f"cohort {value_text(item.value, 20)}")
    return safe_text(label or item.key, 30)


def _share_change(old: float | None, new: float | None) -> str:
    if old is None:
        return f"added at {percent(new or 0)}"
    if new is None:
        return "removed"
    return f"{percent(old)} → {percent(new)}"


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)
