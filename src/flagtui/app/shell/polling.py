"""Keeps the list in front current: polls for what others changed, and reads again after a failure."""

import asyncio
import math
from collections.abc import Callable
from typing import Final

from flagtui.api.clock import Urgency
from flagtui.api.errors import ApiError, needs_key
from flagtui.api.flag_changes import Mark, changes_since, complete_mark, take_mark
from flagtui.api.limits import is_outage
from flagtui.app.state.app_state import AppState
from flagtui.store.load_progress import Loaded
from flagtui.store.workspace import Workspace

ATTENTION: Final = 120.0
"""Seconds after the last key in which the person counts as present."""
LONGEST: Final = 600.0
"""Seconds between polls of an app without a key pressed: 144 a day."""
SHORTEST_RETRY: Final = 1.0
"""Seconds before a retry even if the server names a shorter time."""
FIRST_RETRY: Final = 5.0
LONGEST_RETRY: Final = 10.0
"""Seconds between retries during an outage."""
OUTAGE: Final = 120.0
"""Seconds after the first failure from which polls keep the refresh interval again."""
SAME_OUTAGE: Final = 20.0
"""Seconds after a recovery in which a failure continues the outage: an open page that is read again then."""
AFTER_REST: Final = 0.1
"""Seconds after the circuit breaker closes: the retry is its probe."""


def next_poll(since_last_key: float, interval: float) -> float:
    """Return the seconds until the next poll. `interval` is for an active user; 0 never polls."""
    if interval <= 0:
        return math.inf
    if since_last_key <= ATTENTION:
        return interval
    return min(max(interval, since_last_key / 4), max(interval, LONGEST))


def next_retry(failures: int, lasted: float, interval: float) -> float:
    """Return the seconds until the next read after so many failures in a row, at least one.

    `lasted` is the time since the first of them; `interval` the pause between polls.
    """
    if lasted >= OUTAGE:
        return interval
    return min(FIRST_RETRY * 1.5 ** min(failures - 1, 10), LONGEST_RETRY)


