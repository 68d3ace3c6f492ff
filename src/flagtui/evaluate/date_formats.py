"""Parse the other date formats that the server accepts: always UTC unless they name a zone.

Missing parts, such as the time of a date, are those of now. Moments are nanoseconds since 1970 in
UTC: numbers, because the server's calendar goes far beyond the years 1 to 9999, and a property that holds
milliseconds is taken for seconds, and so for a moment in the far future.
"""

import re
from calendar import monthrange
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import cache
from typing import Final

SECOND: Final = 1_000_000_000
DAY: Final = 86_400 * SECOND
LAST_YEAR: Final = 262_142
"""The server's calendar ends about here, on either side."""
_EPOCH: Final = datetime(1970, 1, 1)
_CYCLE: Final = 400
"""Years after which the calendar repeats itself."""
_DAYS_OF_CYCLE: Final = 146_097
_FIRST: Final = -719_160 * DAY
_LAST: Final = 2_932_894 * DAY
"""Zones are known from the year 1 to 9999; before and after, they are as at the end."""

Parts = Mapping[str, int]
"""Year, month, day, hour, minute, second and nanosecond under Y, m, d, H, M, S and f."""


def civil(parts: Parts) -> int | None:
    """Return a calendar date and time as if it were UTC; None for a moment that the calendar lacks."""
    year = parts["Y"]
    hour, minute, second = parts.get("H", 0), parts.get("M", 0), parts.get("S", 0)
    if abs(year) > LAST_YEAR or hour > 23 or minute > 59 or second > 60:
        return None
    try:
        days = days_since(year, parts["m"], parts["d"])
    except ValueError:
        return None
    return days * DAY + ((hour * 60 + minute) * 60 + second) * SECOND + parts.get("f", 0)


