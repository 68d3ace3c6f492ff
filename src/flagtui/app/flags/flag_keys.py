"""The keys that change flags, for every screen on which flags can be chosen."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from flagtui.app.lists.record_links import RecordKeys

if TYPE_CHECKING:
    from flagtui.app.flags.flag_edits import FlagEdits
    from flagtui.models.rows import FlagRow


class FlagKeys(RecordKeys):
    """Keys of flags; the screen defines which flags they act on."""

    @cached_property
    def editing(self) -> FlagEdits:
        """The actions of the keys; imported on first use, since the list is drawn without them."""
        from flagtui.app.flags.flag_edits import FlagEdits

        return FlagEdits(self._app_state, self._runner, self.on_report)

    def refuse(self, row: FlagRow, verb: str) -> str:
        if row.can_edit and row.type != "rules" and not (row.archived or row.deleted):
            return ""
        # Few flags refuse anything; the first rows are drawn without their rules.
        from flagtui.changes.flags.row_refusals import refuse_row

        return refuse_row(row, verb)

    def _ask(
        self, edit: Callable[[Sequence[FlagRow]], Coroutine[Any, Any, None]], *, is_single: bool
    ) -> None:
        """Begin what asks for more; `is_single` is for one flag."""
        rows: Sequence[FlagRow] = self.single() if is_single else self.chosen()
        if rows and not self._runner.is_read_only():
            self._runner.run(edit(rows))

    def _override(self, edit: str) -> bool:
        """Begin an override of the chosen flags if a mirror is open; return False if not."""
        mirror, rows = self._app_state.session.mirror, self.chosen()
        if mirror is not None and rows:
            from flagtui.app.flags.override_edits import OverrideEdits

            edits = OverrideEdits(self._app_state, self._runner, self.on_report, mirror)
            self._runner.run(edits.choose(rows) if edit == "value" else edits.share(rows))
        return mirror is not None

    def action_switch(self) -> None:
        if not self._override("value"):
            self.editing.switch(self.chosen())

    def action_delete(self) -> None:
        self.editing.delete(self.chosen())

    def action_archive(self) -> None:
        self.editing.archive(self.chosen())

    def action_rollout(self) -> None:
        if not self._override("share"):
            self._ask(self.editing.rollout, is_single=False)

    def action_tags(self) -> None:
        self._ask(self.editing.tags, is_single=False)

    def action_copy_to(self) -> None:
        self._ask(self.editing.making.copy_to, is_single=False)

    def action_edit_json(self) -> None:
        self._ask(self.editing.as_json, is_single=True)

    def action_edit(self) -> None:
        self._ask(self.editing.form, is_single=True)

    def action_new(self) -> None:
        if self._app_state.workspace is not None and not self._runner.is_read_only():
            self._runner.run(self.editing.making.new(self.at_cursor()))

    def action_deleted(self) -> None:
        from flagtui.app.flags.deleted_screen import DeletedScreen

        self.app.push_screen(DeletedScreen(self._app_state, self._runner))

    def action_due(self) -> None:
        from flagtui.app.flags.due_screen import DueScreen

        self.app.push_screen(DueScreen(self._app_state, self._runner))

    def action_schedule(self) -> None:
        for row in self.single():
            self._runner.run(self.editing.related.schedule(row))
