"""Documents of version 2: shape and limits, in the order in which the server reports faults."""

import re
import uuid
from collections.abc import Iterator, Mapping
from typing import Final

from flagtui.evaluate.pattern_budget import is_malformed
from flagtui.service.bodies import is_number
from flagtui.service.errors import Json
from flagtui.service.flags.rules.values import (
    RETURN_TYPES,
    check_not_reserved,
    check_percentage,
    check_targeting,
    check_value,
    fault,
    require_list,
    require_object,
    require_text,
)
from flagtui.service.responses import text_of, value_of

Document = dict[str, Json]
MOST_RULES: Final = 100
MOST_VARIANTS: Final = 20
LONGEST_SEED: Final = 400
MOST_METADATA_BYTES: Final = 2_000
"""Compact JSON. The product's limit is not published; it refuses 4,000 characters."""
_ROOT: Final = ("version", "return_type", "default_value", "rules")
_INDEX: Final = "aggregation_group_type_index"
_VERSION_1_FIELDS: Final = (
    *("groups", "multivariate", "payloads", "super_groups", "holdout_groups", "holdout"),
    *("feature_enrollment", "early_exit", "bucketing_identifier"),
)
_COMMON: Final = ("id", "rule_type", "targeting")
_DRAWN: Final = ("rollout_percentage", "on_rollout_miss", "assignment_algorithm", "seed")
_REQUIRED: Final[Mapping[str, tuple[str, ...]]] = {
    "targeted_release": (*_COMMON, "value"),
    "percentage_rollout": (*_COMMON, "value", *_DRAWN),
    "experiment": (*_COMMON, "experiment_id", "paused", *_DRAWN, "variants"),
}
_OPTIONAL: Final[Mapping[str, tuple[str, ...]]] = {
    "targeted_release": ("description", "metadata"),
    "percentage_rollout": ("description", "metadata", "assign_by"),
    "experiment": ("description", "metadata", "assign_by", "holdout"),
}
_VARIANT_KEY: Final = re.compile(r"[a-zA-Z0-9_-]+")


def config_version(filters: Json) -> int | None:
    """Return 1 or 2; None for a version that is not supported. Only the numeric `version` decides."""
    if not isinstance(filters, Mapping) or "version" not in filters:
        return 1
    version = filters["version"]
    return int(version) if is_number(version) and version in (1, 2) else None


def stored_version(text: str) -> int | None:
    """Return `config_version` of stored filters; most of them need no decoding."""
    return config_version(value_of(text)) if '"version"' in text else 1


def is_randomised(rule: Mapping[str, Json]) -> bool:
    """Return whether the rule draws persons, and so has a seed."""
    return rule.get("rule_type") in ("percentage_rollout", "experiment")


def check_size(document: Json, most: int) -> None:
    """Raise when the compact JSON has more than `most` bytes."""
    if len(text_of(document).encode()) > most:
        raise fault("filters", "The configuration is too large.", "limit_exceeded")


def check_document(document: Json, kept_patterns: frozenset[str] = frozenset()) -> None:
    """Raise the first fault of a complete document, whose ids and seeds are assigned.

    Args:
        document: The `filters` of a flag.
        kept_patterns: Stored patterns, which may stay although they do not compile.
    """
    root = _check_root(document)
    seen: set[str] = set()
    for place, rule in _places(root["rules"], "filters__rules"):
        _check_rule(rule, place, root["return_type"], seen)
    _check_reserved_values(root)
    for place, pattern in _patterns(root):
        if pattern not in kept_patterns and is_malformed(pattern):
            raise fault(place, "Must be a valid regular expression.")


def patterns_of(document: Mapping[str, Json]) -> frozenset[str]:
    """Return every pattern of a valid document."""
    return frozenset(pattern for _, pattern in _patterns(document))


def _places(items: list[Json], place: str) -> Iterator[tuple[str, Json]]:
    return ((f"{place}__{index}", item) for index, item in enumerate(items))


def _check_root(document: Json) -> Document:
    root = require_object(document, "filters", (), None)
    for name in root:
        if name in _VERSION_1_FIELDS:
            detail = "Config version 1 fields are not allowed in a config version 2 document."
            raise fault(f"filters__{name}", detail, "unknown_field")
    require_object(root, "filters", _ROOT, (_INDEX,))
    if config_version(root) != 2:
        raise fault("filters__version", "Must be config version 2.")
    if root["return_type"] not in RETURN_TYPES:
        raise fault("filters__return_type", "Must be boolean, string, number or object.")
    check_value(root["default_value"], root["return_type"], "filters__default_value", or_null=True)
    if (index := root.get(_INDEX)) is not None:
        if isinstance(index, bool) or not isinstance(index, int):
            raise fault(f"filters__{_INDEX}", "Must be an integer or null.")
        raise fault(f"filters__{_INDEX}", "Group-assigned flags are not available yet.", "unsupported")
    require_list(root["rules"], "filters__rules", MOST_RULES, f"At most {MOST_RULES} rules are allowed.")
    return root


def _check_rule(value: Json, place: str, return_type: str, seen: set[str]) -> None:
    rule = require_object(value, place, ("id", "rule_type"), None)
    rule_type = rule["rule_type"]
    if not isinstance(rule_type, str) or rule_type not in _REQUIRED:
        raise fault(f"{place}__rule_type", "Must be targeted_release, percentage_rollout or experiment.")
    _check_rule_fields(rule, rule_type, place)
    _check_id(rule, place, seen)
    check_targeting(rule["targeting"], f"{place}__targeting")
    if "description" in rule:
        require_text(rule, "description", place)
    _check_metadata(rule, place)
    if rule_type != "experiment":
        check_value(rule["value"], return_type, f"{place}__value")
    if is_randomised(rule):
        _check_draw(rule, place)
    if rule_type == "experiment":
        _check_split(rule, place, return_type)


