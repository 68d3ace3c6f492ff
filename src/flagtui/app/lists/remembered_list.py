"""A list as it was left: columns, order, saved searches, lines searched for, preview."""

from typing import Any, Final

from textual.app import ComposeResult

from flagtui.app.lists.list_description import ListDescription
from flagtui.app.lists.list_frame import BrowseScreen
from flagtui.app.shell.header import Tab
from flagtui.app.shell.status_line import tabs_of
from flagtui.app.shell.toasts import tell
from flagtui.app.state.app_state import AppState
from flagtui.app.widgets.column_layout import Column
from flagtui.app.widgets.search_line import LineHistory
from flagtui.app.writing.changes import Changes
from flagtui.config.preferences import Preferences
from flagtui.safe_text import safe_text
from flagtui.store.finder import Finder
from flagtui.store.sort_orders import Sort
from flagtui.text.styled import Notice

FIRST_QUERY: Final = 5
"""The key of the first saved search; the tabs before it are the lists."""
QUERY_KEYS: Final = 5


class RememberedList(BrowseScreen):
    """What is kept of a list is kept under its name, for the next run as well."""

    description: ListDescription[Any]
    tab: str
    """The key of its tab."""
    _app_state: AppState
    _changing: Changes
    _finder: Finder[Any]

    @property
    def preferences(self) -> Preferences:
        """What the person likes of lists."""
        return self._app_state.session.preferences

    def all_columns(self) -> tuple[Column[Any], ...]:
        """Every column there is, drawn with what this screen knows."""
        return (*self.description.columns, *self.description.more_columns)

    def columns_shown(self) -> tuple[Column[Any], ...]:
        """The columns chosen for this list, else its own."""
        names = self.preferences.columns.get(self.description.name, ())
        return self.description.chosen(names, self.all_columns())

    def compose(self) -> ComposeResult:
        # Before there is anything in it whose styles it would change.
        self.set_class(self.preferences.shows_preview, "-preview", update=False)
        yield from super().compose()

    def apply_preferences(self) -> None:
        """Put the list as the person left it."""
        preferences, name = self.preferences, self.description.name
        self.set_class(preferences.shows_preview, "-preview")
        self.rows.set_columns(self.columns_shown())
        self.search.history = LineHistory(tuple(reversed(preferences.remembered.history)))
        sort = preferences.remembered.sorts.get(name, "")
        if sort.removeprefix("-") in self._finder.order_names:
            self._finder.sort_by(Sort(sort.removeprefix("-"), sort.startswith("-")))
        known = self.description.column_names
        if unknown := [each for each in preferences.columns.get(name, ()) if each not in known]:
            words = f"{name} has no column {safe_text(unknown[0], 40)}; use {', '.join(known)}"
            tell(self.app, Notice(words, "warning", "settings"))

    def keep_sort(self, sort: Sort) -> None:
        """For the next run; the list's own order needs no remembering."""
        own = written(self.description.sort)
        if written(sort) != self.preferences.remembered.sorts.get(self.description.name, own):
            self.preferences.keep_sort(self.description.name, written(sort))

    def leave_line(self) -> None:
        self.preferences.keep_line(self.search.value)
        super().leave_line()

    def action_preview(self) -> None:
        self.toggle_class("-preview")
        self.preferences.keep_preview(self.has_class("-preview"))

    def action_columns(self) -> None:
        from flagtui.app.lists.list_choices import choose_columns

        self._changing.run(self.while_living(choose_columns(self, self._changing)))

    # Saved searches

    def own_tabs(self) -> list[Tab]:
        """The tabs before those of saved searches."""
        return tabs_of(self._app_state)

    def tabs(self) -> list[Tab]:
        """The lists, then the saved searches with how many rows each finds."""
        named = self.preferences.queries_of(self.description.name)[:QUERY_KEYS]
        return [
            *self.own_tabs(),
            *(
                Tab(
                    str(FIRST_QUERY + place), safe_text(query.name, 24), f"{self._finder.count(query.line):,}"
                )
                for place, query in enumerate(named)
            ),
        ]

    def current_tab(self) -> str:
        """The saved search that stands in the line, else the list."""
        line = self.search.value.strip()
        for place, query in enumerate(self.preferences.queries_of(self.description.name)[:QUERY_KEYS]):
            if line and line == query.line.strip():
                return str(FIRST_QUERY + place)
        return self.tab

    def action_query(self, key: int) -> None:
        named = self.preferences.queries_of(self.description.name)
        if (place := key - FIRST_QUERY) < len(named):
            self.search.set_line(named[place].line)
            self.reframe()

    def action_save_query(self) -> None:
        line = self.search.value.strip()
        if not line:
            tell(self.app, Notice("Type a search first; then it can get a name and a tab.", "warning"))
            return
        from flagtui.app.lists.list_choices import save_query

        self._changing.run(save_query(self, self._changing, line))


def written(sort: Sort) -> str:
    """As the memory keeps it: a minus in front turns it round."""
    return f"{'-' if sort.is_reversed else ''}{sort.name}"
