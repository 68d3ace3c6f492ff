"""Approvals written through the pipeline, and what became of changes that were left open."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from msgspec.structs import replace
from tests.doubles.expected import expect, require

from flagtui.api.clock import Clock, SystemClock
from flagtui.changes.adapter import WriteContext
from flagtui.changes.entry_kind import Recovery
from flagtui.changes.flags.flag_draft import WorkingCopy
from flagtui.changes.flags.flag_intent import Intent
from flagtui.changes.guard import Approved, Confirmation, GuardRules, Question, guard
from flagtui.changes.journal import Journal
from flagtui.changes.journal_entries import Signature, UndoTarget
from flagtui.changes.pipeline import send_groups
from flagtui.changes.planner import Planned
from flagtui.changes.proposal import Outcome, PlanId
from flagtui.changes.recovery import recover_all
from flagtui.changes.unanswered import watch
from flagtui.models.flag import Flag

GUARDED: Final = GuardRules()
PLAIN: Final = Planned[Any, Any](None)


def approve(
    *plans: Any, rules: GuardRules = GUARDED, asked_with: Planned[Any, Any] = PLAIN, **answer: Any
) -> Approved[Any]:
    """What the guard gives for the right answer."""
    question = expect(guard(replace(asked_with, plans=plans), rules), Question)
    agreed = {"typed": question.type_this or "", "without_journal": bool(asked_with.without_journal)}
    return expect(question.settle(Confirmation(yes=True, **{**agreed, **answer})), Approved)


def edit_draft(flag: Flag, change: Callable[[WorkingCopy], object]) -> Intent:
    """What a form asks for in which this was changed."""
    copy = WorkingCopy.of(flag)
    change(copy)
    return require(copy.intent())


@dataclass
class Writing:
    """One kind of record, and what every request needs around it."""

    adapter: Any
    """An `Adapter`."""
    journal: Journal
    signature: Signature = field(default_factory=Signature)
    clock: Clock = field(default_factory=SystemClock)
    tell: Callable[[str], None] = lambda _words: None
    wait: float | None = None
    requests: Any = None
    """Reads requests for approval."""
    questions: list[Question[Any]] = field(default_factory=list)
    """The question of every saved plan."""

    @property
    def context(self) -> WriteContext:
        return WriteContext(self.journal, self.signature, self.clock, self.tell, self.wait, self.requests)

    async def send(
        self, approved: Approved[Any], undoes: Mapping[PlanId, UndoTarget] | None = None
    ) -> list[Outcome]:
        """How every plan that was sent ended, without watching what is not known."""
        groups = send_groups(approved, self.adapter, self.context, undoes)
        return [outcome async for group in groups for outcome in group]

    async def save(self, approved: Approved[Any], undoes: str = "") -> Outcome:
        """The one plan of an approval."""
        (plan,) = approved.plans
        self.questions.append(expect(guard(Planned(None, [plan]), GUARDED), Question))
        (outcome,) = await self.send(approved, {(plan.id, plan.key): UndoTarget(undoes)} if undoes else None)
        return outcome

    async def settle(self, outcome: Outcome) -> Outcome:
        """Goes on looking for what has no answer."""
        return await watch(outcome, self.adapter, self.context)


@dataclass
class Rooms:
    """As much of a client as what was left open is looked up with."""

    flags: Any = None
    experiments: Any = None
    event_definitions: Any = None
    elsewhere: Mapping[int, Any] = field(default_factory=dict)
    """The experiments of other projects."""

    def for_project(self, project: int) -> "Rooms":
        return Rooms(self.flags, self.elsewhere[project])


async def recover(journal: Journal, here: Signature, **rooms: Any) -> list[Recovery]:
    """What is found out at the next start."""
    client: Any = Rooms(**rooms)
    return await recover_all(journal, client, here)
