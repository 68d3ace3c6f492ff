"""Where changes begin."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from textual.events import Event, Key, Paste

from flagtui.app.shell.preload import load_in_background
from flagtui.app.writing.screens import NOBODY, Listener, Screens, unheard

if TYPE_CHECKING:
    from flagtui.app.shell.sign_in import SignIn
    from flagtui.app.writing.key_queue import KeyQueue
    from flagtui.app.writing.screens import Saved
    from flagtui.app.writing.writer import Writer
    from flagtui.changes.flags.flag_intent import Intent
    from flagtui.changes.flags.flag_planner import NewFlag
    from flagtui.changes.journal_entries import Entry
    from flagtui.changes.pipeline import Ended
    from flagtui.changes.planner import Planner, Q
    from flagtui.changes.proposal import P, R, Skipped
    from flagtui.models.activity import Activity
    from flagtui.store.workspace import Workspace


class Changes(Screens):
    """Begins changes. What they are made with is loaded by the first of them."""

    @cached_property
    def _writer(self) -> Writer:
        # It takes longer to load than the first rows, which do without.
        from flagtui.app.writing.writer import Writer

        return Writer(self._app_state, self)

    @cached_property
    def _keys(self) -> KeyQueue:
        # No row waits for it.
        from flagtui.app.writing.key_queue import KeyQueue

        return KeyQueue(self, self._app_state)

    def holds(self, event: Event) -> bool:
        """Queue or refuse a key of a list that cannot be handled yet; False for every other event."""
        return isinstance(event, Key | Paste) and self._keys.hold(event)

    @property
    def signing_in(self) -> SignIn:
        """Asks for a key in place of one that is not accepted."""
        return self._writer.signing_in

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
        left_out: Sequence[Skipped] = (),
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
            self.run(self._writer.change([entry], Listener(ended=ended)))

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
