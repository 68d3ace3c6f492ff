"""The keys that change event definitions, the same in the list and on one event's own screen."""

from collections.abc import Coroutine, Sequence
from typing import Any

from flagtui.api.heavy_work import off_loop
from flagtui.app.dialogs.picker import Choice, PickerScreen
from flagtui.app.events.event_changes import EventChanges
from flagtui.app.forms.completion import Completion, complete_event_properties, complete_event_tags
from flagtui.app.forms.form_lines import ask_field, ask_tags
from flagtui.app.forms.json_editing import EditedValues, edit_as_json, edit_as_text
from flagtui.app.lists.record_links import RecordKeys
from flagtui.app.shell.change_tasks import OnReport
from flagtui.app.shell.kept_texts import keeping_texts
from flagtui.app.state.app_state import AppState
from flagtui.changes.event_definitions.definition_intent import (
    EventIntent,
    definition_text,
    delete,
    edit_intent,
    hide,
    set_field,
    tag_intent,
    verify,
)
from flagtui.changes.proposal import Report
from flagtui.models.json_value import as_text
from flagtui.models.record_fields import EVENT_FIELDS
from flagtui.models.rows import EventDefinitionRow
from flagtui.text.formats import count

NO_OWNER = -1
"""The choice of no owner: a picker answers None when it is left."""
Rows = Sequence[EventDefinitionRow]


class EventKeys(RecordKeys):
    """Prompts for new values and passes intents to the pipeline; sends no change."""

    event_path: EventChanges

    def may_change(self, action: str) -> bool | None:
        permit = super().may_change(action)
        return None if permit and self.event_path.why_read_only else permit

    def action_verify(self) -> None:
        """Verify or unverify the chosen events, all to the opposite of the first one's state."""
        rows: Rows = self.chosen()
        self._start([verify(row.id, not rows[0].verified) for row in rows])

    def action_hide(self) -> None:
        """Hide or unhide the chosen events, all to the opposite of the first one's state."""
        rows: Rows = self.chosen()
        self._start([hide(row.id, not rows[0].hidden) for row in rows])

    def action_delete(self) -> None:
        """Delete permanently."""
        self._start([delete(row.id) for row in self.chosen()])

    def action_describe(self) -> None:
        """Edit the description on one line; several lines open the editor."""
        for row in self.single():
            if "\n" in row.description:
                self.action_describe_in_editor()
            else:
                self._ask(self._field("description", [row], f"Describe {row.name}"))

    async def _field(
        self, name: str, rows: Rows, title: str = "", completion: Completion | None = None
    ) -> None:
        """Prompt for a new value of a text field."""
        field = EVENT_FIELDS[name]
        before, change = field.value_of(rows[0]), f"{name} of {[row.id for row in rows]}"
        with keeping_texts(self._runner, self._app_state, change):
            answer = await ask_field(self._runner, field, before, title, completion=completion)
        if answer is not None:
            text = as_text(answer.value).strip()
            self._start([set_field(row.id, name, text, field.value_of(row)) for row in rows])

    def action_describe_in_editor(self) -> None:
        """Edit the description in the user's editor."""
        for row in self.single():
            if not self.event_path.is_read_only():
                self._runner.run(self._describe_in_editor(row))

    async def _describe_in_editor(self, row: EventDefinitionRow) -> None:
        drafts = self._app_state.session.state_folder / "drafts"
        edited = edit_as_text(self._runner, definition_text(row), "description", drafts)
        if edited is not None:
            text = edited.changes["description"]
            intent = set_field(row.id, "description", text, row.description)
            await _save_edited(intent, edited, self.event_path, self.on_report)

    def action_edit_json(self) -> None:
        """Edit all settable fields as JSON in the user's editor."""
        for row in self.single():
            edit_event_as_json(row, self._app_state, self.event_path, self.on_report)

    def action_tags(self) -> None:
        """Add, remove or set, for one event or many."""
        if rows := self.chosen():
            self._ask(self._tags(rows))

    async def _tags(self, rows: Rows) -> None:
        earlier, completion = [[*row.tags] for row in rows], complete_event_tags(self._app_state)
        with keeping_texts(self._runner, self._app_state, f"tags of {[row.id for row in rows]}"):
            tags = await ask_tags(self._runner, _whose(rows), "event", earlier, completion)
        if tags is not None:
            self._start(await off_loop(lambda: [tag_intent(row, tags) for row in rows], earlier))

    def action_owner(self) -> None:
        """Choose one of the known users, or no owner."""
        if rows := self.chosen():
            self._ask(self._owner(rows))

    async def _owner(self, rows: Rows) -> None:
        workspace = self._app_state.workspace
        if workspace is None:
            return
        owners, me = {row.owner_id for row in rows}, workspace.me.id if workspace.me else None
        people = sorted(workspace.people.items(), key=lambda pair: (pair[0] != me, pair[1]))
        choices = [
            Choice(number, name, "you" if number == me else "", owners == {number}) for number, name in people
        ]
        choices.append(Choice(NO_OWNER, "no owner", "", owners == {None}))
        chosen = await self._runner.ask(PickerScreen(f"Owner of {_whose(rows)}", choices))
        if chosen is not None:
            owner = None if chosen == NO_OWNER else chosen
            self._start([set_field(row.id, "owner", owner, row.owner_id) for row in rows])

    def action_primary_property(self) -> None:
        """Ask for the property that people see first; empty for none."""
        for row in self.single():
            completion = complete_event_properties(self._app_state, row.name)
            title = f"Primary property of {row.name}"
            self._ask(self._field("primary_property", [row], title, completion))

    def action_enforcement(self) -> None:
        """Choose whether events outside the schema are accepted."""
        if rows := self.chosen():
            self._ask(self._field("enforcement_mode", rows, f"Enforcement of {_whose(rows)}"))

    def _ask(self, edit: Coroutine[Any, Any, None]) -> None:
        if self.event_path.is_read_only():
            edit.close()
        else:
            self._runner.run(edit)

    def _start(self, intents: Sequence[EventIntent]) -> None:
        if intents:
            self.event_path.start(intents, self.on_report)


def edit_event_as_json(
    row: EventDefinitionRow, app_state: AppState, path: EventChanges, on_report: OnReport
) -> None:
    """Begin the change that the person makes of the JSON in their own editor."""
    if not path.is_read_only():
        path.runner.run(_edit_as_json(row, app_state, path, on_report))


async def _edit_as_json(
    row: EventDefinitionRow, app_state: AppState, path: EventChanges, on_report: OnReport
) -> None:
    drafts = app_state.session.state_folder / "drafts"
    edited = await edit_as_json(path.runner, definition_text(row), drafts)
    made = edit_intent(row, edited.changes) if edited is not None else None
    if edited is not None and made is not None:
        await _save_edited(made, edited, path, on_report)


async def _save_edited(
    intent: EventIntent, edited: EditedValues, path: EventChanges, on_report: OnReport
) -> None:
    def end(report: Report[Any, Any]) -> None:
        on_report(report)
        edited.on_report(report)

    if not path.is_read_only():
        await path.save([intent], end)
    edited.report_copy(path.runner)


def _whose(rows: Rows) -> str:
    """Return the name of the only event, or the number of events."""
    return rows[0].name if len(rows) == 1 else count(len(rows), "event")
