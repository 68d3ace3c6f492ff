"""Actions that edit event definitions: ask for the new value, hand the intent to the pipeline."""

from collections.abc import Coroutine, Sequence
from typing import Any

from flagtui.api.errors import ApiError
from flagtui.app.dialogs.picker import Choice, PickerScreen
from flagtui.app.dialogs.prompt import Prompt, PromptReading, PromptScreen
from flagtui.app.events.event_changes import EventChanges
from flagtui.app.state.app_state import AppState
from flagtui.app.writing.form_lines import ask_field
from flagtui.app.writing.json_editing import edit_as_json, edit_as_text
from flagtui.app.writing.screens import Listener, Saved
from flagtui.changes.event_definitions.definition_intent import (
    EventIntent,
    definition_text,
    delete,
    describe,
    edit_intent,
    enforce,
    hide,
    set_owner,
    set_property,
    tag_intent,
    verify,
)
from flagtui.changes.flags.flag_intent import read_tags
from flagtui.models.json_value import as_text
from flagtui.models.record_fields import EVENT_FIELDS
from flagtui.models.rows import EventDefinitionRow
from flagtui.safe_text import safe_text
from flagtui.text.outcomes import explain_error
from flagtui.text.styled import Notice

NOBODY = -1
"""The choice of no owner: a picker answers None when it is left."""
Edit = Coroutine[Any, Any, None]
Rows = Sequence[EventDefinitionRow]


