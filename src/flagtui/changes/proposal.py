"""A plan with its consequences, and an outcome, for every kind of record.

An outcome is one of three: applied, not applied, unknown.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Generic, Literal, Protocol

import msgspec
from msgspec.structs import replace
from typing_extensions import TypeVar

from flagtui.api.errors import ApiError, ApprovalNeeded
from flagtui.changes.difference import DifferenceLine, FieldConflict
from flagtui.changes.journal_entries import ApprovalRequest, Ending
from flagtui.changes.verbs import Verb
from flagtui.local_time import ago
from flagtui.models.json_value import JSON

Tone = Literal["plain", "good", "warning", "danger", "experiment"]


Sentence = Sequence[str | float]
"""A sentence in parts. A number is a moment in Unix seconds, whose age is shown in its place."""


class Consequence(msgspec.Struct, frozen=True):
    """A consequence: a label, a sentence, its tone, and a share from 0 to 1 for a bar."""

    label: str
    text: str
    tone: Tone = "plain"
    share: float | None = None
    sentence: Sentence = ()
    """The text in parts where it names ages."""

    def as_of(self, now: float) -> "Consequence":
        """Return the same with the ages of this moment."""
        if not self.sentence:
            return self
        parts = [part if isinstance(part, str) else ago(part, now) for part in self.sentence]
        return replace(self, text="".join(parts))


def consequence_with_age(label: str, sentence: Sentence, now: float, tone: Tone = "plain") -> Consequence:
    """Return a consequence whose sentence names ages."""
    return Consequence(label, "", tone, sentence=sentence).as_of(now)


class Caution(msgspec.Struct, frozen=True):
    """A warning, and what could be done instead."""

    text: str
    instead: tuple[str, ...] = ()
    """Names of safer ways, such as `pause the experiment`."""


class Purpose(msgspec.Struct, frozen=True):
    """An undo, a redo or a change set, in whose words the question is asked."""

    name: Literal["Undo", "Redo", "Revert", "Apply", "Stage"]
    words: str
    """`turn new-nav on again`. Raw."""
    made_at: float | None = None
    """When the undone change was made, in Unix seconds, where its age may surprise."""
    part: str = ""
    """`1 of 2`, of what is asked in several questions."""
    batch: str = ""
    """The journal group of all of these questions."""


FRESH_FOR: Final = 30.0
"""Seconds for which a record counts as current; a write reads an older one again first."""


class Proposal(Protocol):
    """A planned change, complete."""

    @property
    def id(self) -> int | str: ...
    @property
    def noun(self) -> str:
        """The noun of the record: `flag`."""

    @property
    def key(self) -> str:
        """The name of the record. Raw; safe only to compare with."""

    @property
    def type_to_confirm(self) -> str:
        """The text to type when the confirmation requires it."""

    @property
    def title(self) -> str: ...
    def title_of(self, counted: str) -> str:
        """Return the same for many, counted in words: `Turn OFF 3 flags`."""

    @property
    def versions(self) -> str:
        """`v12 → v13`; nothing for a record without versions."""

    @property
    def makes_record(self) -> bool:
        """Whether the change adds a record to its list."""

    @property
    def is_deletion(self) -> bool:
        """Whether the change removes the record from the server, which does not keep it."""

    @property
    def verb(self) -> Verb: ...
    @property
    def lines(self) -> Sequence[DifferenceLine]: ...
    @property
    def consequences(self) -> Sequence[Consequence]: ...
    @property
    def cautions(self) -> Sequence[Caution]: ...
    @property
    def conflicts(self) -> Sequence[FieldConflict]: ...
    @property
    def read_at(self) -> float:
        """Unix seconds at which the record was read for it; 0 for one that is not there yet."""

    @property
    def unrestored(self) -> str:
        """For a revert: which of the changed fields it cannot set again."""


class PlanBase(msgspec.Struct, frozen=True, kw_only=True):
    """Fields and defaults of plans of every kind."""

    verb: Verb
    lines: tuple[DifferenceLine, ...] = ()
    consequences: tuple[Consequence, ...] = ()
    cautions: tuple[Caution, ...] = ()
    conflicts: tuple[FieldConflict, ...] = ()
    """Changes made since the user saw the record; a confirmation overwrites them."""
    read_at: float = 0.0
    """Unix seconds of the read it was planned on; 0 where there was none."""
    unrestored: str = ""
    """For a revert: which of the changed fields it cannot set again."""

    @property
    def versions(self) -> str:
        return ""

    @property
    def makes_record(self) -> bool:
        """Whether the change adds a record to its list."""
        return False

    @property
    def is_deletion(self) -> bool:
        return False

    @property
    def title(self) -> str:
        return self.verb.title

    def title_of(self, counted: str) -> str:
        """Return the same for many, counted in words."""
        return f"{self.verb.title} {counted}"


PlanId = tuple[int | str, str]
"""The id and the key of a plan: new records have no id yet, and others can have the same name."""
P = TypeVar("P", bound=Proposal, default=Any)
R = TypeVar("R", default=Any)


NOT_KEPT: Final = "the server accepted the change but did not store it"
_UNLICENSED: Final[Mapping[str, str]] = {
    "tags": "the organisation may not have tagging",
    "evaluation_contexts": "the organisation may not have evaluation contexts",
}


def why_not_kept(fields: Iterable[str]) -> str:
    """Return the likely reason why the server ignored these fields; empty where none is known."""
    reasons = {_UNLICENSED.get(name, "") for name in fields}
    return reasons.pop() if len(reasons) == 1 else ""


class Outcome(msgspec.Struct, Generic[P, R], frozen=True):
    """One plan of any kind, and its result."""

    plan: P
    ending: Ending
    record: R | None = None
    """The current record; None when the server sent none, it cannot be read, or it no longer exists."""
    reason: str = ""
    """The reason why it is not saved, or the known facts of an unknown outcome."""
    next: str = ""
    """The next step."""
    error: ApiError | None = None
    conflicts: tuple[FieldConflict, ...] = ()
    """For a conflict: the other changes."""
    remarks: tuple[str, ...] = ()
    """For a saved plan: values that changed beyond the plan, not as planned, or that a revert left."""
    server_values: Mapping[str, JSON] = {}
    """Values chosen by the server that the undo needs."""
    was_read: bool = False
    """For a lost response: whether a read succeeded since. Then None as `record` means absent."""
    is_without_journal: bool = False
    """Whether it was not sent because the journal cannot be written."""
    journal_id: str = ""
    """Empty when the journal could not be written; the change cannot be undone then."""
    note: str = ""
    """Why the outcome is not in the journal."""

    @property
    def is_saved(self) -> bool:
        return self.ending == "saved"

    @property
    def request(self) -> ApprovalRequest | None:
        """The change request for which the change waits, where the server sent its id."""
        error = self.error
        if not isinstance(error, ApprovalNeeded) or not error.request_id:
            return None
        return ApprovalRequest(error.request_id, is_earlier=error.pending)

    @property
    def is_unchanged(self) -> bool:
        """Whether the record is certainly unchanged, so that the change can be retried."""
        return self.ending not in ("saved", "unknown", "awaiting approval")

    @property
    def undo_words(self) -> str:
        """`turn it on again`; empty when the change cannot be undone."""
        return self.plan.verb.undo if self.is_saved and self.journal_id else ""


def chosen_id(plan: Proposal) -> int | str:
    """Return the id of the chosen record: a copy has the negative number of its original."""
    return abs(plan.id) if isinstance(plan.id, int) else plan.id


def conflict_over(names: Sequence[str], plan: P, now: R) -> Outcome[P, R] | None:
    """Return the conflict of a plan whose fields of these names were changed; None without any."""
    return conflict_because(plan, now, f"changed since it was shown: {', '.join(names)}") if names else None


def conflict_because(plan: P, now: R, reason: str) -> Outcome[P, R]:
    """Return the conflict of a plan with the current record."""
    return Outcome(plan, "conflicted", now, reason, "look at it, then try again")


class Report(msgspec.Struct, Generic[P, R], frozen=True):
    """The outcomes of the changes of one approval."""

    outcomes: tuple[Outcome[P, R], ...] = ()
    unsent: tuple[P, ...] = ()
    """Plans that were not sent: another one stopped the rest, or the user did."""
    staged: tuple[P, ...] = ()
    """Plans that were staged instead of sent."""

    @property
    def saved(self) -> Sequence[Outcome[P, R]]:
        """The outcomes of changes that were saved."""
        return [outcome for outcome in self.outcomes if outcome.is_saved]

    @property
    def is_saved(self) -> bool:
        """Whether every change was saved, or staged."""
        return not self.unsent and all(outcome.is_saved for outcome in self.outcomes)

    @property
    def saved_ids(self) -> frozenset[int | str]:
        """The ids of records of the list whose change was saved or staged; of a copy that of its original."""
        return frozenset(
            chosen_id(plan) for plan in (*(outcome.plan for outcome in self.saved), *self.staged)
        )
