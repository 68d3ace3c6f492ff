"""Activity as list rows, with the kinds and the weight of each change."""

from collections.abc import Mapping
from typing import Final, Literal

import msgspec

from flagtui.local_time import unix
from flagtui.models.activity import EVENT, EXPERIMENT, SYSTEM, Activity, Change, version_made
from flagtui.models.counted_users import UserChange
from flagtui.models.filters import Filters
from flagtui.models.json_value import JSON

KINDS: Final = (
    "on",
    "off",
    "rollout",
    "conditions",
    "variants",
    "payload",
    "created",
    "deleted",
    "restored",
    "archived",
    "unarchived",
    "launched",
    "ended",
    "metrics",
    "renamed",
    "tags",
    "description",
    "other",
)
"""Kinds of changes, as the list shows them."""

RecordKind = Literal["flags", "experiments", "events"]


class ChangeRow(msgspec.Struct, frozen=True):
    """One entry. Text is raw; times are Unix seconds, UTC."""

    id: str
    place: float
    """Higher is newer; the order is the server's."""
    entry: "Activity"
    at: float | None
    record_id: int | None
    """None for event definitions, whose ids are texts."""
    key: str
    """The flag's key, or the name of another record, at that time; without the suffix that deletion adds."""
    who: str
    email: str
    kinds: tuple[str, ...]
    weight: float
    """The share of users whose flag may have changed, 0 to 1, judged from the entry alone."""
    version: int | None
    """The version that the change made; None where the server did not log it."""
    was_impersonated: bool = False
    """Whether staff of the product were signed in as that user."""
    is_in_effect: bool = False
    """Whether a deletion is still in effect."""
    users: UserChange | None = None
    """Who got or lost the flag, where a front end counted them."""

    @property
    def kind(self) -> RecordKind:
        """Return the kind of the record, in the plural."""
        return _KINDS_BY_SCOPE.get(self.entry.scope, "flags")

    @property
    def flag_id(self) -> int | None:
        return self.record_id if self.kind == "flags" else None


_KINDS_BY_SCOPE: Final[Mapping[str, RecordKind]] = {EXPERIMENT: "experiments", EVENT: "events"}
_FIELDS: Final = {"key": "renamed", "name": "description", "tags": "tags"}
_EXPERIMENT_FIELDS: Final = {
    "name": "renamed",
    "description": "description",
    "start_date": "launched",
    "end_date": "ended",
    "metrics": "metrics",
    "metrics_secondary": "metrics",
    "saved_metrics_ids": "metrics",
}
_WEIGHTS: Final = {
    "on": 1.0,
    "off": 1.0,
    "deleted": 1.0,
    "restored": 1.0,
    "variants": 0.5,
    "conditions": 0.3,
    "payload": 0.3,
    "launched": 0.3,
    "renamed": 0.3,
    "ended": 0.1,
    "created": 0.1,
}


def change_row(entry: Activity, place: float) -> ChangeRow:
    user = None if entry.actor == SYSTEM else entry.user
    kinds = kinds_of(entry)
    return ChangeRow(
        id=entry.identity,
        place=place,
        entry=entry,
        at=unix(entry.created_at),
        record_id=entry.record_id,
        key=entry.name.removesuffix(f":deleted:{entry.item_id}"),
        who=entry.actor,
        email=user.email if user else "",
        was_impersonated=entry.was_impersonated,
        kinds=kinds,
        weight=weight_of(entry, kinds),
        version=version_made(entry),
    )


def kinds_of(entry: Activity) -> tuple[str, ...]:
    """Return the kinds of change in the entry, from `KINDS`; never empty."""
    if entry.activity in ("created", "deleted", "restored"):
        return (entry.activity,)
    if entry.is_unlogged:
        return ("tags", "other")
    fields = _EXPERIMENT_FIELDS if entry.scope == EXPERIMENT else _FIELDS
    kinds = dict.fromkeys(kind for change in entry.changes for kind in _kinds(change, fields))
    return tuple(kinds) or ("other",)


def weight_of(entry: Activity, kinds: tuple[str, ...]) -> float:
    """Return the weight of a change: 1 for a switch, the difference for a rollout, a part for conditions.

    Other records reach users through the flag alone, whose change has an entry of its own.
    """
    if entry.scope in _KINDS_BY_SCOPE:
        return max((_WEIGHTS.get(kind, 0.0) for kind in kinds if kind in ("launched", "ended")), default=0.0)
    heaviest = max((_WEIGHTS.get(kind, 0.0) for kind in kinds), default=0.0)
    moved = [_largest_move(change) for change in entry.changes if change.field == "filters"]
    return max([heaviest, *moved])


def _kinds(change: Change, fields: Mapping[str, str]) -> list[str]:
    if change.switch_words:
        return [change.switch_words.removeprefix("turned ")]
    if change.field == "filters":
        return _filter_kinds(Filters.of(change.before), Filters.of(change.after)) or ["other"]
    is_reset = change.field in ("start_date", "end_date") and change.after is None
    return ["other" if is_reset else fields.get(change.field, "other")]


def _filter_kinds(before: Filters, after: Filters) -> list[str]:
    kinds = []
    if _shares(before) != _shares(after):
        kinds.append("rollout")
    old, new = (
        [(condition.properties, side.group_type_of(condition)) for condition in side.conditions]
        for side in (before, after)
    )
    if old != new or _settings(before) != _settings(after):
        kinds.append("conditions")
    was, now = (
        [condition.variant for condition in side.conditions if condition.variant] for side in (before, after)
    )
    if before.variants != after.variants or was != now:
        kinds.append("variants")
    if before.payloads != after.payloads:
        kinds.append("payload")
    return kinds


def _settings(filters: Filters) -> dict[str, JSON]:
    """Return what else decides who matches, such as a holdout; servers fill in empty ones."""
    apart = ("groups", "multivariate", "payloads")
    filled = {name: value for name, value in filters.raw.items() if value and name not in apart}
    return {**filled, "version": filters.config_version}


def _largest_move(change: Change) -> float:
    """Return the largest change of any condition's percentage, 0 to 1."""
    old, new = _shares(Filters.of(change.before)), _shares(Filters.of(change.after))
    width = max(len(old), len(new))
    pairs = zip(old + [0.0] * (width - len(old)), new + [0.0] * (width - len(new)), strict=True)
    return min(1.0, max((abs(after - before) / 100 for before, after in pairs), default=0.0))


def _shares(filters: Filters) -> list[float]:
    return [condition.rollout for condition in filters.conditions]
