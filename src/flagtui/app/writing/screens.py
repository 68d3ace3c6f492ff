"""What a change needs of the app while it is made: a task, questions, toasts, and who hears of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

from textual.app import App
from textual.screen import Screen

from flagtui.app.shell.toasts import tell
from flagtui.app.state.app_state import AppState
from flagtui.app.state.go_to import GoTo
from flagtui.store.load_progress import RecordId
from flagtui.text.styled import Notice

if TYPE_CHECKING:
    from flagtui.changes.guard import Purpose
    from flagtui.changes.pipeline import Ended
    from flagtui.changes.proposal import Skipped
    from flagtui.store.kinds import Kind
    from flagtui.store.workspace import Workspace

Answer = TypeVar("Answer")
Saved = Callable[[Collection[RecordId]], None]
"""Hears which records are as they were meant to be, so that their marks can go."""
HEARD_AFTER: Final = 0.05
"""Seconds after a key at which it is said what is read for its question; most are there before."""
GOODBYE: Final = 10.0
"""Seconds that leaving waits for changes on their way."""


def unheard(*_said: object) -> None:
    """Default callback: does nothing."""


@dataclass(frozen=True)
class Listener:
    """What to call at each turn."""

    saved: Saved = unheard
    """What was changed, as soon as that is known."""
    ended: Callable[[Ended[Any, Any]], None] = unheard
    """What was approved has come to an end, good or bad."""
    left_out: Sequence[Skipped] = ()
    """What was chosen as well and cannot be changed like this."""
    purpose: Purpose | None = None
    """An undo or a redo."""


NOBODY: Final = Listener()


class Screens:
    """Runs changes as tasks of the App, where no screen that closes and no refresh can cancel them."""

    def __init__(self, app: App[Any], app_state: AppState) -> None:
        self.app = app
        self._app_state = app_state
        self._on_their_way: set[asyncio.Task[Any]] = set()
        self._preparing: asyncio.Task[Any] | None = None
        """The task of the change that was begun and has not asked its question yet."""
        self.prepared = asyncio.Event()
        """Set while no change is between its key and its question."""
        self.prepared.set()
        self.passed: frozenset[str] = frozenset()
        """Ids of changes in the journal that `u` passes over: they were as before already."""

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
        self.prepared.clear()
        self.app.run_worker(self._run_change(change, asyncio.current_task()), group="changing")

    async def _run_change(
        self, change: Coroutine[Any, Any, None], begun_by: asyncio.Task[Any] | None
    ) -> None:
        if self._preparing not in (None, begun_by) or self.app.screen.is_modal:
            change.close()
            if self._preparing is None:
                self.prepared.set()
            return
        self._preparing = asyncio.current_task()
        try:
            await change
        finally:
            self._is_prepared()

    def _is_prepared(self) -> None:
        if self._preparing is asyncio.current_task():
            self._preparing = None
            self.prepared.set()

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
