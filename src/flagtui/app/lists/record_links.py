"""Actions on records of any kind: copy, open in the browser, go to related ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from textual.screen import Screen

from flagtui.app.commands.command_table import BY_ID, Command, command_of, commands_of
from flagtui.app.shell.toasts import show_toast
from flagtui.app.state.go_to import RecordLink
from flagtui.app.state.permissions import (
    STAGING_TITLES,
    may_write,
    override_titles,
    overrides_in,
    writes_in,
)
from flagtui.store.kinds import KINDS, Kind
from flagtui.text.key_signs import key_sign
from flagtui.text.styled import Notice, why_not_opened

if TYPE_CHECKING:
    from flagtui.app.shell.change_tasks import OnReport
    from flagtui.app.state.app_state import AppState
    from flagtui.app.writing.change_runner import ChangeRunner

    AnyScreen = Screen[None]
else:
    # Textual reads the styles of a class from its first base that is a widget, and this is none.
    AnyScreen = object


class RecordKeys(AnyScreen):
    """Keys of links; the screen defines which record they act on."""

    _app_state: AppState
    _runner: ChangeRunner
    kind: Kind = "flags"
    """The kind of the records."""
    place: str
    """Whose commands work here."""
    chosen: Callable[[], Sequence[Any]]
    """Returns the rows that a key acts on: the marked ones, or the only one."""
    at_cursor: Callable[[], Sequence[Any]]
    """Gives the row under the cursor, whatever is marked; none without a row."""
    on_report: OnReport
    """Called with the report of every change that is begun here."""

    @property
    def write_scope(self) -> str:
        """The scope that changes on this screen need."""
        return KINDS[self.kind].write_scope

    def may_change(self, action: str) -> bool | None:
        """Return whether the command may run: None dims its key, False hides it; with a mirror, overrides."""
        if self._app_state.session.mirror is not None:
            return action in overrides_in(self.place)
        return may_write(self._app_state, self.write_scope)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hide the keys of changes that are known to be refused."""
        if action in writes_in(self.place) and (allowed := self.may_change(action)) is not True:
            return allowed
        command = command_of(self.place, action, *parameters[:1])
        if command is not None and self.why_not_now(command, command.sign):
            return False if self.refusal_of(command) else None
        return super().check_action(action, parameters)

    def why_not_now(self, command: Command, sign: str) -> str:
        """Return why the command cannot run on the chosen records; empty if it can. `sign` is its key."""
        if self._app_state.is_staging and command.why_direct:
            return f"it cannot be staged: {command.why_direct}; {key_sign('app.stage')} ends staging"
        why = self.refusal_of(command)
        return f"{self.title_of(command.id) or command.title}: {why}" if why else ""

    def refusal_of(self, command: Command) -> str:
        """Return why the one record chosen does not allow the command; empty where it does.

        The question about more records names those it leaves out.
        """
        in_mirror = self._app_state.session.mirror is not None
        if not command.writes or in_mirror or (row := self.only_row) is None:
            return ""
        verb = command.verb_for(row)
        return self.refuse(row, verb) if verb else ""

    def refuse(self, row: Any, verb: str) -> str:
        """Return why a command, by its name on the command line, cannot succeed on a record of this kind."""
        return ""

    def key_traits(self) -> Sequence[object]:
        """Return the facts of the chosen records that the line of keys shows; a change of them redraws it."""
        row, commands = self.first_row, commands_of(self.place)
        verbs = [command.title_for(row) for command in commands] if row is not None else []
        return verbs, [self.refusal_of(command) for command in commands], getattr(self, "next_commands", ())

    @property
    def first_row(self) -> Any:
        """The record that decides what a key does to all of them; None without one."""
        return next(iter(self.chosen()), None)

    @property
    def only_row(self) -> Any:
        """The one record that keys are for; None while more are marked."""
        return next(iter(self.single()), None)

    def title_of(self, command_id: str) -> str:
        """Return the word beside a key where it is not that of the command; empty for all others."""
        if self._app_state.session.mirror is not None:
            return override_titles().get(command_id, "")
        if self._app_state.is_staging and command_id in STAGING_TITLES:
            return STAGING_TITLES[command_id]
        command = BY_ID.get(command_id)
        if command is None or not command.depends_on_record or (row := self.first_row) is None:
            return ""
        return command.title_for(row)

    def single(self) -> Sequence[Any]:
        """Return the one marked record, else the one under the cursor; none while more are marked."""
        rows = self.chosen()
        return rows if len(rows) == 1 else ()

    def link_to(self, row: Any) -> RecordLink | None:
        """Return the record that a row is about."""
        return RecordLink.to(self.kind, row)

    def target(self) -> RecordLink | None:
        """Return the record under the cursor."""
        return next(map(self.link_to, self.at_cursor()), None)

    def needs_target(self, rows: Sequence[Any]) -> RecordLink | None:
        """Return the record of these rows; a toast explains a row without one."""
        target = next(map(self.link_to, rows), None)
        if rows and target is None:
            show_toast(self.app, Notice(self.why_no_target(rows[0])))
        return target

    def why_no_target(self, row: Any) -> str:
        """Return why a row leads to no record."""
        return "this row has no record of its own"

    def action_stage(self) -> None:
        self._runner.switch_staging()

    def action_undo(self) -> None:
        self._runner.undo()

    def action_redo(self) -> None:
        self._runner.redo()

    def action_copy_menu(self) -> None:
        from flagtui.app.lists.record_copies import copy_menu

        if (target := self.needs_target(self.single())) is not None:
            self._runner.run(copy_menu(self._app_state, self._runner, target))

    def action_link(self) -> None:
        target = self.needs_target(self.at_cursor())
        if self._app_state.workspace is None or target is None:
            return
        link = self._app_state.address_of(target.kind, target.id)
        if not link:
            show_toast(self.app, Notice(f"{target.key} has no page: the server is inside this program"))
        elif why := why_not_opened(link):
            show_toast(self.app, Notice(f"{link}\n{why}", seconds=20.0))
        else:
            self.app.open_url(link)

    def action_links(self) -> None:
        from flagtui.app.lists.record_copies import choose_link

        if (target := self.needs_target(self.at_cursor())) is not None:
            self._runner.run(choose_link(self._app_state, self._runner, target))
