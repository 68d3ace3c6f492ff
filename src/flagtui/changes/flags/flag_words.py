"""Describe a condition, and a difference, in plain words.

The texts are raw: callers pass them through `safe_text` before drawing.
"""

from collections.abc import Mapping, Sequence
from typing import Final, Literal

from msgspec.structs import replace

from flagtui.changes.difference import (
    MISSING,
    DifferenceLine,
    FieldConflict,
    Path,
    arrow,
    brief,
    compact,
    field_words,
)
from flagtui.evaluate import wire
from flagtui.evaluate.operator_words import asked_words, list_values, property_name
from flagtui.models.filters import Condition, Filters, Property, as_index
from flagtui.models.flag_details import NO_NAMES, Names
from flagtui.models.json_value import JSON, as_dict, as_number, as_text, format_number
from flagtui.models.record_fields import FLAG_FIELDS
from flagtui.safe_text import MASK

Role = Literal["name", "verb", "value", "variant", "odd", "note"]
"""The kinds of words about a flag: property, operator, value or variant, ignored parts, notes."""
Word = tuple[Role, str]
NAMES_ROOM: Final = 60
"""Characters of a variant's key, or of a cohort that is known by its number."""


NEVER_MATCHES: Final = " (can never match)"
GONE: Final = " (the cohort does not exist)"
HAS_RULES: Final = "it has rules (configuration version 2)"


def why_read_only(filters: Filters) -> str:
    """Return why the targeting of a flag cannot be edited here; empty for conditions, which can."""
    if filters.is_editable:
        return ""
    if filters.has_rules:
        return f"{HAS_RULES}; only its state, name and tags can be changed here"
    version = compact(filters.config_version)[:NAMES_ROOM]
    return f"its targeting has configuration version {version}, which is only shown here"


_IN_COHORT: Final[Mapping[str, str]] = {"exact": "users in", "in": "users in", "not_in": "users not in"}


def property_words(
    item: Property, names: Names = NO_NAMES, audience: int | None = None, *, is_of_flag: bool = True
) -> tuple[Word, ...]:
    """Return a clause: `email ends with @acme.com`, `users in Paying customers`, `flag checkout is on`.

    `audience` is the group type of the condition, None for users. The clause names the owner of a property
    that belongs to neither: `the company's plan is pro`. Filters of metrics (`is_of_flag` is False) have
    other types and operators.
    """
    if item.type == "cohort":
        return _cohort(item, names)
    if item.type == "flag":
        return _dependency(item, names)
    verb, values = asked_words(item.operator, item.value, names.matching_version)
    name = _owner(item, names, audience) + (property_name(item.key, item.type) or '""')
    words: list[Word] = [("name", name)]
    words.append(("verb", f" {verb}") if verb else ("odd", f" {item.operator}"))
    if values:
        words.append(("value", f" {values}"))
    if item.is_negated:
        # Servers and libraries look at the mark only inside the definition of a cohort.
        words.append(("note", " (marked as negated, which counts in cohorts only)"))
    # Loaded here: the first rows of a list need no operators.
    from flagtui.evaluate.impossible_filters import can_match
    from flagtui.evaluate.parts import LOOKED_UP

    is_unusable = is_of_flag and (item.is_keyless or not verb or item.type not in LOOKED_UP)
    if is_unusable or not can_match(item.operator, item.value):
        words.append(("odd", NEVER_MATCHES))
    return tuple(words)


def property_in_short(
    item: Property, names: Names = NO_NAMES, audience: int | None = None, *, is_of_flag: bool = True
) -> str:
    """Return the clause of `property_words` as one text."""
    return "".join(text for _, text in property_words(item, names, audience, is_of_flag=is_of_flag))


def _owner(item: Property, names: Names, audience: int | None) -> str:
    """Return `the company's ` or `the person's ` if the property is not one of the audience."""
    index = item.group_type_index
    if item.type == "group" and index is not None and index != audience:
        return f"the {names.groups.get(index, f'group of type {index}')}'s "
    return "the person's " if item.type == "person" and audience is not None else ""


def _cohort(item: Property, names: Names) -> tuple[Word, ...]:
    verb = _IN_COHORT.get(item.operator)
    first: Word = ("verb", f"{verb} ") if verb else ("odd", f"users {item.operator} ")
    name: Word = ("name", cohort_name(item, names))
    if verb is None or item.cohort_id is None:
        return first, name, ("odd", NEVER_MATCHES)
    return (first, name, ("odd", GONE)) if item.is_gone else (first, name)


