"""References in filters: other flags, cohorts, variants of running experiments, patterns."""

import sqlite3
from collections.abc import Mapping

from flagtui.evaluate import wire
from flagtui.evaluate.pattern_budget import is_malformed
from flagtui.service.bodies import whole_number
from flagtui.service.call import Call
from flagtui.service.database import find
from flagtui.service.errors import Json, invalid
from flagtui.service.flags.dependents import dependencies, experiments_on, find_cycle, named_experiments
from flagtui.service.flags.filter_shapes import fail
from flagtui.service.flags.representation import properties_of
from flagtui.service.flags.status import groups_of, variants_of
from flagtui.service.responses import text_of, value_of

_PATTERNS = ("regex", "not_regex")


def check_links(
    call: Call, filters: Mapping[str, Json], stored: Mapping[str, Json], row: sqlite3.Row | None
) -> None:
    """Raise for the first dependency, cohort or pattern that filters may not have."""
    if row is not None:
        _check_running_variants(call.db, row["id"], filters, stored)
        _check_early_access(call, row["id"], filters)
    _check_dependencies(call, filters, row)
    _check_patterns(filters, stored)
    _check_cohorts(call, filters)


def _check_running_variants(
    db: sqlite3.Connection, flag_id: int, filters: Mapping[str, Json], stored: Mapping[str, Json]
) -> None:
    kept = {variant["key"] for variant in variants_of(filters)}
    lost = [key for variant in variants_of(stored) if (key := variant.get("key")) not in kept]
    running = experiments_on(db, flag_id, running=True) if lost else []
    if running:
        names = ", ".join(f"'{key}'" for key in lost)
        raise fail(
            f"Cannot remove variant(s) {names} from a feature flag that is linked to running experiment(s): "
            f"{named_experiments(running)}. Please stop the experiment(s) before removing variants."
        )


def _check_early_access(call: Call, flag_id: int, filters: Mapping[str, Json]) -> None:
    grouped = any(group.get("aggregation_group_type_index") is not None for group in groups_of(filters))
    if not grouped and filters.get("aggregation_group_type_index") is None:
        return
    if find(call.db, "early_access_features", flag_id=flag_id):
        raise fail(call.generation.groups_with_early_access)


def _check_dependencies(call: Call, filters: Mapping[str, Json], row: sqlite3.Row | None) -> None:
    own_id = None if row is None else row["id"]
    own_key = str(call.body().get("key", "") if row is None else row["key"])
    for item in properties_of(filters):
        if item.get("type") == "flag":
            _check_dependency(call, item["key"], own_id, own_key)
    chain = find_cycle(call.db, call.project.id, own_id, own_key, dependencies(filters))
    if chain:
        raise fail(f"Circular dependency detected: {' → '.join(chain)}")


def _check_dependency(call: Call, reference: str, own_id: int | None, own_key: str) -> None:
    number = whole_number(reference)
    if number is None or number < 0:
        raise fail(
            "Flag dependencies must reference flag IDs (integers), not flag keys. "
            f"Invalid reference: '{reference}'"
        )
    if number == own_id:
        raise fail(f"Feature flag '{own_key}' cannot depend on itself")
    dependency = find(call.db, "flags", id=number, project_id=call.project.id, deleted=0)
    if dependency is None:
        raise fail(f"Flag dependency references non-existent flag with ID {number}")
    if not wire.has_known_version(value_of(dependency["filters"])):
        detail = (
            f"Flag dependency with ID {number} uses an unsupported configuration format. "
            "Remove this dependency to continue."
        )
        raise invalid(detail, "filters", "unsupported_dependency_config_version")
    if not dependency["active"]:
        raise fail(
            f"Cannot create dependency on disabled flag '{dependency['key']}' (ID: {number}). "
            "Flag dependencies must reference active flags only."
        )


def _check_patterns(filters: Mapping[str, Json], stored: Mapping[str, Json]) -> None:
    """Refuse malformed patterns that are new; stored ones may stay, so that the flag stays editable."""
    stored_patterns = {text_of(item.get("value")) for item in properties_of(stored)}
    for number, group in enumerate(groups_of(filters)):
        for position, item in enumerate(group.get("properties") or []):
            value = item.get("value")
            if (
                item.get("operator") not in _PATTERNS
                or not isinstance(value, str)
                or text_of(value) in stored_patterns
            ):
                continue
            if is_malformed(value):
                place = f"groups[{number}].properties[{position}]"
                raise fail(f"{place}.value: invalid regex pattern")


def _check_cohorts(call: Call, filters: Mapping[str, Json]) -> None:
    for item in properties_of(filters):
        if item.get("type") != "cohort":
            continue
        cohort = _find_cohort(call, item.get("value"))
        if cohort is None:
            detail = f"Cohort with id {item.get('value')} does not exist"
            raise invalid(detail, "filters", "cohort_does_not_exist")
        event = event_condition(call, cohort, set())
        if event is not None:
            key, value, words = event.get("key"), event.get("value"), call.generation.behavioral_cohort
            detail = words.format(name=cohort["name"], key=key, value=value)
            raise invalid(detail, "filters", "behavioral_cohort_found")


def _find_cohort(call: Call, value: Json) -> sqlite3.Row | None:
    return find(call.db, "cohorts", id=whole_number(value), project_id=call.project.id, deleted=0)


def event_condition(call: Call, cohort: sqlite3.Row, seen: set[int]) -> dict[str, Json] | None:
    """Return a condition on events in the cohort, or in a cohort that it contains."""
    seen.add(cohort["id"])
    waiting = [value_of(cohort["filters"]).get("properties")]
    while waiting:
        part = waiting.pop()
        if not isinstance(part, dict):
            continue
        if part.get("type") == "behavioral":
            return part
        if part.get("type") == "cohort":
            inner = _find_cohort(call, part.get("value"))
            if inner is not None and inner["id"] not in seen:
                condition = event_condition(call, inner, seen)
                if condition is not None:
                    return condition
        values = part.get("values")
        waiting += values if isinstance(values, list) else []
    return None
