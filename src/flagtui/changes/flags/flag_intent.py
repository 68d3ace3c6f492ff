"""What the person wants to change of flags: fields, targeting, tags; whether it can be done is not known."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from flagtui.changes.canonical_filters import clean_filters
from flagtui.changes.tag_line import Retagging
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON, as_list
from flagtui.models.record_fields import FLAG_FIELDS
from flagtui.models.rows import FlagRow

Kind = Literal["flag", "experiment", "event_definition"]


@dataclass(frozen=True, slots=True)
class Intent:
    """New values for some fields of one record.

    `seen` holds what the person saw in those fields. Without it a change made by another person since then
    cannot be told from the person's own, so screens and commands that show values should fill it in.
    """

    id: int
    changes: Mapping[str, JSON]
    verb: str
    """What it is called: `turn off`, `delete`, `set rollout`; see `verbs`."""
    kind: Kind = "flag"
    seen: Mapping[str, JSON] = field(default_factory=dict)
    seen_version: int | None = None


SWITCHES: Final[Mapping[str, Mapping[str, JSON]]] = {
    "turn on": {"active": True},
    "turn off": {"active": False},
    # The server refuses to archive a flag that is on.
    "archive": {"active": False, "archived": True},
    "unarchive": {"archived": False},
    "delete": {"deleted": True},
    "restore": {"deleted": False},
}
"""What needs nothing but the flag. What is deleted can be restored until another flag takes its key."""


def switch(verb: str, id: int, seen_version: int | None = None) -> Intent:
    """One of `SWITCHES`."""
    return Intent(id, SWITCHES[verb], verb, seen_version=seen_version)


def set_field(id: int, name: str, seen: JSON, wanted: JSON, seen_version: int | None = None) -> Intent:
    """One field with another value."""
    verb = "rename" if name == "key" else f"change {FLAG_FIELDS.words(name)}"
    return Intent(id, {name: wanted}, verb, seen={name: seen}, seen_version=seen_version)


def retag(rows: Sequence[FlagRow], wanted: Retagging) -> list[Intent]:
    """One intent for each flag, also for those that have the tags already: the plan says so."""
    return [set_field(row.id, "tags", list(row.tags), list(wanted.of(row.tags)), row.version) for row in rows]


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
        return "it has no condition, so nobody can have a share of it; edit adds one"
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
