"""The first screen without any setup: the demo, or signing in."""

import os
from typing import Final, Literal

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from flagtui.app.dialogs.picker import OptionLines
from flagtui.app.shell.themes import AUTO, PLAIN, THEMES, VARIABLES, choose_theme, stylesheets
from flagtui.app.terminal.terminal_app import TerminalApp
from flagtui.app.widgets.line import styled

Way = Literal["demo", "sign in"]

WAYS: Final[tuple[tuple[Way, str, str, tuple[str, ...]], ...]] = (
    (
        "demo",
        "d",
        "Try the demo",
        ("A made-up company on this machine.", "No account, no network; everything can be undone."),
    ),
    (
        "sign in",
        "s",
        "Sign in",
        (
            "To PostHog Cloud or your own server, with a personal",
            "API key (phx_). It asks four short questions.",
        ),
    ),
)
"""The way to begin, its key, its name, an explanation."""


class WelcomeApp(TerminalApp[Way]):
    """Ends with the way that was chosen, or None."""

    TITLE = "flagtui"
    CSS_PATH = stylesheets("app", "rows", "welcome")
    ENABLE_COMMAND_PALETTE = False
    ENDS_PROGRAM = False
    BINDINGS = [
        *(Binding(key, f"choose('{way}')", name, show=False) for way, key, name, _ in WAYS),
        Binding("q,escape,ctrl+q", "leave", "leave", show=False),
    ]

    def __init__(self, *, theme: str = AUTO, is_light: bool | None = None) -> None:
        look = choose_theme(theme, os.environ, is_light=is_light)
        super().__init__(ansi_color=True if look == PLAIN.name else None)
        for each in THEMES:
            self.register_theme(each)
        self.theme = look
        self.animation_level = "none"

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return VARIABLES

    def compose(self) -> ComposeResult:
        with Vertical(id="welcome"):
            yield Static(styled(("flagtui", "bold $primary")))
            yield Static(styled(("Feature flags, experiments and events, from a terminal.", "$text-muted")))
            first, second = (Option(_words(*way[1:]), id=way[0]) for way in WAYS)
            yield OptionLines(first, Option("", disabled=True), second)
            yield Static(styled(("↑ ↓ ⏎ choose · q leave", "$faint")))

    @on(OptionList.OptionSelected)
    def _on_chosen(self, event: OptionList.OptionSelected) -> None:
        self.exit(next(way for way, *_ in WAYS if way == event.option_id))

    def action_choose(self, way: Way) -> None:
        self.exit(way)

    def action_leave(self) -> None:
        self.exit(None)


def _words(key: str, name: str, about: tuple[str, ...]) -> Content:
    lines = [(f"\n{line}", "$text-muted") for line in about]
    return styled((f"{key}  ", "bold $primary"), (name, "bold"), *lines)
