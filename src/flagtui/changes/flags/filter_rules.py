"""Validate `filters` as the strictest server does; others accept more, and evaluate it differently."""

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from flagtui.changes.difference import Path, path_words
from flagtui.changes.flags.property_rules import is_read, problems_in_property
from flagtui.changes.shares import SUM_TOLERANCE
from flagtui.evaluate import wire
from flagtui.models.filters import as_index
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON, as_dict, as_number
from flagtui.models.record_fields import FLAG_FIELDS
from flagtui.safe_text import MASK

SIZE_LIMIT: Final = 512 * 1024
"""Bytes of one flag's `filters` as compact JSON."""
NO_CONDITION: Final = "a new flag needs at least one condition"
_NOT_JSON: Final = "the text is not JSON"
_MASKED: Final = "this is the mask of an encrypted payload; type a payload in its place"


class FilterProblem(msgspec.Struct, frozen=True):
    """One problem that a server refuses, and its path."""

    path: Path
    words: str

    @property
    def where(self) -> str:
        return path_words(self.path)

    @property
    def sentence(self) -> str:
        """The problem with its place in the flag."""
        return f"{'.'.join(filter(None, ('filters', self.where)))}: {self.words}"


def problems_in(
    filters: JSON, flag_id: int | None = None, is_new: bool = False, is_encrypted: bool = False
) -> tuple[FilterProblem, ...]:
    """Return everything wrong with these `filters`, top to bottom; paths begin inside `filters`.

    `flag_id` finds a flag that depends on itself; `is_new` asks for a condition, as only creating does;
    encrypted payloads may be a placeholder, which is not JSON.
    """
    if not isinstance(filters, dict):
        return (FilterProblem((), "must be an object"),)
    problems = _problems(filters, flag_id, is_new)
    return tuple(
        problem for problem in problems if not (is_encrypted and problem.words in (_NOT_JSON, _MASKED))
    )


