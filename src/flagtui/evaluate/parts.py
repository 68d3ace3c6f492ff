"""A flag as the evaluator sees it, as strict as servers, and whether it distinguishes users."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal

import msgspec

from flagtui.evaluate import wire
from flagtui.evaluate.text import finite
from flagtui.evaluate.wire import items, mapping

LARGEST: Final = 1e15
"""Larger percentages count as this one: JSON can hold integers that no float can."""
Kind = Literal["property", "cohort", "flag"]
LOOKED_UP: Final = frozenset(("", "person", "person_metadata", "group"))
"""Types of properties that servers look up for a flag; without a type it is a person's."""


class Filter(msgspec.Struct, frozen=True):
    """One question of a condition or of a cohort."""

    kind: Kind
    """Person and group properties are asked alike; whose they are depends on the condition."""
    key: str
    """A property, or the key of the flag that is asked for."""
    operator: str
    value: Any
    type: str = ""
    """As received: person, group, person_metadata, cohort, flag."""
    is_keyless: bool = False
    """Whether its key is missing or no text."""
    group_index: int | None = None
    """The group type a group's property is of; None for that of the condition."""
    is_negated: bool = False
    """Counts inside cohorts only."""
    chain: tuple[str, ...] | None = None
    """For a flag: what to evaluate, in order, itself last; empty when circular; None when not known."""
    label: str = ""
    """The server's name for display: a cohort's or flag's name."""


class ConditionParts(msgspec.Struct, frozen=True):
    filters: tuple[Filter, ...] = ()
    percentage: float | None = None
    variant: str | None = None
    """The variant this condition forces; one that the flag does not have forces nothing."""
    group_index: int | None = None
    """The group type it is about; None for people."""
    problem: str = ""
    """Why it cannot be evaluated at all; empty when it can."""


class VariantParts(msgspec.Struct, frozen=True):
    key: str
    percentage: float


class HoldoutParts(msgspec.Struct, frozen=True):
    id: Any
    percentage: float
    """From 0 to 100; values outside are taken as the nearer end."""


class FlagParts(msgspec.Struct, frozen=True):
    key: str
    is_active: bool = False
    has_continuity: bool = False
    """A person keeps the value from before signing in, which only the server knows."""
    conditions: tuple[ConditionParts, ...] = ()
    variants: tuple[VariantParts, ...] = ()
    group_index: int | None = None
    is_by_device: bool = False
    payloads: Mapping[str, Any] = {}
    holdout: HoldoutParts | None = None
    has_enrollment: bool = False
    """Early access: people opt in or out by a property before any condition counts."""
    enrollment_condition: ConditionParts | None = None
    """The older form of early access."""
    exits_early: bool = False
    """Stop at the first condition whose properties fit but whose rollout leaves the person out."""
    is_newer: bool = False
    """The configuration has no conditions: it has ``rules``, or is of an unknown version or none."""
    rules: Mapping[str, Any] | None = None
    """The whole document of configuration version 2; None for every other version."""
    problem: str = ""
    """Why its conditions cannot be read at all, so that it matches no one; empty when they can."""

    @property
    def enrollment_key(self) -> str:
        """Return the property with which users opt in or out."""
        return f"$feature_enrollment/{self.key}"


def read_flag(raw: Mapping[str, Any]) -> FlagParts:
    """Read a stored flag; malformed members count as absent."""
    filters = mapping(raw.get("filters"))
    index = filters.get("aggregation_group_type_index")
    enrollment = items(filters.get("super_groups"))
    identifier = raw.get("bucketing_identifier") or filters.get("bucketing_identifier")
    return FlagParts(
        key=str(raw.get("key", "")),
        is_active=bool(raw.get("active")) and not raw.get("archived") and not raw.get("deleted"),
        has_continuity=bool(raw.get("ensure_experience_continuity")),
        conditions=tuple(read_condition(group, index) for group in wire.conditions(filters)),
        variants=_variants(filters),
        group_index=index,
        is_by_device=identifier == "device_id",
        payloads=wire.payloads(filters),
        holdout=_holdout(filters.get("holdout")),
        has_enrollment=filters.get("feature_enrollment") is True,
        enrollment_condition=read_condition(enrollment[0], None) if enrollment else None,
        exits_early=bool(filters.get("early_exit")),
        is_newer=not wire.has_known_version(filters),
        rules=filters if wire.has_rules(filters) else None,
        problem=wire.problem_of(raw.get("filters", {})),
    )


