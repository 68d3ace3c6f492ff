"""Dates as conditions and properties write them: ISO 8601, a bare year, or a distance into the past."""

import calendar
import re
from datetime import UTC, datetime, timedelta

_RELATIVE = re.compile(r"-?0*([0-9]{1,4})([hdwmy])\n?")
"""A distance of five digits is refused by the server, and so by us."""
_HOURS = {"h": 1, "d": 24, "w": 7 * 24}


def wanted_moment(value: object, now: datetime) -> datetime | None:
    """What a condition means, such as "-7d" or "2026-01-31"; None when it means no moment."""
    text = str(value)
    return _moment_before(text, now) or moment(text, now)


def moment(text: str, now: datetime) -> datetime | None:
    """A date and time; without an offset it is UTC. A bare year means today's day and month in it."""
    text = text.strip()
    try:
        return _aware(_parsed(text, now))
    except ValueError:
        return None


def _parsed(text: str, now: datetime) -> datetime:
    if text.endswith("Z"):
        return datetime.fromisoformat(text[:-1] + "+00:00")
    if text.upper().endswith(" UTC"):
        return datetime.fromisoformat(text[:-4] + "+00:00")
    if re.fullmatch(r"\d{4}", text):
        today = now.astimezone()
        return datetime(int(text), today.month, today.day)
    return datetime.fromisoformat(re.sub(r" ([+-]\d{2}:\d{2})$", r"\1", text))


def _aware(parsed: datetime) -> datetime:
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)


def _moment_before(text: str, now: datetime) -> datetime | None:
    found = _RELATIVE.fullmatch(text)
    if not found:
        return None
    count, unit = int(found[1]), found[2]
    if unit in _HOURS:
        return now - timedelta(hours=count * _HOURS[unit])
    return _months_before(now, count) if unit == "m" else _years_before(now, count)


def _months_before(start: datetime, count: int) -> datetime | None:
    """Month by month, so two months before 31 March is 28 January: February shortens it for good."""
    year, month, day = start.year, start.month, start.day
    for _ in range(count):
        year, month = (year - 1, 12) if month == 1 else (year, month - 1)
        if year < 1:
            return None
        day = min(day, calendar.monthrange(year, month)[1])
    return start.replace(year=year, month=month, day=day)


def _years_before(start: datetime, count: int) -> datetime | None:
    """29 February becomes the 28th for good, even where the count ends in another leap year."""
    if start.year - count < 1:
        return None
    is_leap_day = (start.month, start.day) == (2, 29) and count > 0
    return start.replace(year=start.year - count, day=28 if is_leap_day else start.day)