def cohort_name(item: Property, names: Names) -> str:
    """Return the name of the cohort, or `cohort 31` while it is not known."""
    label = item.label or names.cohorts.get(item.cohort_id or 0)
    return label or f"cohort {list_values(item.value, room=NAMES_ROOM)}"


def _dependency(item: Property, names: Names) -> tuple[Word, ...]:
    name = names.flags.get(item.flag_id or 0) or item.label or item.key
    if not name:
        return ("verb", "a flag "), ("odd", "that is not named: matches no one")
    named: tuple[Word, ...] = (("verb", "flag "), ("name", name))
    if item.operator != "flag_evaluates_to" or item.value is None:
        return (*named, ("odd", f" {item.operator}: matches no one"))
    match item.value:
        case bool():
            words: tuple[Word, ...] = (("verb", " is "), ("value", "on" if item.value else "off"))
        case "true" | "false":
            # A variant of that name is meant, which the value of a flag is not.
            words = (("verb", " serves "), ("variant", f'"{item.value}"'))
        case str():
            words = (("verb", " serves "), ("variant", list_values(item.value, room=NAMES_ROOM)))
        case _:
            return (*named, ("odd", f" serves {list_values(item.value, room=NAMES_ROOM)}: matches no one"))
    why = names.undecided.get(item.flag_id or 0)
    note: tuple[Word, ...] = (("odd", f" ({why})"),) if why else ()
    return (*named, *words, *note)


Sides = Sequence[dict[str, JSON]]
"""A condition as it is and as it would be."""
Records = tuple[Mapping[str, JSON], Mapping[str, JSON]]
GROUP_TYPE: Final = "aggregation_group_type_index"
"""The key of the group type in conditions, and in filters for all of them."""


def in_words(
    line: DifferenceLine, before: Mapping[str, JSON], after: Mapping[str, JSON], names: Names = NO_NAMES
) -> str:
    """Describe a differing path of a flag as a phrase: `condition 2: rollout 25 % → 50 %`."""
    match line.path:
        case ("filters", "groups", int() as place):
            return _condition_words(line, place, names, (before, after))
        case ("filters", "groups", int() as place, *rest):
            sides = tuple(_at(wire.conditions(side.get("filters")), place) for side in (before, after))
            return f"condition {place + 1}: {_inside_condition(line, tuple(rest), sides, names)}"
        case ("filters", "aggregation_group_type_index"):
            return f"the flag {unit_words(line.before, line.after, names)}"
        case ("filters", "multivariate", "variants", int() as place, *rest):
            return _variant_words(line, place, tuple(rest), before, after)
        case ("filters", "payloads", str() as key):
            return f"payload of {key} {_change_word(line)}"
        case (str() as field,):
            return field_words(FLAG_FIELDS, field, line.before, line.after)
        case (str() as field, int()):
            return f"{FLAG_FIELDS.words(field)}: {arrow(line.before, line.after)}"
        case _:
            where = line.where.removeprefix("filters.").replace("_", " ")
            return f"{where}: {arrow(line.before, line.after)}"


def mask_line(line: DifferenceLine) -> DifferenceLine:
    """Return the line with an encrypted payload's values masked."""
    return (
        replace(line, before=_mask(line.before), after=_mask(line.after)) if _is_payload(line.path) else line
    )


def hidden_conflict(conflict: FieldConflict) -> FieldConflict:
    """Return the conflict with an encrypted payload's values masked."""
    if not _is_payload(conflict.path):
        return conflict
    seen, mine, theirs = map(_mask, (conflict.seen, conflict.mine, conflict.theirs))
    return replace(conflict, seen=seen, mine=mine, theirs=theirs)


def percent(value: JSON) -> str:
    """Format a share as a percentage; null and missing mean everyone, other values stay as they are."""
    if value is None or value is MISSING:
        return "100 %"
    number = as_number(value)
    return f"{format_number(number)} %" if number is not None else brief(value)


