"""The configuration of a flag as experiments speak of it: variants, share of people, payloads."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flagtui.service.call import Call
from flagtui.service.errors import Fault, Json, invalid
from flagtui.service.experiments.records import LinkedFlag
from flagtui.service.generations import NEWEST, Generation

FLAG_KEYS = (
    "feature_flag_variants",
    "rollout_percentage",
    "feature_flag_payloads",
    "aggregation_group_type_index",
    "ensure_experience_continuity",
)
"""Keys of `parameters` that are not stored with the experiment but read from its flag."""
DEFAULT_VARIANTS: tuple[dict[str, Json], ...] = (
    {"key": "control", "name": "Control Group", "rollout_percentage": 50},
    {"key": "test", "name": "Test Variant", "rollout_percentage": 50},
)
MOST_VARIANTS = 20
FEW_VARIANTS = "Feature flag must have at least 2 variants (control and at least one test variant)"
NO_CONTROL = "Feature flag must have a variant with key 'control'"


@dataclass(frozen=True, slots=True)
class FlagConfig:
    """What a body says about the flag; None where it says nothing."""

    variants: list[dict[str, Json]] | None = None
    rollout: Json = None
    payloads: dict[str, Json] | None = None
    group_type: Json = None
    continuity: bool | None = None
    says_group_type: bool = False

    @property
    def is_empty(self) -> bool:
        return self == FlagConfig()

    def repeats(self, flag: LinkedFlag) -> bool:
        """Whether it merely says what the flag has."""
        return self.applied(flag.filters) == flag.filters and self.continuity in (None, _continuity(flag))

    def applied(self, filters: Mapping[str, Json]) -> dict[str, Json]:
        """The filters with what was said put in; people, holdout and unknown keys stay."""
        changed = dict(filters)
        if self.variants is not None:
            had = {str(variant.get("key")): variant for variant in _variants(filters)}
            merged = [{**had.get(str(variant["key"]), {}), **variant} for variant in self.variants]
            changed["multivariate"] = {**(filters.get("multivariate") or {}), "variants": merged}
        if self.rollout is not None:
            groups = [dict(group) for group in filters.get("groups") or [{"properties": []}]]
            groups[0]["rollout_percentage"] = self.rollout
            changed["groups"] = groups
        if self.payloads is not None and self.payloads != (filters.get("payloads") or {}):
            changed["payloads"] = self.payloads
        if self.says_group_type and self.group_type != filters.get("aggregation_group_type_index"):
            changed["aggregation_group_type_index"] = self.group_type
        return changed


def new_filters(config: FlagConfig, holdout: Json) -> dict[str, Json]:
    """Filters of a flag made for an experiment."""
    bare: dict[str, Json] = {
        "groups": [{"properties": [], "rollout_percentage": 100}],
        "multivariate": {"variants": []},
        "aggregation_group_type_index": None,
        "holdout": holdout,
    }
    variants = config.variants if config.variants is not None else [dict(one) for one in DEFAULT_VARIANTS]
    return FlagConfig(
        variants, config.rollout, config.payloads, config.group_type, None, config.says_group_type
    ).applied(bare)


def from_parameters(call: Call, parameters: Mapping[str, Json]) -> FlagConfig:
    """What older clients put into `parameters`; faults as the variant rules have them."""
    variants = parameters.get("feature_flag_variants")
    return FlagConfig(
        variants=normal_variants(variants, call.generation) if variants else None,
        rollout=_percentage(parameters.get("rollout_percentage")),
        payloads=_payloads(parameters.get("feature_flag_payloads")),
        group_type=parameters.get("aggregation_group_type_index"),
        continuity=_boolean(parameters.get("ensure_experience_continuity")),
        says_group_type=parameters.get("aggregation_group_type_index") is not None,
    )


def projected_parameters(call: Call, stored: Mapping[str, Json] | None, flag: LinkedFlag) -> Json:
    """`parameters` as they are read: what is stored, and the flag's configuration now."""
    is_projected = call.generation.projects_flag_config
    if not is_projected and stored is not None and "feature_flag_variants" in stored:
        return stored
    variants = flag.variants
    if is_projected:
        variants = [{**one, "split_percent": one.get("rollout_percentage")} for one in variants]
    groups = flag.filters.get("groups") or [{}]
    share = groups[0].get("rollout_percentage")
    shown: dict[str, Json] = {
        **(stored or {}),
        "feature_flag_variants": variants,
        "rollout_percentage": 100 if share is None else share,
    }
    if payloads := flag.filters.get("payloads"):
        shown["feature_flag_payloads"] = payloads
    if (group_type := flag.filters.get("aggregation_group_type_index")) is not None:
        shown["aggregation_group_type_index"] = group_type
    if flag.fields["ensure_experience_continuity"]:
        shown["ensure_experience_continuity"] = True
    return shown


def normal_variants(sent: Json, generation: Generation = NEWEST) -> list[dict[str, Json]]:
    """Variants as a flag keeps them, checked: objects with a key and a share, `split_percent` winning."""
    if not isinstance(sent, list):
        raise _fault("Feature flag variants must be a list")
    variants = [_normal_variant(one, index) for index, one in enumerate(sent)]
    keys = [variant["key"] for variant in variants]
    if len(variants) > MOST_VARIANTS:
        raise _fault(f"Feature flag variants must be less than {MOST_VARIANTS + 1}")
    if len(variants) < generation.fewest_variants:
        raise _fault(FEW_VARIANTS)
    if "control" not in keys:
        place = next((index for index, key in enumerate(keys) if key.lower() == "control"), None)
        if place is None or generation.is_older:
            raise _fault(generation.no_control.format(keys=keys))
        variants[place]["key"] = "control"
    if any("rollout_percentage" not in variant for variant in variants):
        raise _fault(
            "Each variant must include split_percent (recommended) or rollout_percentage (deprecated)."
        )
    return variants


def check_variants_of(flag: LinkedFlag) -> None:
    """The rule for a flag that exists already."""
    if len(flag.variants) < 2:
        raise _fault(FEW_VARIANTS)
    if "control" not in flag.variant_keys:
        raise _fault(NO_CONTROL)


def _normal_variant(one: Json, index: int) -> dict[str, Json]:
    if not isinstance(one, dict):
        raise _fault(f"Feature flag variant at index {index} must be an object")
    if not isinstance(one.get("key"), str) or not one["key"]:
        raise _fault(f"Feature flag variant at index {index} must have a 'key' field")
    variant = {name: value for name, value in one.items() if name != "split_percent"}
    if one.get("split_percent") is not None:
        variant["rollout_percentage"] = one["split_percent"]
    if variant.get("rollout_percentage", 0) is None:
        del variant["rollout_percentage"]
    return variant


def _percentage(value: Json) -> Json:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 100:
        raise _fault("rollout_percentage must be a number between 0 and 100")
    return value


def _payloads(value: Json) -> dict[str, Json] | None:
    if value is None:
        return None
    if not isinstance(value, dict):
        raise _fault("feature_flag_payloads must be an object")
    return value


def _boolean(value: Json) -> bool | None:
    return value if isinstance(value, bool) else None


def _variants(filters: Mapping[str, Json]) -> list[dict[str, Any]]:
    found = (filters.get("multivariate") or {}).get("variants") or []
    return [variant for variant in found if isinstance(variant, dict)]


def _continuity(flag: LinkedFlag) -> bool:
    return bool(flag.fields["ensure_experience_continuity"])


def _fault(detail: str) -> Fault:
    return invalid(detail)
