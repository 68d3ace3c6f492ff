"""Plan copies, schedules, cohorts and dashboards of a flag."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from flagtui.changes.planner import Planned, Planner
from flagtui.changes.related.creation import RelatedPlan
from flagtui.changes.related.related_entries import RelatedAdapter, Seen
from flagtui.changes.skipped import Blocked, skip

Make = Callable[[], Awaitable[RelatedPlan | Blocked | None]]
"""Reads the flag and returns the plan; None after the user was shown why there is none."""


@dataclass
class RelatedPlanner(Planner[str, RelatedPlan, Seen]):
    """Plans records made from a flag. A request is the flag's name."""

    make: Make = field(kw_only=True)
    place: str = ""
    is_listed = False

    def name(self, request: str) -> str:
        return request

    async def plan(self, requests: Sequence[str]) -> Planned[str, RelatedPlan]:
        adapter = RelatedAdapter(self.context.client)
        made = await self.make()
        if made is None:
            return Planned(adapter)
        if isinstance(made, Blocked):
            return Planned(adapter, skipped=[skip(0, requests[0], made)])
        plan = replace(made, read_at=self.context.clock.time())
        return Planned(adapter, [plan], requests, place=self.place)
