"""How a change ended. Three things can be true of it: applied, not applied, not known."""

from dataclasses import dataclass
from typing import Literal

from flagtui.api.errors import ApiError
from flagtui.changes.difference import Clash
from flagtui.changes.flags.flag_plan import Plan
from flagtui.changes.flags.verification import Report
from flagtui.changes.journal_entries import Ending
from flagtui.models.flag import Flag


@dataclass(frozen=True, slots=True)
class Saved:
    """Applied: the record is as planned, and what else is to say about it."""

    plan: Plan
    record: Flag
    report: Report
    journal_id: str = ""
    """Empty when it could not be written down; it cannot be undone then."""
    note: str = ""

    ending: Ending = "saved"

    @property
    def words(self) -> str:
        """After the key: `is off`."""
        return self.plan.verb.done

    @property
    def undo_words(self) -> str:
        """`turn it on again`; empty when there is nothing to undo it by."""
        return self.plan.verb.undo if self.journal_id else ""


@dataclass(frozen=True, slots=True)
class Conflicted:
    """Not applied: the same field was changed first. Plan the intent again on `theirs` to go on."""

    plan: Plan
    theirs: Flag | None
    """As it is now; None when it could not be read again."""
    clashes: tuple[Clash, ...] = ()
    note: str = ""

    ending: Ending = "conflicted"


@dataclass(frozen=True, slots=True)
class AwaitingApproval:
    """Not applied yet: a policy requires another person's approval."""

    plan: Plan
    error: ApiError
    change_request_id: str = ""
    is_pending: bool = False
    """An earlier request for it was still open."""
    note: str = ""

    ending: Ending = "awaiting approval"


@dataclass(frozen=True, slots=True)
class Refused:
    """Not applied: the server, or the journal, said no."""

    plan: Plan
    reason: str
    next: str = ""
    error: ApiError | None = None
    by: Literal["server", "journal"] = "server"
    note: str = ""

    ending: Ending = "refused"


@dataclass(frozen=True, slots=True)
class Failed:
    """Not applied: the server could not be asked, or did not do it within a minute."""

    plan: Plan
    reason: str
    next: str = ""
    error: ApiError | None = None
    record: Flag | None = None
    """The record as it is, where it could be read."""
    note: str = ""

    ending: Ending = "failed"


@dataclass(frozen=True, slots=True)
class Unknown:
    """Not known: it was sent and no answer came; the journal keeps it until a read tells."""

    plan: Plan
    error: ApiError | None
    seen: Flag | None = None
    """The last read since; None when no read came through."""
    journal_id: str = ""
    note: str = ""

    ending: Ending = "unknown"


Outcome = Saved | Conflicted | AwaitingApproval | Refused | Failed | Unknown
