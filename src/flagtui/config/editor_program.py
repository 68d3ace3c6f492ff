"""The user's editor: finding it and opening a file in it."""

import os
import shlex
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

OpenEditor = Callable[[Path], bool]
"""Opens the editor on a file and returns when it is closed; False when the editor failed."""

_USUAL: Final = ("sensible-editor", "vi", "nano")
"""Tried in this order if the user named none."""


class NoEditor(Exception):
    """No editor can be opened; the text is the next step."""


def find_editor(environment: Mapping[str, str] = os.environ) -> OpenEditor:
    """Return the editor of `$VISUAL` or `$EDITOR`, else a common one. Raises NoEditor."""
    for name in ("VISUAL", "EDITOR"):
        if written := environment.get(name, "").strip():
            return _runner(_split(name, written))
    for program in _USUAL:
        if path := shutil.which(program):
            return _runner([path])
    raise NoEditor("there is no editor; set EDITOR to the one you like, such as EDITOR=nano")


def _split(name: str, written: str) -> list[str]:
    try:
        command = shlex.split(written, posix=os.name == "posix")
    except ValueError:
        raise NoEditor(f"{name} cannot be read as a command: a quote is not closed") from None
    if not command or shutil.which(command[0]) is None:
        raise NoEditor(f"{name} names an editor that is not there: {written}")
    return command


def _runner(command: list[str]) -> OpenEditor:
    def open_editor(path: Path) -> bool:
        try:
            return subprocess.run([*command, str(path)], check=False).returncode == 0
        except OSError:
            return False

    return open_editor
