"""Keys that need the server or its rows, pressed before these are there: queued in order, or refused.

Loaded by the first key.
"""

import asyncio
from typing import Any, Final, Protocol, runtime_checkable

from textual import events
from textual.app import App
from textual.timer import Timer

from flagtui.app.commands.command import binding_of
from flagtui.app.commands.command_table import COMMANDS
from flagtui.app.shell.toasts import show_toast
from flagtui.app.state.app_state import AppState
from flagtui.app.widgets.row_list import RowList
from flagtui.store.load_progress import RecordId
from flagtui.text.formats import count
from flagtui.text.key_signs import key_sign
from flagtui.text.styled import Notice

NEEDS_SERVER: Final = frozenset(command.id for command in COMMANDS if command.needs_server)
"""Ids of these commands."""
MOVES: Final = frozenset(command.id for command in COMMANDS if command.handler == "rows")
"""Those that move the cursor or mark: on a list without rows the next key would be about another row."""
NEEDS_ROWS: Final = MOVES | {
    command.id for command in COMMANDS if command.needs_server and command.needs_record
}
"""Those about a row. For others that need the server a connection is enough."""
QUIT: Final = "ctrl+q"
NOTICED_AFTER: Final = 0.5
"""Seconds after which a queue is announced; most connections take less."""


@runtime_checkable
class AwaitsRows(Protocol):
    """A screen whose list may still get its first rows without a key."""

    @property
    def awaits_rows(self) -> bool:
        """Whether rows are being loaded."""


class KeyQueue:
    """Holds the first key that cannot be handled yet, and every key after it, until it can be.

    The keys act on the row that was under the cursor. Escape drops them, and so do a connection that fails
    and a dialog that one of them opens: no question is answered before it was read.
    """

    def __init__(self, app: App[Any], app_state: AppState, prepared: asyncio.Event) -> None:
        """`prepared` is set while no change is between its key and its question."""
        self._app = app
        self._prepared = prepared
        self._app_state = app_state
        self._keys: list[events.Key | events.Paste] = []
        self._rows: RowList[object] | None = None
        self._record: RecordId | None = None
        """The record under the cursor when the first of them was pressed."""
        self._needs_rows = False
        """Whether one of them is about a row."""
        self._delivered: events.Event | None = None
        self._is_releasing = False
        self._is_handing_over = False
        """A key left the queue and is not handled yet: no other key may overtake it."""
        self._notice: Timer | None = None
        app_state.watch(self._follow)

    def hold(self, event: events.Event) -> bool:
        """Queue or refuse a key that cannot be handled yet; False when it can be."""
        if event is self._delivered or not isinstance(event, events.Key | events.Paste):
            return False
        key = event.key if isinstance(event, events.Key) else ""
        if not self._keys and not self._is_handing_over:
            # What a released key has begun to prepare holds no key back.
            return not self._is_releasing and self._is_first(key) and self._begin(event, key)
        if key == QUIT:
            self._clear()
            return False
        if key == "escape":
            return self._drop("Escape")
        self._queue(event, key)
        return True

    def _is_first(self, key: str) -> bool:
        """Return whether the key needs a connection, or rows, that its list does not have yet."""
        app, rows = self._app, self._app.focused
        # What needs rows is ready last, and the command of a key takes long to find.
        if not isinstance(rows, RowList) or app.screen.is_modal or self._is_ready(rows, needs_rows=True):
            return False
        id = self._command_of(key)
        if self._is_ready(rows, needs_rows=id in NEEDS_ROWS):
            return False
        # Picking a flag takes its key from its row and leaves.
        is_picked = rows.shown > 0 and self._app_state.session.pick is not None
        return (id in NEEDS_SERVER and not is_picked) or (id in MOVES and not rows.shown)

    def _command_of(self, key: str) -> str:
        """Return the id of the key's command on this screen; empty if the key does nothing now."""
        active = binding_of(self._app.screen, key)
        return (active.binding.id or "") if active is not None and active.enabled else ""

    def _is_ready(self, rows: RowList[object], *, needs_rows: bool) -> bool:
        if self._app_state.workspace is None:
            return False
        screen = self._app.screen
        is_awaited = isinstance(screen, AwaitsRows) and screen.awaits_rows
        return not needs_rows or rows.shown > 0 or not is_awaited

    def _queue(self, event: events.Key | events.Paste, key: str) -> None:
        self._keys.append(event)
        self._needs_rows = self._needs_rows or self._command_of(key) in NEEDS_ROWS

    def _begin(self, event: events.Key | events.Paste, key: str) -> bool:
        """Queue the first key; refuse it where the connection has failed."""
        if self._app_state.trouble is not None:
            words = f"The project is not open; {key_sign('app.refresh')} tries again."
            show_toast(self._app, Notice(words, "warning", "not possible now"))
            return True
        rows = self._app.focused
        if isinstance(rows, RowList):
            self._rows, self._record = rows, rows.row_id
        self._queue(event, key)
        self._notice = self._app.set_timer(NOTICED_AFTER, self._announce)
        return True

    def _announce(self) -> None:
        if self._keys and not self._is_releasing:
            cause = "Connecting" if self._app_state.workspace is None else "Loading rows…"
            show_toast(self._app, Notice(f"{cause}; your keys are queued until then. Esc drops them."))

    def _clear(self) -> int:
        """Clear the queue and return the number of dropped keys."""
        dropped = len(self._keys)
        self._keys.clear()
        self._needs_rows = False
        if self._notice is not None:
            self._notice.stop()
            self._notice = None
        return dropped

    def _drop(self, why: str) -> bool:
        """Drop the queued keys and return whether there were any."""
        dropped = self._clear()
        if dropped:
            # A question takes away every toast before it.
            notice = Notice(f"{why}: {count(dropped, 'queued key')} dropped", "warning")
            self._app.screen.call_after_refresh(show_toast, self._app, notice)
        return dropped > 0

    def _follow(self) -> None:
        """Release or drop the keys once the connection is there or has failed."""
        if not self._keys or self._is_releasing:
            return
        if self._app_state.trouble is not None:
            self._drop("The project is not open")
        elif self._rows is not None and self._is_ready(self._rows, needs_rows=self._needs_rows):
            self._is_releasing = True
            self._app.run_worker(self._release(), group="keys")

    async def _release(self) -> None:
        """Pass on the keys one by one, each once the previous one has opened its screen."""
        rows, record = self._rows, self._record
        try:
            if rows is not self._app.focused:
                self._drop("The list was left")
            elif rows is not None and record not in (None, rows.row_id) and not rows.select(record):
                self._drop("The row is not in the list any more")
            while self._keys:
                handled = asyncio.Event()
                self._is_handing_over = True
                self._app.call_later(self._hand_over, self._keys.pop(0), handled)
                await handled.wait()
                await self._prepared.wait()
                if self._app.screen.is_modal:
                    self._drop("A dialog takes only keys pressed after it opened")
        finally:
            self._clear()
            self._is_releasing = self._is_handing_over = False

    async def _hand_over(self, event: events.Key | events.Paste, handled: asyncio.Event) -> None:
        self._delivered = event
        try:
            await self._app.on_event(event)
        finally:
            self._delivered, self._is_handing_over = None, False
            handled.set()
