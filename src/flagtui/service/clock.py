"""The current time, and its format in responses and in the database."""

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]
"""Gives the present moment, aware and in UTC."""


def system_clock() -> datetime:
    return datetime.now(UTC)


def stamp(moment: datetime) -> str:
    """Format a moment with a fixed width: the texts sort like the moments."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").removesuffix("+00:00") + "Z"


def shown_stamp(text: str) -> str:
    """Return a stored moment as responses have it: without microseconds of zero."""
    return f"{text[:-8]}Z" if text.endswith(".000000Z") else text


def read_stamp(text: str) -> datetime:
    """Return a moment as this service or a person wrote it.

    Without an offset it is UTC. ValueError otherwise.
    """
    moment = datetime.fromisoformat(text)
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
