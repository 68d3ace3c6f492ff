"""Moments on the person's clock and back, also on the days when clocks are changed."""

import os
import time
from collections.abc import Callable
from datetime import UTC, datetime
from datetime import time as time_of_day

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flagtui import local_time

ZONES = ("Europe/Berlin", "America/New_York", "Asia/Kolkata", "America/Sao_Paulo", "Pacific/Apia", "UTC")


def at(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


WINTER, SUMMER = at("2026-03-02 13:05"), at("2026-07-02 12:05")
PUT_FORWARD, PUT_BACK = at("2026-03-29 12:00"), at("2026-10-25 12:00")
"""Noon, after the clocks of Berlin were changed in the night."""


@pytest.mark.usefixtures("in_berlin")
def test_moment_is_shown_in_the_zone_with_its_name() -> None:
    assert local_time.minute(WINTER) == "2026-03-02 14:05 CET"
    assert local_time.second(SUMMER) == "2026-07-02 14:05:00 CEST"
    assert local_time.clock(WINTER) == "14:05"
    assert local_time.zone_name() == "Europe/Berlin"


@pytest.mark.usefixtures("in_berlin")
def test_utc_is_shown_beside_with_its_date_where_different() -> None:
    assert local_time.beside(WINTER) == " (13:05 UTC)"
    assert local_time.beside(at("2026-03-01 23:30"), seconds=True) == " (2026-03-01 23:30:00 UTC)"


def test_in_utc_nothing_stands_beside_it() -> None:
    assert local_time.minute(WINTER) + local_time.beside(WINTER) == "2026-03-02 13:05 UTC"


@pytest.mark.parametrize(("zone", "label"), [
    ("Asia/Kolkata", "IST"),
    ("America/Sao_Paulo", "UTC-3"),
    ("Asia/Kathmandu", "UTC+5:45"),
    ("Pacific/Apia", "UTC+13"),
])  # fmt: skip
@pytest.mark.usefixtures("berlin")
def test_zone_without_a_short_name_is_named_by_its_offset(zone: str, label: str) -> None:
    local_time.use_zone(zone)
    assert local_time.label(WINTER) == label


@pytest.mark.usefixtures("in_berlin")
@pytest.mark.parametrize(("which", "shown", "now", "moment"), [
    (local_time.last, "14:05", WINTER, "2026-03-02 13:05"),
    (local_time.last, "14:06", WINTER, "2026-03-01 13:06"),
    (local_time.last, "14:05", PUT_FORWARD - 3_600, "2026-03-28 13:05"),
    (local_time.last, "01:30", PUT_FORWARD, "2026-03-29 00:30"),
    (local_time.last, "02:30", PUT_BACK, "2026-10-25 01:30"),
    (local_time.last, "02:30", at("2026-10-25 01:10"), "2026-10-25 00:30"),
    (local_time.coming, "14:06", WINTER, "2026-03-02 13:06"),
    (local_time.coming, "14:05", WINTER, "2026-03-03 13:05"),
    (local_time.coming, "09:00", at("2026-03-28 12:00"), "2026-03-29 07:00"),
    (local_time.coming, "02:30", at("2026-10-24 23:00"), "2026-10-25 00:30"),
    (local_time.coming, "02:30", at("2026-10-25 00:40"), "2026-10-25 01:30"),
])  # fmt: skip
def test_a_time_of_day_is_the_last_or_next_one(
    which: Callable[[time_of_day, float], float], shown: str, now: float, moment: str
) -> None:
    assert which(local_time.read_clock(shown), now) == at(moment)


@pytest.mark.usefixtures("in_berlin")
def test_skipped_clock_time_is_shown_after_the_gap() -> None:
    moment = local_time.last(local_time.read_clock("02:30"), PUT_FORWARD)
    assert local_time.minute(moment) == "2026-03-29 03:30 CEST"


@pytest.mark.usefixtures("in_berlin")
def test_a_written_zone_wins_over_the_persons() -> None:
    assert local_time.read_iso("2026-03-02T14:05") == WINTER
    assert local_time.read_iso("2026-03-02 14:05+02:00") == WINTER - 3_600
    assert local_time.read_iso("2026-03-02t14:05z") == WINTER + 3_600


@given(st.sampled_from(ZONES), st.integers(0, 4_000_000_000))
def test_what_is_shown_is_read_as_the_same_moment(zone: str, moment: int) -> None:
    local_time.use_zone(zone)
    try:
        shown = local_time.wall(moment)
        assert local_time.read_iso(shown.isoformat()) == moment
        again = local_time.last(time_of_day(shown.hour, shown.minute, shown.second), moment)
        assert again == moment
    finally:
        local_time.use_zone("")


@pytest.mark.usefixtures("berlin")
def test_the_setting_wins_over_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    assert local_time.label(WINTER) == "CET"
    local_time.use_zone("")
    assert local_time.label(WINTER) == "EST"
    monkeypatch.undo()
    time.tzset()
    assert os.environ["TZ"] == "UTC"


@pytest.mark.parametrize(("value", "wrong"), [
    *((value, "") for value in ("", "UTC", "Europe/Berlin", ":Europe/Berlin", "<-03>3")),
    ("CET-1CEST,M3.5.0,M10.5.0/3", ""),
    ("Europe/Berlim", "Europe/Berlim"),
    ("Berlin", "Berlin"),
])  # fmt: skip
def test_a_tz_that_names_no_zone_is_reported(value: str, wrong: str) -> None:
    reason = local_time.why_not_zone(value)
    assert (bool(reason), wrong in reason) == (bool(wrong), True)


@pytest.mark.parametrize("zone", ["America/Los_Angeles", "Asia/Tokyo", "UTC"])
@pytest.mark.parametrize(("text", "day"), [
    ("0001-01-01T00:00:00+14:00", "1-01-0"),
    ("0001-01-01T00:00:00", "1-01-0"),
    ("9999-12-31T23:59:59-12:00", "9999-12-"),
])  # fmt: skip
def test_the_ends_of_the_calendar_are_shown_in_every_zone(zone: str, text: str, day: str) -> None:
    local_time.use_zone(zone)
    moment = local_time.as_moment(text)
    assert moment is not None
    shown = (local_time.day(moment), local_time.second(moment), local_time.stamp(moment))
    assert all(each.lstrip("0").startswith(day) for each in shown)
    local_time.use_zone("")


@pytest.mark.parametrize("text", ["14", "14.05", "2 pm"])
def test_other_words_are_no_time_of_day(text: str) -> None:
    with pytest.raises(ValueError, match=text):
        local_time.read_clock(text)


@pytest.mark.parametrize(("seconds", "short", "long"), [
    (0, "now", "just now"),
    (59, "now", "just now"),
    (60, "1m", "1 min ago"),
    (3_600, "1h", "1 h ago"),
    (86_400, "1d", "1 day ago"),
    (59 * 86_400, "59d", "59 days ago"),
    (61 * 86_400, "2mo", "2 months ago"),
    (729 * 86_400, "24mo", "24 months ago"),
    (731 * 86_400, "2y", "2 years ago"),
    (-5, "now", "just now"),
    (-300, "now", "just now"),
    (-360, "+6m", "in 6 min"),
    (-3 * 3_600, "+3h", "in 3 h"),
    (-86_400, "+1d", "in 1 day"),
    (-61 * 86_400, "+2mo", "in 2 months"),
    (-320 * 86_400, "+1y", "in 10 months"),
    (-731 * 86_400, "+2y", "in 2 years"),
])  # fmt: skip
def test_age_is_short_in_lists_and_long_in_sentences(seconds: float, short: str, long: str) -> None:
    assert local_time.age(1_000_000_000 - seconds, 1_000_000_000) == short
    assert local_time.ago(1_000_000_000 - seconds, 1_000_000_000) == long
    assert len(short) <= 4


def test_missing_moment_has_no_age() -> None:
    assert local_time.age(None, 0) == ""
    assert local_time.ago(None, 0) == "not known"


@pytest.mark.parametrize(("hours", "short", "long"), [
    (0, "today", "today"),
    (12, "today", "today"),
    (13, "1 d", "1 day ago"),
    (-24, "today", "today"),
    (-48, "in 2 d", "in 2 days"),
    (60 * 24, "60 d", "2 months ago"),
    (61 * 24, "2 mo", "2 months ago"),
    (800 * 24, "2 y", "2 years ago"),
])  # fmt: skip
def test_age_in_days_counts_days_of_the_server(hours: int, short: str, long: str) -> None:
    noon = 20_000.5 * local_time.DAY
    then = noon - hours * local_time.HOUR
    assert (local_time.age_in_days(then, noon), local_time.days_ago(then, noon)) == (short, long)
