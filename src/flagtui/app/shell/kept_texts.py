"""Texts for a change that was not made: a reason, a comment. The same question begins with its text again."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any, Final

from textual.screen import Screen

from flagtui.app.shell.change_tasks import CHAIN, ChangeTasks, Show
from flagtui.app.state.app_state import AppState
from flagtui.app.widgets.dialog import Dialog
from flagtui.changes.kept_drafts import DraftShelf

ENTERED: Final[ContextVar[tuple[tuple[str, ...], ...]]] = ContextVar("ENTERED", default=())
"""The questions with a text for the change of this task."""


def find_shelf(app_state: AppState) -> DraftShelf | None:
    """Return the drafts of the open project; None before one is open."""
    session, workspace = app_state.session, app_state.workspace
    if workspace is None:
        return None
    host, project = session.origin or session.host, str(workspace.client.project)
    return DraftShelf(session.state_folder / "drafts", host, project, session.redact)


@contextmanager
def keeping_texts(runner: ChangeTasks, app_state: AppState, change: str) -> Iterator[None]:
    """Keep what is entered in the questions of this block until the change is made.

    `change` names it with its records. The end of the program keeps the text of an open question.
    """
    ask_earlier, shelf = CHAIN.get(), find_shelf(app_state)
    if shelf is None:
        yield
        return

    async def ask(screen: Screen[Any], show: Show) -> Any:
        async def show_text(screen: Screen[Any]) -> Any:
            if not isinstance(screen, Dialog) or not screen.is_typed:
                return await show(screen)
            name = f"{change}: {screen.question}"
            place = shelf.host, shelf.project, name
            # Typing replaces the text of an earlier command, as every other value.
            screen.replaces_recalled = place in runner.texts and place not in ENTERED.get()
            if (text := runner.texts.pop(place, None) or shelf.take_text(name)) is not None:
                screen.recall(text)
            screen.keep_text = partial(shelf.keep_text, name)
            try:
                return await show(screen)
            finally:
                if text := screen.entered:
                    runner.texts[place] = text
                    ENTERED.set((*ENTERED.get(), place))

        return await (show_text(screen) if ask_earlier is None else ask_earlier(screen, show_text))

    token = CHAIN.set(ask)
    try:
        yield
    finally:
        CHAIN.reset(token)


def forget_texts(runner: ChangeTasks) -> None:
    """Forget what was entered for the change of this task: it is made."""
    for place in ENTERED.get():
        runner.texts.pop(place, None)