class EventEditing:
    """What can be begun for the events that are chosen. Nothing here sends a change itself."""

    def __init__(self, app_state: AppState, path: EventChanges) -> None:
        self._app_state = app_state
        self._path = path

    def verify(self, rows: Rows, saved: Saved) -> None:
        """Several go the same way: the first decides."""
        if rows:
            self._start([verify(row.id, not rows[0].verified) for row in rows], saved)

    def hide(self, rows: Rows, saved: Saved) -> None:
        """Several go the same way: the first decides."""
        if rows:
            self._start([hide(row.id, not rows[0].hidden) for row in rows], saved)

    def delete(self, rows: Rows, saved: Saved) -> None:
        """For real."""
        self._start([delete(row.id) for row in rows], saved)

    def describe(self, rows: Rows, saved: Saved) -> None:
        """On one line; a description of several lines goes to the editor."""
        if not rows:
            return
        if "\n" in rows[0].description:
            self.describe_in_editor(rows, saved)
        else:
            self._run(self._describe(rows[0], saved))

    async def _describe(self, row: EventDefinitionRow, saved: Saved) -> None:
        field = EVENT_FIELDS["description"]
        answer = await ask_field(self._path.changing, field, row.description, f"Describe {row.name}")
        if answer is not None:
            self._start([describe(row.id, as_text(answer.value).strip(), row.description)], saved)

    def describe_in_editor(self, rows: Rows, saved: Saved) -> None:
        """In the person's own editor."""
        if rows and not self._is_read_only():
            row = rows[0]
            text = edit_as_text(self._path.changing, row.description, "description.txt")
            if text is None or text.strip() == row.description.strip():
                self._path.changing.tell(Notice(f"{row.name}: nothing was changed"))
            else:
                self._start([describe(row.id, text.strip(), row.description)], saved)

    def edit_json(self, rows: Rows, saved: Saved) -> None:
        """All that can be changed, as JSON in the person's own editor."""
        if not rows or self._is_read_only():
            return
        row = rows[0]
        drafts = self._app_state.session.state_folder / "drafts"
        edited = edit_as_json(self._path.changing, definition_text(row), drafts)
        made = edit_intent(row, edited.changes) if edited is not None else None
        if edited is not None and made is not None:
            ended = Listener(saved=saved, ended=lambda ended: edited.saved() if ended.is_saved else None)
            self._path.start([made], ended)

    def tags(self, rows: Rows, saved: Saved) -> None:
        """Add, remove or set, for one event or many."""
        if rows:
            self._run(self._tags(rows, saved))

    async def _tags(self, rows: Rows, saved: Saved) -> None:
        about = "ops adds · -ops removes · several with commas · = ops, web sets them all"
        title = f"Tags of {rows[0].name}" if len(rows) == 1 else f"Tags of {len(rows)} events"
        prompt = Prompt(title, about, hint="billing, -old", read=lambda line: _afterwards(line, rows))
        line = await self._path.changing.ask(PromptScreen(prompt))
        if line is not None and not (wanted := read_tags(line)).is_empty:
            self._start([tag_intent(row, wanted) for row in rows], saved)

    def owner(self, rows: Rows, saved: Saved) -> None:
        """One of the people known here, or no owner."""
        if rows:
            self._run(self._owner(rows, saved))

    async def _owner(self, rows: Rows, saved: Saved) -> None:
        workspace = self._app_state.workspace
        if workspace is None:
            return
        now, me = rows[0].owner_id, workspace.me.id if workspace.me else None
        known = sorted(workspace.people.items(), key=lambda one: (one[0] != me, one[1]))
        choices = [
            Choice(number, name, "you" if number == me else "", number == now) for number, name in known
        ]
        choices.append(Choice(NOBODY, "nobody", "", now is None))
        chosen = await self._path.changing.ask(PickerScreen("Owner", choices))
        if chosen is not None:
            wanted = None if chosen == NOBODY else chosen
            self._start([set_owner(row.id, wanted, row.owner_id) for row in rows], saved)

    def primary_property(self, rows: Rows, saved: Saved) -> None:
        """The property people see first; empty for none."""
        if rows:
            self._run(self._primary_property(rows[0], saved))

    async def _primary_property(self, row: EventDefinitionRow, saved: Saved) -> None:
        field, before = EVENT_FIELDS["primary_property"], row.primary_property
        answer = await ask_field(self._path.changing, field, before, f"Primary property of {row.name}")
        if answer is not None:
            self._start([set_property(row.id, as_text(answer.value).strip(), before)], saved)

    def enforcement(self, rows: Rows, saved: Saved) -> None:
        """Whether events that do not fit are taken."""
        if rows:
            self._run(self._enforcement(rows, saved))

    async def _enforcement(self, rows: Rows, saved: Saved) -> None:
        before = rows[0].enforcement
        answer = await ask_field(self._path.changing, EVENT_FIELDS["enforcement_mode"], before)
        if answer is not None:
            self._start([enforce(row.id, as_text(answer.value), row.enforcement) for row in rows], saved)

    async def code(self) -> str:
        """The TypeScript of all events; empty when it cannot be had, which is told."""
        workspace = self._app_state.workspace
        if workspace is None:
            return ""
        try:
            return (await workspace.client.event_definitions.code("typescript")).content
        except ApiError as error:
            self._path.changing.tell(explain_error(error, "the TypeScript cannot be had"))
            return ""

    def _run(self, edit: Edit) -> None:
        if self._is_read_only():
            edit.close()
        else:
            self._path.changing.run(edit)

    def _is_read_only(self) -> bool:
        if why := self._path.why_read_only:
            self._path.changing.tell(Notice(why, "warning", "read-only"))
        return bool(why)

    def _start(self, intents: Sequence[EventIntent], saved: Saved) -> None:
        self._path.start(intents, Listener(saved=saved))


def _afterwards(line: str, rows: Rows) -> PromptReading:
    wanted = read_tags(line)
    if wanted.problem or wanted.is_empty:
        return PromptReading(problem=wanted.problem)
    if len(rows) > 1:
        return PromptReading([(f"for {len(rows)} events", "$text-muted")])
    shown = " ".join(f"#{safe_text(tag, 40)}" for tag in wanted.of(rows[0].tags)) or "no tags"
    return PromptReading([(shown, "$success")])
