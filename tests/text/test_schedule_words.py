"""Scheduled changes in a few words."""

import pytest

from flagtui.models.flag_answers import ScheduledChange
from flagtui.text.schedule_words import scheduled_words

OFF = {"payload": {"operation": "update_status", "value": False}}


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({}, "turned off"),
        ({"is_recurring": True, "recurrence_interval": "weekly"}, "turned off, weekly in the time zone UTC"),
        (
            {"is_recurring": True, "recurrence_interval": "daily", "timezone": "Europe/Berlin"},
            "turned off, daily in the time zone Europe/Berlin",
        ),
        ({"is_recurring": True, "timezone": "\x1b[31m"}, "turned off, repeatedly in the time zone ␛[31m"),
    ],
)
def test_recurring_change_names_its_time_zone(more: dict[str, object], words: str) -> None:
    assert scheduled_words(ScheduledChange.of({"id": 1, **OFF, **more})) == words
