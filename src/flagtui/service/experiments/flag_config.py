"""The flag's configuration in the terms of experiments: variants, share of people, payloads."""

from collections.abc import Mapping
from typing import Final

import msgspec
from msgspec.structs import replace

from flagtui.service.bodies import Fields, is_number
from flagtui.service.call import Call
from flagtui.service.errors import Json, invalid
from flagtui.service.experiments.records import LinkedFlag
from flagtui.service.flags.status import variants_of
from flagtui.service.generations import Generation

FLAG_KEYS = (
    "feature_flag_variants",
    "rollout_percentage",
    "feature_flag_payloads",
    "aggregation_group_type_index",
    "ensure_experience_continuity",
)
"""Keys of `parameters` that are not stored with the experiment but read from its flag."""
MOST_VARIANTS = 20
FEW_VARIANTS = "Feature flag must have at least 2 variants (control and at least one test variant)"
NO_CONTROL = "Feature flag must have a variant with key 'control'"


class FlagConfig(msgspec.Struct, frozen=True):
    """The changes of the flag in a body; None where nothing."""

    variants: list[dict[str, Json]] | None = None
    rollout: Json = None
    payloads: dict[str, Json] | None = None
    group_type: Json = ...
    """`...` when not sent: null means persons."""
    continuity: bool | None = None

    @classmethod
    def of(cls, flag: LinkedFlag) -> "FlagConfig":
        return cls(
            variants=[dict(variant) for variant in flag.variants],
            rollout=(flag.filters.get("groups") or [{}])[0].get("rollout_percentage"),
            payloads=flag.filters.get("payloads") or None,
            group_type=_group_type(flag.filters),
            continuity=flag.continuity,
        )

    def repeats(self, flag: LinkedFlag) -> bool:
        """Return whether it repeats the flag's configuration."""
        return self.apply_to(flag.filters) == flag.filters and self.continuity in (None, flag.continuity)

    def apply_to(self, filters: Mapping[str, Json]) -> dict[str, Json]:
        """Return the filters with the configuration applied; people, holdout and unknown keys stay."""
        changed = dict(filters)
        if self.variants is not None:
            had = {str(variant.get("key")): variant for variant in variants_of(filters)}
            merged = [{**had.get(str(variant["key"]), {}), **variant} for variant in self.variants]
            changed["multivariate"] = {**(filters.get("multivariate") or {}), "variants": merged}
        if self.rollout is not None:
            groups = [dict(group) for group in filters.get("groups") or [{"properties": []}]]
            groups[0]["rollout_percentage"] = self.rollout
            changed["groups"] = groups
        if self.payloads is not None and self.payloads != (filters.get("payloads") or {}):
            changed["payloads"] = self.payloads
        if self.group_type not in (..., filters.get("aggregation_group_type_index")):
            changed["aggregation_group_type_index"] = self.group_type
        return changed


UNCHANGED_FLAG: Final = FlagConfig()


def new_filters(config: FlagConfig, holdout: Json) -> dict[str, Json]:
    """Return filters of a flag made for an experiment."""
    bare: dict[str, Json] = {
        "groups": [{"properties": [], "rollout_percentage": 100}],
        "multivariate": {"variants": []},
        "aggregation_group_type_index": None,
        "holdout": holdout,
    }
    variants = default_variants() if config.variants is None else config.variants
    return replace(config, variants=variants).apply_to(bare)


def default_variants() -> list[dict[str, Json]]:
    return [
        {"key": "control", "name": "Control Group", "rollout_percentage": 50},
        {"key": "test", "name": "Test Variant", "rollout_percentage": 50},
    ]


def from_parameters(call: Call, parameters: Mapping[str, Json]) -> FlagConfig:
    """Return what older clients put into `parameters`; faults as the variant rules have them."""
    variants, payloads = parameters.get("feature_flag_variants"), parameters.get("feature_flag_payloads")
    rollout, continuity = parameters.get("rollout_percentage"), parameters.get("ensure_experience_continuity")
    read = normal_variants(variants, call.generation) if variants else None
    if rollout is not None and not is_share(rollout):
        raise invalid("rollout_percentage must be a number between 0 and 100")
    if payloads is not None and not isinstance(payloads, dict):
        raise invalid("feature_flag_payloads must be an object")
    continuity = continuity if isinstance(continuity, bool) else None
    return FlagConfig(read, rollout, payloads, _group_type(parameters), continuity)


def projected_parameters(call: Call, stored: Mapping[str, Json] | None, flag: LinkedFlag) -> Json:
    """Return `parameters` of responses: the stored ones with the flag's current configuration."""
    is_projected = call.generation.projects_flag_config
    if not is_projected and stored is not None and "feature_flag_variants" in stored:
        return stored
    now = FlagConfig.of(flag)
    variants = flag.variants
    if is_projected:
        variants = [{**variant, "split_percent": variant.get("rollout_percentage")} for variant in variants]
    shown: dict[str, Json] = {
        **(stored or {}),
        "feature_flag_variants": variants,
        "rollout_percentage": 100 if now.rollout is None else now.rollout,
    }
    if now.payloads:
        shown["feature_flag_payloads"] = now.payloads
    if now.group_type is not ...:
        shown["aggregation_group_type_index"] = now.group_type
    if now.continuity:
        shown["ensure_experience_continuity"] = True
    return shown


