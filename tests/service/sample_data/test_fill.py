"""The sample in a database: valid, reproducible, with the records that tests need."""

import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.service.sample_data.conftest import NOW

from flagtui.service.clock import stamp
from flagtui.service.database import Database
from flagtui.service.sample_data.events import format_time

CALLED = "v.event = '$feature_flag_called'"
EXPERIMENTS = "experiments AS e JOIN flags AS f ON f.id = e.flag_id"
RUNNING = "e.start_date IS NOT NULL AND e.end_date IS NULL AND e.id NOT IN (21, 25)"
RESPONSE = """v.properties ->> '$."$feature_flag_response"'"""
FACTS: dict[str, tuple[str, list[tuple[Any, ...]]]] = {
    "the first user owns the company": (
        """SELECT u.email, m.level, u.current_project_id FROM users AS u
        JOIN organization_members AS m ON m.user_id = u.id ORDER BY u.id LIMIT 1""",
        [("alice@acme.com", 15, 1)]),
    "it lists as many experiments as drawn": (
        "SELECT count(*) FROM experiments WHERE NOT deleted AND NOT archived", [(31,)]),
    "every version of a flag has its entry": (
        """SELECT f.key FROM flags AS f WHERE f.version IS NOT (SELECT nullif(count(*), 0)
        FROM activity AS a WHERE a.project_id = f.project_id AND a.scope = 'FeatureFlag'
        AND a.item_id = f.id)""", []),
    "the famous experiment runs for twelve days": (
        f"""SELECT e.id, f.key, CAST(julianday('{NOW.isoformat()}') - julianday(e.start_date) AS INTEGER),
        e.end_date FROM {EXPERIMENTS} WHERE e.name = 'Checkout redesign'""",
        [(31, "checkout-redesign", 12, None)]),
    "flags of drafts are off": (
        f"SELECT DISTINCT f.active FROM {EXPERIMENTS} WHERE e.start_date IS NULL", [(0,)]),
    "flags of running experiments are on": (
        f"SELECT DISTINCT f.active FROM {EXPERIMENTS} WHERE {RUNNING}", [(1,)]),
    "no exposure lies outside its experiment": (
        f"""SELECT v.id FROM events AS v JOIN flags AS f ON f.key = v.flag_key
        JOIN experiments AS e ON e.flag_id = f.id WHERE {CALLED}
        AND (v.timestamp < e.start_date OR v.timestamp > coalesce(e.end_date, '2026-03-01T12'))""", []),
    "there are many exposures": (f"SELECT count(*) > 15000 FROM events AS v WHERE {CALLED}", [(True,)]),
    "one experiment has lost a part of one variant": (
        f"""SELECT sum({RESPONSE} = 'control') > 1.4 * sum({RESPONSE} = 'test') FROM events AS v
        WHERE {CALLED} AND flag_key = 'onboarding-questions'""", [(True,)]),
    "static cohorts count their members": (
        """SELECT c.name FROM cohorts AS c WHERE c.is_static AND c.count IS NOT
        (SELECT count(*) FROM cohort_members AS m WHERE m.cohort_id = c.id)""", []),
    "the first cohort is large": ("SELECT count > 500 FROM cohorts WHERE id = 1", [(True,)]),
    "cohorts of flags exist": (
        """SELECT p.value ->> '$.value' FROM flags AS f,
        json_each(f.filters, '$.groups') AS g, json_each(g.value, '$.properties') AS p
        WHERE p.value ->> '$.type' = 'cohort' EXCEPT SELECT id FROM cohorts""", []),
}  # fmt: skip
"""By sentence: a query and its rows."""


@pytest.mark.parametrize("fact", FACTS)
def test_sample_holds_what_tests_rely_on(company: sqlite3.Connection, fact: str) -> None:
    query, rows = FACTS[fact]
    assert [tuple(row) for row in company.execute(query)] == rows


def test_more_people_convert_where_the_new_checkout_is_shown(company: sqlite3.Connection) -> None:
    rate = f"""SELECT 1.0 * count(DISTINCT CASE WHEN c.id THEN v.person_id END) / count(DISTINCT v.person_id)
        FROM events AS v LEFT JOIN events AS c ON c.person_id = v.person_id AND c.event = 'checkout_completed'
        WHERE {CALLED} AND v.flag_key = 'checkout-redesign' AND {RESPONSE} = ?"""
    control, test = (company.execute(rate, (variant,)).fetchone()[0] for variant in ("control", "test"))
    assert test / control == pytest.approx(1.143, abs=0.01)


def test_filling_keeps_the_schema(company: sqlite3.Connection, tmp_path: Path) -> None:
    query = "SELECT name, sql FROM sqlite_master ORDER BY name"
    untouched = Database(tmp_path / "empty.db")
    with untouched.reading() as empty:
        schemas = [[tuple(row) for row in db.execute(query)] for db in (company, empty)]
    untouched.close()
    assert schemas[0] == schemas[1]


def test_times_of_events_are_written_as_the_service_writes_them() -> None:
    for time in (0.0, 1_780_000_000.25, 1_780_003_599.999999, 1_780_003_600.0):
        assert format_time(time) == stamp(datetime.fromtimestamp(time, UTC))
