"""The user's editor: finding it and opening a file in it."""

import os
import shlex
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

OpenEditor = Callable[[Path], bool]
"""Opens the editor on a file and returns when it is closed; False when the editor failed."""

_WITH_GOTO: Final = frozenset(("code", "code-insiders", "codium", "cursor"))
"""Editors for which `+12` is the name of a file."""
_DEFAULTS: Final = ("vi", "nano")
"""Tried in this order if the user chose none."""


class NoEditor(Exception):
    """No editor can be opened; the text is the next step."""


class Editor(msgspec.Struct, frozen=True):
    """A command that opens a file; calling it is an `OpenEditor`."""

    command: tuple[str, ...]
    is_default: bool = False
    """Whether the user chose none."""

    @property
    def notice(self) -> str:
        """Return which editor is used where the user chose none; empty otherwise."""
        name = Path(self.command[0]).name
        return f"EDITOR is not set; the editor is {name}" if self.is_default else ""

    def __call__(self, path: Path) -> bool:
        return self._run(str(path))

    def open_at(self, path: Path, line: int) -> bool:
        """Open the file at a line; return False when the editor failed."""
        if Path(self.command[0]).stem in _WITH_GOTO:
            return self._run("--goto", f"{path}:{line}")
        return self._run(f"+{line}", str(path))

    def _run(self, *words: str) -> bool:
        try:
            with _spared_by_interrupts():
                return subprocess.run([*self.command, *words], check=False).returncode == 0
        except OSError:
            return False


def find_editor(environment: Mapping[str, str] = os.environ) -> Editor:
    """Return the editor of `$VISUAL` or `$EDITOR`, else vi or nano. Raises NoEditor."""
    for name in ("VISUAL", "EDITOR"):
        if written := environment.get(name, "").strip():
            return Editor(tuple(_split(name, written)))
    for program in _DEFAULTS:
        if path := shutil.which(program, path=environment.get("PATH")):
            return Editor((path,), is_default=True)
    raise NoEditor("there is no editor; set EDITOR to the one you like, such as EDITOR=nano")


def _split(name: str, written: str) -> list[str]:
    try:
        command = shlex.split(written, posix=os.name == "posix")
    except ValueError:
        raise NoEditor(f"{name} cannot be read as a command: a quote is not closed") from None
    if not command or shutil.which(command[0]) is None:
        raise NoEditor(f"{name} names an editor that is not there: {written}")
    return command


@contextmanager
def _spared_by_interrupts() -> Iterator[None]:
    """Let Ctrl+C end the program that has the terminal, and only that one."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    # A handler, because a program started now would inherit an ignored signal.
    before = signal.signal(signal.SIGINT, lambda _number, _frame: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
