"""Facts about one flag beyond its row, and the names of things that conditions reference by id."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import msgspec

from flagtui.models.rows import FlagRow

if TYPE_CHECKING:
    from flagtui.models.activity import Activity
    from flagtui.models.flag import Flag
    from flagtui.models.flag_responses import FlagStatus, ScheduledChange
    from flagtui.models.mirror_state import MirrorState
    from flagtui.models.staged_words import StagedWords


class Names(msgspec.Struct, frozen=True):
    """Names as far as they are loaded; raw."""

    flags: Mapping[int, str] = {}
    """Keys by id."""
    groups: Mapping[int, str] = {}
    """Names of group types by index, such as 0: company."""
    cohorts: Mapping[int, str] = {}
    """Names by id."""
    undecided: Mapping[int, str] = {}
    """Why a dependency cannot be evaluated, or may not, and what follows for the flag, by id."""
    matching_version: int = 1
    """How the project compares values with true and false; see `evaluate.operator_words`."""

    def group_noun(self, index: int) -> str:
        """Return `company groups`, or `groups of type 0` while the name is not loaded."""
        return f"{self.groups[index]} groups" if index in self.groups else f"groups of type {index}"


NO_NAMES: Final = Names()


class Counted(msgspec.Struct, frozen=True):
    """A condition counted by the server. `number` counts from 1, as users and the server do."""

    number: int
    fitting: int
    """Number of users who have its properties."""
    share: float
    """Its percentage."""
    total: int
    unit: str = "users"

    @property
    def reached(self) -> int:
        """Return the percentage of the matching users."""
        return round(self.fitting * self.share / 100)


class CountedReach(msgspec.Struct, frozen=True):
    """The reach of all conditions; None while unknown, with the reason when it stays unknown."""

    affected: int | None = None
    total: int | None = None
    reason: str = ""
    is_bound: bool = False
    """Whether conditions may overlap, or users be kept from them, so that the number is an upper bound."""
    opted_in: str = ""
    """Other users who have the flag and are not counted by the server, in words."""
    parts: tuple[Counted, ...] = ()
    unit: str = "users"
    uncounted: int = 0
    """Conditions not yet counted; the sum waits for them."""

    @property
    def about(self) -> str:
        """Return the words before the number: how exact it is."""
        if self.is_bound and self.affected:
            return "up to "
        return "about " if any(0 < part.share < 100 for part in self.parts) else ""


class FlagDetails(msgspec.Struct, frozen=True):
    """Facts about one flag beyond its row; each part may still be in flight."""

    row: FlagRow
    flag: Flag | None = None
    reach: CountedReach | None = None
    dependents: tuple[str, ...] | None = None
    """Keys of the flags that are on and depend on it; None while not loaded."""
    changes: tuple[Activity, ...] | None = None
    trouble: str = ""
    has_failed: bool = False
    """Whether an outage prevented a part, which the next load reads again."""
    status: FlagStatus | None = None
    no_status: str = ""
    """Why the server sent no status."""
    schedule: tuple[ScheduledChange, ...] | None = None
    """Past and future scheduled changes; None while not loaded."""
    no_schedule: str = ""
    no_dependents: str = ""
    """Why the dependents could not be loaded."""
    no_changes: str = ""
    """Why the changes could not be loaded; those that were loaded before stay."""
    names: Names = NO_NAMES
    staged: StagedWords | None = None
    """The staged change of the flag, while keys stage; `flag` has its values, and `reach` counts them."""
    mirror: MirrorState | None = None
    """The overrides of the open mirror; None without a mirror."""
