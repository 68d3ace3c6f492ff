"""Intents that change targeting, made from the JSON as it is stored: the rest stays as it is."""

from collections.abc import Mapping
from typing import Final

from flagtui.changes.flags.flag_body import clean_filters
from flagtui.changes.flags.flag_intent import Intent
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON, as_list
from flagtui.models.record_fields import FLAG_FIELDS

NEWER: Final = "its targeting is of a newer kind, which is only shown here"
RAMP: Final = (0, 1, 5, 10, 25, 50, 75, 100)
"""The steps of a careful rollout, in percent."""


def targeting(flag: Flag, wanted: Mapping[str, JSON], verb: str = "change targeting") -> Intent:
    """These `filters` in place of the flag's."""
    seen = clean_filters(flag.filters)
    return Intent(flag.id, {"filters": dict(wanted)}, verb, seen={"filters": seen}, seen_version=flag.version)


def why_no_rollout(flag: Flag) -> str:
    """Why its shares cannot be set; empty when they can."""
    if not flag.targeting.is_editable:
        return NEWER
    if not flag.targeting.conditions:
        return "it has no condition, so nobody can have a share of it; add one with e"
    return ""


def set_rollout(flag: Flag, condition: int, percent: float) -> Intent:
    """One condition's share. Raises IndexError for a condition that is not there."""
    filters, groups = _parts(flag)
    groups[condition]["rollout_percentage"] = _number(percent)
    return targeting(flag, filters, "set rollout")


def set_all_rollouts(flag: Flag, percent: float) -> Intent:
    """The same share for every condition."""
    filters, groups = _parts(flag)
    for group in groups:
        group["rollout_percentage"] = _number(percent)
    return targeting(flag, filters, "set rollout")


def ramp_step(percent: float, forward: bool = True) -> int:
    """The next step of the ramp from here, or the one before; the ends stay."""
    if forward:
        return next((step for step in RAMP if step > percent), RAMP[-1])
    return next((step for step in reversed(RAMP) if step < percent), RAMP[0])


def even_shares(count: int) -> list[int]:
    """Whole shares that add up to 100, as equal as they can be."""
    share, left = divmod(100, count)
    return [share + (place < left) for place in range(count)]


def older_version(flag: Flag, version: int, fields: Mapping[str, JSON]) -> Intent:
    """The flag as it was at an older version, as far as that can be set again.

    Not its key: code that uses the newer one would stop matching.
    """
    wanted: dict[str, JSON] = {
        name: fields[name] for name in FLAG_FIELDS.having("restored") if name in fields and name in flag.raw
    }
    seen: dict[str, JSON] = {name: flag.raw[name] for name in wanted}
    return Intent(flag.id, wanted, "restore version", seen=seen, seen_version=flag.version)


def _parts(flag: Flag) -> tuple[dict[str, JSON], list[JSON]]:
    """A copy of the flag's filters, and the conditions within it."""
    filters = clean_filters(flag.filters)
    groups = as_list(filters.get("groups"))
    filters["groups"] = groups
    return filters, groups


def _number(percent: float) -> float | int:
    """25 rather than 25.0, as servers and people write it."""
    return int(percent) if float(percent).is_integer() else percent
