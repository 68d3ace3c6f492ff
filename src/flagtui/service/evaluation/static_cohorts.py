"""Static cohorts of the people who have a flag on now."""

import sqlite3

from flagtui.evaluate.flags import evaluate
from flagtui.service.answers import Answer, answer
from flagtui.service.call import Call
from flagtui.service.evaluation.cohorts import describe_cohort
from flagtui.service.evaluation.definitions import evaluated, load_definitions_for
from flagtui.service.evaluation.people import everybody
from flagtui.service.flags.levels import check_level
from flagtui.service.flags.rows import called_row


def create_static_cohort(call: Call) -> Answer:
    """The product fills the cohort later; here it is complete when the answer arrives."""
    row = called_row(call)
    check_level(call, row["id"], "viewer")
    members = [] if row["deleted"] else _seeing(call, row)
    cohort_id = _insert(call, row["key"], len(members))
    call.db.executemany(
        "INSERT INTO cohort_members (cohort_id, person_id) VALUES (?, ?)",
        ((cohort_id, person_id) for person_id in members),
    )
    stored = call.db.execute("SELECT * FROM cohorts WHERE id = ?", (cohort_id,)).fetchone()
    return answer({"cohort": describe_cohort(call, stored)}, 201)


def _seeing(call: Call, row: sqlite3.Row) -> list[int]:
    """Ids of persons; a flag about groups has none."""
    definitions = load_definitions_for(call.db, call.project.id, evaluated(row))
    return [
        stored.row
        for stored in everybody(call.db, call.project.id)
        if evaluate(row["key"], stored.at(call.now), definitions).value
    ]


def _insert(call: Call, key: str, count: int) -> int:
    cursor = call.db.execute(
        "INSERT INTO cohorts"
        " (project_id, name, is_static, last_calculation, count, created_by_id, created_at)"
        " VALUES (?, ?, 1, ?, ?, ?, ?)",
        (
            call.project.id,
            f"Users with feature flag {key} enabled at {call.now:%Y-%m-%d %H:%M:%S}",
            call.stamp,
            count,
            call.caller.user_id,
            call.stamp,
        ),
    )
    assert cursor.lastrowid is not None
    return cursor.lastrowid
