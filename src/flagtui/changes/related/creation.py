"""What is asked for with a flag that stays as it is: planned, agreed to, written down and sent once."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from flagtui.changes.difference import Clash
from flagtui.changes.flags.flag_consequences import Caution, Consequence
from flagtui.changes.flags.flag_plan import AboutFlag
from flagtui.changes.proposal import DiffLine
from flagtui.changes.verbs import Verb
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class RelatedPlan(AboutFlag):
    """Something that could be made from a flag, or kept for later; the flag itself stays as it is."""

    fresh: Flag
    verb: Verb
    kind: str
    """What the journal calls it."""
    told: str
    """What was asked for, in the journal's words."""
    consequences: tuple[Consequence, ...]
    cautions: tuple[Caution, ...] = ()
    stays: str = "the flag stays as it is"
    lines: tuple[DiffLine, ...] = ()
    clashes: tuple[Clash, ...] = ()
    before: Mapping[str, JSON] = field(default_factory=dict)
    after: Mapping[str, JSON] = field(default_factory=dict)
    """What the journal keeps to take it back by."""
    read_at: float = 0.0
    """Unix seconds at which `fresh` was read."""
    makes_a_flag: bool = False
    """The number in the journal is that of the new flag then, and 0 until the server gave it one."""

    @property
    def versions(self) -> str:
        return f"#{self.id} · {self.stays}"


@dataclass(frozen=True, slots=True)
class Answered:
    """What the server said."""

    note: str = ""
    is_done: bool = True
    made: Flag | None = None
    """The new flag, where one was made."""
    learned: Mapping[str, JSON] = field(default_factory=dict)
    """Values the server chose, which taking it back has to know."""


Send = Callable[[], Awaitable[Answered]]
"""The one request."""
