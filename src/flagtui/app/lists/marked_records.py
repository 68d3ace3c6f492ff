"""Select the records that a key of a list is for: the marked ones, or the one under the cursor."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, Generic

from flagtui.app.commands.command import Command
from flagtui.app.lists.list_frame import BrowseScreen
from flagtui.app.lists.record_links import RecordKeys
from flagtui.app.shell.footer import KeyLine
from flagtui.app.shell.toasts import copy_text, drop_toast, show_toast
from flagtui.app.state.permissions import may_write
from flagtui.store.collection import IdRow
from flagtui.text.key_signs import key_sign
from flagtui.text.styled import Notice, Piece

if TYPE_CHECKING:
    from flagtui.changes.proposal import Report


MARKING: Final = frozenset(("lists.mark", "lists.mark_range", "lists.mark_shown"))
"""Ids of commands that mark rows."""


class MarkedRecords(RecordKeys, BrowseScreen, Generic[IdRow]):
    """Applies one rule to every command: for many, for one, or for the row under the cursor."""

    _marked_before = 0
    _shown_traits: Sequence[object] = ()

    @property
    def record(self) -> IdRow | None:
        """The record under the cursor."""
        row: IdRow | None = self.rows.row
        return row

    def chosen(self) -> Sequence[IdRow]:
        """Return the marked records, else the one under the cursor."""
        marked: list[IdRow] = [*self.rows.marked_rows()]
        return marked or ([self.record] if self.record is not None else [])

    def at_cursor(self) -> Sequence[IdRow]:
        """Return the record under the cursor alone, whatever is marked."""
        return [self.record] if self.record is not None else []

    @property
    def first_row(self) -> IdRow | None:
        return self.rows.first_marked if self.marked else self.record

    @property
    def only_row(self) -> IdRow | None:
        return self.first_row if self.marked <= 1 else None

    def why_not_now(self, command: Command, sign: str) -> str:
        """Return why the command cannot run: it is for one record, or too many are marked."""
        marked = self.marked
        if command.handler == "query" and self.saved_query(int(command.argument or 0)) is None:
            return f"{sign}: no saved search; {key_sign('lists.save_query')} saves the present one"
        if self.lacks_rows(command):
            way = f"; {key_sign('app.back')} clears the search" if self.search.value else ""
            return f"{sign}: no {self.description.what} are shown{way}"
        if command.applies_to == "one" and marked > 1:
            back = key_sign("app.back")
            unmark = f"{back} {back} unmarks" if self.search.value else f"{back} unmarks"
            return f"{marked:,} are marked; {sign} is for one; {unmark}"
        if command.applies_to == "many" and command.writes and marked > self.bulk_limit:
            return self._too_many(marked)
        return super().why_not_now(command, sign)

    def lacks_rows(self, command: Command) -> bool:
        """Return whether nothing is shown that the command is for; hidden marked records count for many."""
        if not (command.applies_to or command.id in MARKING) or not self.is_empty:
            return False
        keeps_some = command.id == "lists.mark_shown" and self.marked > self.bulk_limit
        return not (keeps_some or (self.marked and command.applies_to in ("many", "one")))

    def _too_many(self, marked: int) -> str:
        limit = self.bulk_limit
        keeps = f"{key_sign('lists.mark_shown')} keeps the first {limit:,}"
        return f"{marked:,} are marked; one change has at most {limit:,}; {keeps}"

    @property
    def is_empty(self) -> bool:
        """Whether there is no row to come: the search matches nothing, or there is nothing to match."""
        return not self.rows.shown and (self._finder.total > 0 or self.is_read)

    @property
    def is_read(self) -> bool:
        """Whether every row has arrived."""
        return False

    @property
    def bulk_limit(self) -> int:
        """The number of records that one change may have in this profile."""
        return self._app_state.session.rules.bulk_limit

    def on_report(self, report: "Report[Any, Any]") -> None:
        """Unmark the records whose change was saved."""
        self.rows.unmark(report.saved_ids)

    def action_copy_key(self) -> None:
        keys = [self.description.key(row) for row in self.chosen()]
        if keys:
            what = f"{len(keys):,} {self.description.what}" if len(keys) > 1 else ""
            copy_text(self.app, "\n".join(keys), what)

    def counted_rows(self) -> Sequence[IdRow]:
        """Return the rows that the header counts: all that are shown."""
        shown: list[IdRow] = self.rows.shown_rows()
        return shown

    def action_mark_shown(self) -> None:
        """Mark all counted rows; then keep as many as one change may have, then none."""
        counted = [row.id for row in self.counted_rows()]
        if self.marked > self.bulk_limit:
            self.rows.keep_first_marks(self.bulk_limit)
        elif self.marked == self.bulk_limit or (self.marked and self.rows.marks.issuperset(counted)):
            self.rows.action_clear_marks()
        else:
            self.rows.mark(counted)

    def show_keys_for_record(self) -> None:
        """Draw the keys again when the records chosen allow others than those shown."""
        if (traits := [*self.key_traits(), self.is_outermost]) != self._shown_traits:
            self._shown_traits = traits
            self.query_one(KeyLine).show_keys()

    def show_keys_for_marks(self) -> None:
        """Dim or show the keys that depend on the number of marks, and warn once there are too many."""
        before, self._marked_before = self._marked_before, self.marked
        kinds = {_marks_class(marked, self.bulk_limit) for marked in (before, self.marked)}
        if len(kinds) > 1:
            self.refresh_bindings()
        if before > self.bulk_limit and before != self.marked:
            drop_toast(self.app, Notice(self._too_many(before)))
        if before <= self.bulk_limit < self.marked and may_write(self._app_state, self.write_scope):
            show_toast(self.app, Notice(self._too_many(self.marked), "warning"))


def _marks_class(marked: int, limit: int) -> tuple[bool, bool, bool]:
    """Return the facts that the keys depend on: any marks, several, more than one change may have."""
    return marked > 0, marked > 1, marked > limit


def marked_piece(marked: int, limit: int) -> Piece:
    """Return ` 3 marked  `, with a warning where one change may not have so many."""
    if marked > limit:
        return (f" {marked:,} marked, at most {limit:,} at once  ", "$warning")
    return (f" {marked:,} marked  ", "$primary")
