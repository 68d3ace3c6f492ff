"""Where changes begin, and the tasks they run on, which belong to the App alone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeVar

from textual.app import App
from textual.screen import Screen

from flagtui.app.shell.preload import load_in_background
from flagtui.app.shell.toasts import tell
from flagtui.app.state.app_state import AppState
from flagtui.app.state.go_to import GoTo
from flagtui.app.writing.listener import NOBODY, Listener, unheard
from flagtui.text.styled import Notice

if TYPE_CHECKING:
    from flagtui.app.shell.sign_in import SignIn
    from flagtui.app.writing.flag_planner import NewFlag
    from flagtui.app.writing.listener import Saved
    from flagtui.app.writing.planner import Planner, Q
    from flagtui.app.writing.writer import Writer
    from flagtui.changes.flags.flag_intent import Intent
    from flagtui.changes.journal_entries import Entry
    from flagtui.changes.outcome import P, R
    from flagtui.changes.pipeline import Ended
    from flagtui.changes.proposal import LeftOut
    from flagtui.models.activity import Activity
    from flagtui.store.load_progress import RecordId
    from flagtui.store.workspace import Kind, Workspace

Answer = TypeVar("Answer")

HEARD_AFTER: Final = 0.05
"""Seconds after a key at which it is said what is read for its question; most are there before."""
GOODBYE: Final = 10.0
"""Seconds that leaving waits for changes on their way."""


class Changes:
    """Runs changes as tasks of the App, where no screen that closes and no refresh can cancel them."""

    def __init__(self, app: App[Any], app_state: AppState) -> None:
        self.app = app
        self._app_state = app_state
        self._on_their_way: set[asyncio.Task[Any]] = set()
        self._preparing: asyncio.Task[Any] | None = None
        """The task of the change that was begun and has not asked its question yet."""
        self.passed: frozenset[str] = frozenset()
        """Ids of changes in the journal that `u` passes over: they were as before already."""

    @cached_property
    def _writer(self) -> Writer:
        # It takes longer to load than the first rows, which do without.
        from flagtui.app.writing.writer import Writer

        return Writer(self._app_state, self)

    @property
    def signing_in(self) -> SignIn:
        """Asks for a key in place of one that is not accepted."""
        return self._writer.signing_in

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

    @contextmanager
    def reading(self, what: str) -> Iterator[None]:
        """Says that a key was heard whose question takes longer than a moment; `what` is raw."""
        shown = asyncio.get_running_loop().call_later(HEARD_AFTER, self._show_reading, what)
        try:
            yield
        finally:
            shown.cancel()
            if self._app_state.reading:
                self._show_reading("")

    def _show_reading(self, what: str) -> None:
        self._app_state.reading = what
        self._app_state.tell()

    def open_workspace(self) -> Workspace | None:
        """The project that is open; where there is none yet, that is said."""
        if self._app_state.workspace is None:
            self.tell(Notice("There is no connection yet; nothing was changed.", "warning"))
        return self._app_state.workspace

    async def write(
        self, asked: Sequence[Q], planner: Planner[Q, P, R], listener: Listener = NOBODY
    ) -> Ended[P, R] | None:
        """What was asked for, confirmed together; None when nothing was agreed to. Only within `run`."""
        return await self._writer.follow(asked, planner, listener)

    def start(
        self,
        intents: Sequence[Intent],
        saved: Saved = unheard,
        ended: Callable[[Ended[Any, Any]], None] = unheard,
        left_out: Sequence[LeftOut] = (),
    ) -> None:
        """Begin the path for these intents, which are confirmed together; `left_out` was chosen with them."""
        if intents or left_out:
            self.run(self._writer.change(intents, Listener(saved, ended, left_out)))

    def create(
        self,
        wanted: Sequence[NewFlag],
        listener: Listener = NOBODY,
        there: tuple[Workspace, str] | None = None,
    ) -> None:
        """Begin the path for new flags, in this project or in another, which is named."""
        workspace, place = there or (self._app_state.workspace, "")
        if workspace is not None:
            self.run(self._writer.create(wanted, listener, workspace, place))

    def revert(self, entry: Activity, ended: Callable[[Ended[Any, Any]], None] = unheard) -> None:
        """Take back a change of a flag that the activity tells, unless the same thing was changed since."""
        if entry.record_id is not None:
            self.run(self._writer.revert(entry.record_id, entry, Listener(ended=ended)))

    def undo(self) -> None:
        """Take back the newest change of this person here, with what was confirmed together with it."""
        self.run(self._writer.undo_newest(is_redo=False))

    def redo(self) -> None:
        """Make again what was undone last, unless something else was changed since."""
        self.run(self._writer.undo_newest(is_redo=True))

    def undo_entry(self, entry: Entry) -> None:
        """Take back one earlier change of this person here, whatever came after it."""
        self.run(self._writer.undo_entries([entry]))

    def recover_unresolved(self) -> None:
        """Find out what became of changes that an earlier run left open in this project."""
        self.app.run_worker(self._recover_unresolved(), group="changing")

    async def _recover_unresolved(self) -> None:
        await load_in_background()
        await self._writer.recover_unresolved()
