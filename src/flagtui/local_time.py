"""The only place where a moment becomes a local time of day, and back; also its age in words.

Everywhere else a moment is Unix seconds, or a datetime with a zone. The person's zone is that of the
settings, else that of this process: `TZ`, or what the system is set to.
"""

import math
import os
import re
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

MINUTE: Final = 60
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR
MONTH: Final = 30 * DAY
YEAR: Final = 365 * DAY
SKEW: Final = 5 * MINUTE
"""Seconds by which clocks may differ: a time that far ahead is shown as now, a later one as future."""
_UNITS: Final = (
    (MINUTE, "min", HOUR),
    (HOUR, "h", DAY),
    (DAY, "day", 60 * DAY),
    (MONTH, "month", 2 * YEAR),
    (YEAR, "year", math.inf),
)
"""Seconds of a unit, its name, and from how many seconds on the next one is named."""
JUST_NOW: Final = "just now"
NOT_KNOWN: Final = "not known"
"""For a time that is not known. Callers that know that something never happened write "never" themselves."""
_CLOCK: Final = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?", re.ASCII)
_POSIX_ZONE: Final = re.compile(r":?(<[+-]?\w+>|[A-Za-z]{3,})[+-]?\d.*")
_EARLIEST: Final = datetime(1, 1, 2, tzinfo=UTC).timestamp()
_LATEST: Final = datetime(9999, 12, 30, tzinfo=UTC).timestamp()
"""A server may write the first or last second there is, which is outside the calendar in other zones."""
_LONGEST_LABEL: Final = 5
"""Letters of a zone's short name. Some systems have whole sentences there."""


class _Person:
    zone: "ZoneInfo | None" = None
    """None is the zone of the process, which the standard library knows."""


def is_zone(name: str) -> bool:
    """Return whether the time zone database of this machine knows the name."""
    return _zone(name) is not None


def use_zone(name: str) -> None:
    """Read and show every time in this zone from now on; an empty name is the zone of the process."""
    _Person.zone = _zone(name) if name else None


def zone_name() -> str:
    """Return `Europe/Berlin` where a name is known, else nothing."""
    if _Person.zone is not None:
        return _Person.zone.key
    name = os.environ.get("TZ", "").removeprefix(":")
    return name if "/" in name and is_zone(name) else ""


def why_not_zone(name: str) -> str:
    """Return what is wrong with a value of TZ, which the system then reads as UTC; empty when nothing is."""
    if not name or is_zone(name.removeprefix(":")) or name.removeprefix(":").startswith("/"):
        return ""
    return "" if _POSIX_ZONE.fullmatch(name) else f"TZ is {name}, which is no time zone, and taken for UTC"


def wall(moment: float) -> datetime:
    """Return what clock and calendar of the person show at that moment, with the zone."""
    return utc(moment).astimezone(_Person.zone)


def utc(moment: float) -> datetime:
    """Return the same in UTC. A moment no calendar has is the nearest one that every zone can show."""
    # In this order NaN, which compares with nothing, is a moment as well.
    return datetime.fromtimestamp(max(_EARLIEST, min(_LATEST, moment)), UTC)


def aware(moment: datetime) -> datetime:
    """Return a time that a server gave; without a zone it is UTC."""
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


# Shown


def label(moment: float) -> str:
    """Return the zone of a moment as `CET`, `UTC` or `UTC+5:30`, to write after its time."""
    then = wall(moment)
    name = then.tzname() or ""
    if name.isascii() and name.isalpha() and len(name) <= _LONGEST_LABEL:
        return name
    minutes = round((then.utcoffset() or timedelta()).total_seconds() / 60)
    hours, rest = divmod(abs(minutes), 60)
    return f"UTC{'-' if minutes < 0 else '+'}{hours}{f':{rest:02}' if rest else ''}"


def is_utc(moment: float) -> bool:
    """Return whether the user's clock shows UTC then, so that it need not be added."""
    return label(moment) == "UTC"


def day(moment: float) -> str:
    """Format a day as `2026-03-01`."""
    return f"{wall(moment):%Y-%m-%d}"


def clock(moment: float, *, seconds: bool = False) -> str:
    """Format a time as `14:05` or `14:05:12`."""
    return f"{wall(moment):%H:%M:%S}" if seconds else f"{wall(moment):%H:%M}"


def minute(moment: float) -> str:
    """Format a moment as `2026-03-01 14:05 CET`."""
    return f"{day(moment)} {clock(moment)} {label(moment)}"


def second(moment: float) -> str:
    """Format a moment as `2026-03-01 14:05:12 CET`."""
    return f"{day(moment)} {clock(moment, seconds=True)} {label(moment)}"


def beside(moment: float, *, seconds: bool = False) -> str:
    """Return ` (13:05 UTC)` to append to a time that others will read; nothing where the zone is UTC.

    The date is included where it differs in UTC.
    """
    if is_utc(moment):
        return ""
    then = utc(moment)
    date = "" if then.date() == wall(moment).date() else f"{then:%Y-%m-%d} "
    return f" ({date}{then:%H:%M:%S} UTC)" if seconds else f" ({date}{then:%H:%M} UTC)"


def stamp(moment: float) -> str:
    """Format a moment as `2026-03-01T13:05:12.000Z`, for files and programs."""
    return f"{utc(moment).isoformat(timespec='milliseconds').removesuffix('+00:00')}Z"


