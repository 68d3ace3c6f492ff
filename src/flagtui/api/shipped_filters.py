"""Targeting of a flag after its experiment shipped a variant, or after a frozen exposure is lifted."""

from collections.abc import Mapping
from typing import Final

from flagtui.api.errors import Invalid
from flagtui.evaluate import wire
from flagtui.models.filters import is_frozen
from flagtui.models.json_value import JSON, as_dict, as_text


def ship_filters(filters: Mapping[str, JSON], variant: str, everyone: bool) -> dict[str, JSON]:
    """Return the filters with one variant at 100 %; `everyone` also adds an open condition first.

    As on the server, a frozen exposure is lifted.

    Raises `Invalid` when the flag has no such variant.
    """
    if variant not in wire.variant_keys(filters):
        raise Invalid("The flag has no such variant.")
    shares = [
        wire.with_share(item, 100 if item.get("key") == variant else 0)
        for item in wire.variants(filters)
        if isinstance(item, dict)
    ]
    opened = [wire.new_condition(100)] if everyone else []
    conditions = (*opened, *map(_unfrozen_condition, wire.conditions(filters)))
    return wire.with_variants(wire.with_conditions(filters, conditions), shares)


_FROZEN: Final = "Added automatically when the experiment exposure was frozen to stop new enrollment."
"""What freezing puts before the description of a condition."""


def unfrozen_filters(filters: Mapping[str, JSON]) -> dict[str, JSON]:
    """Return the filters without what freezing the exposure of their experiment added."""
    return wire.map_conditions(filters, _unfrozen_condition)


def _unfrozen_condition(condition: JSON) -> JSON:
    if not isinstance(condition, dict) or not is_frozen(condition):
        return condition
    cohort = condition.get("exposure_frozen_cohort")
    properties = [
        item
        for item in wire.properties(condition)
        if not (as_dict(item).get("type") == "cohort" and as_dict(item).get("value") == cohort)
    ]
    stamps = ("exposure_frozen", "exposure_frozen_cohort")
    kept = {name: value for name, value in condition.items() if name not in stamps}
    description = as_text(condition.get("description")).replace(_FROZEN, "", 1).strip()
    if description:
        kept["description"] = description
    else:
        kept.pop("description", None)
    return wire.with_properties(kept, properties)
