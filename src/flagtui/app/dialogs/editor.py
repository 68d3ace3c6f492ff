"""The person's own editor on a file, with the terminal handed over to it meanwhile."""

import os
import shlex
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

from textual.app import App, SuspendNotSupported

from flagtui.changes.draft_files import OpenEditor

Made = TypeVar("Made")

_USUAL: Final = ("sensible-editor", "vi", "nano")
"""Tried in this order where the person named none."""


class NoEditor(Exception):
    """There is no editor to open; the text says what to do."""


def find_editor(environment: Mapping[str, str] = os.environ) -> OpenEditor:
    """What `$VISUAL` or `$EDITOR` names, else one that is usually there. Raises NoEditor."""
    for name in ("VISUAL", "EDITOR"):
        if written := environment.get(name, "").strip():
            return _runner(_split(name, written))
    for program in _USUAL:
        if found := shutil.which(program):
            return _runner([found])
    raise NoEditor("there is no editor; set EDITOR to the one you like, such as EDITOR=nano")


def hand_over(app: App[Any], work: Callable[[], Made]) -> Made:
    """The result of `work`, during which the terminal belongs to whatever it starts.

    Raises NoEditor where the terminal cannot be handed over, as in a browser.
    """
    if app.is_headless:
        return work()
    made: list[Made] = []
    faults: list[OSError] = []
    try:
        with app.suspend():
            # What is raised in here would leave the terminal to nobody.
            try:
                made.append(work())
            except OSError as fault:
                faults.append(fault)
    except SuspendNotSupported:
        raise NoEditor("this terminal cannot be handed over to an editor; use e instead") from None
    if faults:
        raise NoEditor(f"the file for the editor cannot be made: {faults[0].strerror}")
    return made[0]


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
