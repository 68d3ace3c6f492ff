"""What the guard and the question before a change need of a plan, whatever kind of record it is about."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from flagtui.changes.difference import Clash, DifferenceLine
from flagtui.changes.flags.flag_consequences import Caution, Consequence
from flagtui.changes.verbs import Verb


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One differing path: for reading, and exactly."""

    line: DifferenceLine
    words: str

    @property
    def where(self) -> str:
        """`filters.groups[0].rollout_percentage`."""
        return self.line.where


class Proposal(Protocol):
    """A change that could be made, complete."""

    @property
    def id(self) -> int | str: ...
    @property
    def noun(self) -> str:
        """What one such record is called: `flag`."""

    @property
    def key(self) -> str:
        """What the record is called. Raw; safe only to compare with."""

    @property
    def type_to_confirm(self) -> str:
        """The text that identifies the record when it has to be typed."""

    @property
    def title(self) -> str: ...
    def title_of(self, counted: str) -> str:
        """The same for many, counted in words: `Turn OFF 3 flags`."""

    @property
    def versions(self) -> str:
        """`v12 → v13`; nothing for a record without versions."""

    @property
    def verb(self) -> Verb: ...
    @property
    def lines(self) -> Sequence[DiffLine]: ...
    @property
    def consequences(self) -> Sequence[Consequence]: ...
    @property
    def cautions(self) -> Sequence[Caution]: ...
    @property
    def clashes(self) -> Sequence[Clash]: ...
    @property
    def read_at(self) -> float:
        """Unix seconds at which the record was read for it; 0 for one that is not there yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanBase:
    """What plans of every kind have, and say of themselves unless they say otherwise."""

    verb: Verb
    lines: tuple[DiffLine, ...] = ()
    consequences: tuple[Consequence, ...] = ()
    cautions: tuple[Caution, ...] = ()
    clashes: tuple[Clash, ...] = ()
    """What was changed since the person looked; agreeing overwrites it."""
    read_at: float = 0.0
    """Unix seconds of the read it was planned on; 0 where there was none."""

    @property
    def versions(self) -> str:
        return ""

    @property
    def title(self) -> str:
        return self.verb.title

    def title_of(self, counted: str) -> str:
        """The same for many, counted in words."""
        return f"{self.verb.title} {counted}"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What was chosen for a change and is not changed by it: one record, and why. Texts are raw."""

    id: int | str
    key: str
    reason: str
    next: str = ""
    """What would make it possible."""

    @property
    def why(self) -> str:
        """The reason with what would make it possible."""
        return f"{self.reason}; {self.next}" if self.next else self.reason
