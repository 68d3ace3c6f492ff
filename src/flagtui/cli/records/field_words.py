"""Values as programs get them, and as people read them in a table."""

from typing import Any


def stamped(moment: float | None) -> str | None:
    """`2026-03-01T13:05:12.000Z`; nothing for an unknown moment."""
    from flagtui import local_time

    return None if moment is None else local_time.stamp(moment)


def star(value: Any) -> str:
    """A mark for what is so."""
    return "*" if value else ""
