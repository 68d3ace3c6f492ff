"""The sample in a database: valid, reproducible, with the records that tests need."""

import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.service.sample_data.conftest import NOW

from flagtui.service.clock import stamp
from flagtui.service.database import Database
from flagtui.service.sample_data.events import format_time


def schema_of(db: sqlite3.Connection) -> list[tuple[str, str]]:
    return [tuple(row) for row in db.execute("SELECT name, sql FROM sqlite_master ORDER BY name")]


def numbers(db: sqlite3.Connection, query: str) -> list[int]:
    return [row[0] for row in db.execute(query)]


def test_first_user_owns_the_company_and_its_projects(company: sqlite3.Connection) -> None:
    row = company.execute(
        "SELECT u.email, m.level, u.current_project_id FROM users AS u"
        " JOIN organization_members AS m ON m.user_id = u.id ORDER BY u.id"
    ).fetchone()
    assert tuple(row) == ("alice@acme.com", 15, 1)
    rows = company.execute("SELECT id, name FROM projects ORDER BY id").fetchall()
    assert [tuple(row) for row in rows] == [(1, "Web app"), (2, "Mobile")]
    flags = "SELECT count(*) FROM flags WHERE project_id = 1 AND NOT deleted AND NOT archived"
    experiments = "SELECT count(*) FROM experiments WHERE NOT deleted AND NOT archived"
    assert numbers(company, flags) == [248]
    assert numbers(company, experiments) == [31]


def test_every_version_of_a_flag_has_its_entry(company: sqlite3.Connection) -> None:
    differing = """SELECT f.key FROM flags AS f WHERE f.version IS NOT (SELECT nullif(count(*), 0)
        FROM activity AS a WHERE a.project_id = f.project_id AND a.scope = 'FeatureFlag'
        AND a.item_id = f.id)"""
    assert company.execute(differing).fetchall() == []


def test_the_famous_experiment_runs_for_twelve_days(company: sqlite3.Connection) -> None:
    row = company.execute(
        "SELECT e.id, f.key, julianday(?) - julianday(e.start_date) AS days, e.end_date"
        " FROM experiments AS e JOIN flags AS f ON f.id = e.flag_id WHERE e.name = 'Checkout redesign'",
        (NOW.isoformat(),),
    ).fetchone()
    assert (row["id"], row["key"], int(row["days"]), row["end_date"]) == (31, "checkout-redesign", 12, None)


def test_flags_of_running_experiments_are_on_and_of_drafts_off(company: sqlite3.Connection) -> None:
    joined = "FROM experiments AS e JOIN flags AS f ON f.id = e.flag_id WHERE "
    assert set(numbers(company, f"SELECT f.active {joined} e.start_date IS NULL")) == {0}
    running = "e.start_date IS NOT NULL AND e.end_date IS NULL AND e.id NOT IN (21, 25)"
    assert set(numbers(company, f"SELECT f.active {joined} {running}")) == {1}


def test_no_exposure_lies_outside_its_experiment(company: sqlite3.Connection) -> None:
    early = """SELECT count(*) FROM events AS v JOIN flags AS f ON f.key = v.flag_key
        JOIN experiments AS e ON e.flag_id = f.id WHERE v.event = '$feature_flag_called'
        AND (v.timestamp < e.start_date OR v.timestamp > coalesce(e.end_date, '2026-03-01T12'))"""
    assert numbers(company, early) == [0]
    assert numbers(company, "SELECT count(*) FROM events WHERE event = '$feature_flag_called'")[0] > 15_000


def test_more_people_convert_where_the_new_checkout_is_shown(company: sqlite3.Connection) -> None:
    rate = """SELECT 1.0 * count(DISTINCT CASE WHEN c.id THEN v.person_id END) / count(DISTINCT v.person_id)
        FROM events AS v LEFT JOIN events AS c ON c.person_id = v.person_id AND c.event = 'checkout_completed'
        WHERE v.event = '$feature_flag_called' AND v.flag_key = 'checkout-redesign'
        AND json_extract(v.properties, '$."$feature_flag_response"') = ?"""
    control, test = (company.execute(rate, (variant,)).fetchone()[0] for variant in ("control", "test"))
    assert test / control == pytest.approx(1.143, abs=0.01)


def test_one_experiment_has_lost_a_part_of_one_variant(company: sqlite3.Connection) -> None:
    counts = dict(
        company.execute(
            """SELECT json_extract(properties, '$."$feature_flag_response"'), count(*) FROM events
            WHERE event = '$feature_flag_called' AND flag_key = 'onboarding-questions' GROUP BY 1"""
        ).fetchall()
    )
    assert counts["control"] > 1.4 * counts["test"]


def test_cohorts_have_members_and_those_of_flags_exist(company: sqlite3.Connection) -> None:
    differing = """SELECT c.name FROM cohorts AS c WHERE c.is_static AND c.count IS NOT
        (SELECT count(*) FROM cohort_members AS m WHERE m.cohort_id = c.id)"""
    assert company.execute(differing).fetchall() == []
    assert numbers(company, "SELECT count FROM cohorts WHERE id = 1")[0] > 500
    query = """SELECT DISTINCT json_extract(p.value, '$.value') FROM flags AS f,
        json_each(f.filters, '$.groups') AS g, json_each(g.value, '$.properties') AS p
        WHERE json_extract(p.value, '$.type') = 'cohort'"""
    cohort_ids = set(numbers(company, "SELECT id FROM cohorts"))
    assert set(numbers(company, query)) <= cohort_ids


def test_filling_keeps_the_schema(company: sqlite3.Connection, tmp_path: Path) -> None:
    untouched = Database(tmp_path / "empty.db")
    with untouched.reading() as empty:
        assert schema_of(company) == schema_of(empty)
    untouched.close()


def test_times_of_events_are_written_as_the_service_writes_them() -> None:
    for time in (0.0, 1_780_000_000.25, 1_780_003_599.999999, 1_780_003_600.0):
        assert format_time(time) == stamp(datetime.fromtimestamp(time, UTC))
