"""A minute's tour in one line above the list: find a flag, switch it, prove it, take it back."""

from collections.abc import Callable
from typing import Final

import msgspec

from flagtui.app.lists.list_frame import BrowseScreen
from flagtui.app.state.app_state import AppState
from flagtui.app.widgets.line import Line, styled
from flagtui.text.key_signs import key_sign

LOOK: Final = 0.3
"""Seconds between looks at whether a step is done; a look draws nothing."""


class TourStep(msgspec.Struct, frozen=True):
    """One step of the tour."""

    name: str
    words: str
    """With `{}` for each key."""
    commands: tuple[str, ...]
    """Whose keys these are."""
    is_done: Callable[["Tour"], bool]

    @property
    def line(self) -> str:
        """The words with the keys that the user chose."""
        return self.words.format(*map(key_sign, self.commands))


class Tour(Line):
    """The next step of the tour, until it is done."""

    DEFAULT_CSS = "Tour { height: 1; margin: 0 1 1 1; background: $panel; }"

    def __init__(self, app_state: AppState) -> None:
        super().__init__(id="tour")
        self._app_state = app_state
        self._place = 0
        self._switched: int | None = None
        self._before: dict[int, bool] = {}

    def on_mount(self) -> None:
        self._show_step()
        self.set_interval(LOOK, self.look)

    @property
    def step(self) -> str:
        """The name of the step that is next; empty at the end."""
        return STEPS[self._place].name if self._place < len(STEPS) else ""

    def look(self) -> None:
        """Go on when the step is done."""
        if self.step and STEPS[self._place].is_done(self):
            self._place += 1
            self._show_step()

    def _show_step(self) -> None:
        ends = styled((f"{key_sign('app.tour')} ends it ", "$faint"))
        if self.step:
            step = STEPS[self._place]
            pieces = [(f" {self._place + 1}/{len(STEPS):,} {step.name} ", "bold $primary"), (step.line, "")]
            self.show(styled(*pieces), ends)
        else:
            words = f"{key_sign('app.help')} every key, {key_sign('app.palette')} every command"
            self.show(styled((" that was all ", "bold $success"), (words, "")), ends)

    def has_found(self) -> bool:
        """Return whether a search brought rows, and the list has the focus."""
        screen = self.screen
        if not isinstance(screen, BrowseScreen) or not screen.search.value or screen.rows.row is None:
            return False
        self._before = self._states()
        return screen.focused is screen.rows

    def has_switched(self) -> bool:
        """Return whether a flag changed, as the server confirmed."""
        changed = [id for id, active in self._states().items() if self._before.get(id, active) is not active]
        self._switched = changed[0] if changed else None
        return bool(changed)

    def has_looked(self) -> bool:
        """Return whether the journal or the flag was opened, or the change is already undone."""
        is_elsewhere = self.app.screen is not self.screen and not self.app.screen.is_modal
        return is_elsewhere or self.has_undone()

    def has_undone(self) -> bool:
        """Return whether the flag has its previous state."""
        id = self._switched
        return id is not None and self._states().get(id) is self._before.get(id)

    def _states(self) -> dict[int, bool]:
        workspace = self._app_state.workspace
        if workspace is None:
            return {}
        pending = workspace.flags.pending
        return {row.id: row.active for row in workspace.flags.rows if row.id not in pending}


STEPS: Final = (
    TourStep("find", "press {} and type nav, then ⏎", ("lists.search",), Tour.has_found),
    TourStep("switch", "{}, read what it does, then y", ("flags.toggle",), Tour.has_switched),
    TourStep("prove", "{} shows it; {} comes back", ("app.journal", "app.back"), Tour.has_looked),
    TourStep("undo", "{}, then y: as before", ("app.undo",), Tour.has_undone),
)
