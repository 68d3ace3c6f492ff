"""What is made from a flag that stays as it is: a copy, a schedule, a cohort, a dashboard."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace

from flagtui.app.writing.planner import NotPlanned, Planned, PlannedStep, Planner
from flagtui.changes.flags.flag_refusals import Blocked
from flagtui.changes.related.creation import RelatedPlan, Send
from flagtui.changes.related.related_entries import RelatedAdapter, Seen

Make = Callable[[], Awaitable[tuple[RelatedPlan | Blocked, Send] | None]]
"""Reads the flag, and gives what would be made of it with the one request; None where that was told."""


@dataclass
class RelatedPlanner(Planner[str, RelatedPlan, Seen]):
    """One of them. `asked` is the name of the flag for what cannot be made; it shows in another list."""

    make: Make = field(kw_only=True)
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
            return NotPlanned(0, asked[0], plan).planned
        return Planned([PlannedStep(asked[0], replace(plan, read_at=self.app_state.session.clock()))])

    def adapter(self) -> RelatedAdapter:
        assert self._send is not None
        return RelatedAdapter(self.workspace.client, self._send)
