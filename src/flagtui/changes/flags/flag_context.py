"""What a plan has to know besides the flag itself; whatever could not be learned says why."""

from dataclasses import dataclass, field
from typing import Final

from flagtui.models.names import NO_NAMES, Names
from flagtui.models.person import User

FRESH_FOR: Final = 30.0
"""Seconds a read counts as today's state; older than this, a write reads again first."""


@dataclass(frozen=True, slots=True)
class NotKnown:
    """Could not be learned, and why, in words: `the server did not answer in 3 s`."""

    why: str
    is_pending: bool = False
    """The server is still asked."""

    @property
    def words(self) -> str:
        return f"{'not known yet' if self.is_pending else 'not known'}: {self.why}"


@dataclass(frozen=True, slots=True)
class Linked:
    """Another flag, or an experiment, that has to do with this one."""

    id: int
    name: str
    is_on: bool | None = None
    """Whether the flag is on or the experiment runs; None when that was not said."""


@dataclass(frozen=True, slots=True)
class Reach:
    """How many people or groups have the flag before and after the change."""

    before: int
    after: int
    total: int
    unit: str = "users"
    is_bound: bool = False
    """True when conditions overlap, so that the numbers are the most it can be."""
    is_estimate: bool = False
    """True when a share of those who fit is drawn: then the numbers are what is to be expected."""
    besides: str = ""
    """Who else has it without being counted by the server, in words."""


@dataclass(frozen=True, slots=True)
class Touch:
    """One earlier change: who, when (Unix seconds), what, in words."""

    who: str
    at: float | None = None
    what: str = ""


@dataclass(frozen=True, slots=True)
class Context:
    """Everything around the flag, gathered before the question; nothing here may hold up a kill switch."""

    now: float = 0.0
    """Unix seconds by the server's clock where it is known."""
    me: User | None = None
    reach: Reach | NotKnown = field(default_factory=lambda: NotKnown("the server was not asked"))
    dependents: tuple[Linked, ...] | NotKnown = field(
        default_factory=lambda: NotKnown("the server was not asked")
    )
    """Flags whose conditions ask for this one."""
    dependencies: tuple[Linked, ...] = ()
    """Flags this one asks for, as far as they are known."""
    experiments: tuple[Linked, ...] | None = None
    """None: what the flag itself says."""
    last_touch: Touch | NotKnown | None = None
    """None: what the flag itself says about its last change."""
    touched_since: tuple[Touch, ...] = ()
    """Changes made after the version the person was looking at, newest first."""
    similar: tuple[str, ...] = ()
    """Keys in the project that are easily taken for this one."""
    age: float = 0.0
    """Seconds since the flag was read."""
    names: Names = NO_NAMES
    """What the cohorts and groups of its conditions are called."""
