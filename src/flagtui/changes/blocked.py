"""Reasons to refuse a change before the request."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Linked:
    """A related flag or experiment."""

    id: int
    name: str
    is_on: bool | None = None
    """Whether the flag is on or the experiment is running; None when unknown."""
    is_deleted: bool = False


@dataclass(frozen=True, slots=True)
class Blocked:
    """A refused change: the reason, and the step that makes it possible."""

    code: str
    reason: str
    next: str = ""
    together: tuple[Linked, ...] = ()
    """Flags that block the change, unless they change with it."""
