"""The strict way to say how an experiment's flag shall be: the writable `feature_flag` object."""

from collections.abc import Mapping

from flagtui.service.bodies import Fields
from flagtui.service.errors import Json, invalid
from flagtui.service.experiments.flag_config import FlagConfig, is_number, normal_variants

_FLAG = ("filters", "ensure_experience_continuity")
_FILTERS = ("multivariate", "groups", "payloads", "aggregation_group_type_index")


def read_flag_input(sent: Json) -> FlagConfig | None:
    """None for an object that says nothing: an echo of what was read, or one without configuration."""
    if not isinstance(sent, dict) or sent.get("id") is not None or not any(name in sent for name in _FLAG):
        return None
    flag = _level("feature_flag", sent, *_FLAG)
    filters = _level("feature_flag__filters", flag.mapping("filters", null=True), *_FILTERS)
    place = "feature_flag__filters__multivariate"
    multivariate = _level(place, filters.mapping("multivariate", null=True), "variants")
    variants = multivariate.items("variants", null=True)
    return FlagConfig(
        variants=None if variants is None else _variants(variants, f"{place}__variants"),
        rollout=_rollout(filters.sent.get("groups"), "feature_flag__filters__groups"),
        payloads=(filters.mapping("payloads", null=True) or {}) if "payloads" in filters else None,
        group_type=filters.sent.get("aggregation_group_type_index", ...),
        continuity=_continuity(flag),
    )


def _level(place: str, sent: Mapping[str, Json] | None, *known: str) -> Fields:
    """One object of the input; refuses names that it does not know."""
    for name in sent or ():
        if name not in known:
            raise invalid("Unsupported key for the experiment feature_flag input.", f"{place}__{name}")
    return Fields(sent or {}, f"{place}__")


def _variants(variants: list[Json], place: str) -> list[dict[str, Json]]:
    for index, variant in enumerate(variants):
        where = f"{place}__{index}"
        if not isinstance(variant, dict):
            detail = f"Invalid data. Expected a dictionary, but got {type(variant).__name__}."
            raise invalid(detail, where)
        fields = _level(where, variant, "key", "name", "rollout_percentage")
        fields.require("key")
        fields.require("rollout_percentage")
        _share(fields)
    return normal_variants(variants)


def _rollout(groups: Json, place: str) -> Json:
    if groups is None:
        return None
    if not isinstance(groups, list) or not all(isinstance(group, dict) for group in groups):
        raise invalid("groups must be a list of objects", place)
    if len(groups) > 1:
        raise invalid("At most one group is supported.", place)
    if not groups:
        return None
    fields = _level(f"{place}__0", groups[0], "properties", "rollout_percentage")
    if fields.sent.get("properties"):
        raise fields.fault("properties", "Release conditions are not supported here.")
    return 100 if fields.sent.get("rollout_percentage") is None else _share(fields)


def _share(fields: Fields) -> Json:
    share = fields.sent["rollout_percentage"]
    if not is_number(share):
        raise fields.fault("rollout_percentage", "A valid number is required.")
    if not 0 <= share <= 100:
        raise fields.fault("rollout_percentage", "Ensure this value is between 0 and 100.")
    return share


def _continuity(flag: Fields) -> bool | None:
    value = flag.sent.get("ensure_experience_continuity")
    if value is not None and not isinstance(value, bool):
        raise flag.fault("ensure_experience_continuity", "Must be a valid boolean.")
    return value
