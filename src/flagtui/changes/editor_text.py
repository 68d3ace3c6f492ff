"""A record as JSON in the person's own editor: the file is private and removed; its text is never lost."""

import json
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from flagtui.changes.difference import same
from flagtui.config.editor_program import OpenEditor
from flagtui.config.files import replace_file
from flagtui.models.json_value import JSON
from flagtui.safe_text import safe_text

FAILED: Final = "the editor ended with an error"
SECRET: Final = "its text is not kept, because it can have a secret"
MOST_COPIES: Final = 99
"""Copies of one record that are kept; the first one is then overwritten."""
MOST_OPENED: Final = 10
"""Faulty texts after which the editor is not opened again: it can be a program that writes others forever."""
MOST_OF_TITLE: Final = 1_000
"""Characters of a text in which its title is found."""
Problems = Callable[[Mapping[str, JSON]], Sequence[str]]


class Faulty(msgspec.Struct, frozen=True):
    """The text cannot be saved: why, and the same text with the reasons on top."""

    reasons: tuple[str, ...]
    text: str


class RecordText(msgspec.Struct, frozen=True):
    """The text of a record for the editor. `name` is raw."""

    name: str
    about: str
    """Which record it is: `flag 812, version 12`."""
    file: str
    """What its file is called, without an ending."""
    shown: Mapping[str, JSON]
    """The fields that can be edited, as they are."""
    problems: Problems
    """The problems of new values for some of them."""
    notes: tuple[str, ...] = ()
    """Further comments above the text."""
    is_secret: bool = False
    """Whether its text may be stored only while the editor is open."""

    def text(self, reasons: Sequence[str] = (), body: str = "") -> str:
        """Return the text for the editor, or the user's own `body` with its problems on top."""
        return f"{self._comments(reasons)}\n{body or _json(self.shown)}\n"

    def read(self, text: str) -> dict[str, JSON] | Faulty:
        """Return the values the saved text changes. An empty text changes nothing."""
        body = without_comments(text)
        if not body.strip():
            return {}
        changed: dict[str, JSON] = {}
        try:
            value = json.loads(body, object_pairs_hook=_once, parse_constant=_refuse)
        except json.JSONDecodeError as fault:
            line = body.split("\n")[fault.lineno - 1].strip()
            where = f" at: {safe_text(line, 60)}" if line else " at its end"
            reasons = [f"it is not JSON: {fault.msg.lower()}{where}"]
        except _Refused as fault:
            reasons = [str(fault)]
        except RecursionError:
            reasons = ["it is nested too deeply"]
        else:
            reasons = ["it must be one JSON object"]
            if isinstance(value, dict):
                changed = self.changed_values(value)
                reasons = [*self._strange(value), *self.problems(changed)]
        return Faulty(tuple(reasons), self.text(reasons, body)) if reasons else changed

    def changed_values(self, values: Mapping[str, JSON]) -> dict[str, JSON]:
        """Return those of these values that differ from the shown ones."""
        return {
            name: value
            for name, value in values.items()
            if name in self.shown and not same(value, self.shown[name])
        }

    def _strange(self, values: Mapping[str, JSON]) -> Iterator[str]:
        for name in values:
            if name not in self.shown:
                yield f"`{safe_text(name, 60)}` is not a field that can be edited here"
        for name in self.shown:
            if name not in values:
                yield f"`{name}` is missing; keep its value, or give it an empty one"

    @property
    def title(self) -> str:
        """The beginning of the text, up to its version."""
        return f"{safe_text(self.name, 400)}: {self.about}".partition(",")[0]

    def _comments(self, reasons: Sequence[str]) -> str:
        lines = [f"{safe_text(self.name, 400)}: {self.about}"]
        if reasons:
            lines += ["", "NOT SAVED:", *(f"  {safe_text(reason, 300)}" for reason in reasons)]
        lines += [
            "",
            "Change the values below, save and close. What would change is shown before anything is sent.",
            "Lines that begin with # are ignored. An empty file, or no change, changes nothing.",
            *self.notes,
        ]
        return "\n".join(f"# {line}".rstrip() for line in lines)


def without_comments(text: str) -> str:
    """Return the text without the lines that begin with #; JSON has none."""
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#")).strip("\n")


def _json(fields: Mapping[str, JSON]) -> str:
    """Format a value as JSON with control characters escaped."""
    text = json.dumps(fields, indent=2, ensure_ascii=False)
    if text.replace("\n", "").isprintable():
        return text
    return "".join(each if each == "\n" or each.isprintable() else json.dumps(each)[1:-1] for each in text)


