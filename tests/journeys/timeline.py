"""Helpers to open the activity and read its rows."""

from tests.doubles.whole_program import Program

from flagtui.app.activity.activity_screen import ActivityScreen
from flagtui.models.activity_rows import ChangeRow


async def on_activity(program: Program, line: str = "") -> ActivityScreen:
    await program.press("4")
    screen = program.front(ActivityScreen)
    if line:
        await program.search(line)
    return screen


def shown_rows(screen: ActivityScreen) -> list[ChangeRow]:
    """The entries as they are listed."""
    rows = screen.rows
    return [rows._rows[place] for place in rows._order]


def listed_rows(program: Program) -> list[str]:
    """The rows of the list, without the pane."""
    screen = program.front(ActivityScreen)
    width = screen.rows.size.width
    return [line[:width].strip() for line in program.screen.split("\n")[5:-2]]
