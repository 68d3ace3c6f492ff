"""Describe activity entries in a few words: `rollout 25 % → 50 %`, `turned on`, `condition 1: + country`."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, zip_longest
from typing import Final

from flagtui.changes.difference import value_words
from flagtui.changes.flags.flag_consequences import UNLOGGED
from flagtui.changes.flags.flag_words import GROUP_TYPE, cohort_name, unit_words
from flagtui.evaluate import wire
from flagtui.models.activity import EXPERIMENT, Activity, Change
from flagtui.models.filters import Condition, Property, Variant, as_index
from flagtui.models.flag_details import NO_NAMES, Names
from flagtui.models.json_value import JSON, as_dict, as_list
from flagtui.models.record_fields import EXPERIMENT_FIELDS, FLAG_FIELDS
from flagtui.safe_text import safe_text
from flagtui.text.flag_sentences import value_text
from flagtui.text.formats import percent

PROPERTIES: Final = 50
"""The most differing properties of a condition that are named; a line shows fewer."""
TAGS: Final = 100
"""The most tags that are named."""
VARIANTS: Final = 200
"""The most variants of a flag whose shares are compared."""
MORE: Final = "… and more"
STAFF = "staff of the product, signed in as "
"""Precedes the user's name if a member of the product's staff was signed in as that user."""
AROUND_A_MOMENT: Final = "changes of experiments and events are listed around a moment only, as with @ 20m"
"""Why a search for them finds nothing."""


def activity_words(entry: Activity, limit: int = 80, names: Names = NO_NAMES) -> str:
    """Describe what an entry changed; an entry without details is named by its kind."""
    if entry.activity in ("created", "deleted", "restored"):
        return entry.activity
    if entry.is_unlogged:
        return UNLOGGED
    parts: Iterator[str]
    if entry.scope == EXPERIMENT:
        fields = {change.field for change in entry.changes}
        # Servers put the order of metrics right whenever these change.
        kept = (each for each in entry.changes if each.field not in _ORDERS or fields.isdisjoint(_METRICS))
        parts = map(experiment_change_words, kept)
    else:
        parts = (part for change in entry.changes for part in change_words(change, names))
    words, room = "", limit
    for part in parts:
        if room < 0:
            # There can be tens of thousands of parts, and a line has room for a few.
            return f"{safe_text(words[: limit - len(MORE)])}{MORE}"
        words = f"{words}, {part}" if words else part
        room = limit - len(words)
    return safe_text(words or entry.activity or "changed", limit)


_METRICS = {
    "metrics": "metric",
    "metrics_secondary": "secondary metric",
    "saved_metrics_ids": "shared metric",
}


_ORDERS = {
    "primary_metrics_ordered_uuids": "metrics reordered",
    "secondary_metrics_ordered_uuids": "secondary metrics reordered",
}


def experiment_change_words(change: Change) -> str:
    """Describe one changed field of an experiment: `launched`, `secondary metric added`."""
    if change.field in _METRICS:
        more = len(as_list(change.after)) - len(as_list(change.before))
        return f"{_METRICS[change.field]} {'added' if more > 0 else 'removed' if more < 0 else 'changed'}"
    if change.field in _ORDERS:
        return _ORDERS[change.field]
    if change.field in ("start_date", "end_date"):
        words = ("launched", "start removed") if change.field == "start_date" else ("ended", "end removed")
        if change.before is not None and change.after is not None:
            return f"{change.field.replace('_', ' ')} changed"
        return words[change.after is None]
    field = EXPERIMENT_FIELDS.get(change.field)
    if change.field in ("name", "conclusion"):
        return f"{change.field} → {value_text(value_words(field, change.after), 40)}"
    return change.switch_words or safe_text(EXPERIMENT_FIELDS.words(change.field), 40)


def actor_name(entry: Activity) -> str:
    """Return the user, `staff as` the user, or `system`."""
    return safe_text(entry.actor, 60)


def change_words(change: Change, names: Names = NO_NAMES) -> Iterator[str]:
    """Yield the parts of one changed field, in words."""
    if change.switch_words:
        yield change.switch_words
    elif change.field == "filters":
        yield from filters_words(as_dict(change.before), as_dict(change.after), names)
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
        value = value_words(FLAG_FIELDS.get(change.field), change.after)
        yield f"{safe_text(FLAG_FIELDS.words(change.field), 40)} → {value_text(value, 40)}"


def tags_words(change: Change) -> str:
    """Format changed tags: `tags +nav -old`."""
    before = set(change.before) if _is_texts(change.before) else set()
    after = set(change.after) if _is_texts(change.after) else set()
    moved = [("+", tag) for tag in sorted(after - before)] + [("-", tag) for tag in sorted(before - after)]
    more = [f"and {len(moved) - TAGS:,} more"] if len(moved) > TAGS else []
    return " ".join(["tags", *(f"{sign}{safe_text(tag, 30)}" for sign, tag in moved[:TAGS]), *more])


def filters_words(
    before: Mapping[str, JSON], after: Mapping[str, JSON], names: Names = NO_NAMES
) -> Iterator[str]:
    """Yield what changed between two stored filters: conditions, variants, payloads, other fields."""
    types = before.get(GROUP_TYPE), after.get(GROUP_TYPE)
    if words := _unit_words(types, names):
        yield f"the flag {words}"
    yield from _conditions_words(wire.conditions(before), wire.conditions(after), types, names)
    yield from _variants_words(wire.variants(before), wire.variants(after))
    payloads, others = wire.payloads(before), wire.payloads(after)
    for key in dict.fromkeys([*payloads, *others]) if payloads != others else ():
        if payloads.get(key) != others.get(key):
            sign = "+ payload" if key not in payloads else "- payload"
            word = sign if (key in payloads) != (key in others) else "payload"
            yield word if key == "true" else f"variant {safe_text(key, 30)}: {word}"
    for key in sorted({*before, *after} - {"groups", "multivariate", "payloads", GROUP_TYPE}):
        # Servers fill in what is empty.
        if (before.get(key) or None) != (after.get(key) or None):
            is_switch = isinstance(before.get(key) or after.get(key), bool)
            state = f" → {'on' if after.get(key) else 'off'}" if is_switch else ""
            yield f"{_plain_key(key)}{state}"


Sides = tuple[JSON, JSON]
"""A value before and after."""


def _unit_words(types: Sides, names: Names) -> str:
    """Return `is about company groups instead of users`; empty where that is the same."""
    before, after = types
    is_same = as_index(before) == as_index(after)
    return "" if is_same else safe_text(unit_words(before, after, names), 80)


def _plain_key(key: str) -> str:
    return safe_text(key.replace("_", " "), 40)


def _objects(values: Sequence[JSON]) -> Iterator[dict[str, JSON]]:
    return (value for value in values if isinstance(value, dict))


def _variants_words(before: Sequence[JSON], after: Sequence[JSON]) -> Iterator[str]:
    if before == after:
        return
    if max(len(before), len(after)) > VARIANTS:
        yield "variants changed"
        return
    old, new = _shares(before), _shares(after)
    moved = [key for key in dict.fromkeys([*old, *new]) if old.get(key) != new.get(key)]
    for key in moved:
        yield f"variant {safe_text(key, 30)}: {_share_change(old.get(key), new.get(key))}"
    if [key for key in old if key in new] != [key for key in new if key in old]:
        yield "variants in another order"
    elif not moved and _names(before) != _names(after):
        yield "variants changed"


def _names(variants: Sequence[JSON]) -> list[tuple[str, str]]:
    return [(variant.key, variant.name) for variant in map(Variant.of, _objects(variants))]


def _shares(variants: Sequence[JSON]) -> dict[str, float]:
    return {variant.key: variant.rollout for variant in map(Variant.of, _objects(variants))}


def _conditions_words(
    before: Sequence[JSON], after: Sequence[JSON], types: Sides, names: Names
) -> Iterator[str]:
    """Yield what changed in each condition; `types` are the flag's group types, the defaults."""
    alone = all(len([*islice(_objects(groups), 2)]) == 1 for groups in (before, after))
    for number, (stored, now) in enumerate(zip_longest(_objects(before), _objects(after)), 1):
        if stored == now:
            # Of thousands of conditions, few are different.
            continue
        place = "" if alone else f"condition {number}: "
        if now is None:
            yield f"- condition {number}"
            continue
        if stored is None:
            yield f"+ condition {number} at {percent(Condition.of(wire.with_properties(now, ())).rollout)}"
            continue
        parts = [*_condition_words(place, f"condition {number}: ", stored, now, names)]
        own = stored.get(GROUP_TYPE, types[0]), now.get(GROUP_TYPE, types[1])
        if own != types and (words := _unit_words(own, names)):
            parts.append(f"condition {number}: {words}")
        if not parts and wire.properties(stored) != wire.properties(now):
            parts.append(f"condition {number} changed")
        yield from parts


