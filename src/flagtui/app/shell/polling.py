"""Keeps the list in front current: polls for what others changed, and tries again after a failure."""

import asyncio
from collections.abc import Callable
from typing import Final

from flagtui.api.errors import ApiError, may_pass, needs_key
from flagtui.api.flag_changes import Mark, changes_since, complete_mark, take_mark
from flagtui.app.state.app_state import AppState
from flagtui.store.load_progress import Loaded
from flagtui.store.workspace import Workspace

ATTENTION: Final = 120.0
"""Seconds after the last key in which the person counts as present."""
LONGEST: Final = 600.0
"""Seconds between polls of an app without a key pressed: 144 a day."""
FIRST_RETRY: Final = 2.0
LONGEST_RETRY: Final = 30.0
"""Seconds between retries; with the circuit breaker's rest a server that is back is found within a minute."""


def next_poll(since_last_key: float, interval: float) -> float:
    """Seconds until the next poll. `interval` is what the person chose for when they are there."""
    if since_last_key <= ATTENTION:
        return interval
    return min(max(interval, since_last_key / 4), max(interval, LONGEST))


def next_retry(failures: int) -> float:
    """Seconds until the next try after so many failures in a row, at least one: exponential backoff."""
    return min(FIRST_RETRY * 2.0 ** min(failures - 1, 10), LONGEST_RETRY)


class Polling:
    """Polls often while the user presses keys, rarely otherwise, and never when the settings turn it off.

    After a failure it tries again with exponential backoff, whatever failed: the connection, a load that
    lacks pages, a comparison.
    """

    def __init__(self, app_state: AppState, reconnect: Callable[[], object]) -> None:
        self._app_state = app_state
        self._reconnect = reconnect
        self._marks: dict[Workspace, Mark] = {}
        self._last_key = self._last_poll = app_state.session.monotonic()
        self._failures = 0
        self._is_due = asyncio.Event()
        self._has_failed = asyncio.Event()

    def notice_person(self) -> None:
        """A key was pressed. A person who comes back does not wait for the next poll."""
        self._last_key = self._app_state.session.monotonic()
        if self._last_key - self._last_poll >= self._app_state.session.refresh:
            self._is_due.set()

    def notice_tab(self) -> None:
        """Another list came to the front; one that was not polled for long is polled at once."""
        app_state = self._app_state
        loading = app_state.workspace.loading(app_state.kind) if app_state.workspace else None
        if loading is not None and (loading.age or 0.0) >= app_state.session.refresh:
            self._is_due.set()

    async def mark(self, workspace: Workspace) -> None:
        """Remember the newest entry of the activity feed; called when a load begins."""
        try:
            self._marks = {workspace: await take_mark(workspace.client.flags)}
        except ApiError:
            self._marks = {workspace: Mark()}

    async def run(self) -> None:
        """Poll again and again until cancelled."""
        if self._app_state.session.refresh <= 0:
            return
        while True:
            self._last_poll = self._app_state.session.monotonic()
            self._failures = self._failures + 1 if may_pass(self._app_state.trouble) else 0
            if await self._wait(self._pause()):
                await self.poll()

    def _pause(self) -> float:
        if self._failures:
            return next_retry(self._failures)
        return next_poll(self._last_poll - self._last_key, self._app_state.session.refresh)

    async def _wait(self, seconds: float) -> bool:
        """Until it is time or the person comes back; False when something else has failed meanwhile."""
        self._is_due.clear()
        self._has_failed.clear()
        stop = self._app_state.watch(self._notice_failure)
        waits = [
            asyncio.ensure_future(wait)
            for wait in (
                self._app_state.session.timing.sleep(seconds),
                self._is_due.wait(),
                self._has_failed.wait(),
            )
        ]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            return waits[0].done() or self._is_due.is_set()
        finally:
            stop()
            for wait in waits:
                wait.cancel()

    def _notice_failure(self) -> None:
        if not self._failures and may_pass(self._app_state.trouble):
            self._has_failed.set()

    async def poll(self) -> None:
        """Poll once. A failure is the list's trouble; the rows stay."""
        app_state, workspace, trouble = self._app_state, self._app_state.workspace, self._app_state.trouble
        if workspace is None:
            if trouble is not None and not app_state.is_connecting and not needs_key(trouble):
                self._reconnect()
            return
        loading = workspace.loading(app_state.kind)
        if loading.is_running:
            return
        try:
            if not isinstance(loading.state, Loaded):
                await workspace.refresh(app_state.kind, resume=True)
            elif app_state.kind == "flags":
                await self._take_changes(workspace)
            else:
                await workspace.compare(app_state.kind)
        except ApiError as error:
            loading.set_trouble(error)
        if loading.trouble is None or needs_key(loading.trouble):
            app_state.become_troubled(loading.trouble)

    async def _take_changes(self, workspace: Workspace) -> None:
        moment = workspace.flags.moment
        changes = await changes_since(workspace.client.flags, self._mark_of(workspace))
        self._marks = {workspace: changes.mark}
        workspace.activity.hear(changes.mark.newest)
        loading = workspace.loading("flags")
        if loading.is_cut_for_long or (changes.must_reload and loading.too_long is None):
            await workspace.refresh()
        for row in changes.rows:
            workspace.flags.put(row, moment)
        for record in changes.gone:
            workspace.flags.remove(record)
        loading.confirm()

    def _mark_of(self, workspace: Workspace) -> Mark:
        mark = self._marks.get(workspace, Mark())
        if mark.newest is not None or mark.total:
            return mark
        rows = workspace.flags.rows
        newest = max((row.updated_at or 0.0 for row in rows), default=0.0)
        return complete_mark(mark, workspace.flags.total or len(rows), newest)
