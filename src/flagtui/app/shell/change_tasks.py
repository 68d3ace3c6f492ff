"""Keeps changes alive as tasks of the App: no screen that closes and no refresh cancels them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeVar

from textual.app import App
from textual.screen import Screen

from flagtui.app.shell.toasts import drop_toast, show_toast
from flagtui.app.state.app_state import AppState
from flagtui.app.state.go_to import GoTo
from flagtui.app.widgets.screen_lifecycle import Lifecycle
from flagtui.store.load_progress import RecordId
from flagtui.text.formats import count
from flagtui.text.key_signs import key_sign
from flagtui.text.styled import Notice

if TYPE_CHECKING:
    from flagtui.app.shell.sign_in import SignIn
    from flagtui.changes.entry_kind import Recovery
    from flagtui.changes.proposal import Report
    from flagtui.store.kinds import Kind
    from flagtui.store.workspace import Workspace

SavedT = TypeVar("SavedT")
OnReport = Callable[["Report[Any, Any]"], None]
"""Called with the report of every confirmed change, saved or not."""
READING_SHOWN_AFTER: Final = 0.05
"""Seconds after a key at which the header names the reads of its question; most take less."""
SAVING_SHOWN_AFTER: Final = 0.5
"""Seconds of a save after which the header shows it."""
PAUSE: Final = 0.25
"""Seconds without a letter after which the server is asked."""
LEAVING_WAITS: Final = 10.0
"""Seconds that leaving waits for changes in flight."""
LEAVING: Final = "leaving"
"""The group of the worker that waits for them."""
Show = Callable[[Screen[Any]], Awaitable[Any]]
Ask = Callable[[Screen[Any], Show], Awaitable[Any]]
CHAIN: Final[ContextVar[Ask | None]] = ContextVar("CHAIN", default=None)
"""Asks the questions of this task, where Escape in a later one asks the one before again."""


def ignore(_report: object) -> None:
    """Do nothing: the default callback."""


class ChangeTasks:
    """The tasks of changes, and the parts of the app that they use: dialogs, toasts, signing in again."""

    def __init__(self, app: App[Any], app_state: AppState) -> None:
        self.app = app
        self._app_state = app_state
        self.texts: dict[tuple[str, ...], str] = {}
        """Texts for changes that were not made, by host, project and question."""
        self._in_flight: set[asyncio.Task[Any]] = set()
        self._saves = (0, 0)
        """How many of the changes confirmed together have an outcome, and their number."""
        self._changes: set[asyncio.Task[Any] | None] = set()
        """The tasks of all changes that were begun."""
        self._preparing: asyncio.Task[Any] | None = None
        """The task of the change that was begun and has not asked its question yet."""
        self._leaving: Notice | None = None
        """The toast of leaving, while that waits for changes in flight."""
        self._asked_to_leave_at = -LEAVING_WAITS
        self._reader: asyncio.Task[Any] | None = None
        """The task that reads for a question, before anything is sent."""
        self.prepared = asyncio.Event()
        """Set while no change is between its key and its question."""
        self.prepared.set()
        self.no_ops: frozenset[str] = frozenset()
        """Ids of journal entries whose undo was found to be a no-op: `u` goes on with the change before."""

    @cached_property
    def signing_in(self) -> SignIn:
        """The prompt for another key when the current one is not accepted."""
        from flagtui.app.shell.sign_in import SignIn

        return SignIn(self.app, self._app_state)

    @property
    def is_saving(self) -> bool:
        """True while a change is in flight."""
        return bool(self._in_flight)

    async def wait_for_saves(self) -> None:
        """Wait until no change is in flight: the journal has those as open."""
        while self._in_flight:
            await asyncio.wait(self._in_flight)

    def words_in_flight(self) -> str:
        """Return the sentence about changes in flight when the program ends at once; empty without any."""
        return "A change got no response; the next start checks whether it was applied." * self.is_saving

    async def finish(self) -> str:
        """Wait for changes in flight before leaving; return a sentence about those that were not saved.

        A second call, while the first one waits, does not wait.
        """
        if self._in_flight and self._leaving is None:
            key = key_sign("app.quit")
            words = f"Leaving once the change in flight is saved; {key} leaves at once, esc stays."
            self._leaving = Notice(words, "warning", seconds=LEAVING_WAITS)
            self.show_toast(self._leaving)
            await asyncio.wait(self._in_flight, timeout=LEAVING_WAITS)
        if self._in_flight:
            return "a change got no response; the journal lists it as not known"
        staged = self._app_state.staged_set if self._app_state.is_staging else None
        if staged is None:
            return ""
        return f"not sent: {count(len(staged.changes), 'staged change')}; {key_sign('app.staged')} shows all"

    async def leave(self, leave: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Leave while toasts and keys go on beside a change in flight; again, in place of the first time.

        What was entered in a form is lost only when the key is pressed again soon.
        """
        now = self._app_state.session.clock.monotonic()
        is_asked_again, self._asked_to_leave_at = now - self._asked_to_leave_at < LEAVING_WAITS, now
        screens = self.app.screen_stack
        if not is_asked_again and any(isinstance(each, Lifecycle) and each.has_edits for each in screens):
            words = "What you entered is not saved; the same key again discards it and leaves."
            self.show_toast(Notice(words, "warning", seconds=LEAVING_WAITS))
        elif self.is_saving:
            self.app.run_worker(leave(), group=LEAVING, exclusive=True)
        else:
            await leave()

    def run(self, change: Coroutine[Any, Any, Any]) -> None:
        """Run a change as a task of the app; closing a screen does not cancel it.

        While a question is prepared or asked, a key that is held or pressed again does nothing.
        """
        self.prepared.clear()
        # A change that has asked for its values goes on, whatever dialog was opened below its own.
        is_begun = asyncio.current_task() in self._changes
        self.app.run_worker(self._run_change(change, is_begun=is_begun), group="changing")

    async def _run_change(self, change: Coroutine[Any, Any, Any], *, is_begun: bool) -> None:
        if not is_begun and (self._preparing is not None or self.app.screen.is_modal):
            change.close()
            if self._preparing is None:
                self.prepared.set()
            return
        self._preparing = task = asyncio.current_task()
        self._changes.add(task)
        # Another command may have started this one.
        CHAIN.set(None)
        try:
            await change
        finally:
            self._changes.discard(task)
            self._end_preparation()

    def _end_preparation(self) -> None:
        if self._preparing is asyncio.current_task():
            self._preparing = None
            self.prepared.set()

    async def ask(self, screen: Screen[SavedT]) -> SavedT | None:
        """Return what a dialog answers. Only within `run`; a save that asks has nothing in flight."""
        if (ask := CHAIN.get()) is None:
            return await self._show(screen)
        return await ask(screen, self._show)  # type: ignore[no-any-return]

    async def _show(self, screen: Screen[SavedT]) -> SavedT | None:
        self._end_preparation()
        self._stay()
        task, is_shown = asyncio.current_task(), bool(self._app_state.saving)
        if task is None or task not in self._in_flight:
            return await self.app.push_screen_wait(screen)
        self._in_flight.discard(task)
        if is_shown:
            self._show_saving()
        try:
            return await self.app.push_screen_wait(screen)
        finally:
            self._in_flight.add(task)
            if is_shown:
                self._show_saving()

    async def run_to_end(self, saving: Coroutine[Any, Any, SavedT]) -> SavedT:
        """Await a save that leaving waits for and that nothing on any screen cancels."""
        task = asyncio.create_task(saving)
        self._in_flight.add(task)
        shown = asyncio.get_running_loop().call_later(SAVING_SHOWN_AFTER, self._show_saving)

        def end(task: asyncio.Task[SavedT]) -> None:
            shown.cancel()
            self._in_flight.discard(task)
            if self._app_state.saving:
                self._show_saving()

        task.add_done_callback(end)
        return await asyncio.shield(task)

    def count_saves(self, done: int, total: int) -> None:
        """Show how many of the changes confirmed together have an outcome; 0 of 0 afterwards."""
        self._saves = done, total
        if self._app_state.saving:
            self._show_saving()

    def _show_saving(self) -> None:
        done, total = self._saves
        counted = f" {done:,} of {total:,}" if total else ""
        self._app_state.saving = f"saving{counted}" * self.is_saving
        self._app_state.notify_watchers()

    async def pause(self) -> None:
        """Wait for the pause in typing after which more is requested."""
        await self._app_state.session.clock.sleep(PAUSE)

    def show_created(self, kind: Kind, record: RecordId, workspace: Workspace) -> None:
        """Put the cursor of the list on a record that was created, copied or restored in this project."""
        if workspace is self._app_state.workspace:
            self.app.post_message(GoTo(kind, record, "behind"))

    def open_record(self, kind: Kind, record: RecordId, key: str) -> None:
        """Show a record that a question or its results named, on top of its list."""
        self.app.post_message(GoTo(kind, record, "record", key))

    def show_toast(self, notice: Notice, *, instead_of: Notice | None = None) -> None:
        """Show a toast, in the place of one that no longer holds."""
        if instead_of is not None:
            drop_toast(self.app, instead_of)
        show_toast(self.app, notice)

    def show_recovery(self, change: Recovery) -> None:
        """Show what became of a change whose outcome was open."""
        # Loaded here: the first rows do without it.
        from flagtui.text.outcomes import left_open

        self.show_toast(left_open(change.words, is_known=change.is_known))

    @contextmanager
    def reading(self, what: str) -> Iterator[Callable[[int], None]]:
        """Name the reads of a question in the header, once they take longer than a moment.

        `what` is raw. Call the yielded function with the number of records read: `reading 12 of 100 flags…`.
        """
        words, reader = what, asyncio.current_task()
        self._reader = reader
        shown = asyncio.get_running_loop().call_later(READING_SHOWN_AFTER, lambda: self._show_reading(words))

        def show_progress(read: int) -> None:
            nonlocal words
            words = f"{read:,} of {what}"
            if self._app_state.reading:
                self._show_reading(words)

        try:
            yield show_progress
        finally:
            shown.cancel()
            # Another command may have begun to read meanwhile.
            if self._reader is reader:
                self._reader = None
                if self._app_state.reading:
                    self._show_reading("")

    def cancel_wait(self) -> bool:
        """Stay, where leaving waits, or cancel the change whose records are being read, as the header shows.

        False when neither waits, and below a dialog, which Escape leaves first.
        """
        reader = self._reader if self._app_state.reading else None
        if (reader is None and self._leaving is None) or self.app.screen.is_modal:
            return False
        if self._stay() or reader is None:
            return True
        reader.cancel()
        # Another change may be in flight.
        what = self._app_state.reading
        self.show_toast(Notice(f"The command was cancelled while reading {what}; it changed nothing."))
        return True

    def _stay(self) -> bool:
        """Cancel leaving; False when it does not wait for changes."""
        if self._leaving is None:
            return False
        self.app.workers.cancel_group(self.app, LEAVING)
        drop_toast(self.app, self._leaving)
        self._leaving = None
        return True

    def _show_reading(self, what: str) -> None:
        self._app_state.reading = what
        self._app_state.notify_watchers()

    def open_workspace(self) -> Workspace | None:
        """Return the open project; show a toast if none is open yet."""
        if self._app_state.workspace is None:
            self.show_toast(Notice("The project is not open yet; nothing was changed.", "warning"))
        return self._app_state.workspace
