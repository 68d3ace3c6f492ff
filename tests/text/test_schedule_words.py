"""Scheduled changes in a few words."""

from datetime import UTC, datetime

import pytest
from tests.doubles.targeting import asks, group, variants

from flagtui.models.flag_responses import ScheduledChange
from flagtui.models.json_value import JSON
from flagtui.text.schedule_words import scheduled_in_short, scheduled_words

DONE = {"executed_at": "2026-03-01T09:00:00Z"}
WEEKLY: dict[str, JSON] = {"is_recurring": True, "recurrence_interval": "weekly"}
CRON: dict[str, JSON] = {"cron_expression": "0 9 * * 1-5", "end_date": "2026-04-01T00:00:00Z"}


def change(operation: str, value: JSON, **more: JSON) -> ScheduledChange:
    return ScheduledChange.of({"id": 1, "payload": {"operation": operation, "value": value}, **more})


@pytest.mark.parametrize(("more", "words"), [
    ({}, "turned off"),
    (WEEKLY, "turned off, weekly in the time zone UTC"),
    ({**WEEKLY, "timezone": "Europe/Berlin"}, "turned off, weekly in the time zone Europe/Berlin"),
    ({"is_recurring": True, "timezone": "\x1b[31m"}, "turned off, repeatedly in the time zone ␛[31m"),
    ({"is_recurring": True, **CRON},
     "turned off, by cron 0 9 * * 1-5 in the time zone UTC until 2026-04-01 00:00 UTC"),
    ({"is_recurring": False, **CRON}, "turned off, by cron 0 9 * * 1-5 (paused)"),
    (DONE, "done: turned off"),
    ({**DONE, "failure_reason": "Unknown \x1b[31m flag"}, "failed: Unknown ␛[31m flag; turned off"),
    ({**WEEKLY, "failure_reason": "gone"},
     "turned off, weekly in the time zone UTC; last run failed: gone"),
])  # fmt: skip
def test_change_names_its_recurrence_and_outcome(more: dict[str, JSON], words: str) -> None:
    assert scheduled_words(change("update_status", False, **more)) == words


INVALID = "turned on or off: the value is invalid"
TO_PRO = group(25, asks("plan", "exact", ["pro"]))


@pytest.mark.parametrize(("operation", "value", "words"), [
    *[("update_status", value, "turned off") for value in ("false", "False", 0)],
    *[("update_status", value, "turned on") for value in ("true", 1, True)],
    *[("update_status", value, INVALID) for value in ("maybe", None, [True])],
    ("add_release_condition", {"groups": [TO_PRO, {"variant": "test"}]},
     "+ condition: 25 % of users where plan is pro + condition: 100 % of everyone, as test"),
    ("add_release_condition", {"groups": [group(5)], "aggregation_group_type_index": 0},
     "+ condition: 5 % of all groups of type 0"),
    ("add_release_condition", {"groups": []}, "+ condition"),
    ("update_variants", variants(a=30, b=70), "variants a 30 %, b 70 %"),
    ("update_variants", {}, "variants"),
])  # fmt: skip
def test_change_is_described_as_the_server_reads_it(operation: str, value: JSON, words: str) -> None:
    assert scheduled_words(change(operation, value)) == words


@pytest.mark.parametrize(("operation", "value", "words"), [
    ("update_status", True, "+1d on"),
    ("update_status", "odd", "+1d ?"),
    ("update_variants", {"variants": []}, "+1d variants"),
    ("archive", None, "+1d a change"),
])  # fmt: skip
def test_next_change_is_named_in_short(operation: str, value: JSON, words: str) -> None:
    next_change = change(operation, value, scheduled_at="2026-03-02T12:00:00Z")
    assert scheduled_in_short([next_change], datetime(2026, 3, 1, 12, tzinfo=UTC).timestamp()) == words


def test_repeated_change_without_a_next_time_repeats() -> None:
    weekly = change("update_status", False, **WEEKLY, scheduled_at="2026-03-01T12:00:00Z")
    later = datetime(2026, 3, 2, tzinfo=UTC).timestamp()
    assert scheduled_in_short([weekly] * 3, later) == "repeats off, 2 more"
