"""The list, the search line and the terminal room with made-up flags and nothing else, for measuring.

usage: list_app.py COUNT
"""

import random
import subprocess
import sys
import threading
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from flagtui.app.flags.flag_columns import FLAG_COLUMNS
from flagtui.app.shell.themes import DARK, VARIABLES, stylesheets
from flagtui.app.terminal.terminal_app import TerminalApp
from flagtui.app.widgets.line import Line, styled
from flagtui.app.widgets.row_list import RowList
from flagtui.app.widgets.search_line import SearchLine
from flagtui.models.rows import FlagRow
from flagtui.store.finder import Finder

NOW = 1_800_000_000.0
AREAS = (
    "checkout",
    "billing",
    "search",
    "pricing",
    "onboarding",
    "replay",
    "mobile",
    "export",
    "teams",
    "geo",
)
THINGS = (
    "redesign",
    "banner",
    "limits",
    "v2",
    "v3",
    "tour",
    "tabs",
    "retries",
    "joins",
    "nav",
    "survey",
    "cache",
)


def make_flags(count: int) -> list[FlagRow]:
    """Believable flags, the same ones every time."""
    chance = random.Random(7)
    return [
        FlagRow(
            id=number,
            key=f"{chance.choice(AREAS)}-{chance.choice(THINGS)}-{number}",
            name=f"{chance.choice(AREAS)} {chance.choice(THINGS)}",
            active=chance.random() < 0.8,
            type=chance.choice(("boolean", "boolean", "multivariant", "experiment", "config")),
            runtime=chance.choice(("all", "server", "client")),
            status=chance.choice(("ACTIVE", "ACTIVE", "ACTIVE", "STALE")),
            rollout=chance.choice((0, 5, 10, 25, 50, 75, 100, 100)),
            tags=tuple(chance.sample(AREAS, chance.randrange(3))),
            updated_at=NOW - chance.randrange(60, 300 * 86400),
        )
        for number in range(count)
    ]


class ListApp(TerminalApp[None]):
    """What a person feels of the list, without server, preview and header."""

    CSS_PATH: ClassVar = stylesheets("rows")
    CSS = "Screen { padding: 0 1; }"
    ENABLE_COMMAND_PALETTE = False
    AUTO_FOCUS = "RowList"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "search", priority=True),
        *(
            Binding(key, f"rows('{action}')")
            for key, action in {
                "down": "cursor_down",
                "up": "cursor_up",
                "pagedown": "page_down",
                "pageup": "page_up",
                "home": "first",
                "end": "last",
                "x": "mark",
            }.items()
        ),
        Binding("ctrl+x", "stall", priority=True),
        Binding("f2", "lend", priority=True),
    ]

    def __init__(self, count: int) -> None:
        super().__init__()
        self.animation_level = "none"
        self.register_theme(DARK)
        self.theme = DARK.name
        self.finder: Finder[FlagRow] = Finder(clock=lambda: NOW)
        self.finder.show(make_flags(count))
        self.rows: RowList[FlagRow] = RowList(FLAG_COLUMNS, clock=lambda: NOW)
        self.line = SearchLine(self.find, self.leave)
        self.status = Line()

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return VARIABLES

    def compose(self) -> ComposeResult:
        yield self.line
        yield self.rows
        yield self.status

    def on_mount(self) -> None:
        self.find("")

    def find(self, line: str) -> None:
        order = self.finder.find(line)
        self.rows.show(self.finder.rows, order, anchor="top")
        self.status.show(styled(f"READY {len(order)}/{self.finder.total}"))

    def leave(self) -> None:
        self.screen.set_focus(self.rows)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return not (action == "search" and self.line.has_focus)

    def action_search(self) -> None:
        self.screen.set_focus(self.line)

    def action_rows(self, what: str) -> None:
        getattr(self.rows, f"action_{what}")()

    def action_lend(self) -> None:
        """Hand the terminal to another program, as an editor is started."""
        with self.suspend():
            subprocess.run(["sh", "-c", "echo in the editor; read answer"], check=False)

    def action_stall(self) -> None:
        """Hold the loop for good, as a terminal that takes no output does."""
        sys.__stdout__.write("stalled")  # type: ignore[union-attr]
        sys.__stdout__.flush()  # type: ignore[union-attr]
        threading.Event().wait()


if __name__ == "__main__":
    app = ListApp(int(sys.argv[1]))
    app.run()
    sys.exit(app.return_code or 0)
