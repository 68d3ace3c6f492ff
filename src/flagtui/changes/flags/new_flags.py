"""New flags: their first values, and the plan, which passes the guard like any other change."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from flagtui.api.shipped_filters import unfrozen_filters
from flagtui.changes.canonical_filters import clean_filters
from flagtui.changes.difference import MISSING, DifferenceLine, Path, brief
from flagtui.changes.flags.filter_rules import problems_in_fields
from flagtui.changes.flags.flag_consequences import reach_in_words
from flagtui.changes.flags.flag_context import Context
from flagtui.changes.flags.flag_intent import Intent
from flagtui.changes.flags.flag_plan import Plan
from flagtui.changes.flags.flag_refusals import refused_dependencies
from flagtui.changes.flags.flag_words import HAS_RULES, condition_in_short, mask_line, percent, why_read_only
from flagtui.changes.proposal import Caution, Consequence
from flagtui.changes.shares import even_shares
from flagtui.changes.skipped import Blocked
from flagtui.changes.verbs import verb
from flagtui.evaluate import wire
from flagtui.models.editable_fields import trim
from flagtui.models.filters import Filters
from flagtui.models.flag import Flag
from flagtui.models.flag_details import Names
from flagtui.models.json_value import JSON, as_dict, as_text, copy_json
from flagtui.models.record_fields import FLAG_FIELDS
from flagtui.models.rows import FlagRow

_COPIED: Final = FLAG_FIELDS.having("copied")
_BY_ITSELF: Final[tuple[JSON, ...]] = (None, False, "", "all", [], {})
"""The defaults of the fields."""


def boolean_flag(key: str, filters: Mapping[str, JSON] | None = None) -> dict[str, JSON]:
    """Return the fields of a flag that is off and, without `filters`, rolled out to no one."""
    return {"key": key, "name": "", "active": False, "filters": filters or wire.new_filters(0)}


def multivariate_flag(key: str, variants: Iterable[str]) -> dict[str, JSON]:
    """Return a disabled flag with equal shares for these variants."""
    keys = list(variants)
    shares = even_shares(len(keys)) if keys else []
    return boolean_flag(key, wire.new_filters(0, [*map(wire.new_variant, keys, shares)]))


def remote_configuration(key: str, payload: str) -> dict[str, JSON]:
    """Return a remote configuration, whose value the server sends to every program."""
    filters = wire.new_filters(100, payloads={"true": payload})
    return {**boolean_flag(key, filters), "is_remote_configuration": True}


def why_no_copy(flag: Flag) -> str:
    """Return why there can be no copy of the flag, here or elsewhere; empty when there can be."""
    if flag.targeting.is_editable:
        return ""
    why = HAS_RULES if flag.targeting.has_rules else why_read_only(flag.targeting)
    return f"{why}, and cannot be copied"


def copy_of(flag: Flag, key: str) -> dict[str, JSON]:
    """Return the flag under another key, off, without links to experiments and without secrets."""
    filters = clean_filters(unfrozen_filters(flag.filters))
    for name in ("holdout", "holdout_groups", "super_groups", "feature_enrollment"):
        filters.pop(name, None)
    if flag.has_encrypted_payloads:
        filters = wire.with_payloads(filters, {})
    kept = {
        name: copy_json(flag.raw[name])
        for name in FLAG_FIELDS
        if name in _COPIED and flag.raw.get(name) is not None
    }
    return {**kept, "key": key, "active": False, "filters": filters}


class Taken(msgspec.Struct, frozen=True):
    """The keys that are in use."""

    rows: Sequence[FlagRow]
    deleted: Mapping[str, int] = {}
    """Keys of deleted flags that could still be restored, and their numbers."""
    is_elsewhere: bool = False
    """Whether they are in use in another project, to which flags are copied under their own keys."""


def taken_by(key: str, taken: Taken) -> Blocked | None:
    """Return why this key is not free for a new flag; None if it is."""
    if any(row.key == key for row in taken.rows):
        return taken_key(key, is_elsewhere=taken.is_elsewhere)
    return None


def taken_key(key: str, *, is_elsewhere: bool = False) -> Blocked:
    """Return that another flag has the key."""
    if is_elsewhere:
        return Blocked("taken", f"there is already a flag {key} in that project", "change or rename it there")
    return Blocked("taken", f"there is already a flag {key}", "choose another key")


def plan_create(
    fields: Mapping[str, JSON],
    taken: Taken,
    context: Context,
    further: Sequence[Consequence] = (),
    place: int = 0,
) -> Plan | Blocked:
    """Plan a new flag, which has no number before the server assigns one; `further` are more consequences.

    `place` distinguishes it from others that are created together with it.
    """
    key = as_text(fields.get("key"))
    if blocked := taken_by(key, taken):
        return blocked
    if blocked := next(refused_dependencies(as_dict(fields.get("filters")), context), None):
        return blocked
    filters = Filters.of(fields.get("filters") or {})
    if not filters.is_editable:
        why = HAS_RULES if filters.has_rules else why_read_only(filters)
        return Blocked("configuration version", f"{why}, and cannot be created here", "")
    if problems := problems_in_fields({"key": None, **fields}):
        return Blocked("value", problems[0], "correct it and try again")
    is_secret = fields.get("has_encrypted_payloads") is True
    fresh = Flag.of({"key": key, "has_encrypted_payloads": is_secret}).model_copy(update={"id": -place})
    values = {name: trim(value) for name, value in fields.items() if value is not None}
    is_on, no_reach = values.get("active", True), Consequence("Reach", "no one until it is turned on", "good")
    named = ", ".join(context.similar[:5])
    alike = (Caution(f"easily confused with {named}"),) if named else ()
    return Plan(
        intent=Intent(-place, values, "create"),
        fresh=fresh,
        verb=verb("create"),
        values=values,
        before={},
        lines=_lines(values, is_secret, context.names),
        consequences=(reach_in_words(context.reach) if is_on else no_reach, *further),
        cautions=(*warn_of_deleted(key, taken), *alike),
        body=values,
        original={},
        is_secret=is_secret,
    )


def _lines(values: Mapping[str, JSON], is_secret: bool, names: Names) -> tuple[DifferenceLine, ...]:
    """Return the fields of the new flag, without the defaults."""
    is_on = values.get("active", True)
    problems = [
        (("active",), is_on, "on" if is_on else "off"),
        *_targeting(as_dict(values.get("filters")), names),
        *_other_fields(values),
    ]
    lines = (DifferenceLine(path, MISSING, value, words) for path, value, words in problems)
    return tuple(mask_line(line) if is_secret else line for line in lines)


def _targeting(filters: Mapping[str, JSON], names: Names) -> Iterator[tuple[Path, JSON, str]]:
    if variants := wire.variants(filters):
        shares = [f"{as_text(as_dict(each).get('key'))} {percent(wire.share(each))}" for each in variants]
        counted = f"{len(variants):,} variant{'s' * (len(variants) > 1)}: {', '.join(shares)}"
        yield ("filters", "multivariate"), filters.get("multivariate"), counted
    for place, group in enumerate(wire.conditions(filters)):
        short = condition_in_short(group, names, filters.get("aggregation_group_type_index"))
        yield ("filters", "groups", place), group, f"condition {place + 1}: {short}"
    for key, payload in wire.payloads(filters).items():
        yield ("filters", "payloads", key), payload, f"payload of {key}"
    for name, value in filters.items():
        if name not in ("groups", "payloads", "multivariate") and value not in _BY_ITSELF:
            yield ("filters", name), value, f"filters.{name}: {brief(value)}"


def _other_fields(values: Mapping[str, JSON]) -> Iterator[tuple[Path, JSON, str]]:
    for name, value in values.items():
        if name in ("key", "active", "filters") or value in _BY_ITSELF:
            continue
        words = FLAG_FIELDS.words(name)
        if isinstance(value, list):
            words = f"{words}: {', '.join(map(brief, value))}"
        elif value is not True:
            words = f"{words}: {brief(value)}"
        yield (name,), value, words


def warn_of_deleted(key: str, taken: Taken) -> list[Caution]:
    """Return the warning that a new flag with the key of a deleted one destroys that one."""
    if key not in taken.deleted:
        return []
    text = f"the deleted flag with this key, number {taken.deleted[key]}, is destroyed permanently"
    return [Caution(text, ("restore the deleted flag",))]
