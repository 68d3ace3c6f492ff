"""How careful a profile is. The guard checks plans against it; showing it needs no plans."""

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """How careful a profile is."""

    READ_ONLY = "read_only"
    RELAXED = "relaxed"
    GUARDED = "guarded"
    STRICT = "strict"


@dataclass(frozen=True, slots=True)
class GuardRules:
    """A profile's choice."""

    level: Level = Level.GUARDED
    require_reason: bool = False
    place: str = ""
    """The profile's badge, such as `PROD`."""
    bulk_limit: int = 100
    """Flags one confirmation may change."""
    count_from: int = 10
    """From this many flags on, their number is typed, whatever the level."""
    is_unlocked: bool = False
    """True for a while after a strict profile was unlocked: one flag then needs no typing."""
