"""The keys that change flags, for every screen on which flags can be chosen."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from flagtui.app.lists.record_links import RecordKeys

if TYPE_CHECKING:
    from flagtui.app.flags.flag_edits import FlagEdits


class FlagKeys(RecordKeys):
    """A screen with this says which flags are meant; the rest is the same everywhere."""

    @cached_property
    def editing(self) -> FlagEdits:
        """The actions of the keys; imported on first use, since the list is drawn without them."""
        from flagtui.app.flags.flag_edits import FlagEdits

        return FlagEdits(self._app_state, self._changing)

    def action_switch(self) -> None:
        self.editing.switch(self.chosen(), self.saved)

    def action_delete(self) -> None:
        self.editing.delete(self.chosen(), self.saved)

    def action_archive(self) -> None:
        self.editing.archive(self.chosen(), self.saved)

    def action_rollout(self) -> None:
        self.editing.rollout(self.chosen(), self.saved)

    def action_tags(self) -> None:
        self.editing.tags(self.chosen(), self.saved)

    def action_edit_json(self) -> None:
        self.editing.as_json(self.at_cursor())

    def action_edit(self) -> None:
        self.editing.form(self.at_cursor())

    def action_new(self) -> None:
        self.editing.making.new(self.at_cursor())

    def action_copy_to(self) -> None:
        self.editing.making.copy_to(self.chosen(), self.saved)

    def action_deleted(self) -> None:
        self.editing.making.deleted()

    def action_schedule(self) -> None:
        for row in self.at_cursor():
            self.editing.scheduling.begin(row)
