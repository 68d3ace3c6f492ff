"""The flags of a project: filter while typing, read a flag's targeting, turn it off."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Final

from msgspec import structs
from msgspec.structs import replace
from textual import work

from flagtui.app.commands.command_table import bindings_of
from flagtui.app.flags.flag_columns import (
    FLAG_LIST,
    badges,
    due_cell,
    mark_and_version,
    scheduled_state,
    upstream_words,
    uses_cell,
)
from flagtui.app.flags.flag_keys import FlagKeys
from flagtui.app.lists.list_frame import WIDE
from flagtui.app.lists.loaded_list import InspectedList
from flagtui.app.shell.preload import PANE, load_in_background
from flagtui.app.widgets.column_layout import Column, Draw
from flagtui.models.flag_details import FlagDetails
from flagtui.models.rows import FlagRow
from flagtui.safe_text import safe_lines, safe_text
from flagtui.store.flag_listing import CLEAN_UP, order_of_search
from flagtui.store.query.vocabulary import NOT_READ, Outside
from flagtui.store.sort_orders import Sort
from flagtui.text.empty_states import Words, waiting_lines
from flagtui.text.key_signs import key_sign
from flagtui.text.styled import Piece

if TYPE_CHECKING:
    from flagtui.store.schedule import FlagSchedule

MISSING: Final = frozenset(("unknown-key", "deleted-key"))
"""Rules about keys that the list cannot have."""


class FlagsScreen(FlagKeys, InspectedList[FlagRow]):
    """Draws the collection of flags. Changes go to the App, where nothing that happens here cancels them."""

    BINDINGS = bindings_of("flags", "lists", "everywhere")
    kind = "flags"
    place = "flags"
    tab = "1"
    description = FLAG_LIST
    _shown_mirror: object = None
    """The drawn state of the mirror."""
    _sort_before: Sort | None = None
    """The order before that of a clean-up; None outside one."""
    _outside = NOT_READ
    """The schedule and the last scan of code, as far as they are read."""
    _schedule: FlagSchedule | None = None
    _is_reading_schedule = False
    _schedule_refreshes = 0
    _scan: object = None
    """The scan it was made from."""
    _asked_code: object = None
    """The code whose scan was loaded."""

    # Following the cursor

    def pane_lines(self, details: FlagDetails, now: float, width: int) -> Iterator[list[Piece]]:
        return detail_lines(details, now, width)

    def known_of(self, row: FlagRow) -> FlagDetails:
        inspector = self._app_state.inspector
        return self._add_names(inspector.cached_details(row) if inspector is not None else FlagDetails(row))

    async def learn(self, row: FlagRow) -> AsyncIterator[FlagDetails]:
        inspector = self._app_state.inspector
        if inspector is None:
            return
        await load_in_background(PANE)
        async for details in inspector.load(row):
            yield self._add_names(details)

    def _add_names(self, details: FlagDetails) -> FlagDetails:
        mirror = self._app_state.session.mirror
        state = None if mirror is None else mirror.state
        return replace(details, names=self._app_state.names_about(details.flag), mirror=state)

    # The code

    def _find(self, line: str) -> None:
        self._order_clean_up(line)
        super()._find(line)
        self._learn_code()

    def _order_clean_up(self, line: str) -> None:
        """Put unused flags in the order in which they can be removed, and the list back afterwards."""
        order = order_of_search(line)
        if order and self._sort_before is None:
            self._sort_before = self._finder.ranking.sort
            self._finder.sort_by(Sort(order))
        elif not order and self._sort_before is not None:
            if self._finder.ranking.sort.name == CLEAN_UP:
                self._finder.sort_by(self._sort_before)
            self._sort_before = None

    def keep_sort(self, sort: Sort) -> None:
        if sort.name != CLEAN_UP:
            super().keep_sort(sort)

    def _hidden_sort_words(self) -> str:
        if self._finder.ranking.sort.name != CLEAN_UP or not self._finder.is_sorted:
            return super()._hidden_sort_words()
        first = "riskiest first" if self._finder.ranking.is_descending else "safest first"
        if self.size.width < WIDE:
            return f"{first}  "
        code = "code, " if self._outside.code is not None else ""
        return f"{first}: {code}dependents, value, last call  "

    def words_without(self, total: int) -> Words:
        words, ways = super().words_without(total), list[str]()
        for term in self._finder.query.terms:
            if term.name == "code" and not MISSING.isdisjoint(term.words):
                ways.append(f"{key_sign('app.code')} lists keys in code that have no record")
            if term.name == "is" and "deleted" in term.words:
                ways.append(f"{key_sign('flags.deleted')} lists flags deleted earlier")
        return Words((*words.lines, *ways), words.look)

    def all_columns(self) -> tuple[Column[FlagRow], ...]:
        columns, code, due = super().all_columns(), self._outside.code, self._outside.due
        draws: dict[str, Draw[FlagRow]] = {"refs": uses_cell(code)} if code is not None else {}
        if due is not None and self._schedule is not None:
            draws |= {"state": scheduled_state(due), "due": due_cell(self._schedule.changes)}
        return tuple(
            structs.replace(each, draw=draws[each.name]) if each.name in draws else each for each in columns
        )

    @property
    def _project(self) -> str:
        workspace = self._app_state.workspace
        return "" if workspace is None else str(workspace.client.project)

    def _learn_code(self) -> None:
        """Load the last scan of code once the line, the order or a column depends on it."""
        source = (id(self._app_state.session.code), self._project)
        is_shown = "refs" in self.preferences.columns.get(self.description.name, ())
        if source == self._asked_code or not (self._finder.reads_outside or is_shown):
            return
        from flagtui.app.records.code_scanning import search_of

        self._asked_code = source
        if (search := search_of(self._app_state)) is not None:
            self.run_worker(search.load(), group="load-code")
        self._take_code()

    def _take_code(self) -> None:
        """Search, sort and draw with the scan of code as it is now."""
        search = self._app_state.code_search
        source, project = self._app_state.session.code, self._project
        is_own = search is not None and search.source is source and search.project == project
        scan = search.scan if search is not None and is_own else None
        if scan is self._scan:
            return
        from flagtui.store.code_scans import CodeIndex

        self._scan = scan
        self._take_outside(Outside(None if scan is None else CodeIndex(scan), self._outside.due))

    def _take_outside(self, outside: Outside) -> None:
        """Search, sort and draw with facts that are not in the rows."""
        self._outside = outside
        self._finder.set_outside(outside)
        self.rows.set_columns(self.columns_shown())
        if self._finder.reads_outside:
            self._find(self.search.value)

    # The schedule

    def _follow_schedule(self) -> None:
        """Draw the schedule as it is known, and read it when it is old; one request for all flags."""
        workspace, state = self._app_state.workspace, self._app_state
        schedule = workspace.schedule if workspace is not None and state.refreshes else None
        due = schedule.due if schedule is not None else None
        if due is not self._outside.due or schedule is not self._schedule:
            self._schedule = schedule
            self._take_outside(Outside(self._outside.code, due))
        if schedule is None or workspace is None or workspace.client.link.is_offline:
            return
        if state.refreshes != self._schedule_refreshes:
            self._schedule_refreshes = state.refreshes
            schedule.invalidate()
        if schedule.is_outdated and not self._is_reading_schedule:
            self._is_reading_schedule = True
            self._read_schedule(schedule)

    @work(group="schedule", description="read schedule")
    async def _read_schedule(self, schedule: FlagSchedule) -> None:
        try:
            await schedule.read()
        finally:
            self._is_reading_schedule = False
        if self.is_attached:
            self._follow_schedule()

    # The mirror

    def columns_shown(self) -> tuple[Column[FlagRow], ...]:
        columns, mirror = super().columns_shown(), self._app_state.session.mirror
        if mirror is None:
            return columns
        from flagtui.app.flags.mirror_parts import mirror_columns

        return mirror_columns(columns, mirror)

    def update_from_state(self) -> None:
        super().update_from_state()
        if self.is_mounted:
            self._learn_code()
            self._take_code()
            self._follow_schedule()
        mirror = self._app_state.session.mirror
        shown = None if mirror is None else (mirror, mirror.state, mirror.trouble)
        if not self.is_mounted or (shown == self._shown_mirror and shown is None):
            return
        if shown != self._shown_mirror:
            self._shown_mirror = shown
            self.rows.set_columns(self.columns_shown())
            self.draw_preview(self.record)
        from flagtui.app.flags.mirror_parts import show_notices

        show_notices(self, mirror, (row.key for row in self._finder.rows))

    # Keys

    def title_of(self, command_id: str) -> str:
        is_choice = command_id == "lists.open" and self._app_state.session.pick is not None
        return "choose" if is_choice else super().title_of(command_id)

    def action_open(self) -> None:
        pick = self._app_state.session.pick
        if pick is None:
            self.action_open_tab()
        elif self.record is not None:
            pick(self.record.key)
            self.app.exit()

    def action_open_tab(self, tab: str = "overview") -> None:
        if self.record is not None:
            from flagtui.app.flags.flag_screen import FlagScreen

            self.app.push_screen(FlagScreen(self._app_state, self._runner, self.record, tab))

    def action_ids(self) -> None:
        from flagtui.app.flags.flag_lookups import find_by_ids

        self._runner.run(find_by_ids(self._app_state, self._runner))

    def action_my_flags(self) -> None:
        from flagtui.app.flags.flag_lookups import MyFlagsScreen

        self.app.push_screen(MyFlagsScreen(self._app_state, self._runner))

    def action_definitions(self) -> None:
        from flagtui.app.flags.flag_lookups import DefinitionsScreen

        self.app.push_screen(DefinitionsScreen(self._app_state))


def detail_lines(details: FlagDetails, now: float, width: int) -> Iterator[list[Piece]]:
    """Yield the whole pane, line by line."""
    yield from _head(details.row, width)
    if details.mirror is not None:
        from flagtui.text.override_lines import mirror_lines

        yield from mirror_lines(details.mirror, details.row.key, upstream_words(details.row), width)
    if details.flag is None:
        yield from waiting_lines(details.trouble)
        return
    # The rules take long to load, and a row can be seen before its flag is known.
    from flagtui.app.flags.flag_preview_lines import flag_lines

    yield from flag_lines(details.flag, details, now, width)


def _head(row: FlagRow, width: int) -> Iterator[list[Piece]]:
    mark, version = mark_and_version(row)
    yield [mark, (safe_text(row.key, max(8, width - 12)), "bold"), (version, "$text-muted")]
    for line in safe_lines(row.name, 400, 3) if row.name else []:
        yield [(line, "$text-muted")]
    yield []
    yield list(badges(row))
    yield []