class Polling:
    """Polls often while the user presses keys, rarely otherwise, and never when the settings turn it off.

    After a failure it reads again every five to ten seconds for two minutes, then at the refresh interval,
    whatever failed: the connection, a load that lacks pages, a comparison, a page or a pane. A time that the
    server names wins.
    """

    def __init__(self, app_state: AppState, reconnect: Callable[[], object]) -> None:
        self._app_state = app_state
        self._reconnect = reconnect
        self._marks: dict[Workspace, Mark] = {}
        self._last_key = self._last_poll = app_state.session.clock.monotonic()
        self._failures = 0
        self._failed_at = 0.0
        """When the first of them happened."""
        self._earlier_failures = 0
        """Failures before the last read, which succeeded while a page may still be reading."""
        self._recovered_at = -math.inf
        self._failed_reads = 0
        """Failed reads of the connection at the last poll; more of them since then are those of pages."""
        self._refusals = 0
        """Refusals of the key at the last poll."""
        self._is_due = asyncio.Event()
        self._has_failed = asyncio.Event()

    def notice_person(self) -> None:
        """Note a key press. A user who returns does not wait for the next poll."""
        self._last_key = self._app_state.session.clock.monotonic()
        if 0 < self._app_state.session.refresh <= self._last_key - self._last_poll:
            self._is_due.set()

    def notice_tab(self) -> None:
        """Poll the list that came to the front if it was not polled for long."""
        app_state = self._app_state
        loading = app_state.workspace.loading(app_state.kind) if app_state.workspace else None
        if loading is not None and 0 < app_state.session.refresh <= (loading.age or 0.0):
            self._is_due.set()

    async def mark(self, workspace: Workspace) -> None:
        """Remember the newest entry of the activity feed; called when a load begins."""
        try:
            mark = await take_mark(workspace.client.flags)
        except ApiError:
            mark = Mark()
        self._keep(workspace, mark)

    def _keep(self, workspace: Workspace, mark: Mark) -> None:
        """Keep the mark of the open project; a response can come after another project was opened."""
        if workspace is self._app_state.workspace:
            self._marks = {workspace: mark}

    async def run(self) -> None:
        """Poll again and again until cancelled."""
        has_waited = True
        while True:
            self._last_poll = self._app_state.session.clock.monotonic()
            self._count_failures(has_waited)
            if has_waited := await self._wait(self._pause()):
                await self.poll()

    @property
    def _failure(self) -> ApiError | None:
        """The failure that may be over soon: of the list in front, of the connection, or of an open page."""
        app_state, workspace = self._app_state, self._app_state.workspace
        if app_state.trouble is not None:
            return app_state.trouble if is_outage(app_state.trouble) else None
        if workspace is None:
            return None
        link = workspace.client.link
        if link.is_offline:
            return link.error
        return link.failed_read if link.failed_reads != self._failed_reads else None

    def _count_failures(self, has_waited: bool) -> None:
        """Count the failure that there is; `has_waited` unless a failure ended the wait."""
        app_state = self._app_state
        if self._failure is not None:
            if not has_waited and self._last_poll - self._recovered_at <= SAME_OUTAGE:
                # The list was read again, and then an open page failed again.
                self._failures = self._failures or self._earlier_failures
            self._failed_at = self._failed_at if self._failures else self._last_poll
            self._failures += 1
        else:
            self._earlier_failures, self._failures = self._failures, 0
            self._recovered_at = self._last_poll
            if app_state.retry_at:
                app_state.retry_at = 0.0
                app_state.notify_watchers()

    def _pause(self) -> float:
        app_state, now = self._app_state, self._last_poll
        pause = next_poll(now - self._last_key, app_state.session.refresh)
        failure, workspace = self._failure, app_state.workspace
        if failure is None:
            return pause
        requested = failure.facts.retry_after
        if requested is not None:
            pause = max(requested, SHORTEST_RETRY)
        else:
            pause = next_retry(self._failures, now - self._failed_at, pause)
        if workspace is not None:
            rest = workspace.client.connection.patience.resting(Urgency.BACKGROUND)
            pause = max(pause, rest + AFTER_REST if rest else 0.0)
        app_state.retry_at = now + pause if pause < math.inf else 0.0
        app_state.notify_watchers()
        return pause

    async def _wait(self, seconds: float) -> bool:
        """Wait until it is time or the user is back; return False if something else failed meanwhile."""
        self._is_due.clear()
        self._has_failed.clear()
        stop = self._app_state.watch(self._notice_change)
        waits = [
            asyncio.ensure_future(wait)
            for wait in (
                self._app_state.session.clock.sleep(seconds),
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

    def _notice_change(self) -> None:
        """Stop waiting after a first failure, when it is over, and when a key is refused or replaced."""
        app_state, has_failure = self._app_state, self._failure is not None
        if has_failure and not self._failures:
            self._has_failed.set()
        # Another request can show that the server responds again, such as the check of a lost write.
        is_over = self._failures > 0 and not has_failure
        if is_over or (app_state.connection_trouble is None and needs_key(app_state.trouble)):
            self._is_due.set()
        # Reading the list shows whether the key is refused, or one page.
        link = app_state.workspace.client.link if app_state.workspace is not None else None
        if app_state.trouble is None and link is not None and link.refusals != self._refusals:
            self._is_due.set()

    async def poll(self) -> None:
        """Poll once. A failure is the list's trouble; the rows stay."""
        app_state, workspace, trouble = self._app_state, self._app_state.workspace, self._app_state.trouble
        was_failing = self._failures > 0
        if workspace is None:
            if trouble is not None and not app_state.is_connecting and not needs_key(trouble):
                self._reconnect()
            return
        loading = workspace.loading(app_state.kind)
        if loading.is_running:
            return
        self._failed_reads = workspace.client.link.failed_reads
        try:
            if not isinstance(loading.state, Loaded):
                await workspace.refresh(app_state.kind, resume=True)
            elif app_state.kind == "flags":
                await self._take_changes(workspace)
            else:
                await workspace.compare(app_state.kind)
            await asyncio.to_thread(workspace.keep_newer)
        except ApiError as error:
            loading.set_trouble(error)
        self._refusals = workspace.client.link.refusals
        is_left = workspace is not app_state.workspace
        if not is_left and (loading.trouble is None or needs_key(loading.trouble)):
            app_state.recoveries += was_failing and loading.trouble is None
            app_state.become_troubled(loading.trouble)

    async def _take_changes(self, workspace: Workspace) -> None:
        moment = workspace.flags.moment
        changes = await changes_since(workspace.client.flags, self._mark_of(workspace))
        self._keep(workspace, changes.mark)
        workspace.activity.hear(changes.mark.recent or ())
        loading = workspace.loading("flags")
        is_reloaded = loading.is_cut_for_long or (changes.must_reload and loading.too_long is None)
        if is_reloaded:
            await workspace.refresh()
        for row in changes.rows:
            workspace.flags.put(row, moment)
        for record in changes.gone:
            workspace.flags.remove(record)
        loading.confirm()
        read = workspace.flags.rows if is_reloaded else changes.rows
        unversioned = [row.id for row in read if row.version is None]
        if unversioned and self._app_state.inspector is not None:
            # Their rows do not show every change.
            self._app_state.inspector.expire(unversioned)
            self._app_state.notify_watchers()

    def _mark_of(self, workspace: Workspace) -> Mark:
        mark = self._marks.get(workspace, Mark())
        if mark.recent is not None or mark.total:
            return mark
        rows = workspace.flags.rows
        newest = max((row.updated_at or 0.0 for row in rows), default=0.0)
        return complete_mark(mark, workspace.flags.total or len(rows), newest)
