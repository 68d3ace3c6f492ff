"""Dates as the server reads them on either side of a comparison, as instants."""

import re
from datetime import datetime, tzinfo
from functools import lru_cache
from math import isnan
from typing import Any

from flagtui.evaluate.date_formats import (
    DAY,
    LAST_YEAR,
    SECOND,
    back,
    civil,
    in_zone,
    months_before,
    other_instant,
    wall_clock,
    years_before,
)
from flagtui.evaluate.text import number

_RELATIVE = re.compile(r"-?([0-9]+)([hdwmy])")
_WITH_OFFSET = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d+))?([Zz]|([+-])(\d\d):(\d\d))", re.ASCII
)
_WITHOUT_OFFSET = re.compile(
    r"\s*(\d{1,4}+|[+-]\d{1,9}+)-\s*(\d{1,2}+)-\s*(\d{1,2}+)"
    r"(?:(?:\s*|T\s*)(\d{1,2}+):\s*(\d{1,2}+)(?::\s*(\d{1,2}+)(?:\.(\d+))?)?)?",
    re.ASCII,
)
_LENGTHS = {"h": 3600 * SECOND, "d": DAY, "w": 7 * DAY}


def expected_instant(value: Any, now: datetime, zone: tzinfo) -> int | None:
    """Return the instant of a condition's value, such as "-7d" or "2026-01-31"; None for other values."""
    return _of_text(value, now, zone) if isinstance(value, str) else None


def instant(value: Any, now: datetime, zone: tzinfo) -> int | None:
    """Return the instant of a property; a number, also one in a text, is a Unix time in seconds."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    seconds = number(value)
    if seconds is not None:
        return _of_seconds(seconds)
    return _of_text(value, now, zone) if isinstance(value, str) else None


def _of_seconds(seconds: float) -> int | None:
    """Return the instant of Unix seconds; not-a-number is the beginning of 1970, as on the server."""
    if isnan(seconds):
        return 0
    if abs(seconds) > LAST_YEAR * 365.2425 * 86_400:
        return None
    part = round(seconds % 1 * SECOND) if seconds >= 0 else 0
    return int(seconds // 1) * SECOND + part


def _of_text(value: str, now: datetime, zone: tzinfo) -> int | None:
    moment, fixed = _fixed_instant(value, zone)
    if moment:
        return fixed
    if match := _RELATIVE.fullmatch(value):
        return _before(now, int(match[1]), match[2], zone)
    return other_instant(value, now)


@lru_cache(maxsize=2048)
def _fixed_instant(value: str, zone: tzinfo) -> tuple[bool, int | None]:
    """Return whether it is written as most dates are, whatever the moment is now; and its meaning, if any."""
    if match := _WITH_OFFSET.fullmatch(value):
        local = _local(match)
        return True, None if local is None else local - _offset(match)
    bare = _WITHOUT_OFFSET.fullmatch(value)
    local = _local(bare) if bare else None
    return (False, None) if local is None else (True, in_zone(local, zone))


def _local(match: re.Match[str]) -> int | None:
    names = zip("YmdHMS", match.groups()[:6], strict=True)
    return civil({**{name: int(part or 0) for name, part in names}, "f": nanosecond(match[7])})


def nanosecond(fraction: str | None) -> int:
    """Return the nanoseconds of the digits after the point."""
    return int(f"{fraction or 0:0<9}"[:9])


def _offset(match: re.Match[str]) -> int:
    seconds = (int(match[10] or 0) * 60 + int(match[11] or 0)) * 60
    return (-seconds if match[9] == "-" else seconds) * SECOND


def _before(now: datetime, count: int, unit: str, zone: tzinfo) -> int | None:
    """Return the moment so far back on the project clock; ten thousand units are refused, as on servers."""
    if count >= 10_000:
        return None
    local = wall_clock(now, zone)
    if unit in _LENGTHS:
        return in_zone(local - count * _LENGTHS[unit], zone)
    return in_zone(back(local, months_before if unit == "m" else years_before, count), zone)