def _problems(filters: dict[str, JSON], flag_id: int | None, is_new: bool) -> Iterator[FilterProblem]:
    if "version" in filters and filters["version"] != 1:
        yield FilterProblem(("version",), "this configuration version can only be shown")
    for name in ("early_exit", "feature_enrollment"):
        if not isinstance(filters.get(name), bool | None):
            yield FilterProblem((name,), "must be true, false or null")
    yield from _index(filters, ())
    yield from _variants(filters)
    yield from _payloads(filters)
    yield from _groups(filters, flag_id, is_new)
    yield from _holdout(filters)
    size = len(json.dumps(filters, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace"))
    if size > SIZE_LIMIT:
        yield FilterProblem((), f"takes {size:,} bytes; a flag may have {SIZE_LIMIT:,}")


def _groups(filters: dict[str, JSON], flag_id: int | None, is_new: bool) -> Iterator[FilterProblem]:
    groups = filters.get("groups")
    if not isinstance(groups, list):
        if groups is not None or "groups" in filters:
            yield FilterProblem(("groups",), "must be a list of conditions")
        elif is_new:
            yield FilterProblem(("groups",), NO_CONDITION)
        return
    if is_new and not groups:
        yield FilterProblem(("groups",), NO_CONDITION)
    keys = frozenset(wire.variant_keys(filters))
    flag_level = as_index(filters.get("aggregation_group_type_index"))
    for place, group in enumerate(groups):
        at: Path = ("groups", place)
        if not isinstance(group, dict):
            yield FilterProblem(at, "must be an object")
            continue
        yield from _group(group, at, keys)
        own = group.get("aggregation_group_type_index", flag_level)
        yield from _properties(group, at, as_index(own), flag_id)


def _group(group: dict[str, JSON], at: Path, keys: frozenset[str]) -> Iterator[FilterProblem]:
    if group.get("rollout_percentage") is not None:
        yield from _share(group, "rollout_percentage", at, " or null")
    yield from _index(group, at)
    variant = group.get("variant")
    if not isinstance(variant, str | None):
        yield FilterProblem((*at, "variant"), "must be a variant's key or null")
    elif variant and variant not in keys:
        yield FilterProblem((*at, "variant"), f"there is no variant {variant}")


def _properties(
    group: dict[str, JSON], at: Path, group_type: int | None, flag_id: int | None
) -> Iterator[FilterProblem]:
    properties = group.get("properties")
    if properties is None:
        return
    if not isinstance(properties, list):
        yield FilterProblem((*at, "properties"), "must be a list")
        return
    for place, item in enumerate(properties):
        for name, words in problems_in_property(item, group_type, flag_id):
            yield FilterProblem((*at, "properties", place, *((name,) if name else ())), words)


def _variants(filters: dict[str, JSON]) -> Iterator[FilterProblem]:
    multivariate = filters.get("multivariate")
    if multivariate is None:
        return
    variants = multivariate.get("variants") if isinstance(multivariate, dict) else None
    at: Path = ("multivariate", "variants")
    if not isinstance(variants, list) or not variants:
        needs_one = "needs at least one variant; null makes the flag on or off"
        yield FilterProblem(at, needs_one if variants == [] else "must be a list of variants")
        return
    for place, variant in enumerate(variants):
        yield from _variant(variant, (*at, place))
    yield from _variants_together(variants, at)


def _variant(variant: JSON, at: Path) -> Iterator[FilterProblem]:
    if not isinstance(variant, dict):
        yield FilterProblem(at, "must be an object")
        return
    if not isinstance(variant.get("key"), str) or not variant["key"]:
        yield FilterProblem((*at, "key"), "must be text and not empty")
    if not isinstance(variant.get("name"), str | None):
        yield FilterProblem((*at, "name"), "must be text or null")
    yield from _share(variant, "rollout_percentage", at)


def _variants_together(variants: list[JSON], at: Path) -> Iterator[FilterProblem]:
    numbers = [as_number(wire.share(variant)) for variant in variants]
    shares = [share for share in numbers if share is not None]
    if len(shares) == len(variants) and abs((total := math.fsum(shares)) - 100) > SUM_TOLERANCE:
        yield FilterProblem(at, f"the shares add up to {total:g} %; they must add up to 100 %")
    keys = [as_dict(variant).get("key") for variant in variants]
    times = Counter(key for key in keys if isinstance(key, str))
    for key in (key for key, count in times.items() if count > 1):
        yield FilterProblem(at, f"the key {key} is there more than once")


def _payloads(filters: dict[str, JSON]) -> Iterator[FilterProblem]:
    payloads = filters.get("payloads", {})
    if not isinstance(payloads, dict):
        # Newer servers take a null here; older ones do not.
        yield FilterProblem(("payloads",), "must be an object; {} clears it")
        return
    variants = frozenset(wire.variant_keys(filters))
    keys, allowed = (variants, "variants' keys") if variants else (frozenset(("true",)), "`true`")
    for key, payload in payloads.items():
        if key not in keys:
            yield FilterProblem(("payloads", key), f"only {allowed} can have a payload")
        if isinstance(payload, str) and not is_read(json.loads, payload):
            yield FilterProblem(("payloads", key), _MASKED if payload == MASK else _NOT_JSON)


def _holdout(filters: dict[str, JSON]) -> Iterator[FilterProblem]:
    holdout = filters.get("holdout")
    if holdout is None:
        return
    if not isinstance(holdout, dict):
        yield FilterProblem(("holdout",), "must be an object or null")
        return
    if not isinstance(holdout.get("id"), int) or isinstance(holdout.get("id"), bool):
        yield FilterProblem(("holdout", "id"), "must be a whole number")
    yield from _share(holdout, "exclusion_percentage", ("holdout",))


def _share(item: Mapping[str, JSON], name: str, at: Path, alternative: str = "") -> Iterator[FilterProblem]:
    share = as_number(item.get(name))
    if share is None:
        yield FilterProblem((*at, name), f"must be a number from 0 to 100{alternative}")
    elif not 0 <= share <= 100:
        yield FilterProblem((*at, name), f"must be between 0 and 100, not {share:g}")


def _index(item: Mapping[str, JSON], at: Path) -> Iterator[FilterProblem]:
    value = item.get("aggregation_group_type_index")
    if value is not None and as_index(value) is None:
        yield FilterProblem((*at, "aggregation_group_type_index"), "must be a group type's number or null")


def problems_in_fields(fields: Mapping[str, JSON], flag: Flag | None = None) -> list[str]:
    """Return the problems of these new values, each as a sentence that names its place."""
    problems: list[str] = []
    for name, value in fields.items():
        if name != "filters":
            problems += FLAG_FIELDS.problems({name: value})
            continue
        id, is_encrypted = (flag.id, flag.has_encrypted_payloads) if flag is not None else (None, False)
        every = problems_in(value, id, is_new=flag is None, is_encrypted=is_encrypted)
        problems += [problem.sentence for problem in every]
    return problems
