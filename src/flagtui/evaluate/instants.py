"""Moments as nanoseconds since 1970 in UTC, in a calendar that reaches as far as the server's.

Numbers, because that calendar goes far beyond the years 1 to 9999: a property that holds milliseconds is
taken for seconds, and so for a moment in the far future.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final

SECOND: Final = 1_000_000_000
DAY: Final = 86_400 * SECOND
LAST_YEAR: Final = 262_142
"""The server's calendar ends about here, on either side."""
_EPOCH: Final = datetime(1970, 1, 1)
_FIRST: Final = -719_160 * DAY
_LAST: Final = 2_932_894 * DAY
"""Zones are known from the year 1 to 9999; before and after, they are as at the end."""

Parts = Mapping[str, int]
"""Year, month, day, hour, minute, second and nanosecond under Y, m, d, H, M, S and f."""


def civil(parts: Parts) -> int | None:
    """A calendar date and time as if it were UTC; None when the calendar has no such moment."""
    year, month, day = parts["Y"], parts["m"], parts["d"]
    if not (abs(year) <= LAST_YEAR and 1 <= month <= 12 and 1 <= day <= days_in(year, month)):
        return None
    hour, minute, second = parts.get("H", 0), parts.get("M", 0), parts.get("S", 0)
    if hour > 23 or minute > 59 or second > 60:
        return None
    of_day = (hour * 60 + minute) * 60 + second
    return days_since(year, month, day) * DAY + of_day * SECOND + parts.get("f", 0)


def in_zone(local: int, zone: tzinfo) -> int | None:
    """A wall clock's moment: the first, when it shows that time twice; None when it never shows it."""
    if zone is UTC:
        return local
    wall = _EPOCH + timedelta(microseconds=min(max(local, _FIRST), _LAST) // 1000)
    offset = wall.replace(tzinfo=zone).utcoffset() or timedelta()
    if (wall - offset).replace(tzinfo=UTC).astimezone(zone).replace(tzinfo=None) != wall:
        return None
    return local - round(offset.total_seconds()) * SECOND


def wall_clock(moment: datetime, zone: tzinfo) -> int:
    """What the clock of a zone shows, as if that were UTC. A moment without an offset counts as UTC."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    since = aware.astimezone(zone).replace(tzinfo=None) - _EPOCH
    return (since.days * 86_400 + since.seconds) * SECOND + since.microseconds * 1000


def months_back(local: int, count: int) -> int:
    """Step by step, so two months before 31 March is 28 January: a short month shortens it for good."""
    days, rest = divmod(local, DAY)
    start = _EPOCH + timedelta(days=days)
    year, month, day = start.year, start.month, start.day
    for _ in range(count):
        year, month = (year - 1, 12) if month == 1 else (year, month - 1)
        day = min(day, days_in(year, month))
    return days_since(year, month, day) * DAY + rest


def years_back(local: int, count: int) -> int:
    """29 February becomes the 28th for good, even where the count ends in another leap year."""
    days, rest = divmod(local, DAY)
    start = _EPOCH + timedelta(days=days)
    is_leap_day = (start.month, start.day) == (2, 29) and count > 0
    return days_since(start.year - count, start.month, 28 if is_leap_day else start.day) * DAY + rest


def days_in(year: int, month: int) -> int:
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31


def days_since(year: int, month: int, day: int) -> int:
    """Days since 1970-01-01 in today's calendar, extended both ways."""
    shifted = year - (month <= 2)
    era, of_era = divmod(shifted, 400)
    of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146_097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719_468
