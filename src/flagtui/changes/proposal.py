"""A change that could be made, what is left out of it, and how it ended, whatever kind of record it is about.

Three things can be true of one that ended: applied, not applied, not known.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Generic, Protocol

from typing_extensions import TypeVar

from flagtui.api.errors import ApiError
from flagtui.changes.consequence import Caution, Consequence
from flagtui.changes.difference import Clash, DifferenceLine
from flagtui.changes.journal_entries import Ending
from flagtui.changes.verbs import Verb
from flagtui.models.json_value import JSON

FRESH_FOR: Final = 30.0
"""Seconds for which a record counts as current; a write reads an older one again first."""


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
    def makes_record(self) -> bool:
        """Whether its list has one record more afterwards."""

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
    def makes_record(self) -> bool:
        """Whether its list has one record more afterwards."""
        return False

    @property
    def title(self) -> str:
        return self.verb.title

    def title_of(self, counted: str) -> str:
        """The same for many, counted in words."""
        return f"{self.verb.title} {counted}"


@dataclass(frozen=True, slots=True)
class Skipped:
    """What was chosen for a change and is not changed by it: one record, and why. Texts are raw."""

    id: int | str
    key: str
    reason: str
    next: str = ""
    """What would make it possible."""
    error: ApiError | None = None
    """What kept it from being read."""
    is_no_op: bool = False
    """It is as wanted already."""
    alone: str = ""
    """The sentence where nothing else was asked for; empty for the key with the reason."""

    @property
    def why(self) -> str:
        """The reason with what would make it possible."""
        return f"{self.reason}; {self.next}" if self.next else self.reason


P = TypeVar("P", bound=Proposal, default=Any)
R = TypeVar("R", default=Any)


@dataclass(frozen=True, slots=True)
class Outcome(Generic[P, R]):
    """One plan of any kind of record, and what is true of it now."""

    plan: P
    ending: Ending
    record: R | None = None
    """As the server has it now; None when it did not say, when it cannot be read, and when it is gone."""
    reason: str = ""
    """Why it is not saved, or what is known while that is not known."""
    next: str = ""
    """What to do about it."""
    error: ApiError | None = None
    clashes: tuple[Clash, ...] = ()
    """What was changed first, of a conflict."""
    remarks: tuple[str, ...] = ()
    """Of what was saved: what moved beyond the plan, and what did not move."""
    server_values: Mapping[str, JSON] = field(default_factory=dict)
    """Values the server chose, which taking it back has to know."""
    was_read: bool = False
    """Without an answer: a read came through since. It is not there where `record` is None then."""
    is_without_journal: bool = False
    """Nothing was sent, because the journal cannot be written."""
    journal_id: str = ""
    """Empty when it could not be written down; it cannot be undone then."""
    note: str = ""
    """Why how it ended is not in the journal."""

    @property
    def is_saved(self) -> bool:
        return self.ending == "saved"

    @property
    def is_unchanged(self) -> bool:
        """The record surely is as it was, so that the same can be asked for again."""
        return self.ending not in ("saved", "unknown", "awaiting approval")

    @property
    def undo_words(self) -> str:
        """`turn it on again`; empty when there is nothing to undo it by."""
        return self.plan.verb.undo if self.is_saved and self.journal_id else ""


def chosen_id(plan: Proposal) -> int | str:
    """The record of the list that was chosen for it: a copy has the number of its original, below zero."""
    return abs(plan.id) if isinstance(plan.id, int) else plan.id