_DESCRIBED: Final = frozenset(("properties", "rollout_percentage", "variant", GROUP_TYPE))
"""Members of a condition with words of their own."""


def _condition_words(
    place: str, numbered: str, stored: dict[str, JSON], now: dict[str, JSON], names: Names
) -> Iterator[str]:
    stored, now, is_long = _without_common_properties(stored, now)
    old, new = Condition.of(stored), Condition.of(now)
    if old.rollout != new.rollout:
        yield f"{place or 'rollout '}{percent(old.rollout)} → {percent(new.rollout)}"
    if is_long:
        yield f"{numbered}properties changed"
    yield from _property_words(numbered, old, new, names)
    if old.variant != new.variant:
        yield f"{numbered}as {safe_text(new.variant or 'any variant', 30)}"
    for key in sorted({*stored, *now} - _DESCRIBED):
        if (stored.get(key) or None) != (now.get(key) or None):
            yield numbered + _plain_key(key)


def _without_common_properties(
    old: dict[str, JSON], new: dict[str, JSON]
) -> tuple[dict[str, JSON], dict[str, JSON], bool]:
    """Return both conditions without the properties with which both begin and end: there can be thousands.

    The last value is whether too many are left to be named; then none is left.
    """
    before, after = wire.properties(old), wire.properties(new)
    if before == after:
        return wire.with_properties(old, ()), wire.with_properties(new, ()), False
    least = min(len(before), len(after))
    start = next((n for n in range(least) if before[n] != after[n]), least)
    end = next((n for n in range(least - start) if before[-1 - n] != after[-1 - n]), least - start)
    if max(len(before), len(after)) - start - end > PROPERTIES:
        return wire.with_properties(old, ()), wire.with_properties(new, ()), True
    sides = (before[start : len(before) - end], after[start : len(after) - end])
    return wire.with_properties(old, sides[0]), wire.with_properties(new, sides[1]), False


def _property_words(place: str, old: Condition, new: Condition, names: Names) -> Iterator[str]:
    removed = {_name_of(item, names): item for item in _absent(old.properties, new.properties)}
    added = {_name_of(item, names): item for item in _absent(new.properties, old.properties)}
    parts = [f"{name} changed" for name in sorted(removed.keys() & added.keys())]
    parts += [f"+ {name}" for name in added if name not in removed]
    parts += [f"- {name}" for name in removed if name not in added]
    if parts:
        yield place + ", ".join(parts)


def _absent(items: Sequence[Property], others: Sequence[Property]) -> list[Property]:
    return [item for item in items if item not in others]


def _name_of(item: Property, names: Names) -> str:
    """Return `country`, `Paying customers`, or `cohort 31` while its name is not known."""
    name = cohort_name(item, names) if item.type == "cohort" else item.label or item.key
    return safe_text(name, 30)


def _share_change(old: float | None, new: float | None) -> str:
    if old is None:
        return f"added at {percent(new or 0)}"
    if new is None:
        return "removed"
    return f"{percent(old)} → {percent(new)}"


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)
