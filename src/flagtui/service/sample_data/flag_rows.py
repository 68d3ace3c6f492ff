"""Flags and their log into the database."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Final

from flagtui.service.answers import text_of
from flagtui.service.sample_data.flag import Entry, SampleFlag
from flagtui.service.sample_data.insert_rows import Row, insert, named_uuid, stamped

Seal = Callable[[str], str]
"""Encrypts one payload as the service keeps it."""

FLAG_COLUMNS: Final = (
    "id, project_id, key, name, filters, deleted, active, archived, created_by_id, created_at, "
    "updated_at, version,"
    "last_modified_by_id, ensure_experience_continuity, tags, is_remote_configuration, "
    "has_encrypted_payloads,"
    "evaluation_runtime, bucketing_identifier, last_called_at, creation_context"
)
AT_ONCE: Final = 2_000
LOG_COLUMNS: Final = "id, project_id, scope, item_id, activity, user_id, is_system, created_at, detail"


def add_flags(db: sqlite3.Connection, flags: Iterable[SampleFlag], seal: Seal) -> dict[str, int]:
    """Writes them a few at a time, so that a hundred thousand need no more memory than a few; ids by key."""
    ids: dict[str, int] = {}
    remaining = iter(flags)
    while some := list(islice(remaining, AT_ONCE)):
        insert(db, "flags", FLAG_COLUMNS, (flag_row(flag, seal) for flag in some))
        insert(db, "activity", LOG_COLUMNS, (row for flag in some for row in log_rows(flag)))
        add_early_access(db, some)
        ids.update((flag.key, flag.id) for flag in some)
    return ids


def add_early_access(db: sqlite3.Connection, flags: Iterable[SampleFlag]) -> None:
    features = (
        (
            named_uuid(f"early {flag.id}"),
            flag.project,
            flag.id,
            flag.state["name"],
            "beta",
            stamped(flag.created_at),
        )
        for flag in flags
        if flag.filters.get("feature_enrollment")
    )
    insert(db, "early_access_features", "id, project_id, flag_id, name, stage, created_at", features)


def flag_row(flag: SampleFlag, seal: Seal) -> Row:
    state = flag.state
    filters = sealed(flag.filters, seal) if state["has_encrypted_payloads"] else flag.filters
    return (
        flag.id,
        flag.project,
        flag.key,
        state["name"],
        text_of(filters),
        state["deleted"],
        state["active"],
        state["archived"],
        flag.author,
        stamped(flag.created_at),
        stamped(flag.updated_at),
        flag.version,
        flag.modified_by,
        state["ensure_experience_continuity"],
        text_of(flag.tags),
        state["is_remote_configuration"],
        state["has_encrypted_payloads"],
        state["evaluation_runtime"],
        state["bucketing_identifier"],
        stamped(flag.called_at),
        flag.creation_context,
    )


def sealed(filters: dict[str, object], seal: Seal) -> dict[str, object]:
    payloads = filters["payloads"]
    assert isinstance(payloads, dict)
    return {**filters, "payloads": {name: seal(payload) for name, payload in payloads.items()}}


def log_rows(flag: SampleFlag) -> Iterator[Row]:
    return (log_row(flag, number, entry) for number, entry in enumerate(flag.log))


def log_row(flag: SampleFlag, number: int, entry: Entry) -> Row:
    detail = {"name": entry.name, "type": None, "short_id": None, "trigger": None, "changes": entry.changes}
    return (
        f"{flag.id:08x}-0000-7000-8000-{number:012x}",
        flag.project,
        "FeatureFlag",
        str(flag.id),
        entry.activity,
        entry.author,
        0,
        stamped(entry.at),
        text_of(detail),
    )
