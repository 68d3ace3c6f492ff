"""Ages on screen stay those of now: drawn anew once a minute, and not in between."""

from typing import Any, Protocol, runtime_checkable

from textual.app import App

from flagtui.app.shell.header import Header
from flagtui.app.shell.status_line import link_of, location_of
from flagtui.app.state.app_state import MINUTE, AppState


@runtime_checkable
class ShowsAges(Protocol):
    """A screen that says how long ago something was."""

    def redraw_ages(self) -> None: ...


class Ages:
    """Waits for each full minute. Lines are the same unless an age has changed, so nothing else is sent."""

    def __init__(self, app: App[Any], app_state: AppState) -> None:
        self._app = app
        self._app_state = app_state

    def start(self) -> None:
        """Draw every age again at the next full minute, and so on."""
        self._app.set_timer(MINUTE - self._app_state.session.clock() % MINUTE, self.pass_minute)

    def pass_minute(self) -> None:
        """Another minute has begun."""
        self.start()
        for screen in self._app.screen_stack:
            if not screen.is_mounted:
                continue
            if isinstance(screen, ShowsAges):
                screen.redraw_ages()
            for header in screen.query(Header):
                header.show_location(location_of(self._app_state), link_of(self._app_state))
