"""How a change ended. Three things can be true of it: applied, not applied, not known."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic

from typing_extensions import TypeVar

from flagtui.api.errors import ApiError
from flagtui.changes.difference import Clash
from flagtui.changes.journal_entries import Ending
from flagtui.changes.proposal import Proposal
from flagtui.models.json_value import JSON

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
    learned: Mapping[str, JSON] = field(default_factory=dict)
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
