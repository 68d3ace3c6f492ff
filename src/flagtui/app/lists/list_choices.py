"""What is asked about a list: which columns it shows, and what a search is called."""

from typing import Any, Protocol

from flagtui.app.dialogs.checklist import Checklist, ChecklistScreen
from flagtui.app.dialogs.picker import Choice
from flagtui.app.dialogs.prompt import Prompt, PromptReading, PromptScreen
from flagtui.app.lists.list_description import ListDescription
from flagtui.app.widgets.column_layout import Column
from flagtui.app.widgets.row_list import RowList
from flagtui.app.writing.changes import Changes
from flagtui.config.preferences import Preferences
from flagtui.text.styled import Notice

LONGEST_NAME = 24


class ChosenList(Protocol):
    """The list that is asked about."""

    description: ListDescription[Any]

    @property
    def preferences(self) -> Preferences: ...
    @property
    def rows(self) -> RowList[Any]: ...
    def all_columns(self) -> tuple[Column[Any], ...]: ...
    def columns_shown(self) -> tuple[Column[Any], ...]: ...
    def reframe(self) -> None: ...


async def choose_columns(screen: ChosenList, changing: Changes) -> None:
    """Which columns, and in which order; kept in the settings file."""
    description = screen.description
    shown = screen.columns_shown()
    names = {column.name for column in shown}
    rest = [column for column in screen.all_columns() if column.name not in names]
    choices = [
        Choice(each.name, each.title.strip().lower() or each.name)
        for each in (*shown, *rest)
        if each.name not in description.always
    ]
    checklist = Checklist(
        "Columns",
        choices,
        frozenset(names),
        is_ordered=True,
        note="A narrow window leaves out those at the end that have no room.",
    )
    found = await changing.ask(ChecklistScreen(checklist))
    if found is None:
        return
    chosen = [*description.always, *found]
    usual = [column.name for column in description.columns]
    wrong = screen.preferences.keep_columns(description.name, [] if chosen == usual else chosen)
    screen.rows.set_columns(screen.columns_shown())
    if wrong:
        changing.tell(Notice(wrong, "warning"))


async def save_query(screen: ChosenList, changing: Changes, line: str) -> None:
    """A name and a tab for the search line."""
    prompt = Prompt("Name of this search", line, hint="the word on the tab", read=_name)
    name = await changing.ask(PromptScreen(prompt))
    if name is None:
        return
    wrong = screen.preferences.keep_query(name.strip(), line, screen.description.name)
    changing.tell(Notice(wrong, "warning") if wrong else Notice(f"saved as {name.strip()}"))
    screen.reframe()


def _name(line: str) -> PromptReading:
    name = line.strip()
    if not name:
        return PromptReading(problem=f"a name of up to {LONGEST_NAME} characters")
    return PromptReading(problem=f"{LONGEST_NAME} characters at most" if len(name) > LONGEST_NAME else "")
