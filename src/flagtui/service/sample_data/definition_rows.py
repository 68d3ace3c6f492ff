"""Event definitions into the database."""

import sqlite3
from datetime import datetime
from random import Random
from typing import Final

from flagtui.service.answers import text_of
from flagtui.service.sample_data.company import MOBILE, WEB
from flagtui.service.sample_data.definitions import Definition, mobile_definitions, seen_at, web_definitions
from flagtui.service.sample_data.insert_rows import Row, insert, named_uuid, stamped
from flagtui.service.sample_data.moments import Moments

DEFINITION_COLUMNS: Final = (
    "id, project_id, name, created_at, last_seen_at, last_updated_at, tags, primary_property, description,"
    "owner_id, verified, verified_at, verified_by_id, hidden, updated_at, updated_by_id, query_usage_30_day"
)


def add_definitions(db: sqlite3.Connection, now: datetime) -> None:
    add_each(db, WEB, web_definitions(Random("acme events")), now)
    add_each(db, MOBILE, mobile_definitions(Random("acme mobile events")), now)


def add_each(db: sqlite3.Connection, project: int, definitions: list[Definition], now: datetime) -> None:
    rows = (definition_row(project, each, now) for each in definitions)
    insert(db, "event_definitions", DEFINITION_COLUMNS, rows)


def definition_row(project: int, each: Definition, now: datetime) -> Row:
    ago = Moments(now).ago
    touched = stamped(ago(each.made / 3))
    verified = each.verified_by is not None
    return (
        named_uuid(f"{project} {each.name}"),
        project,
        each.name,
        stamped(ago(max(each.made, (each.seen or 0) + 1))),
        stamped(seen_at(each, now)),
        touched,
        text_of(each.tags),
        each.primary_property,
        each.description,
        each.owner,
        verified,
        touched if verified else None,
        each.verified_by,
        each.hidden,
        touched,
        each.verified_by,
        each.uses,
    )
