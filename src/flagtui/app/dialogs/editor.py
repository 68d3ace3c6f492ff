"""The person's own editor on a file, with the terminal handed over to it meanwhile."""

from collections.abc import Callable
from typing import Any, TypeVar

from textual.app import App, SuspendNotSupported

from flagtui.config.editor_program import NoEditor

Made = TypeVar("Made")


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
            # What is raised in here would leave the terminal as the editor had it.
            try:
                made.append(work())
            except OSError as fault:
                faults.append(fault)
    except SuspendNotSupported:
        raise NoEditor("this terminal cannot be handed over to an editor; use e instead") from None
    if faults:
        raise NoEditor(f"the file for the editor cannot be made: {faults[0].strerror}")
    return made[0]
