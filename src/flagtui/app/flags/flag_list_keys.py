"""The keys of the list of flags that are about the list itself: columns, named searches, copying, links."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from textual import work

from flagtui.api.errors import ApiError
from flagtui.app.flags.flag_columns import ALL_FLAG_COLUMNS, FLAG_COLUMNS
from flagtui.app.lists.list_frame import BrowseScreen
from flagtui.app.shell.header import Tab
from flagtui.app.shell.status_line import tabs_of
from flagtui.app.shell.toasts import tell
from flagtui.app.state.app_state import AppState
from flagtui.app.widgets.column_layout import Column
from flagtui.app.widgets.row_list import RowList
from flagtui.app.widgets.search_line import LineHistory, SearchLine
from flagtui.app.writing.changes import Changes
from flagtui.changes.flags.mask import MASK
from flagtui.config.profiles import NEUTRAL
from flagtui.models.rows import FlagRow
from flagtui.safe_text import safe_text
from flagtui.store.finder import Finder
from flagtui.store.sort_orders import Sort
from flagtui.text.addresses import command_for, link_to_flag, request_for_flag, why_not_opened
from flagtui.text.notices import Notice

if TYPE_CHECKING:
    from flagtui.app.dialogs.prompt import PromptReading
    from flagtui.models.flag import Flag

LIST: Final = "flags"
FIRST_QUERY: Final = 5
"""The key of the first named search; the tabs before it are the lists."""
QUERY_KEYS: Final = 5
OWN_SORT: Final = "updated"
ALWAYS: Final = ("state", "key")
"""Columns without which a row says nothing."""


class ListKeys(BrowseScreen):
    """The list of flags without what finds and draws the rows."""

    _app_state: AppState
    _changing: Changes
    _finder: Finder[FlagRow]
    _asked_archived = -1

    @property
    @abstractmethod
    def flag(self) -> FlagRow | None:
        """The flag under the cursor."""

    # As it was left

    def apply_preferences(self) -> None:
        """Put the list as the person left it."""
        preferences = self._app_state.session.preferences
        self.set_class(preferences.shows_preview, "-preview")
        self.query_one(RowList).set_columns(chosen_columns(preferences.columns.get(LIST, ())))
        self.query_one(SearchLine).history = LineHistory(tuple(reversed(preferences.remembered.history)))
        sort = preferences.remembered.sorts.get(LIST, "")
        if sort.removeprefix("-") in self._finder.order_names:
            self._finder.sort_by(Sort(sort.removeprefix("-"), sort.startswith("-")))

    def keep_sort(self, sort: Sort) -> None:
        """For the next run; the list's own order needs no remembering."""
        preferences, wanted = (
            self._app_state.session.preferences,
            f"{'-' if sort.is_reversed else ''}{sort.name}",
        )
        if wanted != preferences.remembered.sorts.get(LIST, OWN_SORT):
            preferences.keep_sort(LIST, wanted)

    def leave_line(self) -> None:
        self._app_state.session.preferences.keep_line(self.search.value)
        super().leave_line()

    def action_preview(self) -> None:
        self.toggle_class("-preview")
        self._app_state.session.preferences.keep_preview(self.has_class("-preview"))

    # Columns

    def action_columns(self) -> None:
        self._changing.run(self.while_living(self._columns()))

    async def _columns(self) -> None:
        from flagtui.app.dialogs.checklist import Checklist, ChecklistScreen
        from flagtui.app.dialogs.picker import Choice

        shown = chosen_columns(self._app_state.session.preferences.columns.get(LIST, ()))
        rest = [column for column in ALL_FLAG_COLUMNS if column not in shown]
        choices = [
            Choice(each.name, column_word(each)) for each in [*shown, *rest] if each.name not in ALWAYS
        ]
        checklist = Checklist(
            "Columns",
            choices,
            frozenset(column.name for column in shown),
            is_ordered=True,
            note="A narrow window leaves out those at the end that have no room.",
        )
        found = await self._changing.ask(ChecklistScreen(checklist))
        if found is None:
            return
        names = [*ALWAYS, *found]
        usual = [column.name for column in FLAG_COLUMNS]
        wrong = self._app_state.session.preferences.keep_columns(LIST, [] if names == usual else names)
        self.query_one(RowList).set_columns(chosen_columns(names))
        if wrong:
            tell(self.app, Notice(wrong, "warning"))

    # Named searches

    def tabs(self) -> list[Tab]:
        """The lists, then the named searches with how many flags each finds."""
        named = self._app_state.session.preferences.queries_of(LIST)[:QUERY_KEYS]
        keys = range(FIRST_QUERY, FIRST_QUERY + QUERY_KEYS)
        return [
            *tabs_of(self._app_state),
            *(
                Tab(str(key), safe_text(query.name, 24), f"{self._finder.count(query.line):,}")
                for key, query in zip(keys, named, strict=False)
            ),
        ]

    def current_tab(self) -> str:
        """The named search that stands in the line, else the list."""
        line = self.query_one(SearchLine).value.strip()
        for place, query in enumerate(self._app_state.session.preferences.queries_of(LIST)[:QUERY_KEYS]):
            if line and line == query.line.strip():
                return str(FIRST_QUERY + place)
        return "1"

    def action_query(self, key: int) -> None:
        named = self._app_state.session.preferences.queries_of(LIST)
        place = key - FIRST_QUERY
        if place < len(named):
            self.query_one(SearchLine).set_line(named[place].line)
            self.reframe()

    def action_save_query(self) -> None:
        line = self.query_one(SearchLine).value.strip()
        if not line:
            tell(self.app, Notice("Type a search first; then it can get a name and a tab.", "warning"))
            return
        self._changing.run(self._save_query(line))

    async def _save_query(self, line: str) -> None:
        from flagtui.app.dialogs.prompt import Prompt, PromptScreen

        prompt = Prompt("Name of this search", line, hint="the word on the tab", read=_query_name)
        name = await self._changing.ask(PromptScreen(prompt))
        if name is None:
            return
        wrong = self._app_state.session.preferences.keep_query(name.strip(), line, LIST)
        tell(self.app, Notice(wrong, "warning") if wrong else Notice(f"saved as {name.strip()}"))
        self.reframe()

    # Archived flags

    def load_what_is_asked_for(self) -> None:
        """Loads archived flags when the query asks for them: the server leaves them out of its list."""
        refreshes = self._app_state.refreshes
        if "archived" in self._finder.query.shows and self._asked_archived != refreshes:
            self._asked_archived = refreshes
            self._load_archived()

    @work(group="load-archived")
    async def _load_archived(self) -> None:
        if self._app_state.workspace is not None:
            await self._app_state.workspace.load_archived()

    # Copying

    def action_copy_key(self) -> None:
        if self.flag is not None:
            self._copy(self.flag.key)

    def action_copy_menu(self) -> None:
        if self.flag is not None and self._app_state.workspace is not None:
            self._changing.run(self._copy_menu(self.flag))

    async def _copy_menu(self, row: FlagRow) -> None:
        workspace = self._app_state.workspace
        if workspace is None:
            return
        from flagtui.app.dialogs.picker import Choice, PickerScreen

        client = workspace.client
        link, request = link_to_flag(client, row.id), request_for_flag(client, row.id)
        session = self._app_state.session
        is_stand_in = session.colour == NEUTRAL
        command = command_for(client, "" if is_stand_in else session.profile, row.key)
        choices = [
            Choice("key", "key", row.key),
            Choice("id", "id", str(row.id)),
            Choice("link", "link", link),
            Choice("JSON", "JSON", "the whole flag"),
            Choice("curl", "curl", "a request that reads it"),
            Choice("command", "command", "opens this flag from a shell"),
        ]
        chosen = await self._changing.ask(PickerScreen(f"Copy of {row.key}", choices))
        if chosen == "JSON":
            await self._copy_json(row)
        elif chosen is not None:
            texts = {"key": row.key, "id": str(row.id), "link": link, "curl": request, "command": command}
            self._copy(texts[chosen])

    async def _copy_json(self, row: FlagRow) -> None:
        if self._app_state.workspace is None:
            return
        try:
            flag = await self._app_state.workspace.client.flags.get(row.id)
        except ApiError as error:
            from flagtui.text.outcomes import explain_error

            tell(self.app, explain_error(error, row.key))
            return
        self.app.copy_to_clipboard(flag_as_json(flag))
        tell(self.app, Notice(f"sent to the terminal's clipboard: {row.key} as JSON"))

    def _copy(self, text: str) -> None:
        safe = safe_text(text, 1_000)
        self.app.copy_to_clipboard(safe)
        tell(self.app, Notice(f"sent to the terminal's clipboard: {safe}"))

    def action_link(self) -> None:
        if self.flag is None or self._app_state.workspace is None:
            return
        link = link_to_flag(self._app_state.workspace.client, self.flag.id)
        if why := why_not_opened(link):
            tell(self.app, Notice(f"{link}\n{why}", seconds=20.0))
        else:
            self.app.open_url(link)


def chosen_columns(names: Sequence[str]) -> tuple[Column[FlagRow], ...]:
    """These columns, those without which a row says nothing in front; else the list's own."""
    known = {column.name: column for column in ALL_FLAG_COLUMNS}
    named = [name for name in names if name in known]
    missing = [name for name in ALWAYS if name not in named]
    return tuple(known[name] for name in (*missing, *named)) if named else FLAG_COLUMNS


def column_word(column: Column[Any]) -> str:
    return column.title.lower() or column.name


def flag_as_json(flag: Flag) -> str:
    """The flag as the server gave it; encrypted payloads stay hidden."""
    raw = dict(flag.raw)
    if flag.has_encrypted_payloads:
        filters = dict(flag.filters)
        filters["payloads"] = dict.fromkeys(flag.targeting.payloads, MASK)
        raw["filters"] = filters
    return json.dumps(raw, indent=2)


def _query_name(line: str) -> PromptReading:
    from flagtui.app.dialogs.prompt import PromptReading

    name = line.strip()
    if not name:
        return PromptReading(problem="a name of up to 24 characters")
    return PromptReading(problem="24 characters at most" if len(name) > 24 else "")
