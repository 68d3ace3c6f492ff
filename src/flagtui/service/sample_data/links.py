"""What hangs on flags: a survey, and a change that is due in three days."""

import sqlite3
from collections.abc import Mapping
from datetime import datetime, timedelta

from flagtui.service.answers import text_of
from flagtui.service.database import insert_row
from flagtui.service.sample_data.company import WEB
from flagtui.service.sample_data.data import user
from flagtui.service.sample_data.flags import FAMOUS_KEY
from flagtui.service.sample_data.marks import Moments, named_uuid, stamped

SURVEYED = "survey-nps-q4"


def add_links(db: sqlite3.Connection, ids: Mapping[str, int], now: datetime) -> None:
    """`ids` of flags by key."""
    since = stamped(Moments(now).ago(26))
    survey = {"id": named_uuid(SURVEYED), "name": "Score of the fourth quarter", "created_at": since}
    insert_row(db, "surveys", {**survey, "project_id": WEB, "linked_flag_id": ids[SURVEYED]})
    everyone = {"groups": [{"properties": [], "rollout_percentage": 100}]}
    planned = {
        "project_id": WEB,
        "record_id": str(ids[FAMOUS_KEY]),
        "payload": text_of({"operation": "add_release_condition", "value": everyone}),
        "scheduled_at": stamped(due(now)),
        "created_at": since,
        "created_by_id": user("Alice"),
        "updated_at": since,
        "timezone": "UTC",
    }
    insert_row(db, "scheduled_changes", planned)


def due(now: datetime) -> datetime:
    """Nine in the morning, three days from now."""
    return (now + timedelta(days=3)).replace(hour=9, minute=0, second=0, microsecond=0)