def read_condition(raw: Any, flag_index: int | None) -> ConditionParts:
    """Read a condition; without its own group type it has the flag's, and null means people."""
    problem = wire.condition_problem(raw)
    if not isinstance(raw, dict):
        return ConditionParts(problem=problem)
    variant = raw.get("variant")
    return ConditionParts(
        filters=() if problem else tuple(map(read_filter, wire.properties(raw))),
        percentage=None if problem or wire.share(raw) is None else number(wire.share(raw)),
        variant=variant if isinstance(variant, str) else None,
        group_index=raw.get("aggregation_group_type_index", flag_index),
        problem=problem,
    )


def read_filter(raw: Mapping[str, Any]) -> Filter:
    """Read one stored property filter."""
    kind: Kind = "property"
    if raw.get("type") == "cohort":
        kind = "cohort"
    elif raw.get("type") == "flag":
        kind = "flag"
    return Filter(
        kind=kind,
        key=_key(raw),
        operator=str(raw.get("operator") or "exact"),
        value=raw.get("value"),
        type=str(raw.get("type") or ""),
        is_keyless=not isinstance(raw.get("key"), str),
        is_negated=bool(raw.get("negation")),
        chain=_chain(raw.get("dependency_chain")),
        label=str(raw.get("cohort_name") or raw.get("label") or ""),
        group_index=index if isinstance(index := raw.get("group_type_index"), int) else None,
    )


def is_cohort_id(value: Any) -> bool:
    """Return whether the value names a cohort: a number, or digits."""
    if isinstance(value, str):
        return value.isascii() and value.isdigit()
    return isinstance(value, int) and not isinstance(value, bool)


def _key(raw: Mapping[str, Any]) -> str:
    key = raw.get("key")
    return "" if key is None else str(key)


def _chain(raw: Any) -> tuple[str, ...] | None:
    return tuple(map(str, raw)) if isinstance(raw, list) else None


def _variants(filters: Any) -> tuple[VariantParts, ...]:
    variants = map(mapping, wire.variants(filters))
    return tuple(
        VariantParts(str(variant["key"]), number(variant.get("rollout_percentage")))
        for variant in variants
        if variant.get("key") is not None
    )


def number(raw: Any) -> float:
    """Return the number, or 0 for any other value; beyond `LARGEST` it is that."""
    return min(max(raw, -LARGEST), LARGEST) if isinstance(raw, int | float) else 0.0


def _holdout(raw: Any) -> HoldoutParts | None:
    values = mapping(raw)
    percentage = finite(values.get("exclusion_percentage"))
    if values.get("id") is None or percentage is None:
        return None
    return HoldoutParts(values["id"], min(max(percentage, 0.0), 100.0))


Value = bool | str | None
SPLIT: Final = None
"""The variant is drawn by hash."""


def for_everyone(flag: FlagParts) -> Value:
    """Return the value that every user gets; None where it depends on the user."""
    if not flag.is_active:
        return False
    decides_before = flag.holdout is not None or flag.has_enrollment or flag.enrollment_condition is not None
    if flag.is_newer or decides_before or flag.group_index is not None or flag.is_by_device or _asks(flag):
        return None
    values = [*_values(flag)]
    return values[0] if values and all(value == values[0] for value in values) else None


def _asks(flag: FlagParts) -> bool:
    """Return whether it depends on another flag, without which none of its conditions counts."""
    return any(filter.kind == "flag" for condition in flag.conditions for filter in condition.filters)


def _values(flag: FlagParts) -> Iterator[Value]:
    """Yield the values of the conditions, up to one that matches everyone; False where none does."""
    for condition in flag.conditions:
        if condition.problem or condition.group_index is not None:
            yield None
        percentage = 100.0 if condition.percentage is None else condition.percentage
        if percentage > 0:
            yield _value(flag, condition)
        if not condition.filters and percentage >= 100:
            return
        if flag.exits_early:
            yield False
    yield False


def _value(flag: FlagParts, condition: ConditionParts) -> Value:
    keys = [variant.key for variant in flag.variants]
    if condition.variant is not None and condition.variant in keys:
        return condition.variant
    drawn = [variant for variant in flag.variants if variant.percentage > 0]
    if drawn:
        return drawn[0].key if drawn[0].percentage >= 100 else SPLIT
    return True
