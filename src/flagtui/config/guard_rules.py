"""The guard of a profile. Checks of plans against it are in `changes`; showing it needs no plans."""

from enum import StrEnum

import msgspec
from msgspec.structs import replace


class Level(StrEnum):
    READ_ONLY = "read_only"
    RELAXED = "relaxed"
    GUARDED = "guarded"
    STRICT = "strict"


class GuardRules(msgspec.Struct, frozen=True):
    """The guard settings of a profile."""

    level: Level = Level.GUARDED
    require_reason: bool = False
    place: str = ""
    """The profile's badge, such as `PROD`."""
    bulk_limit: int = 100
    """Most flags in one confirmation."""
    is_unlocked: bool = False
    """Whether a strict profile was unlocked recently: one flag then needs no typing."""

    @property
    def on_this_machine(self) -> "GuardRules":
        """Return the rules of changes that no one else sees: `y` confirms them."""
        return replace(self, level=Level.GUARDED, require_reason=False, is_unlocked=False)
