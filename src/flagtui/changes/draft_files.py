"""The file the person's editor opens: private, gone afterwards, and the words in it never lost."""

import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from flagtui.changes.flags.flag_editor_text import (
    Edited,
    Faulty,
    as_text,
    editable,
    from_text,
    without_comments,
)
from flagtui.changes.flags.flag_intent import Intent
from flagtui.config.editor_program import OpenEditor
from flagtui.models.flag import Flag


@dataclass(frozen=True, slots=True)
class GivenUp:
    """The text could not be used and was closed without another change; where a copy of it is."""

    reasons: tuple[str, ...]
    copy: Path | None


def edit(flag: Flag, open_editor: OpenEditor, drafts: Path) -> Intent | GivenUp | None:
    """Opens the flag as text until it can be used, or is closed unchanged. None: nothing was changed."""
    text, reasons = as_text(flag), tuple[str, ...]()
    with tempfile.TemporaryDirectory(prefix="flagtui-") as folder:
        # The folder is for its owner alone, so the file in it is out of reach before it has content.
        path = Path(folder) / f"flag-{flag.id}.json"
        while True:
            _write(path, text)
            if not open_editor(path):
                return GivenUp(("the editor ended with an error",), _keep(_read(path), text, drafts, flag))
            saved = _read(path)
            if saved is not None and reasons and without_comments(saved) == without_comments(text):
                return GivenUp(reasons, _keep(saved, "", drafts, flag))
            match from_text(saved or "", flag):
                case Edited(intent=intent):
                    return intent
                case Faulty() as faulty:
                    text, reasons = faulty.text, faulty.reasons


def keep_intent(intent: Intent, flag: Flag, drafts: Path) -> Path | None:
    """A copy of what was typed until it is saved; None where it cannot be kept.

    Encrypted payloads are not written down.
    """
    if flag.has_encrypted_payloads:
        return None
    text = as_text(flag, body=json.dumps({**editable(flag), **intent.changes}, indent=2, ensure_ascii=False))
    return _keep(text, "", drafts, flag)


def forget(copy: Path | None) -> None:
    """What it says is saved."""
    if copy is not None:
        copy.unlink(missing_ok=True)


def _write(path: Path, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text)


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None


def _keep(saved: str | None, shown: str, drafts: Path, flag: Flag) -> Path | None:
    """A copy where the person can find it, unless it says nothing new."""
    if saved is None or saved == shown:
        return None
    try:
        drafts.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = drafts / f"flag-{flag.id}.json"
        _write(path, saved)
    except OSError:
        return None
    return path
