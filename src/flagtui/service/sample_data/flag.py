"""One sample flag: how it is targeted, its life written forwards, and the rows it leaves in the database."""

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Any, Final

import msgspec

from flagtui.service.activity import changes_between
from flagtui.service.database import insert_rows
from flagtui.service.errors import Json
from flagtui.service.field_kinds import Use, Values
from flagtui.service.flags.encryption import key_file_of, seal
from flagtui.service.flags.fields import FLAGS
from flagtui.service.flags.rows import SCOPE
from flagtui.service.responses import text_of
from flagtui.service.sample_data.data import format_stamp, named_uuid

AT_ONCE: Final = 2_000
_LOGGED = FLAGS.using(Use.LOGGED)


def person(key: str, operator: str, value: Json) -> Values:
    return {"key": key, "type": "person", "operator": operator, "value": value}


def company(key: str, operator: str, value: Json) -> Values:
    """Return a property of the person's company, which is group type 0."""
    return {"key": key, "type": "group", "group_type_index": 0, "operator": operator, "value": value}


def cohort(number: int, operator: str = "in") -> Values:
    return {"key": "id", "type": "cohort", "operator": operator, "value": number}


def flag(key: str) -> Values:
    """Return a dependency by key; numbering the project's flags replaces it by the id."""
    return {"key": key, "type": "flag", "operator": "flag_evaluates_to", "value": True, "label": key}


def group(
    rollout: float | None = 100, *properties: Values, variant: str | None = None, index: int | None = None
) -> Values:
    return {
        "properties": list(properties),
        "rollout_percentage": rollout,
        "variant": variant,
        "aggregation_group_type_index": index,
    }


def split(variants: Iterable[tuple[Any, ...]]) -> list[Values]:
    """Return variants with key, share, and a name if there is one; the shares add up to 100."""
    return [
        {"key": key, "name": "".join(name), "rollout_percentage": share} for key, share, *name in variants
    ]


def filters(
    *groups: Values, variants: list[Values] | None = None, payloads: Values | None = None, **more: Json
) -> Values:
    indexes = {each["aggregation_group_type_index"] for each in groups}
    return {
        "groups": list(groups),
        "payloads": payloads or {},
        "multivariate": {"variants": variants} if variants else None,
        "aggregation_group_type_index": indexes.pop() if len(indexes) == 1 else None,
        **more,
    }


def with_rollouts(targeting: Values, *rollouts: float) -> Values:
    """Return the same targeting with other percentages on the first groups; the original is left alone."""
    groups = [dict(each) for each in targeting["groups"]]
    for group, rollout in zip(groups, rollouts, strict=False):
        group["rollout_percentage"] = rollout
    return {**targeting, "groups": groups}


class Saved(msgspec.Struct, frozen=True):
    """One saved version of a flag, as the activity log has it; `key` is the flag's at that time."""

    at: datetime
    author: int | None
    activity: str
    key: str
    changes: list[Json]


@dataclass(slots=True)
class SampleFlag:
    """A flag with every version it ever had. `state` holds its columns, the others' defaults among them."""

    state: Values
    created_at: datetime
    author: int | None
    called_at: datetime | None = None
    id: int = 0
    """0 until the project has numbered its flags."""
    project: int = 1
    updated_at: datetime | None = None
    modified_by: int | None = None
    log: list[Saved] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.updated_at, self.modified_by = self.created_at, self.author
        self.log.append(Saved(self.created_at, self.author, "created", self.key, []))

    @property
    def key(self) -> str:
        return str(self.state["key"])

    @property
    def filters(self) -> Values:
        filters: Values = self.state["filters"]
        return filters

    def edit(self, at: datetime, author: int | None, **after: Json) -> None:
        """Save once: the given columns change, the version counts up, the log gets one entry."""
        before = self.state
        self.state = {**before, **after, "version": before["version"] + 1}
        touched = [name for name in _LOGGED if name in after or name == "version"]
        changes = changes_between(SCOPE, before, self.state, touched)
        activity = "deleted" if after.get("deleted") else "updated"
        self.log.append(Saved(at, author, activity, self.key, changes))
        self.updated_at, self.modified_by = at, author

    def forget_history(self) -> None:
        """Make it a row from before versions were kept: no version, no last change, no log."""
        self.state = {**self.state, "version": None}
        self.updated_at, self.modified_by, self.log = None, None, []


def state(key: str, filters: Values, name: str = "", runtime: str = "all", **columns: Json) -> Values:
    """Return the columns of a new flag, with the service's defaults for those not named."""
    given = {"key": key, "name": name, "filters": filters, "evaluation_runtime": runtime}
    return {**FLAGS.defaults, **given, **columns}


def insert_flags(db: sqlite3.Connection, flags: Iterable[SampleFlag]) -> None:
    """Insert the rows that the service would have stored for flags created and edited in order.

    A few at a time, so that a hundred thousand need no more memory than a few.
    """
    remaining = iter(flags)
    while some := list(islice(remaining, AT_ONCE)):
        insert_rows(db, "flags", (_row(db, made) for made in some))
        insert_rows(db, "activity", (row for made in some for row in _log_rows(made)))
        insert_rows(db, "early_access_features", map(_early_access, filter(_is_early, some)))


def _row(db: sqlite3.Connection, made: SampleFlag) -> Values:
    filters = made.filters
    if made.state["has_encrypted_payloads"]:
        sealed = {name: seal(key_file_of(db), payload) for name, payload in filters["payloads"].items()}
        filters = {**filters, "payloads": sealed}
    return FLAGS.encode(
        {
            **made.state,
            "filters": filters,
            "id": made.id,
            "project_id": made.project,
            "created_by_id": made.author,
            "created_at": format_stamp(made.created_at),
            "updated_at": format_stamp(made.updated_at),
            "last_modified_by_id": made.modified_by,
            "last_called_at": format_stamp(made.called_at),
        }
    )


def _log_rows(made: SampleFlag) -> Iterable[Values]:
    for number, saved in enumerate(made.log):
        detail = {"name": saved.key, "type": None, "short_id": None, "trigger": None}
        yield {
            "id": f"{made.id:08x}-0000-7000-8000-{number:012x}",
            "project_id": made.project,
            "scope": SCOPE,
            "item_id": str(made.id),
            "activity": saved.activity,
            "user_id": saved.author,
            "is_system": False,
            "created_at": format_stamp(saved.at),
            "detail": text_of({**detail, "changes": saved.changes}),
        }


def _is_early(made: SampleFlag) -> bool:
    return bool(made.filters.get("feature_enrollment"))


def _early_access(made: SampleFlag) -> Values:
    return {
        "id": named_uuid(f"early {made.id}"),
        "project_id": made.project,
        "flag_id": made.id,
        "name": made.state["name"],
        "stage": "beta",
        "created_at": format_stamp(made.created_at),
    }
