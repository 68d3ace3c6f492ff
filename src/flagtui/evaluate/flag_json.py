"""Flags and filters from plain JSON. Nothing is refused: what cannot be evaluated says so when it is."""

from collections.abc import Mapping
from typing import Any

from flagtui.evaluate.parts import Condition, Filter, Flag, Holdout, Kind, Variant


def flag(raw: Mapping[str, Any]) -> Flag:
    filters = mapping(raw.get("filters"))
    index = filters.get("aggregation_group_type_index")
    enrollment = items(filters.get("super_groups"))
    identifier = raw.get("bucketing_identifier") or filters.get("bucketing_identifier")
    return Flag(
        key=str(raw.get("key", "")),
        id=raw["id"] if isinstance(raw.get("id"), int) else None,
        is_active=bool(raw.get("active")),
        has_continuity=bool(raw.get("ensure_experience_continuity")),
        conditions=tuple(condition(group, index) for group in items(filters.get("groups"))),
        variants=_variants(filters.get("multivariate")),
        group_index=index,
        is_by_device=identifier == "device_id",
        payloads=mapping(filters.get("payloads")),
        holdout=_holdout(filters.get("holdout")),
        has_enrollment=filters.get("feature_enrollment") is True,
        enrollment_condition=condition(enrollment[0], None) if enrollment else None,
        exits_early=bool(filters.get("early_exit")),
        is_newer=not is_known_version(filters),
        problem=problem_of(raw),
    )


def problem_of(raw: Mapping[str, Any]) -> str:
    """Why a flag's conditions cannot be read, in words; empty when they can, or when it has none."""
    filters = raw.get("filters", {})
    if not isinstance(filters, dict):
        return "filters is not an object"
    groups = filters.get("groups")
    return "" if groups is None or isinstance(groups, list) else "groups is not a list"


def is_known_version(filters: Mapping[str, Any]) -> bool:
    """Whether the filters are of version 1: they say so with a whole number, or say nothing."""
    version = filters.get("version", 1)
    return isinstance(version, int) and not isinstance(version, bool) and version == 1


def condition(raw: Any, flag_index: int | None) -> Condition:
    """A condition without a group type of its own has the flag's; an explicit null means people."""
    if not isinstance(raw, dict):
        return Condition(problem="it is no object")
    percentage = raw.get("rollout_percentage")
    questions = raw.get("properties") or []
    problem = ""
    if percentage is not None and (isinstance(percentage, bool) or not isinstance(percentage, int | float)):
        problem = "its rollout is no number"
    elif not isinstance(questions, list) or not all(isinstance(question, dict) for question in questions):
        problem = "its properties are no list of objects"
    variant = raw.get("variant")
    return Condition(
        filters=() if problem else tuple(question(one) for one in questions),
        percentage=None if problem else percentage,
        variant=variant if isinstance(variant, str) else None,
        group_index=raw.get("aggregation_group_type_index", flag_index),
        problem=problem,
        description=str(raw.get("description") or ""),
    )


def question(raw: Mapping[str, Any]) -> Filter:
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
        is_negated=bool(raw.get("negation")),
        chain=_chain(raw.get("dependency_chain")),
        label=str(raw.get("cohort_name") or raw.get("label") or ""),
        group_index=index if isinstance(index := raw.get("group_type_index"), int) else None,
    )


def mapping(raw: Any) -> dict[str, Any]:
    return raw if isinstance(raw, dict) else {}


def items(raw: Any) -> list[Any]:
    return raw if isinstance(raw, list) else []


def id_text(raw: Any) -> str:
    """Ids come as numbers and as text."""
    return str(raw)


def _key(raw: Mapping[str, Any]) -> str:
    key = raw.get("key")
    return "" if key is None else str(key)


def _chain(raw: Any) -> tuple[str, ...] | None:
    return tuple(map(str, raw)) if isinstance(raw, list) else None


def _variants(raw: Any) -> tuple[Variant, ...]:
    found = (mapping(variant) for variant in items(mapping(raw).get("variants")))
    return tuple(
        Variant(str(variant["key"]), number(variant.get("rollout_percentage")))
        for variant in found
        if variant.get("key") is not None
    )


def number(raw: Any) -> float:
    return raw if isinstance(raw, int | float) else 0.0


def _holdout(raw: Any) -> Holdout | None:
    found = mapping(raw)
    if found.get("id") is None or found.get("exclusion_percentage") is None:
        return None
    try:
        percentage = float(found["exclusion_percentage"])
    except (TypeError, ValueError):
        return None
    return Holdout(found["id"], min(max(percentage, 0.0), 100.0))
