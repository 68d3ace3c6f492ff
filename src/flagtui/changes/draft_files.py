"""The file the person's editor opens: private, gone afterwards, and the words in it never lost."""

import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from flagtui.changes.record_text import Faulty, RecordText, without_comments
from flagtui.config.editor_program import OpenEditor
from flagtui.config.files import replace_file
from flagtui.models.json_value import JSON


@dataclass(frozen=True, slots=True)
class GivenUp:
    """The text could not be used and was closed without another change; where a copy of it is."""

    reasons: tuple[str, ...]
    copy: Path | None


def edit(record: RecordText, open_editor: OpenEditor, drafts: Path) -> dict[str, JSON] | GivenUp:
    """Opens the record as text until it can be used, or is closed unchanged: the values that were changed."""
    text, reasons = record.text(), tuple[str, ...]()
    with tempfile.TemporaryDirectory(prefix="flagtui-") as folder:
        # The folder is for its owner alone, so the file in it is out of reach before it has content.
        path = Path(folder) / f"{record.file}.json"
        while True:
            try:
                replace_file(path, _encodable(text))
            except OSError as fault:
                why = f"there is no room for the editor's file: {fault.strerror}"
                return GivenUp((why,), _keep(text, record.text(), drafts, record))
            if not open_editor(path):
                return GivenUp(("the editor ended with an error",), _keep(_read(path), text, drafts, record))
            saved = _read(path)
            if saved is not None and reasons and without_comments(saved) == without_comments(text):
                return GivenUp(reasons, _keep(saved, "", drafts, record))
            found = record.read(saved or "")
            if not isinstance(found, Faulty):
                return found
            text, reasons = found.text, found.reasons


def edit_text(text: str, name: str, open_editor: OpenEditor) -> str | None:
    """What the editor leaves of a text in a file of that name; None when it ended with an error."""
    with tempfile.TemporaryDirectory(prefix="flagtui-") as folder:
        path = Path(folder) / name
        replace_file(path, _encodable(text))
        return _read(path) if open_editor(path) else None


def keep_changes(record: RecordText, changes: Mapping[str, JSON], drafts: Path) -> Path | None:
    """A copy of what was typed until it is saved; None where it may not or cannot be kept."""
    if record.is_secret:
        return None
    text = record.text(body=json.dumps({**record.shown, **changes}, indent=2, ensure_ascii=False))
    return _keep(text, "", drafts, record)


def forget(copy: Path | None) -> None:
    """What it says is saved."""
    if copy is not None:
        copy.unlink(missing_ok=True)


def _encodable(text: str) -> str:
    return text.encode(errors="backslashreplace").decode()


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None


def _keep(saved: str | None, shown: str, drafts: Path, record: RecordText) -> Path | None:
    """A copy where the person can find it, unless it says nothing new."""
    if saved is None or saved == shown:
        return None
    try:
        path = drafts / f"{record.file}.json"
        # The copy of before stays where there is no room for this one.
        replace_file(path, _encodable(saved))
    except OSError:
        return None
    return path
