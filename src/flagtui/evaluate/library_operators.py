"""Every operator as the product's Python library compares with it; what it cannot tell is Unknown."""

import calendar
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from operator import eq, ge, gt, le, lt, ne
from types import MappingProxyType
from typing import Any, Final, TypeVar

from flagtui.evaluate.evaluation import Unknown, UnsupportedPatternError, Verdict, Why
from flagtui.evaluate.library_patterns import matches
from flagtui.evaluate.operators import TEXTS, UNREADABLE, UNUSABLE, Comparison
from flagtui.evaluate.run import Manner
from flagtui.evaluate.text import finite, written

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


Version = tuple[int, int, int]
Bounds = tuple[Version, Version]


def version(value: object) -> Version:
    """Raises ValueError when it is no version; missing parts are 0, parts after the third are ignored."""
    return _three([_part(part) if part else None for part in _core(value).split(".")[:3]])


def within_patch(value: object) -> Bounds:
    """~1.2.3: from 1.2.3, below 1.3.0."""
    low = version(value)
    return low, (low[0], low[1] + 1, 0)


def within_compatible(value: object) -> Bounds:
    """^1.2.3: below 2.0.0; ^0.2.3: below 0.3.0; ^0.0.3: below 0.0.4."""
    low = major, minor, patch = version(value)
    if major:
        return low, (major + 1, 0, 0)
    return low, ((0, minor + 1, 0) if minor else (0, 0, patch + 1))


def within_wildcard(value: object) -> Bounds:
    """1.*: from 1.0.0, below 2.0.0; 1.2.*: below 1.3.0. Raises ValueError when there is no number."""
    text = str(value).strip().lstrip("vV").replace("*", "").rstrip(".")
    written = [part for part in text.split(".") if part][:3]
    parts = [_part(part) for part in written]
    if not parts:
        raise ValueError(f"no version: {value}")
    above = [*parts[:-1], parts[-1] + 1]
    return _three([*parts]), _three([*above])


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


Limit = TypeVar("Limit")


def _matches(is_expected: bool) -> Comparison:
    """A wrong pattern matches nobody, negated or not."""

    def comparison(wanted: Any, actual: Any, manner: Manner) -> Verdict:
        try:
            whole = written(actual)
        except ValueError:
            return UNREADABLE
        try:
            found = matches(str(wanted), whole)
        except UnsupportedPatternError:
            return Unknown(Why.PATTERN_UNSUPPORTED, str(wanted))
        return found is is_expected

    return comparison


def _numeric(holds: Callable[[float, float], bool]) -> Comparison:
    def comparison(wanted: Any, actual: Any, manner: Manner) -> Verdict:
        limit, value = finite(wanted), finite(actual)
        if limit is None:
            return UNUSABLE
        return value is not None and holds(value, limit)

    return comparison


def _dated(holds: Callable[[datetime, datetime], bool]) -> Comparison:
    def comparison(wanted: Any, actual: Any, manner: Manner) -> Verdict:
        if actual is None:
            return False
        limit = wanted_moment(wanted, manner.moment)
        if limit is None:
            return UNUSABLE
        value = moment(actual, manner.moment) if isinstance(actual, str) else None
        return UNREADABLE if value is None else holds(value, limit)

    return comparison


def _versioned(holds: Callable[[Version, Version], bool]) -> Comparison:
    return _by_version(version, holds)


def _within(bounds: Callable[[object], Bounds]) -> Comparison:
    return _by_version(bounds, lambda value, limits: limits[0] <= value < limits[1])


def _by_version(read: Callable[[object], Limit], holds: Callable[[Version, Limit], bool]) -> Comparison:
    def comparison(wanted: Any, actual: Any, manner: Manner) -> Verdict:
        if actual is None:
            return False
        try:
            limit = read(wanted)
        except ValueError:
            return UNUSABLE
        try:
            return holds(version(actual), limit)
        except ValueError:
            return UNREADABLE

    return comparison


COMPARISONS: Final[Mapping[str, Comparison]] = MappingProxyType(
    {
        **{name: comparison for name, comparison in TEXTS.items() if not name.endswith("_multi")},
        "regex": _matches(True),
        "not_regex": _matches(False),
        "gt": _numeric(gt),
        "gte": _numeric(ge),
        "lt": _numeric(lt),
        "lte": _numeric(le),
        "is_date_before": _dated(lt),
        "is_date_after": _dated(gt),
        "semver_eq": _versioned(eq),
        "semver_neq": _versioned(ne),
        "semver_gt": _versioned(gt),
        "semver_gte": _versioned(ge),
        "semver_lt": _versioned(lt),
        "semver_lte": _versioned(le),
        "semver_tilde": _within(within_patch),
        "semver_caret": _within(within_compatible),
        "semver_wildcard": _within(within_wildcard),
    }
)
