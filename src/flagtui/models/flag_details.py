"""What is known of one flag beyond its row, and what people call things that conditions name by number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from flagtui.models.rows import FlagRow

if TYPE_CHECKING:
    from flagtui.models.activity import Activity
    from flagtui.models.flag import Flag
    from flagtui.models.flag_answers import FlagStatus, ScheduledChange


@dataclass(frozen=True)
class Names:
    """As far as they are known; raw."""

    flags: Mapping[int, str] = field(default_factory=dict)
    """Keys by id."""
    groups: Mapping[int, str] = field(default_factory=dict)
    """Names of group types by index, such as 0: company."""
    cohorts: Mapping[int, str] = field(default_factory=dict)
    """Names by id."""
    undecided: Mapping[int, str] = field(default_factory=dict)
    """Why a flag that conditions ask for may never let anybody in, by id."""
    matching_version: int = 1
    """How the project compares values with true and false; see `evaluate.operator_words`."""

    def group_noun(self, index: int) -> str:
        """`company groups`, or `groups of type 0` while the name is not known."""
        return f"{self.groups[index]} groups" if index in self.groups else f"groups of type {index}"


NO_NAMES: Final = Names()


@dataclass(frozen=True)
class Counted:
    """One condition, counted by the server. `number` counts from 1, as people and the server do."""

    number: int
    fitting: int
    """Who has its properties."""
    share: float
    """Its percentage."""
    total: int
    unit: str = "users"

    @property
    def reached(self) -> int:
        """The share of those who fit."""
        return round(self.fitting * self.share / 100)


@dataclass(frozen=True)
class CountedReach:
    """How many of all a flag's conditions reach; None while unknown, with the reason when it stays so."""

    affected: int | None = None
    total: int | None = None
    reason: str = ""
    is_bound: bool = False
    """True when conditions may overlap, so that the number is the most it can be."""
    besides: str = ""
    """Who else has it without being counted by the server, in words."""
    parts: tuple[Counted, ...] = ()
    unit: str = "users"
    uncounted: int = 0
    """Conditions that are still to be counted; the sum waits for them."""

    @property
    def about(self) -> str:
        """What stands before the number: how exact it is."""
        if self.is_bound:
            return "up to "
        return "about " if any(0 < part.share < 100 for part in self.parts) else ""


@dataclass(frozen=True)
class FlagDetails:
    """What is known of one flag beyond its row; each part may still be on its way."""

    row: FlagRow
    flag: Flag | None = None
    reach: CountedReach | None = None
    dependents: tuple[str, ...] | None = None
    """Keys of the flags that are on and ask for it; None while not known."""
    changes: tuple[Activity, ...] | None = None
    trouble: str = ""
    status: FlagStatus | None = None
    no_status: str = ""
    """Why the server did not say what it makes of the flag."""
    schedule: tuple[ScheduledChange, ...] | None = None
    """What is due, and what was; None while not known."""
    no_schedule: str = ""
    no_dependents: str = ""
    """Why it is not known what asks for it."""
    names: Names = NO_NAMES
