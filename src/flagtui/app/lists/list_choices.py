"""What is asked about a list: which columns it shows, and what a search is called."""

from collections.abc import Sequence
from typing import Any

from flagtui.app.dialogs.checklist import Checklist, ChecklistScreen
from flagtui.app.dialogs.picker import Choice
from flagtui.app.dialogs.prompt import Prompt, PromptReading, PromptScreen
from flagtui.app.lists.list_description import ListDescription
from flagtui.app.widgets.column_layout import Column
from flagtui.app.writing.changes import Changes

LONGEST_NAME = 24


async def choose_columns(
    changing: Changes,
    description: ListDescription[Any],
    shown: Sequence[Column[Any]],
    every: Sequence[Column[Any]],
) -> list[str] | None:
    """Names of columns in the order wanted, none for those of the list itself; None to leave them."""
    names = {column.name for column in shown}
    rest = [column for column in every if column.name not in names]
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
        return None
    chosen = [*description.always, *found]
    return [] if chosen == [column.name for column in description.columns] else chosen


async def name_query(changing: Changes, line: str) -> str | None:
    """A name for the search line; None to leave it without."""
    prompt = Prompt("Name of this search", line, hint="the word on the tab", read=_name)
    name = await changing.ask(PromptScreen(prompt))
    return None if name is None else name.strip()


def _name(line: str) -> PromptReading:
    name = line.strip()
    if not name:
        return PromptReading(problem=f"a name of up to {LONGEST_NAME} characters")
    return PromptReading(problem=f"{LONGEST_NAME} characters at most" if len(name) > LONGEST_NAME else "")
