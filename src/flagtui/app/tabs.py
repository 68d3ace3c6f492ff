"""The lists behind the tabs: each is made when it is first opened, and stays as it was left."""

from collections.abc import Callable
from typing import Any, Final

from textual.app import App

from flagtui.app.lists.list_frame import BrowseScreen
from flagtui.app.state.app_state import Desk
from flagtui.app.writing.changes import Changing
from flagtui.store.workspace import Kind

Maker = Callable[[Desk, Changing], BrowseScreen]
KINDS: Final[dict[str, Kind]] = {"2": "experiments", "3": "events"}
"""What the tabs show that is not flags: the activity is that of the flags."""
BELOW: Final = 1
"""Screens that are always at the bottom: Textual's own blank one."""


class Tabbing:
    """Goes from list to list."""

    def __init__(self, app: App[Any], desk: Desk, changing: Changing) -> None:
        self._app = app
        self._desk = desk
        self._changing = changing

    def open(self, key: str) -> None:
        """Show the list of this tab. Details open above the present one are closed, dialogs stay."""
        app, name = self._app, f"tab-{key}"
        if app.screen.is_modal or key not in MAKERS:
            return
        self._desk.kind = KINDS.get(key, "flags")
        if not app.is_screen_installed(name):
            app.install_screen(MAKERS[key](self._desk, self._changing), name)
        while len(app.screen_stack) > BELOW + 1:
            app.pop_screen()
        if len(app.screen_stack) == BELOW:
            app.push_screen(name)
        else:
            app.switch_screen(name)

    def list_of(self, key: str) -> BrowseScreen | None:
        """The list of a tab that was opened before."""
        name = f"tab-{key}"
        if not self._app.is_screen_installed(name):
            return None
        screen = self._app.get_screen(name)
        return screen if isinstance(screen, BrowseScreen) else None


def _flags(desk: Desk, changing: Changing) -> BrowseScreen:
    from flagtui.app.flags.flag_list import FlagsScreen

    return FlagsScreen(desk, changing)


def _experiments(desk: Desk, changing: Changing) -> BrowseScreen:
    from flagtui.app.experiments.experiment_list import ExperimentsScreen

    return ExperimentsScreen(desk, changing)


def _events(desk: Desk, changing: Changing) -> BrowseScreen:
    from flagtui.app.events.event_list import EventsScreen

    return EventsScreen(desk, changing)


def _activity(desk: Desk, changing: Changing) -> BrowseScreen:
    from flagtui.app.activity.activity_screen import ActivityScreen

    return ActivityScreen(desk, changing)


MAKERS: Final[dict[str, Maker]] = {"1": _flags, "2": _experiments, "3": _events, "4": _activity}
"""By the key of the tab."""
