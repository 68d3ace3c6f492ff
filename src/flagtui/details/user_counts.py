"""Count the users who got or lost a flag with changes in the activity, with few requests."""

import asyncio
from collections.abc import Callable, Mapping, Sequence

from flagtui.api import Client
from flagtui.api.errors import ApiError
from flagtui.models.activity_rows import ChangeRow
from flagtui.models.condition_queries import ConditionQuery
from flagtui.models.counted_users import UserChange
from flagtui.models.filters import Condition
from flagtui.models.flag import Flag
from flagtui.models.flag_responses import BlastRadius
from flagtui.models.rows import FlagRow
from flagtui.models.user_changes import FlagStep, ServedState, state_of, steps_of

MOST_FLAGS = 12
"""Flags read for the changes around one moment."""
MOST_COUNTS = 24
"""Conditions counted for them."""
AT_ONCE = 6

EVERYONE = ConditionQuery(1, Condition.of({"properties": [], "rollout_percentage": 100}), None)


class UserCounts:
    """The counts of one project; each condition is counted once, as of now."""

    def __init__(self, client: Client, listed: Callable[[int], FlagRow | None]) -> None:
        """`listed` returns the loaded row of a flag."""
        self._client = client
        self._listed = listed
        self._flags: dict[int, Flag] = {}
        self._counts: dict[str, BlastRadius] = {}
        self._steps: tuple[Sequence[ChangeRow], Mapping[str, FlagStep]] = ((), {})
        self.trouble = ""
        """Why the last count failed."""

    def of(self, row: ChangeRow) -> UserChange | None:
        """Return what the change did; None while that is not known."""
        step = self._steps[1].get(row.id)
        return step.count(self._counts) if step is not None else None

    def follow(self, rows: Sequence[ChangeRow]) -> None:
        """Compare the flags before and after each change; `rows` are all changes since the oldest of them."""
        self._steps = rows, steps_of(rows, self._current)

    async def learn(self, rows: Sequence[ChangeRow]) -> None:
        """Read and count what these changes need."""
        try:
            await self._read_flags(rows)
            await self._count(rows)
            self.trouble = ""
        except ApiError as error:
            self.trouble = error.what

    def _current(self, id: int, version: int | None) -> ServedState | None:
        flag, row = self._flags.get(id), self._listed(id)
        if flag is not None and flag.version != version:
            # It was changed since it was read.
            del self._flags[id]
            flag = None
        if version is None:
            return None
        if flag is not None:
            return state_of(flag.row(), flag.targeting)
        return state_of(row) if row is not None and row.version == version else None

    async def _read_flags(self, rows: Sequence[ChangeRow]) -> None:
        steps = self._steps[1]
        unread = {row.flag_id: None for row in rows if (step := steps.get(row.id)) and step.is_half_known}
        needed = [id for id in unread if id is not None and id not in self._flags][:MOST_FLAGS]
        if needed:
            flags = await asyncio.gather(*(self._client.flags.get(id) for id in needed))
            self._flags |= dict(zip(needed, flags, strict=True))
            self.follow(self._steps[0])

    async def _count(self, rows: Sequence[ChangeRow]) -> None:
        steps = [step for row in rows if (step := self._steps[1].get(row.id))]
        needed = {query.identity: query for step in steps for query in step.missing(self._counts)}
        if EVERYONE.identity not in self._counts:
            # Most changes of a rollout are for all users: one count sizes them all.
            needed = {EVERYONE.identity: EVERYONE} | needed
        queries = [*needed.values()][:MOST_COUNTS]
        while queries:
            few, queries = queries[:AT_ONCE], queries[AT_ONCE:]
            requests = (
                self._client.flags.blast_radius(dict(query.condition.raw), query.group_type) for query in few
            )
            answers = await asyncio.gather(*requests)
            self._counts |= {query.identity: count for query, count in zip(few, answers, strict=True)}
