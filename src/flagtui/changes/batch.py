"""Several approved plans, one after the other: an outcome each, a stop where going on would be careless."""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from flagtui.api.errors import MissingScope, NotSignedIn, RateLimited
from flagtui.changes.flags.flag_context import Context
from flagtui.changes.flags.flag_lookup import settle
from flagtui.changes.flags.flag_plan import Plan
from flagtui.changes.flags.flag_save import FlagSaveContext, save_plan
from flagtui.changes.guard import Approved, spend
from flagtui.changes.outcome import Failed, Outcome, Refused, Saved, Unknown

LONGEST_WAIT: Final = 120.0
"""Seconds the server may make a batch wait; beyond it, the batch pauses."""
WAITS: Final = 5
"""How often one flag waits for the server before the batch pauses."""


def within_batch(context: Context, ids: frozenset[int]) -> Context:
    """The context without what the same batch changes too: a child that goes off as well blocks nothing."""
    dependents = context.dependents
    if isinstance(dependents, tuple):
        dependents = tuple(flag for flag in dependents if flag.id not in ids)
    dependencies = tuple(flag for flag in context.dependencies if flag.id not in ids)
    return replace(context, dependents=dependents, dependencies=dependencies)


def in_order(plans: Sequence[Plan]) -> tuple[Plan, ...]:
    """Flags going on after those they ask for, flags going off before; otherwise as they came."""
    by_id = {plan.id: plan for plan in plans}
    first: dict[int, list[int]] = {id: [] for id in by_id}
    for plan in plans:
        for asked in plan.fresh.targeting.depends_on:
            if asked in by_id:
                earlier, later = (asked, plan.id) if _goes_on(plan) else (plan.id, asked)
                first[later].append(earlier)
    ordered: dict[int, Plan] = {}

    def place(id: int, above: frozenset[int]) -> None:
        if id in ordered or id in above:
            return
        for earlier in first[id]:
            place(earlier, above | {id})
        ordered[id] = by_id[id]

    for id in by_id:
        place(id, frozenset())
    return tuple(ordered.values())


def _goes_on(plan: Plan) -> bool:
    return plan.values.get("active") is True or plan.values.get("deleted") is False


def _nothing(plan: Plan) -> str:
    """For changes that take nothing back."""
    return ""


@dataclass
class Batch:
    """One confirmation's plans on their way; `run` goes on after a pause, and nothing is sent twice."""

    approved: Approved
    context: FlagSaveContext
    undoes: Callable[[Plan], str] = _nothing
    """The journal entry a plan takes back, for undo."""
    outcomes: dict[int, Outcome] = field(default_factory=dict)
    """By flag id, in the order they ended."""
    paused_by: Outcome | None = None

    def __post_init__(self) -> None:
        spend(self.approved)

    @property
    def remaining(self) -> tuple[Plan, ...]:
        """What was not sent, or surely not applied for a reason that has nothing to do with the flag."""
        return tuple(plan for plan in self.approved.plans if plan.id not in self.outcomes)

    @property
    def failures(self) -> tuple[Outcome, ...]:
        """What ended otherwise than saved; these can be planned again alone."""
        return tuple(outcome for outcome in self.outcomes.values() if not isinstance(outcome, Saved))

    @property
    def words(self) -> str:
        """`9 saved, 1 refused, 2 not sent`."""
        endings = [outcome.ending for outcome in self.outcomes.values()]
        counted = [f"{endings.count(ending)} {ending}" for ending in dict.fromkeys(endings)]
        if left := len(self.remaining):
            counted.append(f"{left} not sent")
        return ", ".join(counted)

    async def run(self) -> AsyncIterator[tuple[Plan, Outcome]]:
        """Each plan with its outcome, as it ends; stops early, with `paused_by`, if the rest should wait."""
        self.paused_by = None
        for plan in self.remaining:
            outcome = await self._save(plan)
            if _stops_all(outcome):
                self.paused_by = outcome
                if isinstance(outcome, Unknown):
                    self.outcomes[plan.id] = outcome
                    yield plan, outcome
                return
            self.outcomes[plan.id] = outcome
            yield plan, outcome

    async def settle(self) -> AsyncIterator[tuple[Plan, Outcome]]:
        """Watches what ended as unknown until it is known, or a minute has gone by."""
        for id, outcome in list(self.outcomes.items()):
            if isinstance(outcome, Unknown):
                context = self.context
                self.outcomes[id] = await settle(
                    outcome, context.flags, context.journal, context.clock, context.tell
                )
                yield outcome.plan, self.outcomes[id]

    async def _save(self, plan: Plan) -> Outcome:
        outcome = await save_plan(self.approved, plan, self.context, self.undoes(plan))
        for _ in range(WAITS):
            wait = _asked_to_wait(outcome)
            if wait is None or wait > LONGEST_WAIT:
                break
            self.context.tell(f"the server asks for a pause of {wait:.0f} s")
            await self.context.clock.sleep(wait)
            outcome = await save_plan(self.approved, plan, self.context, self.undoes(plan))
        return outcome


def _asked_to_wait(outcome: Outcome) -> float | None:
    if isinstance(outcome, Refused) and isinstance(outcome.error, RateLimited):
        return max(outcome.error.retry_after or 1.0, 1.0)
    return None


def _stops_all(outcome: Outcome) -> bool:
    """Whether what happened to one flag would happen to the next, or is not understood yet."""
    if isinstance(outcome, Unknown | Failed):
        return True
    if not isinstance(outcome, Refused):
        return False
    return outcome.by == "journal" or isinstance(outcome.error, NotSignedIn | MissingScope | RateLimited)
