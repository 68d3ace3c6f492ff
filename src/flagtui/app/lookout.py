"""Sees what colleagues changed while the list is open, for about one request a minute."""

import asyncio

from flagtui.api.errors import ApiError
from flagtui.api.flag_changes import Mark, changes_since, known_from, take_mark
from flagtui.api.pace import next_look
from flagtui.app.desk import Desk
from flagtui.store.loading import Loaded
from flagtui.store.workspace import Workspace


class Lookout:
    """Looks often while somebody is there, rarely while nobody is, and not at all when told so."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._marks: dict[Workspace, Mark] = {}
        self._last_key = self._last_look = desk.session.monotonic()
        self._is_due = asyncio.Event()

    def noticed_person(self) -> None:
        """Somebody is there. Who comes back after a while does not wait for the next look."""
        session = self._desk.session
        self._last_key = session.monotonic()
        if self._last_key - self._last_look >= session.refresh:
            self._is_due.set()

    async def mark(self, workspace: Workspace) -> None:
        """Remember where the feed stands; called when a load begins."""
        try:
            self._marks = {workspace: await take_mark(workspace.client.flags)}
        except ApiError:
            self._marks = {workspace: Mark()}

    async def run(self) -> None:
        """Look again and again until cancelled."""
        session = self._desk.session
        if session.refresh <= 0:
            return
        while True:
            self._last_look = session.monotonic()
            await self._wait(next_look(self._last_look - self._last_key, session.refresh))
            await self.look()

    async def _wait(self, seconds: float) -> None:
        """Until it is time, or somebody comes back."""
        self._is_due.clear()
        waits = [
            asyncio.ensure_future(wait)
            for wait in (self._desk.session.timing.sleep(seconds), self._is_due.wait())
        ]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()

    async def look(self) -> None:
        """Look once. A failure is the desk's trouble; the rows stay."""
        desk, workspace = self._desk, self._desk.workspace
        if workspace is None or not isinstance(workspace.flags_loading.state, Loaded):
            return
        try:
            found = await changes_since(workspace.client.flags, self._mark_of(workspace))
        except ApiError as error:
            desk.become_troubled(error)
            return
        self._marks = {workspace: found.mark}
        workspace.activity.hear(found.mark.newest)
        if found.must_reload:
            await workspace.refresh()
        for row in found.rows:
            workspace.flags.put(row)
        for record in found.gone:
            workspace.flags.remove(record)
        workspace.flags_loading.confirm()
        desk.become_troubled(None)

    def _mark_of(self, workspace: Workspace) -> Mark:
        mark = self._marks.get(workspace, Mark())
        if mark.newest is not None or mark.total:
            return mark
        rows = workspace.flags.rows
        newest = max((row.updated_at or 0.0 for row in rows), default=0.0)
        return known_from(mark, workspace.flags.total or len(rows), newest)
