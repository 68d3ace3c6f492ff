"""The strict way to say how an experiment's flag shall be: the writable `feature_flag` object."""

from collections.abc import Mapping
from typing import Any

from flagtui.service.errors import Json, invalid
from flagtui.service.experiments.flag_config import FlagConfig, normal_variants

_UNSUPPORTED = "Unsupported key for the experiment feature_flag input."
_KNOWN = {
    "": ("filters", "ensure_experience_continuity"),
    "filters": ("multivariate", "groups", "payloads", "aggregation_group_type_index"),
    "filters__multivariate": ("variants",),
    "variant": ("key", "name", "rollout_percentage"),
    "group": ("properties", "rollout_percentage"),
}


def read_flag_input(sent: Json) -> FlagConfig | None:
    """None for an object that says nothing: an echo of what was read, or one without configuration."""
    if not isinstance(sent, dict) or sent.get("id") is not None:
        return None
    if not any(name in sent for name in _KNOWN[""]):
        return None
    _known_only(sent, "", "feature_flag")
    filters = _object(sent, "filters", "feature_flag")
    _known_only(filters, "filters", "feature_flag__filters")
    multivariate = _object(filters, "multivariate", "feature_flag__filters")
    _known_only(multivariate, "filters__multivariate", "feature_flag__filters__multivariate")
    return FlagConfig(
        variants=_variants(multivariate) if multivariate.get("variants") is not None else None,
        rollout=_rollout(filters.get("groups")),
        payloads=_object(filters, "payloads", "feature_flag__filters") if "payloads" in filters else None,
        group_type=filters.get("aggregation_group_type_index"),
        continuity=_continuity(sent),
        says_group_type="aggregation_group_type_index" in filters,
    )


def _variants(multivariate: Mapping[str, Json]) -> list[dict[str, Json]]:
    place = "feature_flag__filters__multivariate__variants"
    variants = multivariate["variants"]
    if not isinstance(variants, list):
        raise invalid(
            f'Expected a list of items but got type "{type(variants).__name__}".', place, "not_a_list"
        )
    for index, variant in enumerate(variants):
        where = f"{place}__{index}"
        if not isinstance(variant, dict):
            detail = f"Invalid data. Expected a dictionary, but got {type(variant).__name__}."
            raise invalid(detail, where)
        _known_only(variant, "variant", where)
        for name in ("key", "rollout_percentage"):
            if name not in variant:
                raise invalid("This field is required.", f"{where}__{name}", "required")
        _share(variant["rollout_percentage"], f"{where}__rollout_percentage")
    return normal_variants(variants)


def _rollout(groups: Json) -> Json:
    place = "feature_flag__filters__groups"
    if groups is None:
        return None
    if not isinstance(groups, list) or not all(isinstance(group, dict) for group in groups):
        raise invalid("groups must be a list of objects", place)
    if len(groups) > 1:
        raise invalid("At most one group is supported.", place)
    for index, group in enumerate(groups):
        _known_only(group, "group", f"{place}__{index}")
        if group.get("properties"):
            raise invalid("Release conditions are not supported here.", f"{place}__{index}__properties")
        share = group.get("rollout_percentage")
        return 100 if share is None else _share(share, f"{place}__{index}__rollout_percentage")
    return None


def _share(value: Json, where: str) -> Json:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise invalid("A valid number is required.", where)
    if not 0 <= value <= 100:
        raise invalid("Ensure this value is between 0 and 100.", where)
    return value


def _continuity(sent: Mapping[str, Json]) -> bool | None:
    value = sent.get("ensure_experience_continuity")
    if value is not None and not isinstance(value, bool):
        raise invalid("Must be a valid boolean.", "feature_flag__ensure_experience_continuity")
    return value


def _object(outer: Mapping[str, Json], name: str, where: str) -> dict[str, Any]:
    value = outer.get(name)
    if value is None:
        return {}
    if not isinstance(value, dict):
        detail = f'Expected a dictionary of items but got type "{type(value).__name__}".'
        raise invalid(detail, f"{where}__{name}", "not_a_dict")
    return value


def _known_only(sent: Mapping[str, Json], level: str, where: str) -> None:
    unknown = next((name for name in sent if name not in _KNOWN[level]), None)
    if unknown is not None:
        raise invalid(_UNSUPPORTED, f"{where}__{unknown}")
