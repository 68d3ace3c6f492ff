"""The overrides in effect, and the definitions with them in place."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any
from zlib import crc32

import msgspec

from flagtui.evaluate import wire
from flagtui.models.json_value import JSON, as_dict, as_list
from flagtui.models.override import Override, Share


class Overrides(msgspec.Struct, frozen=True):
    """All overrides in effect: for each flag and person, the last one counts."""

    by_place: Mapping[tuple[str, str | None], Override] = {}
    """By key and person."""

    @classmethod
    def of(cls, overrides: Iterable[Override]) -> "Overrides":
        return cls({(each.key, each.person): each for each in overrides})

    def __iter__(self) -> Iterator[Override]:
        return iter(self.by_place.values())

    def __len__(self) -> int:
        return len(self.by_place)

    @property
    def values(self) -> dict[str, dict[str | None, Any]]:
        """Return the fixed values by key and person; shares are in the definitions alone."""
        values: dict[str, dict[str | None, Any]] = {}
        for (key, person), override in self.by_place.items():
            if not isinstance(override.value, Share):
                values.setdefault(key, {})[person] = override.value
        return values

    def apply(self, document: Mapping[str, JSON]) -> dict[str, JSON]:
        """Return the definitions that the mirror evaluates: with shares, and with flags for new keys.

        Fixed values are not in them: they are known before any evaluation.
        """
        return self._apply(document, lambda override: isinstance(override.value, Share))

    def apply_for_libraries(self, document: Mapping[str, JSON]) -> dict[str, JSON]:
        """Return the definitions that libraries evaluate, with all overrides.

        A flag whose override conditions cannot express is marked so that libraries request it instead.
        """
        return self._apply(document, lambda _override: True)

    def _apply(
        self, document: Mapping[str, JSON], is_included: Callable[[Override], bool]
    ) -> dict[str, JSON]:
        flags = {str(flag.get("key")): flag for flag in map(as_dict, as_list(document.get("flags")))}
        for key, _ in self.by_place:
            flags.setdefault(key, _new_flag(key))
        # The one for everyone first: those for persons are conditions before it.
        for override in sorted(self, key=lambda each: each.person is not None):
            # Libraries do not evaluate rules: those values come from the mirror.
            is_ruled = wire.has_rules(flags[override.key].get("filters"))
            if is_included(override) and not is_ruled:
                change = _for_everyone if override.person is None else _for_person
                flags[override.key] = change(flags[override.key], override)
        return {**document, "flags": list(flags.values())}


def _new_flag(key: str) -> dict[str, JSON]:
    """Return a flag that exists on this machine alone."""
    flag: dict[str, JSON] = {"id": crc32(key.encode()), "key": key, "name": "", "active": False, "version": 1}
    return {**flag, "filters": wire.with_conditions({}, ())}


def _for_everyone(flag: dict[str, JSON], override: Override) -> dict[str, JSON]:
    value = override.value
    stored = as_dict(flag.get("filters"))
    if isinstance(value, Share):
        # The flag's own groups, device and variants: bucketing stays as it is.
        names = ("aggregation_group_type_index", "bucketing_identifier", "multivariate", "payloads")
        kept = {name: stored[name] for name in names if name in stored}
        filters = wire.with_conditions(kept, [wire.new_condition(value.percentage, variant=None)])
        return {**flag, "active": True, "ensure_experience_continuity": False, "filters": filters}
    condition = wire.new_condition(100, variant=value if isinstance(value, str) else None)
    filters = wire.with_payloads(wire.with_conditions({}, [condition]), wire.stored_payloads(stored) or {})
    if isinstance(value, str):
        filters = wire.with_variants(filters, _with_variant(stored, value))
    elif not isinstance(value, bool):
        filters = wire.with_payloads(filters, {"true": json.dumps(value)})
    own = {"ensure_experience_continuity": False, "bucketing_identifier": None}
    return {**flag, **own, "active": value is not False, "filters": filters}


def _for_person(flag: dict[str, JSON], override: Override) -> dict[str, JSON]:
    stored = as_dict(flag.get("filters"))
    is_person: dict[str, JSON] = {"key": "distinct_id", "type": "person", "value": [override.person]}
    groups = [*map(as_dict, wire.conditions(stored))] if flag.get("active") else []
    if override.value is False:
        exclusion = {**is_person, "operator": "is_not"}
        changed = (wire.with_properties(group, [*wire.properties(group), exclusion]) for group in groups)
        filters = wire.with_conditions(stored, changed)
    else:
        variant = override.value if isinstance(override.value, str) else None
        first = wire.new_condition(100, [{**is_person, "operator": "exact"}], variant=variant)
        filters = wire.with_conditions(stored, [first, *groups])
        if variant is not None:
            filters = wire.with_variants(filters, _with_variant(stored, variant))
    changed_flag = {**flag, "active": True, "filters": filters}
    if not _is_expressible(stored, override.value):
        # Libraries then request the value from the mirror, which knows the override.
        changed_flag["ensure_experience_continuity"] = True
    return changed_flag


def _is_expressible(filters: Mapping[str, JSON], value: Any) -> bool:
    """Return whether a condition about the distinct id can serve the value.

    Not where something decides before conditions, where libraries look at a group instead of the person,
    and not plain `true` of a flag that draws a variant.
    """
    before = ("holdout", "holdout_groups", "super_groups", "feature_enrollment")
    if filters.get("aggregation_group_type_index") is not None or any(filters.get(name) for name in before):
        return False
    is_drawn = bool(wire.variants(filters))
    return isinstance(value, str) or value is False or (value is True and not is_drawn)


def _with_variant(filters: Mapping[str, JSON], key: str) -> list[JSON]:
    """Return the variants, and this one if it is new: it has no share, so conditions alone serve it."""
    variants = wire.variants(filters)
    if any(as_dict(variant).get("key") == key for variant in variants):
        return variants
    return [*variants, wire.new_variant(key, 0, name=key)]
