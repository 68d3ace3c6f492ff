"""What is made from a flag that stays as it is: a copy, a schedule, a cohort, a dashboard."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from flagtui.app.state.app_state import AppState
from flagtui.app.writing.optimistic_rows import NoRows
from flagtui.app.writing.planner import Planned, PlannedStep
from flagtui.changes.flags.flag_refusals import Blocked
from flagtui.changes.related.creation import RelatedPlan, Send
from flagtui.changes.related.related_entries import RelatedAdapter, RelatedOutcome
from flagtui.text import outcomes

if TYPE_CHECKING:
    from flagtui.changes.journal_entries import Signature
    from flagtui.store.workspace import Workspace

Make = Callable[[], Awaitable[tuple[RelatedPlan | Blocked, Send] | None]]
"""Reads the flag, and gives what would be made of it with the one request; None where that was told."""


@dataclass
class RelatedPlanner:
    """One of them. `asked` is the name of the flag for what cannot be made."""

    app_state: AppState
    workspace: Workspace
    make: Make
    place: str = ""
    kind: Literal["flags"] = "flags"
    _send: Send | None = field(default=None, init=False)

    def name_of(self, asked: Sequence[str]) -> str:
        return asked[0]

    async def plan(self, asked: Sequence[str]) -> Planned[str, RelatedPlan]:
        """On the flag as it is now."""
        made = await self.make()
        if made is None:
            return Planned()
        plan, self._send = made
        if isinstance(plan, Blocked):
            return Planned(notice=outcomes.explain_blocked(plan, asked[0]))
        return Planned([PlannedStep(asked[0], replace(plan, read_at=self.app_state.session.clock()))])

    @property
    def signature(self) -> Signature:
        return self.app_state.signature(self.workspace)

    def adapter(self) -> RelatedAdapter:
        assert self._send is not None
        return RelatedAdapter(self.workspace.client, self._send)

    def rows(self) -> NoRows:
        return NoRows()

    def record_of(self, plan: RelatedPlan) -> int:
        return plan.id

    def made(self, _outcome: RelatedOutcome) -> None:
        """It is in another list, or in none."""
