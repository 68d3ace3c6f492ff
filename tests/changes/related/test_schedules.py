"""Moments as people write them."""

from datetime import UTC, datetime

import pytest

from flagtui.changes.related.schedules import read_moment

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("+2h", "2026-03-02T11:00:00+00:00"),
        ("3d", "2026-03-05T09:00:00+00:00"),
        ("90 min", "2026-03-02T10:30:00+00:00"),
        ("10:15", "2026-03-02T10:15:00+00:00"),
        ("08:00", "2026-03-03T08:00:00+00:00"),
        ("2026-03-05 09:00", "2026-03-05T09:00:00+00:00"),
        ("2026-03-05T09:00+02:00", "2026-03-05T09:00:00+02:00"),
    ],
)
def test_moment_is_in_the_users_time_zone_by_default(text: str, moment: str) -> None:
    assert read_moment(text, NOW) == datetime.fromisoformat(moment).timestamp()


@pytest.mark.parametrize("text", ["", "soon", "25:00", "2020-01-01 00:00", "2026-13-01", "+5y"])
def test_what_is_no_moment_to_come_is_said(text: str) -> None:
    assert isinstance(read_moment(text, NOW), str)
