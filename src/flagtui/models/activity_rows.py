"""Entries of the activity as one line each: what kind of change it was and how much it can have moved."""

from typing import Final

from flagtui.models.activity import SYSTEM, Activity, Change
from flagtui.models.change_row import ChangeRow
from flagtui.models.filters import Filters
from flagtui.models.json_value import as_list, as_whole
from flagtui.models.times import unix

_SWITCHES: Final = {
    "active": ("on", "off"),
    "archived": ("archived", "unarchived"),
    "deleted": ("deleted", "restored"),
}
_FIELDS: Final = {"key": "renamed", "name": "description", "tags": "tags"}
_WEIGHTS: Final = {
    "on": 1.0,
    "off": 1.0,
    "deleted": 1.0,
    "restored": 1.0,
    "variants": 0.5,
    "conditions": 0.3,
    "payload": 0.3,
    "renamed": 0.3,
    "created": 0.1,
}


def change_row(entry: Activity, place: int) -> ChangeRow:
    """The entry as a row."""
    user = None if entry.actor == SYSTEM else entry.user
    kinds = kinds_of(entry)
    return ChangeRow(
        id=entry.identity,
        place=place,
        entry=entry,
        at=unix(entry.created_at),
        flag_id=entry.record_id,
        key=entry.name.removesuffix(f":deleted:{entry.item_id}"),
        who=entry.actor,
        email=user.email if user else "",
        was_impersonated=entry.was_impersonated,
        kinds=kinds,
        weight=weight_of(entry, kinds),
        version=version_made(entry),
    )


def version_made(entry: Activity) -> int | None:
    """The flag's version after the entry."""
    for change in as_list(entry.detail.get("changes")):
        if isinstance(change, dict) and change.get("field") == "version":
            return as_whole(change.get("after"))
    return 1 if entry.activity == "created" else None


def kinds_of(entry: Activity) -> tuple[str, ...]:
    """What was changed, in the words of `KINDS`; never empty."""
    if entry.activity in ("created", "deleted", "restored"):
        return (entry.activity,)
    if entry.is_unlogged:
        return ("tags", "other")
    found = dict.fromkeys(kind for change in entry.changes for kind in _kinds(change))
    return tuple(found) or ("other",)


def weight_of(entry: Activity, kinds: tuple[str, ...]) -> float:
    """How much it can have moved: a switch everything, a rollout its difference, a condition something."""
    heaviest = max((_WEIGHTS.get(kind, 0.0) for kind in kinds), default=0.0)
    moved = [_moved(change) for change in entry.changes if change.field == "filters"]
    return max([heaviest, *moved])


def _kinds(change: Change) -> list[str]:
    if change.field in _SWITCHES and change.is_on is not None:
        return [_SWITCHES[change.field][0 if change.is_on else 1]]
    if change.field == "filters":
        return _filter_kinds(Filters.of(change.before), Filters.of(change.after)) or ["other"]
    return [_FIELDS.get(change.field, "other")]


def _filter_kinds(before: Filters, after: Filters) -> list[str]:
    kinds = []
    if _shares(before) != _shares(after):
        kinds.append("rollout")
    if [one.properties for one in before.conditions] != [one.properties for one in after.conditions]:
        kinds.append("conditions")
    if before.variants != after.variants:
        kinds.append("variants")
    if before.payloads != after.payloads:
        kinds.append("payload")
    return kinds


def _moved(change: Change) -> float:
    """The greatest step of any condition's share, as a part of one."""
    old, new = _shares(Filters.of(change.before)), _shares(Filters.of(change.after))
    width = max(len(old), len(new))
    pairs = zip(old + [0.0] * (width - len(old)), new + [0.0] * (width - len(new)), strict=True)
    return min(1.0, max((abs(after - before) / 100 for before, after in pairs), default=0.0))


def _shares(filters: Filters) -> list[float]:
    return [condition.rollout for condition in filters.conditions]