def normal_variants(sent: Json, generation: Generation) -> list[dict[str, Json]]:
    """Return variants as a flag stores them, checked: a key and a share each, `split_percent` first."""
    attr = generation.variants_attr
    if not isinstance(sent, list):
        raise invalid("Feature flag variants must be a list", attr)
    variants = [_normal_variant(variant, index, attr) for index, variant in enumerate(sent)]
    keys = [variant["key"] for variant in variants]
    if len(variants) > MOST_VARIANTS:
        raise invalid(f"Feature flag variants must be less than {MOST_VARIANTS + 1}", attr)
    if len(variants) < generation.fewest_variants:
        raise invalid(FEW_VARIANTS, attr)
    if "control" not in keys:
        place = next((index for index, key in enumerate(keys) if key.lower() == "control"), None)
        if generation.needs_control and (place is None or generation.is_older):
            raise invalid(generation.no_control.format(keys=keys), attr)
        if place is not None:
            variants[place]["key"] = "control"
    if any("rollout_percentage" not in variant for variant in variants):
        detail = "Each variant must include split_percent (recommended) or rollout_percentage (deprecated)."
        raise invalid(detail, attr)
    return variants


def check_variants_of(flag: LinkedFlag, generation: Generation) -> None:
    """Raise unless an existing flag has two variants, one of them `control` where that is required."""
    if len(flag.variants) < 2:
        raise invalid(FEW_VARIANTS)
    if generation.needs_control and "control" not in flag.variant_keys:
        raise invalid(NO_CONTROL)


def _normal_variant(variant: Json, index: int, attr: str | None) -> dict[str, Json]:
    if not isinstance(variant, dict):
        raise invalid(f"Feature flag variant at index {index} must be an object", attr)
    if not isinstance(variant.get("key"), str) or not variant["key"]:
        raise invalid(f"Feature flag variant at index {index} must have a 'key' field", attr)
    normal = {name: value for name, value in variant.items() if name != "split_percent"}
    if variant.get("split_percent") is not None:
        normal["rollout_percentage"] = variant["split_percent"]
    if normal.get("rollout_percentage", 0) is None:
        del normal["rollout_percentage"]
    return normal


def _group_type(parameters: Mapping[str, Json]) -> Json:
    index = parameters.get("aggregation_group_type_index")
    return ... if index is None else index


def is_share(value: Json) -> bool:
    """Return a number of per cent."""
    return is_number(value) and 0 <= value <= 100


_FLAG = ("filters", "ensure_experience_continuity")
_FILTERS = ("multivariate", "groups", "payloads", "aggregation_group_type_index")


def read_flag_input(sent: Json, generation: Generation) -> FlagConfig | None:
    """Return the configuration; None for an echo of the response and for an empty object."""
    if not isinstance(sent, dict) or sent.get("id") is not None or not any(name in sent for name in _FLAG):
        return None
    flag = _level("feature_flag", sent, *_FLAG)
    filters = _level("feature_flag__filters", flag.mapping("filters", null=True), *_FILTERS)
    place = "feature_flag__filters__multivariate"
    multivariate = _level(place, filters.mapping("multivariate", null=True), "variants")
    variants = multivariate.items("variants", null=True)
    return FlagConfig(
        variants=None if variants is None else _variants(variants, f"{place}__variants", generation),
        rollout=_rollout(filters.sent.get("groups"), "feature_flag__filters__groups"),
        payloads=(filters.mapping("payloads", null=True) or {}) if "payloads" in filters else None,
        group_type=filters.sent.get("aggregation_group_type_index", ...),
        continuity=_continuity(flag),
    )


def _level(place: str, sent: Mapping[str, Json] | None, *allowed: str) -> Fields:
    """Return one object of the input; refuses names that it does not know."""
    for name in sent or ():
        if name not in allowed:
            raise invalid("Unsupported key for the experiment feature_flag input.", f"{place}__{name}")
    return Fields(sent or {}, f"{place}__")


def _variants(variants: list[Json], place: str, generation: Generation) -> list[dict[str, Json]]:
    for index, variant in enumerate(variants):
        where = f"{place}__{index}"
        if not isinstance(variant, dict):
            detail = f"Invalid data. Expected a dictionary, but got {type(variant).__name__}."
            raise invalid(detail, where)
        fields = _level(where, variant, "key", "name", "rollout_percentage")
        fields.require("key")
        fields.require("rollout_percentage")
        _share(fields)
    return normal_variants(variants, generation)


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
