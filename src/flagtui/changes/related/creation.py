"""What is asked for with a flag that stays as it is: planned, agreed to, written down and sent once."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from flagtui.api.clock import Clock
from flagtui.api.errors import ApiError
from flagtui.changes.difference import Clash
from flagtui.changes.flags.flag_cautions import Caution
from flagtui.changes.flags.flag_consequences import Consequence
from flagtui.changes.flags.flag_plan import DiffLine
from flagtui.changes.flags.flag_summary import AboutFlag
from flagtui.changes.guard import Approved, spend
from flagtui.changes.journal import Journal, JournalUnwritable
from flagtui.changes.journal_entries import Ending, Signature
from flagtui.changes.pipeline import Concluded, Remembered, write
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
    undoes: str = ""
    """The entry of the journal it takes back."""
    makes_a_flag: bool = False
    """The number in the journal is that of the new flag then, and 0 until the server gave it one."""

    @property
    def versions(self) -> str:
        return f"#{self.id} · {self.stays}"


@dataclass(frozen=True, slots=True)
class RelatedEnded:
    """How it ended, in the words of the journal."""

    plan: RelatedPlan
    ending: Ending
    note: str = ""
    error: ApiError | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    """What the server said."""

    note: str = ""
    is_done: bool = True
    made: Flag | None = None
    """The new flag, where one was made."""
    learned: Mapping[str, JSON] = field(default_factory=dict)
    """Values the server chose, which taking it back has to know."""


LONGEST_WAIT: Final = 10.0
"""Seconds a person is left waiting because the server asks for a pause."""
Send = Callable[[], Awaitable[Answered]]
"""The one request."""


@dataclass(frozen=True)
class RelatedSaveContext:
    """What sending works with."""

    journal: Journal
    signature: Signature
    clock: Clock
    tell: Callable[[str], None] = lambda _words: None


async def send_related(
    approved: Approved[RelatedPlan], send: Send, context: RelatedSaveContext
) -> RelatedEnded:
    """Asks for it once, written down before and after. Raises for an approval that was used."""
    spend(approved)
    plan = approved.plans[0]
    return await write(approved, plan, RelatedAdapter(send), context, plan.undoes)


@dataclass
class RelatedAdapter:
    """What is made from a flag on the way of every change; `request` is the one request."""

    request: Send
    longest_wait: float = LONGEST_WAIT
    answered: Answered = field(default_factory=Answered)

    def remembered(self, plan: RelatedPlan) -> Remembered:
        return Remembered(
            key=plan.key,
            verb=plan.verb.name,
            kind=plan.kind,
            record=0 if plan.makes_a_flag else plan.id,
            before=plan.before,
            after=plan.after,
            words=(plan.told,),
        )

    async def changed_since_read(self, plan: RelatedPlan) -> RelatedEnded | None:
        """The flag stays as it is, so that nothing of it can have moved."""
        return None

    async def send(self, plan: RelatedPlan) -> RelatedEnded:
        self.answered = await self.request()
        return RelatedEnded(plan, "saved" if self.answered.is_done else "refused", self.answered.note)

    def without_answer(self, plan: RelatedPlan, error: ApiError) -> RelatedEnded:
        return RelatedEnded(plan, "unknown", error.what, error)

    async def look(self, plan: RelatedPlan, unknown: RelatedEnded) -> RelatedEnded:
        """The next start looks: what was made is found by the entry in the journal."""
        return unknown

    def waiting_words(self, unknown: RelatedEnded) -> str:
        return ""

    def not_applied(self, plan: RelatedPlan, error: ApiError) -> RelatedEnded:
        return RelatedEnded(plan, "refused", error.what, error)

    def not_remembered(self, plan: RelatedPlan, fault: JournalUnwritable) -> RelatedEnded:
        return RelatedEnded(plan, "refused", f"the journal cannot be written: {fault}")

    def concluded(self, ended: RelatedEnded) -> Concluded:
        return Concluded(self.answered.made, ended.note, self.answered.learned)

    def noted(self, ended: RelatedEnded, journal_id: str, note: str) -> RelatedEnded:
        return replace(ended, note=". ".join(filter(None, (ended.note, note))))