def iso(moment: float) -> str:
    """Format a moment as `2026-03-01T13:05:12Z`, for servers."""
    return f"{utc(moment).isoformat().removesuffix('+00:00')}Z"


def file_stamp(moment: float) -> str:
    """Format a moment as `20260301-130512Z`, for file names."""
    return f"{utc(moment):%Y%m%d-%H%M%S}Z"


# Read


def read_iso(text: str) -> float:
    """Parse a date with or without a time; without a zone it is in the user's. Raises ValueError."""
    return _moment(datetime.fromisoformat(text.strip().upper()))


def read_clock(text: str) -> time:
    """Parse `14:05` or `14:05:12`. Raises ValueError."""
    match = _CLOCK.fullmatch(text)
    if match is None:
        raise ValueError(text)
    return time(int(match[1]), int(match[2]), int(match[3] or 0))


def on_day(at: time, now: float, days: int = 0) -> float:
    """Return that time of today; -1 is yesterday."""
    return _moment(datetime.combine(_date(now, days), at))


def last(at: time, now: float) -> float:
    """Return when the clock last showed that time; a time skipped by a change of the clocks counts too."""
    return max(reading for days in (0, -1, -2) for reading in _readings(at, now, days) if reading <= now)


def coming(at: time, now: float) -> float:
    """Return when the clock will show that time next."""
    return min(reading for days in (0, 1, 2) for reading in _readings(at, now, days) if reading > now)


def _date(now: float, days: int) -> date:
    return wall(now).date() + timedelta(days=days)


def _readings(at: time, now: float, days: int) -> tuple[float, ...]:
    """Return the moments of that day at which the clock shows this: two, where it was put back."""
    shown = datetime.combine(_date(now, days), at)
    first, again = _moment(shown), _moment(shown.replace(fold=1))
    is_shown_twice = wall(again).replace(tzinfo=None, fold=0) == shown
    return (first, again) if is_shown_twice else (first,)


def _moment(shown: datetime) -> float:
    """Return the moment of a datetime; without a zone it is in the user's zone."""
    # Without a zone of the settings the standard library takes it for that of the process.
    return (shown if shown.tzinfo else shown.replace(tzinfo=_Person.zone)).timestamp()


def _zone(name: str) -> "ZoneInfo | None":
    # Most settings name no zone.
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def as_moment(text: object) -> float | None:
    """Return the Unix seconds of an ISO 8601 text; None for anything else."""
    try:
        return unix(datetime.fromisoformat(text)) if isinstance(text, str) else None
    except ValueError:
        return None


def unix(moment: datetime | None) -> float | None:
    """Return the seconds since 1970; a time without a zone is UTC."""
    if moment is None:
        return None
    return aware(moment).timestamp()


def age(then: float | None, now: float) -> str:
    """Format an age in four cells: `now`, `2m`, `12d`, `4mo`, `2y`, `+3d` ahead; empty if not known."""
    if then is None:
        return ""
    seconds = int(now - then)
    if seconds < -SKEW:
        return _time_ahead(-seconds)
    if seconds < MINUTE:
        return "now"
    for size, unit, limit in ((MINUTE, "m", HOUR), (HOUR, "h", DAY), (DAY, "d", 60 * DAY)):
        if seconds < limit:
            return f"{seconds // size}{unit}"
    if seconds < 2 * YEAR:
        return f"{seconds // MONTH}mo"
    return f"{seconds // YEAR}y"


def _time_ahead(seconds: int) -> str:
    for size, unit, limit in (
        (MINUTE, "m", HOUR),
        (HOUR, "h", DAY),
        (DAY, "d", 60 * DAY),
        (MONTH, "mo", 10 * MONTH),
    ):
        if seconds < limit:
            return f"+{seconds // size}{unit}"
    return f"+{max(1, seconds // YEAR)}y"


def ago(then: float | None, now: float) -> str:
    """Format an age for a sentence: `just now`, `2 min ago`, `3 days ago`, `in 3 days`."""
    if then is None:
        return NOT_KNOWN
    seconds = int(now - then)
    if -SKEW <= seconds < MINUTE:
        return JUST_NOW
    span = abs(seconds)
    size, unit, _limit = next(unit for unit in _UNITS if span < unit[-1])
    number = span // size
    words = f"{number:,} {unit}" if number == 1 or unit in ("min", "h") else f"{number:,} {unit}s"
    return f"in {words}" if seconds < 0 else f"{words} ago"


def age_in_days(then: float, now: float) -> str:
    """Format an age as `today`, `3 d`, `4 mo` or `in 2 y`.

    For times of which servers report days, nothing finer; one day ahead can be their time zone.
    """
    days = int(now // DAY) - int(then // DAY)
    if -1 <= days <= 0:
        return "today"
    size = abs(days)
    words = f"{size} d" if size <= 60 else f"{size // 30} mo" if size < 2 * 365 else f"{size // 365} y"
    return f"in {words}" if days < 0 else words


def days_ago(then: float, now: float) -> str:
    """Format the same in a sentence: `today`, `12 days ago` or `in 3 days`."""
    days = int(now // DAY) - int(then // DAY)
    return "today" if -1 <= days <= 0 else ago(-days * DAY, 0)
