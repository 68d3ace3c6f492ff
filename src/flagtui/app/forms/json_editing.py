"""Edit a record as JSON in the user's editor, which has the terminal meanwhile."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from textual.app import App, SuspendNotSupported

from flagtui.api.heavy_work import off_loop
from flagtui.app.writing.change_runner import ChangeRunner
from flagtui.changes import editor_text
from flagtui.changes.editor_text import GivenUp, RecordText
from flagtui.changes.proposal import Report
from flagtui.config.editor_program import Editor, NoEditor, find_editor
from flagtui.models.json_value import JSON, as_text
from flagtui.text.key_signs import key_sign
from flagtui.text.styled import Notice

Made = TypeVar("Made")


def hand_over(app: App[Any], work: Callable[[], Made]) -> Made:
    """Run `work` and return its result; the terminal belongs to whatever it starts meanwhile.

    Raises NoEditor where the terminal cannot be handed over, as in a browser.
    """
    if app.is_headless:
        return work()
    made: list[Made] = []
    faults: list[OSError] = []
    try:
        with app.suspend():
            # What is raised in here would leave the terminal as the editor had it.
            try:
                made.append(work())
            except OSError as fault:
                faults.append(fault)
    except SuspendNotSupported:
        form = f"use {key_sign('flags.edit')} instead"
        raise NoEditor(f"this terminal cannot be handed over to an editor; {form}") from None
    if faults:
        raise NoEditor(f"the file for the editor cannot be made: {faults[0].strerror}")
    return made[0]


class EditedValues(msgspec.Struct, frozen=True):
    """The values that were changed, kept in a file until they are saved."""

    changes: Mapping[str, JSON]
    copy: Path | None

    def delete_copy(self) -> None:
        """Delete the copy once it is saved."""
        editor_text.forget(self.copy)

    def on_report(self, report: Report[Any, Any]) -> None:
        """Delete the copy once the values are saved or staged."""
        if report.saved_ids:
            self.delete_copy()

    def report_copy(self, runner: ChangeRunner) -> None:
        """Show a toast with the path of the copy, unless the values were saved."""
        if self.copy is not None and self.copy.exists():
            runner.show_toast(Notice(f"Your text is kept in {self.copy}", "warning"))


async def edit_as_json(runner: ChangeRunner, record: RecordText, drafts: Path) -> EditedValues | None:
    """Return the edited values; None, after a toast with the reason, when there is nothing to save.

    The text of a heavy record is made in a thread, before the editor has the terminal.
    """
    text = await off_loop(record.text, dict(record.shown))
    made = _in_editor(runner, lambda open_editor: editor_text.edit(record, open_editor, drafts, text))
    return _read_edited(runner, record, made, drafts)


def edit_as_text(runner: ChangeRunner, record: RecordText, field: str, drafts: Path) -> EditedValues | None:
    """Edit one field alone as plain text; None, after a toast, when there is nothing to save."""
    text, name = as_text(record.shown[field]), f"{record.file}.txt"
    made = _in_editor(runner, lambda open_editor: editor_text.edit_text(text, name, open_editor, drafts))
    if isinstance(made, str):
        is_changed = made.strip() != text.strip()
        return _read_edited(runner, record, {field: made.strip()} if is_changed else {}, drafts)
    return _read_edited(runner, record, made, drafts)


def _read_edited(
    runner: ChangeRunner, record: RecordText, made: Mapping[str, JSON] | GivenUp | None, drafts: Path
) -> EditedValues | None:
    if made is None:
        return None
    if isinstance(made, GivenUp):
        where = f"\nYour text is kept in {made.copy}" if made.copy else ""
        words = f"{record.name}: {'; '.join(made.reasons[:3])}{where}"
        runner.show_toast(Notice(words, "warning", "not saved"))
        return None
    if not made:
        runner.show_toast(Notice(f"{record.name}: nothing was changed"))
        return None
    return EditedValues(made, editor_text.keep_changes(record, made, drafts))


def open_in_editor(runner: ChangeRunner, path: Path, line: int) -> None:
    """Open a file at a line in the person's own editor; a toast reports a failure."""
    if _in_editor(runner, lambda editor: editor.open_at(path, line)) is False:
        runner.show_toast(Notice("the editor ended with an error", "warning", "not opened"))


def _in_editor(runner: ChangeRunner, work: Callable[[Editor], Made]) -> Made | None:
    try:
        editor = find_editor()
        made = hand_over(runner.app, lambda: work(editor))
        if editor.notice:
            runner.show_toast(Notice(editor.notice))
        return made
    except NoEditor as why:
        runner.show_toast(Notice(str(why), "warning", "no editor"))
    except OSError as fault:
        runner.show_toast(
            Notice(f"no file for the editor can be made: {fault.strerror}", "error", "no editor")
        )
    return None
