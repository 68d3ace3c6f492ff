"""Plan changes of holdouts and shared metrics on the current records."""

from __future__ import annotations

from collections.abc import Sequence

from flagtui.api.errors import ApiError
from flagtui.changes.planner import Planned, Planner, collect, read_each
from flagtui.changes.shared.shared_plan import (
    NOUNS,
    SharedIntent,
    SharedPlan,
    SharedRecord,
    plan_shared,
)
from flagtui.changes.shared.shared_save import SharedAdapter, operations_of
from flagtui.changes.skipped import Blocked, Skipped, skip, skip_no_op


class SharedPlanner(Planner[SharedIntent, SharedPlan, SharedRecord]):
    """Plans changes of one kind in one project."""

    def name(self, request: SharedIntent) -> str:
        fresh = self.fresh.get(request.id)
        name = str(request.changes.get("name") or f"{NOUNS[request.kind]} {request.id}")
        return fresh.name if fresh is not None else name

    async def plan(self, requests: Sequence[SharedIntent]) -> Planned[SharedIntent, SharedPlan]:
        """Read each record and plan its change. Raises ApiError."""
        return collect(SharedAdapter(self.context.client), await read_each(requests, self._plan))

    async def _plan(self, intent: SharedIntent) -> SharedPlan | Skipped:
        operations = operations_of(self.context.client, intent.kind)
        fresh = self.fresh.pop(intent.id, None)
        listed: Sequence[SharedRecord] = ()
        try:
            if intent.id and fresh is None:
                fresh = await operations.get(intent.id)
            if "name" in intent.changes and (fresh is None or fresh.name != intent.changes["name"]):
                listed = await operations.all()
        except ApiError as error:
            return skip(intent.id, self.name(intent), error)
        newest = max((record.id for record in listed), default=0) if not intent.id else 0
        namesakes = [record.id for record in listed if record.name == intent.changes.get("name")]
        plan = plan_shared(intent, fresh, self.context.clock.time(), newest, namesakes)
        name = fresh.name if fresh is not None else self.name(intent)
        if isinstance(plan, Blocked):
            return skip(intent.id, name, plan)
        return plan or skip_no_op(intent.id, name, "it has these values already")
