"""From wishes to plans: each record is read again, and what surrounds it is found out."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from flagtui.api.errors import ApiError
from flagtui.app import explain
from flagtui.app.desk import Desk
from flagtui.app.notices import Notice
from flagtui.app.signing_in import needs_key
from flagtui.app.wishes import Found, Wish
from flagtui.changes.batch import sorted_out, within_batch
from flagtui.changes.gathering import Surroundings, gather
from flagtui.changes.plan import Plan
from flagtui.store.workspace import Workspace

AT_ONCE: Final = 8
"""Flags read again at the same time for one question."""


class Planner:
    """Plans what a person wishes, on the records as they are now."""

    def __init__(self, desk: Desk, tell: Callable[[Notice], None]) -> None:
        self._desk = desk
        self._tell = tell

    async def plan_all(self, wishes: Sequence[Wish], workspace: Workspace) -> Sequence[Plan]:
        """The plans that can be asked about; of the others it is told why not."""
        turn = asyncio.Semaphore(AT_ONCE)
        ids = frozenset(wish.record for wish in wishes)

        async def one(wish: Wish) -> tuple[str, Found] | None:
            async with turn:
                return await self._plan(wish, workspace, ids)

        found = [item for item in await asyncio.gather(*map(one, wishes)) if item is not None]
        result = sorted_out(found)
        if len(wishes) == 1:
            for key, blocked in result.blocked:
                self._tell(explain.explain_blocked(blocked, key))
        elif result.blocked:
            self._tell(explain.explain_left_out(result.blocked))
        if not result.plans and result.nothing:
            nothing, is_undo = result.nothing[0], all(wish.undoes for wish in wishes)
            already = explain.explain_already_back(nothing.fresh.key) if is_undo else None
            self._tell(already or explain.explain_nothing(nothing))
        return result.plans

    async def plan_one(self, wish: Wish, workspace: Workspace) -> Found | None:
        """What became of one wish; None, and said, when the record cannot be read."""
        found = await self._plan(wish, workspace, frozenset({wish.record}))
        return None if found is None else found[1]

    async def _plan(self, wish: Wish, workspace: Workspace, ids: frozenset[int]) -> tuple[str, Found] | None:
        flags, asked = workspace.client.flags, workspace.flags.moment
        try:
            fresh = await flags.get(wish.record)
        except ApiError as error:
            if needs_key(error):
                self._desk.become_troubled(error)
            row = workspace.flags.get(wish.record)
            self._tell(explain.explain_error(error, row.key if row else f"flag {wish.record}"))
            return None
        if not fresh.deleted:
            workspace.flags.put(fresh.row(), asked)
        intent = wish.intent(fresh)
        around = Surroundings(
            workspace.flags.rows,
            workspace.me,
            self._desk.session.clock(),
            intent.seen_version,
            is_one_of_many=len(ids) > 1,
            names=self._desk.names,
        )
        context = await gather(flags, fresh, intent.changes, around)
        return fresh.key, wish.plan(fresh, within_batch(context, ids))