def condition_in_short(
    raw: JSON, names: Names = NO_NAMES, flag_index: JSON = None, most: int | None = None
) -> str:
    """Return `50 % of users where email contains @acme.com, as test`; `flag_index` is the flag's group type.

    Properties after the first `most` are counted.
    """
    if not isinstance(raw, dict):
        return brief(raw)
    condition = Condition.of(raw)
    index = as_index(raw.get("aggregation_group_type_index", flag_index))
    asks = [property_in_short(item, names, index) for item in condition.properties[:most]]
    if (more := len(condition.properties) - len(asks)) > 0:
        asks.append(f"{more:,} more")
    who = "users" if asks else "everyone"
    if index is not None:
        who = f"{'' if asks else 'all '}{names.group_noun(index)}"
    where = f" where {' and '.join(asks)}" if asks else ""
    variant = f", as {condition.variant}" if condition.variant else ""
    return f"{percent(wire.share(raw))} of {who}{where}{variant}"


def _condition_words(line: DifferenceLine, place: int, names: Names, records: Records) -> str:
    types = [as_dict(record.get("filters")).get(GROUP_TYPE) for record in records]
    sides = zip((line.before, line.after), types, strict=True)
    before, after = (side if side is MISSING else condition_in_short(side, names, of) for side, of in sides)
    if before is MISSING:
        return f"condition {place + 1} added: {after}"
    if after is MISSING:
        return f"condition {place + 1} removed: {before}"
    return f"condition {place + 1}: {before} → {after}"


def _inside_condition(line: DifferenceLine, rest: Path, sides: Sides, names: Names) -> str:
    match rest:
        case ("rollout_percentage",):
            return f"rollout {percent(line.before)} → {percent(line.after)}"
        case ("variant",):
            old, new = (None if side is MISSING else side for side in (line.before, line.after))
            if old is None and new is None:
                return "no forced variant, as before"
            return f"forced variant {_or_none(old)} → {_or_none(new)}"
        case ("aggregation_group_type_index",):
            return unit_words(line.before, line.after, names)
        case ("properties", int()) if MISSING in (line.before, line.after):
            sign, filters = ("+", line.after) if line.before is MISSING else ("−", line.before)
            return f"{sign} {_property_words(filters, names)}"
        case ("properties", int() as within, "operator" | "value" as field):
            old, new = (_at(wire.properties(side), within) for side in sides)
            if field == "value" or old.get("value") == new.get("value"):
                return f"{_property_words(old, names)} → {_property_words(new, names)}"
        case ("properties", int() as within, "value", int()):
            filters = _at(wire.properties(sides[1]), within)
            return f"{brief(filters.get('key'))}: {arrow(line.before, line.after)}"
    return f"{'.'.join(map(str, rest)).replace('_', ' ')} {arrow(line.before, line.after)}"


def _or_none(value: JSON) -> str:
    return "none" if value is None else brief(value)


def _at(items: Sequence[JSON], place: int) -> dict[str, JSON]:
    """Return the item at a place of a list; empty beyond its end."""
    return as_dict(items[place]) if place < len(items) else {}


def _property_words(item: JSON, names: Names) -> str:
    return property_in_short(Property.of(item), names) if isinstance(item, dict) else brief(item)


def unit_words(old: JSON, new: JSON, names: Names) -> str:
    """Return `is about company groups instead of users`; a side can be `MISSING`."""

    def noun(side: JSON) -> str:
        index = as_index(side)
        return "users" if index is None else names.group_noun(index)

    before, after = noun(old), noun(new)
    if before == after:
        return f"is about {after}, set explicitly" if new is not MISSING else f"is about {after}"
    return f"is about {after} instead of {before}"


def _variant_words(
    line: DifferenceLine, place: int, rest: Path, before: Mapping[str, JSON], after: Mapping[str, JSON]
) -> str:
    filters = (before if line.before is not MISSING else after).get("filters")
    variant = _at(wire.variants(filters), place)
    key = as_text(variant.get("key")) or f"number {place + 1}"
    if not rest:
        return f"variant {key} {_change_word(line)}"
    if rest == ("rollout_percentage",):
        return f"variant {key}: {percent(line.before)} → {percent(line.after)}"
    return f"variant {key}: {'.'.join(map(str, rest))} {arrow(line.before, line.after)}"


def _is_payload(path: Path) -> bool:
    return path[:2] == ("filters", "payloads") or path == ("filters",)


def _mask(value: JSON) -> JSON:
    return value if value in (MISSING, None, {}) else MASK


def _change_word(line: DifferenceLine) -> str:
    if line.before is MISSING:
        return "added"
    return "removed" if line.after is MISSING else "changed"
