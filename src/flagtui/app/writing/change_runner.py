"""The entry point of every change of the app."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final

from textual.events import Event, Key, Paste

from flagtui.app.shell.change_tasks import ChangeTasks, OnReport, ignore
from flagtui.app.shell.preload import load_every_module, load_in_background
from flagtui.local_time import DAY
from flagtui.private_folders import may_exist
from flagtui.text.styled import Notice

if TYPE_CHECKING:
    from flagtui.app.shell.key_queue import KeyQueue
    from flagtui.app.shell.stray_keys import StrayKeys
    from flagtui.app.state.staging_mode import Staging
    from flagtui.app.writing.write_path import WritePath
    from flagtui.changes.flags.flag_intent import Intent
    from flagtui.changes.flags.flag_planner import NewFlag
    from flagtui.changes.journal_entries import Entry
    from flagtui.changes.planner import Planner, Q
    from flagtui.changes.proposal import P, Purpose, R, Report
    from flagtui.changes.skipped import Skipped
    from flagtui.models.activity_rows import ChangeRow
    from flagtui.store.workspace import Workspace


MOST_OPEN: Final = 3
"""Forms of earlier runs that a toast names."""
STAGED_EVERY: Final = 2.0
"""Seconds between looks at the file of the staged set, which other programs may change."""


class ChangeRunner(ChangeTasks):
    """Starts every change of the app; the first one loads the write path."""

    _recovered: Workspace | None = None
    """The open project, if the changes that were left open in it are looked up."""

    @cached_property
    def _path(self) -> WritePath:
        # It takes longer to load than the first rows, which do without.
        from flagtui.app.writing.write_path import WritePath

        return WritePath(self._app_state, self, lambda: self.staging)

    @cached_property
    def _keys(self) -> KeyQueue:
        # No row waits for it.
        from flagtui.app.shell.key_queue import KeyQueue

        return KeyQueue(self.app, self._app_state, self.prepared)

    @cached_property
    def stray_keys(self) -> StrayKeys:
        """Keys that do nothing now; loaded by the first key."""
        from flagtui.app.shell.stray_keys import StrayKeys

        return StrayKeys(self.app, self._app_state, lambda: self.app._keymap)

    def holds(self, event: Event) -> bool:
        """Queue, refuse or drop a key that is not to be handled now; False for every other event."""
        if isinstance(event, Key | Paste) and self._keys.hold(event):
            return True
        return isinstance(event, Key) and self.stray_keys.drop(event)

    async def write(
        self,
        intents: Sequence[Q],
        planner: Planner[Q, P, R],
        on_report: OnReport = ignore,
        skipped: Sequence[Skipped] = (),
        purpose: Purpose | None = None,
    ) -> Report[P, R] | None:
        """Plan, ask about and carry out these intents together; None when not confirmed. Only within `run`.

        `skipped` was chosen with them and cannot be changed like this.
        """
        return await self._path.write(intents, planner, on_report, skipped, purpose)

    def is_read_only(self) -> bool:
        """Return whether the profile refuses every change, and show a toast then."""
        from flagtui.changes.guard import refuse_early
        from flagtui.text.outcomes import explain_refusal

        refused = refuse_early(self._app_state.session.rules, 1, "record")
        if refused is not None:
            self.show_toast(explain_refusal(refused))
        return refused is not None

    def start(
        self, intents: Sequence[Intent], on_report: OnReport = ignore, skipped: Sequence[Skipped] = ()
    ) -> None:
        """Begin the path of these intents about flags, which are confirmed together."""
        if intents or skipped:
            self.run(self._path.change(intents, on_report, skipped))

    async def change(self, intents: Sequence[Intent], on_report: OnReport) -> None:
        """Carry out intents about flags, which are confirmed together. Only within `run`."""
        await self._path.change(intents, on_report)

    async def create(
        self,
        new_flags: Sequence[NewFlag],
        on_report: OnReport = ignore,
        skipped: Sequence[Skipped] = (),
        other: tuple[Workspace, str] | None = None,
    ) -> None:
        """Create flags, in this project or in another with its name. Only within `run`."""
        workspace, place = other or (self._app_state.workspace, "")
        if workspace is not None:
            await self._path.create(new_flags, on_report, skipped, workspace, place)

    def revert(self, rows: Sequence[ChangeRow], on_reverted: Callable[[Sequence[str]], None]) -> None:
        """Revert changes in the activity, unless the same fields were changed since."""
        if rows:
            self.run(self._path.revert(rows, on_reverted))

    def undo(self) -> None:
        """Undo this user's newest change here, with those confirmed together with it."""
        self.run(self._path.undo_newest(is_redo=False))

    def redo(self) -> None:
        """Redo the last undone change, unless something else was changed since."""
        self.run(self._path.undo_newest(is_redo=True))

    def undo_entries(self, entries: Sequence[Entry], skipped: Sequence[Skipped] = ()) -> None:
        """Undo earlier changes of this user here, newest first, whatever came after them."""
        self.run(self._path.undo_entries(entries, skipped))

    def follow_staged(self) -> None:
        """Look at the staged set from now on."""
        self.app.set_interval(STAGED_EVERY, self.look_at_staged)

    def look_at_staged(self) -> None:
        """Show the staged set of this project; another program may have changed it."""
        if "staging" in self.__dict__:
            earlier = self._app_state.staged_fault
            self.staging.look()
            if self._app_state.is_staging and (fault := self._app_state.staged_fault) not in ("", earlier):
                self.show_toast(Notice(f"The staged set cannot be read.\n{fault}", "warning"))
        elif may_exist(self._app_state.session.state_folder / "sets"):
            self.app.run_worker(self._load_staging(), group="staging", exclusive=True)

    async def _load_staging(self) -> None:
        await load_in_background()
        self.staging.look()

    @cached_property
    def staging(self) -> Staging:
        """The staged set; loaded by the first look at one that exists, or by its key."""
        from flagtui.app.state.staging_mode import Staging

        return Staging(self._app_state)

    def switch_staging(self) -> None:
        """Stage what keys change from now on, or send it again."""
        self._path.stage_steps.switch()

    def step_staged(self, *, is_redo: bool) -> None:
        """Undo the last step of the staged set, or redo it."""
        self.run(self._path.stage_steps.undo_step(is_redo=is_redo))

    def apply_staged(self) -> None:
        """Apply the staged set, after one question."""
        from flagtui.app.writing.set_application import SetApplication

        self.run(SetApplication(self._app_state, self, self._path, self.staging).apply())

    def recover_unresolved(self, *, is_again: bool = False) -> None:
        """Find out what became of changes that were left open in this project, once for each opening of it.

        What could not be found out is looked up again, and with `is_again` everything.
        """
        if is_again or self._app_state.workspace is not self._recovered:
            self.app.run_worker(self._recover_unresolved(), group="changing")

    async def _recover_unresolved(self) -> None:
        await load_in_background()
        if not self.app.is_headless:
            # Loaded here: the first rows do without it.
            from flagtui.app.shell.garbage import shorten_collections

            shorten_collections()
        await self.wait_for_saves()
        workspace = self._app_state.workspace
        if workspace is not None and await self._show_recovered(workspace):
            self._recovered = workspace
            await self._show_open_forms()
        if not self.app.is_headless:
            self.app.run_worker(load_every_module(), group="preload", exclusive=True)

    async def _show_open_forms(self) -> None:
        """Name the forms that were open when a run of the last day ended: no list shows them."""
        from flagtui.app.shell.kept_texts import find_shelf

        shelf = find_shelf(self._app_state)
        if shelf is None or not may_exist(shelf.folder):
            return
        names = await asyncio.to_thread(shelf.names, self._app_state.session.clock.time() - DAY)
        if names:
            more = f" and {len(names) - MOST_OPEN:,} more" if len(names) > MOST_OPEN else ""
            words = f"Open when flagtui ended: {', '.join(names[:MOST_OPEN])}{more}."
            self.show_toast(Notice(f"{words} The same form offers what was entered.", "warning"))

    async def _show_recovered(self, workspace: Workspace) -> bool:
        """Show what became of these changes, and return whether that is known of each of them."""
        from flagtui.changes.journal import JournalUnwritable
        from flagtui.changes.recovery import recover_all

        session, here = self._app_state.session, self._app_state.signature(workspace)
        try:
            recovered = await recover_all(session.journal, workspace.client, here, session.mirror)
        except JournalUnwritable as fault:
            self.show_toast(Notice(f"The journal cannot be written: {fault}", "error"))
            return False
        for change in recovered:
            self.show_recovery(change)
        return all(change.verdict != "not known" for change in recovered)