def _check_rule_fields(rule: Mapping[str, Json], rule_type: str, place: str) -> None:
    for name in rule:
        if name in _REQUIRED[rule_type] or name in _OPTIONAL[rule_type]:
            continue
        detail = "Unknown field."
        if rule_type == "targeted_release" and name in (*_DRAWN, "assign_by"):
            detail = "Only percentage_rollout and experiment rules have this field."
        elif rule_type == "experiment" and name == "value":
            detail = "Experiment rules return the values of their variants."
        raise fault(f"{place}__{name}", detail, "unknown_field")
    require_object(rule, place, _REQUIRED[rule_type], None)


def _check_id(rule: Mapping[str, Json], place: str, seen: set[str]) -> None:
    name = require_text(rule, "id", place)
    if len(name) != 36 or not _is_uuid(name):
        raise fault(f"{place}__id", "Must be a UUID.")
    if name in seen:
        raise fault(f"{place}__id", "Rule ids must be unique.", "not_unique")
    seen.add(name)


def _is_uuid(text: str) -> bool:
    try:
        uuid.UUID(text)
    except ValueError:
        return False
    return True


def _check_metadata(rule: Mapping[str, Json], place: str) -> None:
    if "metadata" not in rule:
        return
    metadata = require_object(rule["metadata"], f"{place}__metadata", (), None)
    if len(text_of(metadata).encode()) > MOST_METADATA_BYTES:
        raise fault(f"{place}__metadata", "The rule metadata is too large.", "limit_exceeded")


def _check_draw(rule: Mapping[str, Json], place: str) -> None:
    check_percentage(rule, "rollout_percentage", place)
    if rule["on_rollout_miss"] not in ("continue", "return_default"):
        raise fault(f"{place}__on_rollout_miss", "Must be continue or return_default.")
    if rule["assignment_algorithm"] != "sha1_60_v1":
        raise fault(f"{place}__assignment_algorithm", "Must be sha1_60_v1.")
    if rule.get("assign_by", "person") != "person":
        raise fault(f"{place}__assign_by", "Must be person.")
    _check_seed(rule, place)


def _check_seed(holder: Mapping[str, Json], place: str) -> None:
    if not 1 <= len(require_text(holder, "seed", place)) <= LONGEST_SEED:
        raise fault(f"{place}__seed", f"Must be between 1 and {LONGEST_SEED} characters.")


def _check_split(rule: Mapping[str, Json], place: str, return_type: str) -> None:
    number = rule["experiment_id"]
    if number is not None:
        if isinstance(number, bool) or not isinstance(number, int):
            raise fault(f"{place}__experiment_id", "Must be an integer or null.")
        detail = "Linking an experiment is not available yet. Use null for a rule without an experiment."
        raise fault(f"{place}__experiment_id", detail, "unsupported")
    if not isinstance(rule["paused"], bool):
        raise fault(f"{place}__paused", "Must be true or false.")
    _check_variants(rule["variants"], f"{place}__variants", return_type)
    if "holdout" in rule:
        _check_holdout(rule["holdout"], f"{place}__holdout")


def _check_variants(value: Json, place: str, return_type: str) -> None:
    detail = f"At most {MOST_VARIANTS} variants are allowed."
    variants = require_list(value, place, MOST_VARIANTS, detail)
    if len(variants) < 2:
        raise fault(place, "At least 2 variants are required.")
    keys: set[str] = set()
    for inner, item in _places(variants, place):
        variant = require_object(item, inner, ("key", "weight", "value"))
        key = require_text(variant, "key", inner)
        if _VARIANT_KEY.fullmatch(key) is None:
            raise fault(f"{inner}__key", "Must be letters, digits, hyphens or underscores.")
        if key in keys:
            raise fault(f"{inner}__key", "Variant keys must be unique.", "not_unique")
        keys.add(key)
        check_percentage(variant, "weight", inner)
        check_value(variant["value"], return_type, f"{inner}__value")
    if sum(round(variant["weight"] * 100) for variant in variants) != 10_000:
        raise fault(place, "Variant weights must total exactly 100.")


def _check_holdout(value: Json, place: str) -> None:
    holdout = require_object(value, place, ("id", "seed", "exclusion_percentage"))
    if holdout["id"] is not None:
        raise fault(
            f"{place}__id",
            "Must be null: a rule without an experiment has a rule-local holdout. "
            "Shared holdouts are not available yet.",
        )
    _check_seed(holdout, place)
    check_percentage(holdout, "exclusion_percentage", place)


def _check_reserved_values(root: Document) -> None:
    if root["return_type"] != "string":
        return
    check_not_reserved(root["default_value"], "filters__default_value")
    for place, rule in _places(root["rules"], "filters__rules"):
        check_not_reserved(rule.get("value"), f"{place}__value")
        for inner, variant in _places(rule.get("variants", []), f"{place}__variants"):
            check_not_reserved(variant["value"], f"{inner}__value")


def _patterns(root: Mapping[str, Json]) -> Iterator[tuple[str, str]]:
    for place, rule in _places(root["rules"], "filters__rules"):
        for inner, item in _places(rule["targeting"]["properties"], f"{place}__targeting__properties"):
            if item.get("operator") in ("regex", "not_regex"):
                yield f"{inner}__value", item["value"]
