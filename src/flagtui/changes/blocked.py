"""Why a change cannot be made, known before the server is asked."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Linked:
    """Another flag, or an experiment, that has to do with this one."""

    id: int
    name: str
    is_on: bool | None = None
    """Whether the flag is on or the experiment runs; None when that was not said."""


@dataclass(frozen=True, slots=True)
class Blocked:
    """The change cannot be made now: why, and what would make it possible."""

    code: str
    reason: str
    next: str = ""
    together: tuple[Linked, ...] = ()
    """Flags that stand in the way, and would not if the same change were made to them as well."""
