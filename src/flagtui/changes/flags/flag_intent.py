"""Intents to change flags: fields, targeting, tags."""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from flagtui.changes.canonical_filters import clean_filters
from flagtui.changes.flags.flag_words import why_read_only
from flagtui.changes.tag_line import Retagging
from flagtui.evaluate import wire
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON
from flagtui.models.record_fields import FLAG_FIELDS
from flagtui.models.rows import FlagRow


class Intent(msgspec.Struct, frozen=True):
    """New values for some fields of one flag.

    `seen` holds the values the user saw in those fields. Without it a later change by another user cannot be
    distinguished from this one, so screens and commands that show values fill it in.
    """

    id: int
    changes: Mapping[str, JSON]
    verb: str
    """Its verb: `turn off`, `delete`, `set rollout`; see `verbs`."""
    seen: Mapping[str, JSON] = {}
    seen_version: int | None = None
    is_undo: bool = False
    """Whether the values are earlier ones of the server, which can have words of its own."""


SWITCHES: Final[Mapping[str, Mapping[str, JSON]]] = {
    "turn on": {"active": True},
    "turn off": {"active": False},
    # The server refuses to archive a flag that is on.
    "archive": {"active": False, "archived": True},
    "unarchive": {"archived": False},
    "delete": {"deleted": True},
    "restore": {"deleted": False},
}
"""Changes without input. A deleted flag can be restored until another flag has its key."""


LASTING: Final = "delete permanently"
"""The verb for deleting a flag with rules, which servers cannot restore."""


def switch(verb: str, id: int, seen_version: int | None = None) -> Intent:
    """Return the intent of one of `SWITCHES`."""
    return Intent(id, SWITCHES[verb], verb, seen_version=seen_version)


def set_field(id: int, name: str, seen: JSON, value: JSON, seen_version: int | None = None) -> Intent:
    """Return the intent to set one field."""
    verb = "rename" if name == "key" else f"change {FLAG_FIELDS.words(name)}"
    return Intent(id, {name: value}, verb, seen={name: seen}, seen_version=seen_version)


def retag(rows: Sequence[FlagRow], tags: Retagging) -> list[Intent]:
    """Return one intent for each flag, no-ops included: the plan skips those."""
    return [set_field(row.id, "tags", list(row.tags), list(tags.of(row.tags)), row.version) for row in rows]


RAMP: Final = (0, 1, 5, 10, 25, 50, 75, 100)
"""The steps of a careful rollout, in percent."""


def targeting(flag: Flag, filters: Mapping[str, JSON], verb: str = "change targeting") -> Intent:
    """Return the intent to replace the flag's `filters`."""
    seen = clean_filters(flag.filters)
    return Intent(
        flag.id, {"filters": dict(filters)}, verb, seen={"filters": seen}, seen_version=flag.version
    )


def why_no_rollout(flag: Flag) -> str:
    """Return why its shares cannot be set; empty when they can."""
    if not flag.targeting.is_editable:
        return why_read_only(flag.targeting)
    if any(not isinstance(condition, dict) for condition in flag.targeting.stored_conditions):
        return "one of its conditions is malformed, so shares cannot be set; edit corrects it"
    if not flag.targeting.conditions:
        return "it has no condition, so no rollout; edit adds one"
    return ""


def set_rollout(flag: Flag, condition: int, percent: float) -> Intent:
    """Return the intent to set one condition's share. Raises IndexError for a missing condition."""
    filters = clean_filters(flag.filters)
    groups = wire.conditions(filters)
    groups[condition] = wire.with_share(groups[condition], wire.whole_if_equal(percent))
    return targeting(flag, filters, "set rollout")


def set_all_rollouts(flag: Flag, percent: float) -> Intent:
    """Return the intent to set the same share for every condition."""
    filters = clean_filters(flag.filters)
    shares = [wire.with_share(group, wire.whole_if_equal(percent)) for group in wire.conditions(filters)]
    return targeting(flag, wire.with_conditions(filters, shares), "set rollout")


def ramp_step(percent: float, forward: bool = True) -> int:
    """Return the next or previous step of the ramp; the ends stay."""
    if forward:
        return next((step for step in RAMP if step > percent), RAMP[-1])
    return next((step for step in reversed(RAMP) if step < percent), RAMP[0])


def older_version(flag: Flag, version: int, fields: Mapping[str, JSON]) -> Intent:
    """Return the intent to restore the settable fields of an older version.

    The key stays: code that uses the newer key would stop matching.
    """
    values: dict[str, JSON] = {
        name: fields[name] for name in FLAG_FIELDS.having("restored") if name in fields and name in flag.raw
    }
    seen: dict[str, JSON] = {name: flag.raw[name] for name in values}
    return Intent(flag.id, values, "restore version", seen=seen, seen_version=flag.version)
