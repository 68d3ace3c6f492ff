"""Values as people read them in a table."""

import time
from collections.abc import Callable
from typing import Any, Final

from flagtui import local_time
from flagtui.local_time import NOT_KNOWN, age
from flagtui.text.formats import percent

LEVELS: Final = "The guard level: relaxed, guarded, strict or read_only."
"""Describes the field `guard`."""


def age_words(stamp: Any) -> str:
    """Format the age of a stamp as `12d`; empty if it is unknown."""
    return "" if stamp is None else age(local_time.read_iso(stamp), time.time())


def days_words(stamp: Any) -> str:
    """Format the age of a stamp of a day as `today` or `12 d`; empty if it is unknown."""
    return "" if stamp is None else local_time.age_in_days(local_time.read_iso(stamp), time.time())


def minute_words(stamp: Any) -> str:
    """Format a stamp as `2026-03-01 14:05 CET`, in the user's zone."""
    return "" if stamp is None else local_time.minute(local_time.read_iso(stamp))


def level_words(level: Any) -> str:
    """Return a guard level as people read it."""
    return str(level).replace("_", "-")


def star(value: Any) -> str:
    """Return a mark for true."""
    return "*" if value else ""


def yes(value: Any) -> str:
    """Return `yes`, or nothing."""
    return "yes" if value else ""


def or_not_known(words: Callable[[Any], str]) -> Callable[[Any], str]:
    """Return `words` with `not known` for null."""
    return lambda value: NOT_KNOWN if value is None else words(value)


def on_or_off(value: Any) -> str:
    """Return `on`, `off`, or nothing if it is unknown."""
    return "" if value is None else "on" if value else "off"


def percent_words(value: Any) -> str:
    """Format a share as `50 %`."""
    return "" if value is None else percent(float(value))


def count_words(value: Any) -> str:
    """Format a number as `1,360`; empty if it is unknown."""
    return "" if value is None else f"{value:,}"


def commas(value: Any) -> str:
    """Return a list with blanks after its commas."""
    return ", ".join(map(str, value or ()))
