"""Every operator as the product's Python library compares; undecidable comparisons are Unknown."""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Final

from flagtui.evaluate.date_formats import months_before, years_before
from flagtui.evaluate.library_patterns import matches
from flagtui.evaluate.operators import TEXTS, Comparison, Readers, orders, patterns, readable
from flagtui.evaluate.text import finite
from flagtui.evaluate.versions import bump, compatible

_RELATIVE = re.compile(r"-?0*([0-9]{1,4})([hdwmy])\n?")
"""A distance of five digits is refused by the server, and so by us."""
_HOURS = {"h": 1, "d": 24, "w": 7 * 24}


def expected_moment(value: object, now: datetime) -> datetime | None:
    """Return the moment that a condition means, such as "-7d" or "2026-01-31"; None for no moment."""
    text = str(value)
    return _moment_before(text, now) or moment(text, now)


def moment(text: str, now: datetime) -> datetime | None:
    """Return a date and time; without an offset it is UTC. A bare year means today's day and month in it."""
    text = text.strip()
    try:
        return _aware(_parse_date(text, now))
    except ValueError:
        return None


def _parse_date(text: str, now: datetime) -> datetime:
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
    match = _RELATIVE.fullmatch(text)
    if not match:
        return None
    count, unit = int(match[1]), match[2]
    if unit in _HOURS:
        return now - timedelta(hours=count * _HOURS[unit])
    step = months_before if unit == "m" else years_before
    year, month, day = step((now.year, now.month, now.day), count)
    return now.replace(year=year, month=month, day=day) if year >= 1 else None


Version = tuple[int, int, int]
Bounds = tuple[Version, Version]


def version(value: object) -> Version:
    """Parse a version; missing parts are 0, parts after the third are ignored. Raises ValueError."""
    return _three([_part(part) if part else None for part in _core(value).split(".")[:3]])


def within_patch(value: object) -> Bounds:
    """Return the bounds of ~1.2.3: from 1.2.3, below 1.3.0."""
    low = version(value)
    return low, bump(low, 1)


def within_compatible(value: object) -> Bounds:
    """Return the bounds of ^1.2.3: below 2.0.0; ^0.2.3: below 0.3.0; ^0.0.3: below 0.0.4."""
    low = version(value)
    return low, compatible(low)


def within_wildcard(value: object) -> Bounds:
    """Return the bounds of 1.*: from 1.0.0, below 2.0.0; 1.2.*: below 1.3.0. Raises ValueError."""
    text = str(value).strip().lstrip("vV").replace("*", "").rstrip(".")
    written = [part for part in text.split(".") if part][:3]
    parts = [_part(part) for part in written]
    if not parts:
        raise ValueError(f"no version: {value}")
    return _three([*parts]), bump(parts, len(parts) - 1)


def _core(value: object) -> str:
    return str(value).strip().lstrip("vV").split("-")[0].split("+")[0]


def _part(text: str) -> int:
    if not text.isdigit() or (len(text) > 1 and text[0] == "0"):
        raise ValueError(f"no part of a version: {text}")
    return int(text)


def _three(parts: list[int | None]) -> Version:
    major, minor, patch = [*parts, 0, 0][:3]
    if major is None:
        raise ValueError("a version starts with a number")
    return major, minor or 0, patch or 0


_DATED: Final = Readers(
    lambda actual, manner: moment(actual, manner.moment) if isinstance(actual, str) else None,
    lambda expected, manner: expected_moment(expected, manner.moment),
    is_expected_first=True,
    takes_null=False,
)
_VERSIONED: Final = Readers(readable(version), readable(version), is_expected_first=True, takes_null=False)


def _within(bounds: Callable[[object], Bounds]) -> Comparison:
    reading = _VERSIONED._replace(expected=readable(bounds))
    return reading.comparison(lambda value, limits: limits[0] <= value < limits[1])


COMPARISONS: Final[Mapping[str, Comparison]] = MappingProxyType(
    {
        **{name: comparison for name, comparison in TEXTS.items() if not name.endswith("_multi")},
        **patterns(matches, str),
        **orders(
            Readers(readable(finite), readable(finite), unreadable=False, is_expected_first=True),
            _DATED,
            _VERSIONED,
        ),
        "semver_tilde": _within(within_patch),
        "semver_caret": _within(within_compatible),
        "semver_wildcard": _within(within_wildcard),
    }
)
