"""The scheduled changes of all flags of a project, read with one request."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from flagtui import local_time
from flagtui.api.errors import ApiError, Forbidden
from flagtui.models.flag_responses import ScheduledChange
from flagtui.models.json_value import as_id
from flagtui.watched import Watched

if TYPE_CHECKING:
    from flagtui.api import Client

MAX_AGE: Final = 900.0
"""Seconds after which the schedule is read again: no feed reports its changes."""
AFTER_FAULT: Final = 60.0


async def pending_changes(client: "Client") -> tuple[ScheduledChange, ...]:
    """Return the changes of flags that are still to come. Raises ApiError."""
    changes = await client.schedule.all({"model_name": "FeatureFlag"})
    return tuple(change for change in changes if not change.is_done and as_id(change.record_id))


def next_due(changes: Iterable[ScheduledChange]) -> dict[int, float]:
    """Return when the next change of each flag is due, Unix seconds by id; infinity without a time.

    Paused ones are not due.
    """
    due: dict[int, float] = {}
    for change in changes:
        if change.is_paused:
            continue
        at, id = local_time.unix(change.scheduled_at), int(change.record_id)
        due[id] = min(due.get(id, float("inf")), at if at is not None else float("inf"))
    return due


class FlagSchedule(Watched):
    """The scheduled changes of one project. `due` and `changes` are None until they were read."""

    def __init__(self, client: "Client", clock: Callable[[], float]) -> None:
        super().__init__()
        self._client = client
        self._clock = clock
        self._turn = asyncio.Lock()
        self._is_stale = True
        self.read_at: float | None = None
        self.trouble: ApiError | None = None
        """Error of the last request."""
        self.pending: Sequence[ScheduledChange] = ()
        """All changes, also the paused ones, as the server lists them."""
        self.due: Mapping[int, float] | None = None
        """When the next change of each flag is due, Unix seconds by id."""
        self.changes: Mapping[int, Sequence[ScheduledChange]] = {}
        """By flag, the next one first."""

    @property
    def is_outdated(self) -> bool:
        """Return whether it has to be read: it is old, a change was due since, or one was made here."""
        now = self._clock()
        has_failed = self.trouble is not None and not isinstance(self.trouble, Forbidden)
        if self._is_stale or self.read_at is None:
            return True
        if now - self.read_at > (AFTER_FAULT if has_failed else MAX_AGE):
            return True
        return any(self.read_at < at <= now for at in (self.due or {}).values())

    def invalidate(self) -> None:
        """Have it read again: something was scheduled or dropped here."""
        self._is_stale = True

    async def read(self) -> None:
        """Read it; an error is stored in `trouble`, and what was read before stays."""
        async with self._turn:
            self._is_stale = False
            began = self._clock()
            try:
                changes = await pending_changes(self._client)
            except ApiError as error:
                self.trouble, self.read_at = error, began
            else:
                self.trouble, self.read_at = None, began
                self._take(changes)
        self.notify_watchers()

    def _take(self, changes: Sequence[ScheduledChange]) -> None:
        self.pending = changes
        every = sorted(changes, key=lambda change: local_time.unix(change.scheduled_at) or float("inf"))
        by_flag: defaultdict[int, list[ScheduledChange]] = defaultdict(list)
        for change in every:
            if change.is_paused:
                continue
            by_flag[int(change.record_id)].append(change)
        self.due, self.changes = next_due(every), dict(by_flag)
