"""What hangs on flags: a survey, and a change that is due in three days."""

import sqlite3
from collections.abc import Mapping
from datetime import datetime, timedelta

from flagtui.service.answers import text_of
from flagtui.service.sample_data.company import WEB
from flagtui.service.sample_data.flags import FAMOUS_KEY
from flagtui.service.sample_data.insert_rows import insert, named_uuid, stamped
from flagtui.service.sample_data.moments import Moments
from flagtui.service.sample_data.people import ALICE

SURVEYED = "survey-nps-q4"


def add_links(db: sqlite3.Connection, ids: Mapping[str, int], now: datetime) -> None:
    """`ids` of flags by key."""
    since = stamped(Moments(now).ago(26))
    insert(
        db,
        "surveys",
        "id, project_id, name, linked_flag_id, created_at",
        [(named_uuid(SURVEYED), WEB, "Score of the fourth quarter", ids[SURVEYED], since)],
    )
    everyone = {"groups": [{"properties": [], "rollout_percentage": 100}]}
    payload = text_of({"operation": "add_release_condition", "value": everyone})
    insert(
        db,
        "scheduled_changes",
        "project_id, record_id, payload, scheduled_at, created_at, created_by_id, updated_at, timezone",
        [(WEB, str(ids[FAMOUS_KEY]), payload, stamped(due(now)), since, ALICE, since, "UTC")],
    )


def due(now: datetime) -> datetime:
    """Nine in the morning, three days from now."""
    return (now + timedelta(days=3)).replace(hour=9, minute=0, second=0, microsecond=0)
