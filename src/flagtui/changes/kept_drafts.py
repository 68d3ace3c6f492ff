"""Drafts that the end of the program left unsaved: on disk until the same form is opened again."""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
from msgspec.structs import replace

from flagtui import local_time
from flagtui.changes.difference import same
from flagtui.changes.draft import Draft
from flagtui.config.files import replace_file
from flagtui.models.json_value import JSON, as_dict, as_text
from flagtui.private_folders import place_sum, read_file

MOST_MIB: Final = 64
"""Size of a draft that is read."""


class OpenQuestion(msgspec.Struct, frozen=True):
    """An open question: the id of its line, and the text by question."""

    line: str
    texts: dict[str, str]


class ComparedFields(NamedTuple):
    """The fields of a draft."""

    editable: list[str]
    changed: list[str]
    """Those with another value than the one that the draft replaces."""
    lost: list[str]
    """Those that cannot be edited any more."""


class KeptDraft(msgspec.Struct, frozen=True):
    """A draft on disk. `name` is raw; `state` is what `Draft.resume` takes."""

    name: str
    kept_at: float
    state: dict[str, JSON]
    unanswered: OpenQuestion | None = None
    place: tuple[str, ...] = ()
    path: str = ""

    def discard(self) -> None:
        """Delete the file."""
        Path(self.path).unlink(missing_ok=True)

    def compare(self, draft: Draft) -> ComparedFields:
        """Compare it with the record as it is now."""
        values, seen = as_dict(self.state["values"]), as_dict(self.state["seen"])
        if draft.is_new:
            return ComparedFields([*values], [], [])
        editable = [name for name in values if name in draft.values]
        changed = [name for name in editable if not same(seen.get(name), draft.values[name])]
        return ComparedFields(editable, changed, [name for name in values if name not in draft.values])

    def is_saved_in(self, draft: Draft) -> bool:
        """Return whether the record has all of its values."""
        if draft.is_new or self.unanswered is not None:
            return False
        values = as_dict(self.state["values"]).items()
        return all(name in draft.values and same(value, draft.values[name]) for name, value in values)


class DraftShelf(NamedTuple):
    """The drafts of one project of a server."""

    folder: Path
    host: str
    project: str
    redact: Callable[[str], str] = str
    """Removes the key from what is written."""

    def keep(self, kept: KeptDraft, noun: str, id: str) -> None:
        """Write the draft of the record with this id. Raises OSError."""
        place = self._place(noun, id)
        # Two programs that a lost connection ends may have the same form open.
        name = f"{_start_of(place)}-{local_time.file_stamp(kept.kept_at)}-{os.getpid()}.json"
        self._write(name, msgspec.to_builtins(replace(kept, place=place)))

    def find(self, draft: Draft, id: str) -> list[KeptDraft]:
        """Return the drafts of the record, newest first; delete those that were saved after all.

        Those that lack what this version of the program resumes from stay where they are.
        """
        place, needed, unsaved = self._place(draft.noun, id), draft.state().keys(), list[KeptDraft]()
        for path in self.folder.glob(f"{_start_of(place)}-*.json"):
            kept = _read_draft(path)
            if kept is not None and kept.place == place and needed <= kept.state.keys():
                kept.discard() if kept.is_saved_in(draft) else unsaved.append(kept)
        return sorted(unsaved, key=lambda each: -each.kept_at)

    def names(self, since: float) -> list[str]:
        """Return the names of the records with drafts of this time or later, newest first."""
        here = (self.host, self.project)
        kept = filter(None, map(_read_draft, self.folder.glob("form-*.json")))
        recent = [each for each in kept if each.place[:2] == here and each.kept_at >= since]
        return list(dict.fromkeys(each.name for each in sorted(recent, key=lambda each: -each.kept_at)))

    def keep_text(self, name: str, text: str) -> None:
        """Write the text of a question with this name. Raises OSError."""
        place = self._place("text", name)
        self._write(f"{_start_of(place)}.json", {"place": place, "text": text})

    def take_text(self, name: str) -> str | None:
        """Return the text of the question, and delete it; None without one."""
        place = self._place("text", name)
        path = self.folder / f"{_start_of(place)}.json"
        raw = _read(path)
        if raw.get("place") != [*place]:
            return None
        path.unlink(missing_ok=True)
        return as_text(raw.get("text"))

    def _write(self, name: str, raw: Mapping[str, Any]) -> None:
        replace_file(self.folder / name, self.redact(json.dumps(raw)))

    def _place(self, noun: str, id: str) -> tuple[str, ...]:
        return self.host, self.project, noun, id


def _start_of(place: tuple[str, ...]) -> str:
    return f"form-{place_sum(*place)}"


def _read(path: Path) -> dict[str, JSON]:
    """Return the object in a file; an empty one if it cannot be read."""
    try:
        return as_dict(json.loads(read_file(path, MOST_MIB)))
    except (OSError, ValueError, RecursionError):
        return {}


def _read_draft(path: Path) -> KeptDraft | None:
    """Return the draft in a file, or None if there is none."""
    try:
        return msgspec.convert({**_read(path), "path": str(path)}, KeptDraft)
    except msgspec.ValidationError:
        return None
