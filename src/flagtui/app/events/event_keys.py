"""The keys that change event definitions, the same in the list and on one event's own screen."""

from collections.abc import Collection, Sequence

from flagtui.app.events.event_changes import EventChanges
from flagtui.app.events.event_edits import EventEditing
from flagtui.app.lists.record_links import RecordKeys
from flagtui.models.rows import EventDefinitionRow
from flagtui.store.load_progress import RecordId


class EventKeys(RecordKeys):
    """Mixed into screens that show event definitions."""

    event_path: EventChanges
    event_editing: EventEditing

    def chosen(self) -> Sequence[EventDefinitionRow]:
        """What the keys are about."""
        raise NotImplementedError

    def at_cursor(self) -> Sequence[EventDefinitionRow]:
        """The one event that a key is meant for which can only be about one."""
        return self.chosen()

    def saved(self, records: Collection[RecordId]) -> None:
        """What was chosen and is changed now."""

    def may_change(self, action: str) -> bool | None:
        permit = super().may_change(action)
        return None if permit and self.event_path.why_read_only else permit

    def action_verify(self) -> None:
        self.event_editing.verify(self.chosen(), self.saved)

    def action_hide(self) -> None:
        self.event_editing.hide(self.chosen(), self.saved)

    def action_describe(self) -> None:
        self.event_editing.describe(self.at_cursor(), self.saved)

    def action_edit_json(self) -> None:
        self.event_editing.edit_json(self.at_cursor(), self.saved)

    def action_describe_in_editor(self) -> None:
        self.event_editing.describe_in_editor(self.at_cursor(), self.saved)

    def action_tags(self) -> None:
        self.event_editing.tags(self.chosen(), self.saved)

    def action_owner(self) -> None:
        self.event_editing.owner(self.chosen(), self.saved)

    def action_primary_property(self) -> None:
        self.event_editing.primary_property(self.at_cursor(), self.saved)

    def action_enforcement(self) -> None:
        self.event_editing.enforcement(self.chosen(), self.saved)

    def action_delete(self) -> None:
        self.event_editing.delete(self.chosen(), self.saved)