def in_zone(local: int, zone: tzinfo) -> int | None:
    """Return a wall clock's moment: the first, when it shows that time twice; None when it never shows it."""
    if zone is UTC:
        return local
    wall = _EPOCH + timedelta(microseconds=min(max(local, _FIRST), _LAST) // 1000)
    offset = wall.replace(tzinfo=zone).utcoffset() or timedelta()
    if (wall - offset).replace(tzinfo=UTC).astimezone(zone).replace(tzinfo=None) != wall:
        return None
    return local - round(offset.total_seconds()) * SECOND


def wall_clock(moment: datetime, zone: tzinfo) -> int:
    """Return the clock time of a zone, as if it were UTC. A moment without an offset counts as UTC."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    since = aware.astimezone(zone).replace(tzinfo=None) - _EPOCH
    return (since.days * 86_400 + since.seconds) * SECOND + since.microseconds * 1000


CalendarDate = tuple[int, int, int]
"""Year, month and day of the month."""


def back(local: int, step: Callable[[CalendarDate, int], CalendarDate], count: int) -> int:
    """Return the moment so many months or years before, at the same time of the day."""
    days, rest = divmod(local, DAY)
    start = _EPOCH + timedelta(days=days)
    return days_since(*step((start.year, start.month, start.day), count)) * DAY + rest


def months_before(start: CalendarDate, count: int) -> CalendarDate:
    """Step by step, so two months before 31 March is 28 January: a short month shortens it permanently."""
    year, month, day = start
    for _ in range(count):
        year, month = (year - 1, 12) if month == 1 else (year, month - 1)
        day = min(day, monthrange(year % _CYCLE + _CYCLE, month)[1])
    return year, month, day


def years_before(start: CalendarDate, count: int) -> CalendarDate:
    """Subtract years; 29 February becomes the 28th, even if the result is in a leap year."""
    year, month, day = start
    is_leap_day = (month, day) == (2, 29) and count > 0
    return year - count, month, 28 if is_leap_day else day


def days_since(year: int, month: int, day: int) -> int:
    """Return days since 1970-01-01 in the proleptic Gregorian calendar. Raises ValueError."""
    cycles, of_cycle = divmod(year, _CYCLE)
    of_known = date(of_cycle + _CYCLE, month, day).toordinal()
    return of_known + (cycles - 1) * _DAYS_OF_CYCLE - _EPOCH.toordinal()


_MONTHS: Final = (
    *("january", "february", "march", "april", "may", "june", "july", "august", "september"),
    *("october", "november", "december"),
)
_ZONES: Final = {"edt": -4, "est": -5, "cdt": -5, "cst": -6, "mdt": -6, "mst": -7, "pdt": -7, "pst": -8}
"""Hours; every other name counts as UTC, as RFC 2822 recommends."""

_YMD = r"(?P<Y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)"
_TIME = r"(?P<H>\d{1,2}):(?P<M>\d\d)(?::(?P<S>\d\d)(?:\.(?P<f>\d{1,9}))?)?"
_HALF = r"(?:\s*(?P<p>am|pm|AM|PM))?"
_ZONE = r"(?P<z>[A-Za-z]{3,6}|[+-]\d\d:?\d\d)"
_NAME = r"(?P<b>[A-Za-z]{3,9})"
_DAY = r"(?P<d>\d{1,2})"
_FORMATS: Final = (
    rf"(?:(?P<w>[A-Za-z]{{3}})\s*,\s*)?{_DAY}\s+(?P<b>[A-Za-z]{{3}})\s+(?P<Y>\d{{2,4}})\s+"
    r"(?P<H>\d\d)\s*:\s*(?P<M>\d\d)(?:\s*:\s*(?P<S>\d\d))?\s+(?P<z>[A-Za-z]+|[+-]\d{4})",
    rf"{_YMD}\s+{_TIME}{_HALF}",
    rf"{_YMD}\s+{_TIME}(?P<z>[+-]\d\d(?::?\d\d)?)",
    rf"{_YMD}\s+{_TIME}\s*{_ZONE}",
    rf"{_YMD}\s*{_ZONE}",
    rf"{_TIME}{_HALF}(?:\s+{_ZONE})?",
    rf"(?P<Y>\d{{4}})-{_NAME}-(?P<d>\d\d)",
    rf"(?P<b>[A-Za-z]{{3}})\s+{_DAY}\s*(?:at)?\s+{_TIME}{_HALF}",
    rf"{_NAME}\.?\s+{_DAY},\s+(?P<Y>\d{{2,4}}),?\s+{_TIME}{_HALF}",
    rf"{_NAME}\s+{_DAY},?\s+(?P<Y>\d{{4}})\s*,?(?:at)?\s+{_TIME}{_HALF}\s+{_ZONE}",
    rf"{_NAME}\.?\s+{_DAY},\s+(?:(?P<y>\d\d)|(?P<Y>\d{{3,4}}))",
    rf"{_DAY}\s+{_NAME}\s+(?P<Y>\d{{2,4}}),?\s+{_TIME}",
    rf"{_DAY}\s+{_NAME}\s+(?:(?P<y>\d\d)|(?P<Y>\d{{3,4}}))",
    rf"(?P<m>\d{{1,2}})/{_DAY}/(?:(?P<y>\d\d)|(?P<Y>\d{{3,4}}))(?:\s+{_TIME}{_HALF})?",
    rf"(?P<Y>\d{{4}})/(?P<m>\d{{1,2}})/{_DAY}(?:\s+{_TIME}{_HALF})?",
    rf"(?P<m>\d{{1,2}})\.{_DAY}\.(?:(?P<y>\d\d)|(?P<Y>\d{{3,4}}))",
    rf"(?P<Y>\d{{4}})\.(?P<m>\d{{1,2}})(?:\.{_DAY})?",
    r"(?P<y>\d\d)(?P<m>\d\d)(?P<d>\d\d)\s+(?P<H>\d\d):(?P<M>\d\d):(?P<S>\d\d)",
    r"(?P<Y>\d{4})年(?P<m>\d\d)月(?P<d>\d\d)日(?:(?P<H>\d\d)时(?P<M>\d\d)分(?P<S>\d\d)秒)?",
)
_UNITS: Final = {10: SECOND, 13: SECOND // 1000, 19: 1}
"""A Unix time by its number of digits."""


def other_instant(value: str, now: datetime) -> int | None:
    """Return nanoseconds since 1970; None where the server parses no date either."""
    if value.isascii() and value.isdigit():
        return int(value) * _UNITS[len(value)] if len(value) in _UNITS else None
    return next((moment for moment in _readings(value, now) if moment is not None), None)


@cache
def _formats() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern, re.ASCII) for pattern in _FORMATS)


def _readings(value: str, now: datetime) -> Iterator[int | None]:
    for pattern in _formats():
        if match := pattern.fullmatch(value):
            yield _instant({name: part for name, part in match.groupdict().items() if part}, now)


def _instant(parts: dict[str, str], now: datetime) -> int | None:
    offset = _offset(parts.get("z", "UTC"))
    month, hour = _month(parts), _hour(parts)
    if offset is None or month == 0 or hour is None:
        return None
    here = _EPOCH + timedelta(microseconds=(wall_clock(now, UTC) + offset) // 1000)
    numbers = {
        "Y": _year(parts, here),
        "m": here.month if month is None else month,
        "d": int(parts.get("d", here.day)),
        **{name: int(parts[name]) for name in "MS" if name in parts},
        "f": int(f"{parts.get('f', 0):0<9}"),
    }
    if "H" in parts:
        numbers["H"] = hour
    else:
        numbers |= {"H": here.hour, "M": here.minute, "S": here.second, "f": here.microsecond * 1000}
    local = civil(numbers)
    if local is None or ("w" in parts and not _is_weekday(parts["w"], local)):
        return None
    return local - offset


def _year(parts: dict[str, str], here: datetime) -> int:
    """Return the year; two digits mean 1970 to 2069, or 1950 to 2049 in a date with a mail header's zone."""
    if "y" in parts:
        short = int(parts["y"])
        return short + (2000 if short < 70 else 1900)
    if "Y" not in parts:
        return here.year
    year = int(parts["Y"])
    is_mail = "b" in parts and "z" in parts
    return year + (2000 if year < 50 else 1900) if is_mail and len(parts["Y"]) < 4 else year


def _month(parts: dict[str, str]) -> int | None:
    """Return the month; 0 for another name, None without a name."""
    if "b" not in parts:
        return int(parts["m"]) if "m" in parts else None
    name = parts["b"].lower()
    return next((n for n, full in enumerate(_MONTHS, 1) if name in (full, full[:3])), 0)


def _hour(parts: dict[str, str]) -> int | None:
    """Return the hour; None for an hour that does not exist in its half of the day."""
    hour = int(parts.get("H", 0))
    if "p" not in parts:
        return hour
    if not 1 <= hour <= 12 or "f" in parts:
        return None
    return hour % 12 + (12 if parts["p"].lower() == "pm" else 0)


def _offset(zone: str) -> int | None:
    if zone[0] not in "+-":
        return _ZONES.get(zone.lower(), 0) * 3600 * SECOND
    hours, minutes = int(zone[1:3]), int(zone[3:].lstrip(":") or 0)
    if hours > 23 or minutes > 59:
        return None
    seconds = (hours * 60 + minutes) * 60
    return (-seconds if zone[0] == "-" else seconds) * SECOND


def _is_weekday(name: str, local: int) -> bool:
    """Return whether the day has this name; 1970 began on a Thursday."""
    return ("thu", "fri", "sat", "sun", "mon", "tue", "wed")[local // DAY % 7] == name.lower()
