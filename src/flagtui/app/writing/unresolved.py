"""Unresolved changes: marked on their rows until a read tells whether they were made."""

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
    """Until then the row shows the server's last values with the mark of a change; the header counts it."""

    def __init__(self, app_state: AppState) -> None:
        self._app_state = app_state
        self._kept: set[asyncio.Task[None]] = set()

    @contextmanager
    def about(self, record: RecordId, rows: Collection[Any], workspace: Workspace) -> Iterator[None]:
        """Marks the record as unresolved until the block is left."""
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
        """Marks the record as unresolved until the rows are read again; does not wait for that."""
        keeping = asyncio.create_task(self._keep(self.about(record, rows, workspace), loading))
        self._kept.add(keeping)
        keeping.add_done_callback(self._kept.discard)
        # The mark is set before the caller can remove one of its own: the row's sign does not blink.
        await asyncio.sleep(0)

    async def _keep(self, mark: AbstractContextManager[None], loading: Loading[Any]) -> None:
        is_read, last = asyncio.Event(), loading.loaded_at
        stop = loading.watch(lambda: is_read.set() if loading.loaded_at != last else None)
        try:
            with mark:
                await is_read.wait()
        finally:
            stop()
