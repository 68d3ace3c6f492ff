"""Where changes begin, and the tasks they run on, which belong to the App alone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeVar

from textual.app import App
from textual.screen import Screen

from flagtui.app.shell.preload import load_in_background
from flagtui.app.shell.sign_in import SignIn
from flagtui.app.shell.toasts import tell
from flagtui.app.state.app_state import AppState
from flagtui.app.state.go_to import GoTo
from flagtui.app.writing.listener import NOBODY, Listener, unheard
from flagtui.text.notices import Notice

if TYPE_CHECKING:
    from flagtui.app.writing.flag_pipeline import FlagPipeline
    from flagtui.app.writing.listener import Saved
    from flagtui.app.writing.optimistic_save import FlagsEnded
    from flagtui.app.writing.requested_changes import NewFlag
    from flagtui.changes.flags.flag_intent import Intent
    from flagtui.changes.journal_entries import Entry
    from flagtui.changes.left_out import LeftOut
    from flagtui.models.activity import Activity
    from flagtui.store.load_progress import RecordId
    from flagtui.store.workspace import Kind, Workspace

Answer = TypeVar("Answer")

GOODBYE: Final = 10.0
"""Seconds that leaving waits for changes on their way."""


class Changes:
    """Runs changes as tasks of the App, where no screen that closes and no refresh can cancel them."""

    def __init__(self, app: App[Any], app_state: AppState) -> None:
        self.app = app
        self._app_state = app_state
        self.signing_in: SignIn = SignIn(app, app_state)
        self._on_their_way: set[asyncio.Task[Any]] = set()
        self._preparing: asyncio.Task[Any] | None = None
        """The task of the change that was begun and has not asked its question yet."""

    @cached_property
    def _path(self) -> FlagPipeline:
        # It takes longer to load than the first rows, which do without.
        from flagtui.app.writing.flag_pipeline import FlagPipeline

        return FlagPipeline(self._app_state, self)

    @property
    def is_saving(self) -> bool:
        """True while a change is on its way to the server."""
        return bool(self._on_their_way)

    async def finish(self) -> bool:
        """Wait for changes on their way before leaving; False when some are still not answered."""
        if self._on_their_way:
            await asyncio.wait(self._on_their_way, timeout=GOODBYE)
        return not self._on_their_way

    def run(self, change: Coroutine[Any, Any, None]) -> None:
        """Runs a change as a task of the app; closing a screen does not cancel it.

        While a question is prepared or asked, a key that is held or pressed again does nothing.
        """
        self.app.run_worker(self._run_change(change, asyncio.current_task()), group="changing")

    async def _run_change(
        self, change: Coroutine[Any, Any, None], begun_by: asyncio.Task[Any] | None
    ) -> None:
        if self._preparing not in (None, begun_by) or self.app.screen.is_modal:
            change.close()
            return
        self._preparing = asyncio.current_task()
        try:
            await change
        finally:
            self._is_prepared()

    def _is_prepared(self) -> None:
        if self._preparing is asyncio.current_task():
            self._preparing = None

    async def ask(self, screen: Screen[Answer]) -> Answer | None:
        """What a dialog answers. Only within `run`."""
        self._is_prepared()
        return await self.app.push_screen_wait(screen)

    async def see_through(self, saving: Coroutine[Any, Any, Answer]) -> Answer:
        """Save another kind of record: leaving waits for it, and nothing on any screen cancels it."""
        task = asyncio.create_task(saving)
        self._on_their_way.add(task)
        task.add_done_callback(self._on_their_way.discard)
        return await asyncio.shield(task)

    def show_made(self, kind: Kind, record: RecordId, workspace: Workspace) -> None:
        """Put the cursor of the list on what was made, copied or restored here."""
        if workspace is self._app_state.workspace:
            self.app.post_message(GoTo(kind, record, "behind"))

    def open_record(self, kind: Kind, record: RecordId, key: str) -> None:
        """Show a record that a question or its results named, on top of its list."""
        self.app.post_message(GoTo(kind, record, "record", key))

    def tell(self, notice: Notice) -> None:
        """Show a toast."""
        tell(self.app, notice)

    def start(
        self,
        intents: Sequence[Intent],
        saved: Saved = unheard,
        ended: Callable[[FlagsEnded], None] = unheard,
        left_out: Sequence[LeftOut] = (),
    ) -> None:
        """Begin the path for these intents, which are confirmed together; `left_out` was chosen with them."""
        if intents or left_out:
            self.run(self._path.change(intents, Listener(saved, ended, left_out=left_out)))

    def create(
        self, wanted: Sequence[NewFlag], listener: Listener = NOBODY, workspace: Workspace | None = None
    ) -> None:
        """Begin the path for new flags, in this project or the `workspace` of another."""
        here = workspace or self._app_state.workspace
        if here is not None:
            self.run(self._path.create(wanted, here, listener))

    def recover_unresolved(self) -> None:
        """Find out what became of changes that an earlier run left open in this project."""
        self.app.run_worker(self._recover_unresolved(), group="changing")

    async def _recover_unresolved(self) -> None:
        await load_in_background()
        from flagtui.app.writing.journal_recovery import recover_unresolved

        await recover_unresolved(self._app_state, self.tell)

    def undo(self) -> None:
        """Take back the newest change of this person here, or all that were confirmed together with it."""
        self.run(self._path.undo())

    def undo_entry(self, entry: Entry) -> None:
        """Take back one earlier change of this person here, whatever came after it."""
        self.run(self._path.undo_entry(entry))

    def revert(self, entry: Activity, ended: Callable[[FlagsEnded], None] = unheard) -> None:
        """Take back anybody's change of a flag, unless the same thing was changed since."""
        if entry.record_id is not None:
            self.run(self._path.revert(entry.record_id, entry, Listener(ended=ended)))

    async def undo_part(self, entry: Entry, undoes: str, entries: Sequence[Entry]) -> bool:
        """Take back what a step of its experiment did to a flag. Only within `run`.

        True when the flag is as it was; `undoes` names the whole step when nothing of it is left then,
        `entries` are the journal's.
        """
        return await self._path.undo_part(entry, undoes, entries)
