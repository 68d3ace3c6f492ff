"""What evaluating depends on besides flags and people: whose rules, which moment, which time zone."""

from datetime import UTC, datetime, tzinfo
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple


class Rules(StrEnum):
    """Whose rules decide where the product's own parts disagree; docs/evaluation.md lists where."""

    SERVER = "server"
    LIBRARY = "library"
    """The product's Python library, which evaluates by itself; where it gives up, so does this."""


class Manner(NamedTuple):
    """What a comparison depends on besides the two values. One is made for every person who is evaluated."""

    now: datetime | None = None
    matching_version: int = 1
    """From version 2 on, "true" and "false" in a condition are plain text to ``exact`` and ``is_not``."""
    time_zone: str = "UTC"
    """Of the project: the server reads dates without an offset in it."""
    rules: Rules = Rules.SERVER

    @property
    def moment(self) -> datetime:
        return self.now or datetime.now(UTC)

    @property
    def zone(self) -> tzinfo:
        return _zone(self.time_zone)


@lru_cache(maxsize=64)
def _zone(name: str) -> tzinfo:
    """A name that is not known here counts as UTC, the product's own default."""
    if name == "UTC":
        return UTC
    # Loaded here, since most evaluating needs no other zone.
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return UTC
