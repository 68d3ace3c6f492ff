"""Scheduled changes in a few words."""

from datetime import UTC, datetime

import pytest

from flagtui.models.flag_responses import ScheduledChange
from flagtui.text.schedule_words import scheduled_in_short, scheduled_words

OFF = {"payload": {"operation": "update_status", "value": False}}


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({}, "turned off"),
        ({"is_recurring": True, "recurrence_interval": "weekly"}, "turned off, weekly in the time zone UTC"),
        ({"is_recurring": True, "recurrence_interval": "daily", "timezone": "Europe/Berlin"},
         "turned off, daily in the time zone Europe/Berlin"),
        ({"is_recurring": True, "timezone": "\x1b[31m"}, "turned off, repeatedly in the time zone ␛[31m"),
    ],
)  # fmt: skip
def test_recurring_change_names_its_time_zone(more: dict[str, object], words: str) -> None:
    assert scheduled_words(ScheduledChange.of({"id": 1, **OFF, **more})) == words


def words_of(operation: str, value: object, **more: object) -> str:
    payload = {"operation": operation, "value": value}
    return scheduled_words(ScheduledChange.of({"id": 1, "payload": payload, **more}))


def test_done_and_failed_changes_are_reported_as_such() -> None:
    failed = {"executed_at": "2026-03-01T09:00:00Z", "failure_reason": "Unknown \x1b[31m flag"}
    assert words_of("update_status", True, **failed) == "failed: Unknown ␛[31m flag; turned on"
    assert words_of("update_status", True, executed_at="2026-03-01T09:00:00Z") == "done: turned on"
    weekly = {"is_recurring": True, "recurrence_interval": "weekly", "failure_reason": "gone"}
    assert words_of("update_status", True, **weekly) == (
        "turned on, weekly in the time zone UTC; last run failed: gone"
    )


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("false", "turned off"),
        ("False", "turned off"),
        ("true", "turned on"),
        (0, "turned off"),
        (1, "turned on"),
        ("maybe", "turned on or off: the value is invalid"),
        (None, "turned on or off: the value is invalid"),
        ([True], "turned on or off: the value is invalid"),
    ],
)
def test_status_as_text_is_read_as_the_server_reads_it(value: object, words: str) -> None:
    assert words_of("update_status", value) == words


def test_conditions_and_variants_of_a_schedule_are_listed() -> None:
    plan = {"key": "plan", "type": "person", "operator": "exact", "value": ["pro"]}
    value = {"groups": [{"rollout_percentage": 25, "properties": [plan]}, {"variant": "test"}]}
    assert words_of("add_release_condition", value) == (
        "+ condition: 25 % of users where plan is pro + condition: 100 % of everyone, as test"
    )
    for_groups = {"groups": [{"rollout_percentage": 5}], "aggregation_group_type_index": 0}
    assert words_of("add_release_condition", for_groups) == "+ condition: 5 % of all groups of type 0"
    assert words_of("add_release_condition", {"groups": []}) == "+ condition"
    shares = [{"key": "a", "rollout_percentage": 30}, {"key": "b", "rollout_percentage": 70}]
    assert words_of("update_variants", {"variants": shares}) == "variants a 30 %, b 70 %"
    assert words_of("update_variants", {}) == "variants"


def test_recurrence_by_cron_has_its_end_and_pause() -> None:
    cron = {"cron_expression": "0 9 * * 1-5", "end_date": "2026-04-01T00:00:00Z"}
    assert words_of("update_status", False, is_recurring=True, **cron) == (
        "turned off, by cron 0 9 * * 1-5 in the time zone UTC until 2026-04-01 00:00 UTC"
    )
    assert words_of("update_status", False, is_recurring=False, **cron) == (
        "turned off, by cron 0 9 * * 1-5 (paused)"
    )


@pytest.mark.parametrize(
    ("operation", "value", "words"),
    [
        ("update_status", True, "+1d on"),
        ("update_status", "odd", "+1d ?"),
        ("update_variants", {"variants": []}, "+1d variants"),
        ("archive", None, "+1d a change"),
    ],
)
def test_next_change_is_named_in_short(operation: str, value: object, words: str) -> None:
    payload = {"operation": operation, "value": value}
    change = ScheduledChange.of({"id": 1, "payload": payload, "scheduled_at": "2026-03-02T12:00:00Z"})
    assert scheduled_in_short([change], datetime(2026, 3, 1, 12, tzinfo=UTC).timestamp()) == words


def test_repeated_change_without_a_next_time_repeats() -> None:
    assert words_of("update_status", True, executed_at="2026-03-01T09:00:00Z") == "done: turned on"
    weekly = {"is_recurring": True, "recurrence_interval": "weekly", "scheduled_at": "2026-03-01T12:00:00Z"}
    change = ScheduledChange.of({"id": 1, **OFF, **weekly})
    later = datetime(2026, 3, 2, tzinfo=UTC).timestamp()
    assert scheduled_in_short([change, change, change], later) == "repeats off, 2 more"
