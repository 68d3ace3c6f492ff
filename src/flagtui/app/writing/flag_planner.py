"""From requested changes to plans: reads each record again, and the context its rules need."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from flagtui.api.errors import ApiError
from flagtui.app.shell.sign_in import needs_key
from flagtui.app.state.app_state import AppState
from flagtui.app.writing.requested_changes import RequestedChange, request_along
from flagtui.changes.batch import in_order
from flagtui.changes.flags.flag_plan import Plan
from flagtui.changes.flags.flag_refusals import Blocked
from flagtui.changes.flags.flags_together import Found, Looked, Planned, plan_together
from flagtui.changes.flags.surroundings import Surroundings, gather
from flagtui.changes.left_out import LeftOut
from flagtui.store.workspace import Workspace
from flagtui.text import outcomes
from flagtui.text.notices import Notice

AT_ONCE: Final = 8
"""Flags read again at the same time for one question."""
MOST_TOGETHER: Final = 9
"""Flags one key may change because they depend on each other; more are for marks."""


class Planner:
    """Plans requested changes on the records as they are now."""

    def __init__(self, app_state: AppState, tell: Callable[[Notice], None]) -> None:
        self._app_state = app_state
        self._tell = tell

    async def plan_all(self, requests: Sequence[RequestedChange], workspace: Workspace) -> Planned:
        """The plans that can be asked about together, and why the others cannot."""
        turn = asyncio.Semaphore(AT_ONCE)

        async def one(request: RequestedChange) -> Looked | LeftOut:
            async with turn:
                return await self._look(request, workspace, is_one_of_many=True)

        looked = await asyncio.gather(*map(one, requests))
        unread = [item for item in looked if isinstance(item, LeftOut)]
        planned = plan_together([item for item in looked if not isinstance(item, LeftOut)])
        return Planned(planned.plans, (*unread, *planned.left_out, *planned.settled))

    async def plan_with_obstacles(self, request: RequestedChange, workspace: Workspace) -> Sequence[Plan]:
        """The plans when flags that stand in the way, and in theirs, are turned on or off as well.

        Empty when one of them cannot be, or when there are too many for one key.
        """
        known: dict[int, Looked] = {}
        needed = [request]
        while needed and len(known) + len(needed) <= MOST_TOGETHER:
            looked = [await self._look(one, workspace, is_one_of_many=True) for one in needed]
            known |= {one.fresh.id: one for one in looked if isinstance(one, Looked)}
            if any(isinstance(one, LeftOut) for one in looked):
                return ()
            found = [(one.fresh, one.plan(frozenset(known))) for one in known.values()]
            needed = [
                request_along(request, obstacle, fresh.key)
                for fresh, plan in found
                if isinstance(plan, Blocked)
                for obstacle in plan.together
            ]
            if not needed:
                plans = [plan for _, plan in found if isinstance(plan, Plan)]
                return in_order(plans) if len(plans) == len(found) else ()
        return ()

    async def plan_one(self, request: RequestedChange, workspace: Workspace) -> tuple[str, Found] | None:
        """The key of the record and the plan; None when it cannot be read, and the person was told."""
        looked = await self._look(request, workspace, is_one_of_many=False)
        if isinstance(looked, LeftOut):
            return None
        return looked.fresh.key, looked.plan(frozenset({request.record}))

    async def _look(
        self, request: RequestedChange, workspace: Workspace, *, is_one_of_many: bool
    ) -> Looked | LeftOut:
        flags, asked = workspace.client.flags, workspace.flags.moment
        try:
            fresh = await flags.get(request.record)
        except ApiError as error:
            if needs_key(error):
                self._app_state.become_troubled(error)
            row = workspace.flags.get(request.record)
            key = row.key if row else f"flag {request.record}"
            if not is_one_of_many:
                self._tell(outcomes.explain_error(error, key))
            return LeftOut(request.record, key, error.what.rstrip("."), error.next.rstrip("."))
        if not fresh.deleted:
            workspace.flags.put(fresh.row(), asked)
        intent = request.intent(fresh)
        surroundings = Surroundings(
            workspace.flags.rows,
            workspace.me,
            self._app_state.session.clock(),
            intent.seen_version,
            is_one_of_many=is_one_of_many,
            names=self._app_state.names,
        )
        context = await gather(flags, fresh, intent.changes, surroundings)
        return Looked(fresh, context, request.plan)
