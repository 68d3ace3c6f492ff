"""Changes of which nobody knows whether they were done: kept in sight until a read tells."""

import asyncio
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from flagtui.app.state.app_state import AppState
from flagtui.store.collection import Collection
from flagtui.store.load import Loading
from flagtui.store.load_progress import RecordId
from flagtui.store.workspace import Workspace


class Unresolved:
    """Meanwhile the row is as the server said last, with the mark of a change; the header says it, too."""

    def __init__(self, app_state: AppState) -> None:
        self._app_state = app_state
        self._kept: set[asyncio.Task[None]] = set()

    @contextmanager
    def about(self, record: RecordId, rows: Collection[Any], workspace: Workspace) -> Iterator[None]:
        """In doubt until the block is left."""
        workspace.unresolved += 1
        try:
            with rows.showing(record, {}):
                self._app_state.tell()
                yield
        finally:
            workspace.unresolved -= 1
            self._app_state.tell()

    async def keep(
        self, record: RecordId, rows: Collection[Any], loading: Loading[Any], workspace: Workspace
    ) -> None:
        """In doubt until the rows are read again, which this does not wait for."""
        keeping = asyncio.create_task(self._keep(self.about(record, rows, workspace), loading))
        self._kept.add(keeping)
        keeping.add_done_callback(self._kept.discard)
        # It begins before whoever calls can end a doubt of their own: the row's mark does not blink.
        await asyncio.sleep(0)

    async def _keep(self, mark: AbstractContextManager[None], loading: Loading[Any]) -> None:
        is_read, last = asyncio.Event(), loading.loaded_at
        stop = loading.watch(lambda: is_read.set() if loading.loaded_at != last else None)
        try:
            with mark:
                await is_read.wait()
        finally:
            stop()