class _Refused(ValueError):
    """An object has a key twice, or a number is not valid JSON."""


def _once(pairs: list[tuple[str, JSON]]) -> dict[str, JSON]:
    values = dict(pairs)
    if len(values) < len(pairs):
        times = Counter(key for key, _ in pairs)
        twice = next(key for key, count in times.items() if count > 1)
        raise _Refused(f"`{safe_text(twice, 60)}` occurs twice in one object")
    return values


def _refuse(name: str) -> JSON:
    raise _Refused(f"{name} is not a number in JSON")


class GivenUp(msgspec.Struct, frozen=True):
    """The text was invalid and was closed unchanged; the path of its copy."""

    reasons: tuple[str, ...]
    copy: Path | None


def edit(
    record: RecordText, open_editor: OpenEditor, drafts: Path, text: str = ""
) -> dict[str, JSON] | GivenUp:
    """Open the record as text until it can be used, is closed unchanged, or was faulty too often.

    Return the changed values.

    `text` is that of the record, where it was made before.
    """
    text, reasons, times = _name_copy(record, drafts, text or record.text()), tuple[str, ...](), 0
    with tempfile.TemporaryDirectory(prefix="flagtui-") as folder:
        # The folder is for its owner alone, so the file in it is out of reach before it has content.
        path = Path(folder) / f"{record.file}.json"

        def give_up(why: tuple[str, ...], saved: str | None, shown: str) -> GivenUp:
            if record.is_secret and saved not in (None, shown):
                return GivenUp((*why, SECRET), None)
            return GivenUp(why, _keep(saved, shown, drafts / path.name))

        while True:
            try:
                replace_file(path, _encodable(text))
            except OSError as fault:
                why = f"there is no room for the editor's file: {fault.strerror}"
                return give_up((why,), text, record.text())
            if not open_editor(path):
                # After a first refusal, the text that it shows is the user's own.
                return give_up((FAILED,), _read(path), "" if reasons else text)
            saved = _read(path)
            if saved is not None and reasons and without_comments(saved) == without_comments(text):
                return give_up(reasons, saved, "")
            edits = record.read(saved or "")
            if not isinstance(edits, Faulty):
                return edits
            times += 1
            if times == MOST_OPENED:
                return give_up((f"its text was faulty {times} times", *edits.reasons), saved, "")
            text, reasons = edits.text, edits.reasons


def _name_copy(record: RecordText, drafts: Path, text: str) -> str:
    """Return the text with the path of the last copy of this record on top, if there is one."""
    copies = ((path, _read(path) or "") for path in _places(drafts / f"{record.file}.json"))
    # Ids are those of a project.
    own = [path for path, copy in copies if record.title in copy[:MOST_OF_TITLE]]
    return f"# Not saved earlier: {safe_text(str(own[-1]), 400)}\n{text}" if own else text


def edit_text(text: str, name: str, open_editor: OpenEditor, drafts: Path) -> str | GivenUp:
    """Open the text in a file of that name in the editor, and return the result."""
    with tempfile.TemporaryDirectory(prefix="flagtui-") as folder:
        path = Path(folder) / name
        replace_file(path, _encodable(text))
        is_closed, saved = open_editor(path), _read(path)
        if is_closed:
            return text if saved is None else saved
        return GivenUp((FAILED,), _keep(saved, text, drafts / name))


def keep_changes(record: RecordText, changes: Mapping[str, JSON], drafts: Path) -> Path | None:
    """Store a copy of the typed text until it is saved; None if it may not or cannot be stored."""
    if record.is_secret:
        return None
    text = record.text(body=json.dumps({**record.shown, **changes}, indent=2, ensure_ascii=False))
    return _keep(text, "", drafts / f"{record.file}.json")


def forget(copy: Path | None) -> None:
    """Delete the copy of a saved draft."""
    if copy is not None:
        copy.unlink(missing_ok=True)


def _encodable(text: str) -> str:
    return text.encode(errors="backslashreplace").decode()


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None


def _keep(saved: str | None, shown: str, path: Path) -> Path | None:
    """Keep a copy of the edited text where the user can find it, unless it changes nothing.

    An earlier text that was not saved either stays: the copy then gets a number.
    """
    if saved is None or saved == shown:
        return None
    text = _encodable(saved)
    place = next((each for each in _places(path) if _read(each) in (None, text)), path)
    try:
        replace_file(place, text)
    except OSError:
        return None
    return place


def _places(path: Path) -> Iterator[Path]:
    """Yield the paths of the copies of one record."""
    yield path
    yield from (path.with_stem(f"{path.stem}-{number}") for number in range(2, MOST_COPIES + 1))
