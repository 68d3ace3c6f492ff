"""The flags of a project: find one while typing, see what it does, turn it off."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import ClassVar

from textual import work
from textual.binding import BindingType
from textual.timer import Timer

from flagtui.app.commands.command_table import bindings_of
from flagtui.app.flags.flag_columns import FLAG_COLUMNS
from flagtui.app.flags.flag_list_keys import ListKeys
from flagtui.app.flags.flag_preview import Preview
from flagtui.app.flags.form.flag_form_keys import AnyScreen, FlagKeys
from flagtui.app.lists.list_screen import ListScreen
from flagtui.app.shell.preload import PANE, load_in_background
from flagtui.app.shell.status_line import link_of, location_of, words_without_records
from flagtui.app.state.app_state import AppState
from flagtui.app.widgets.row_list import RowList
from flagtui.app.writing.changes import Changes
from flagtui.details.flag_details import FlagDetails
from flagtui.models.rows import FlagRow
from flagtui.store.finder import Finder
from flagtui.store.load_progress import RecordId
from flagtui.store.query import FLAGS
from flagtui.store.sort_orders import Sort
from flagtui.text.empty_states import Words


class LookUpKeys(AnyScreen):
    """A screen with this opens the look-ups above itself."""

    _app_state: AppState
    _changing: Changes

    def action_ids(self) -> None:
        from flagtui.app.flags.lookups.found import IdsScreen

        self.app.push_screen(IdsScreen(self._app_state, self._changing))

    def action_my_flags(self) -> None:
        from flagtui.app.flags.lookups.found import MyFlagsScreen

        self.app.push_screen(MyFlagsScreen(self._app_state, self._changing))

    def action_definitions(self) -> None:
        from flagtui.app.flags.lookups.definitions_screen import DefinitionsScreen

        self.app.push_screen(DefinitionsScreen(self._app_state))


POURING = 0.2
"""Seconds between drawings while pages arrive faster than anybody can read."""


class FlagsScreen(LookUpKeys, FlagKeys, ListKeys, ListScreen[FlagRow]):
    """Draws the collection of flags. Changes go to the App, where nothing that happens here cancels them."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("flags", "lists", "everywhere")]
    kind = "flags"
    hint = "search   type:experiment  runtime:server  is:stale  by:me  tag:checkout"
    orders = ("updated", "key", "state", "rollout", "type", "created", "called")
    shown_orders: ClassVar[dict[str, str]] = {"created": "updated", "called": "updated"}

    def __init__(self, app_state: AppState, changing: Changes) -> None:
        finder: Finder[FlagRow] = Finder(clock=app_state.session.clock)
        ListScreen.__init__(self, app_state, changing, finder, FLAGS)
        self._drawing: Timer | None = None
        self._is_drawn = False
        self._settled_at = -1

    def make_rows(self) -> RowList[FlagRow]:
        return RowList(FLAG_COLUMNS, clock=self._app_state.now)

    def make_preview(self) -> Preview:
        return Preview()

    @property
    def preview(self) -> Preview:
        return self.query_one(Preview)

    @property
    def flag(self) -> FlagRow | None:
        """The flag under the cursor."""
        return self.record

    def on_mount(self) -> None:
        self.apply_preferences()
        self._show_sort()
        self.follow(self._app_state.watch, self.believe)
        self.believe()

    def believe(self) -> None:
        """Called after every change of the state. Pages that pour in are drawn a few times a second."""
        if not self.is_attached:
            return
        workspace = self._app_state.workspace
        is_pouring = workspace is not None and workspace.flags_loading.is_running and len(workspace.flags) > 0
        if is_pouring and self._drawing is None and self._is_drawn:
            self._drawing = self.set_timer(POURING, self._draw)
        elif not is_pouring or not self._is_drawn:
            self._draw()

    def _draw(self) -> None:
        if self._drawing is not None:
            self._drawing.stop()
            self._drawing = None
        workspace = self._app_state.workspace
        self._is_drawn = workspace is not None and len(workspace.flags) > 0
        if workspace is None:
            # Rows of the profile that was left must not stand under the badge of another.
            self._finder.show(())
            self.rows.show((), anchor="top")
            self._settled_at, self._sought = -1, None
        else:
            self._finder.know_person(workspace.me)
            flags = workspace.flags
            self._finder.show(flags.rows)
            changed = _numbers(flags.changed_since(self._drawn_version))
            self._drawn_version = flags.version
            self.rows.set_pending(_numbers(flags.pending))
            order = self._finder.find(self.search.value)
            self.rows.show(
                self._finder.rows, order, anchor="keep" if self._settled_at >= 0 else "top", changed=changed
            )
            self._settle(flags.is_complete, self._app_state.refreshes)
            self.seek()
        self.reframe()
        self._look_soon()

    def _settle(self, is_complete: bool, refreshes: int) -> None:
        """Rows are sorted anew when a load the person asked for ends; otherwise nothing moves by itself."""
        self._finder.is_steady = is_complete
        if is_complete and self._settled_at != refreshes:
            self._settled_at = refreshes
            self._sort_by(self._finder.sort)

    def _find(self, line: str) -> None:
        super()._find(line)
        self.load_what_is_asked_for()

    def known_values(self, rows: Sequence[FlagRow]) -> dict[str, list[str]]:
        return {
            "tag": sorted({tag for row in rows for tag in row.tags}),
            "by": ["me", *sorted({row.creator for row in rows if row.creator})],
        }

    def reframe(self) -> None:
        app_state = self._app_state
        self.show_frame(location_of(app_state), link_of(app_state), self.tabs(), self.current_tab())
        self._show_counts(self._finder.find(self.search.value))

    def words_without(self, total: int) -> Words:
        return words_without_records(self._app_state, "flags", self.search.value, total)

    # Following the cursor

    def draw_preview(self, row: FlagRow | None) -> None:
        inspector = self._app_state.inspector
        known = inspector.known(row) if row is not None and inspector is not None else None
        if known is None or self.preview.display:
            self._show_details(known)

    def look_closer(self, row: FlagRow) -> None:
        if self.preview.display:
            self._look(row)

    @work(exclusive=True, group="inspect")
    async def _look(self, row: FlagRow) -> None:
        inspector = self._app_state.inspector
        if inspector is None:
            return
        await load_in_background(PANE)
        details: FlagDetails
        async for details in inspector.look(row):
            if self.flag is not None and self.flag.id == row.id:
                self._show_details(details)

    def _show_details(self, details: FlagDetails | None) -> None:
        if details is not None:
            details = replace(details, names=self._app_state.names_about(details.flag))
        self.preview.show(details, self._app_state.now())

    # Keys

    def action_open(self) -> None:
        self.action_open_tab()

    def action_open_tab(self, tab: str = "overview") -> None:
        if self.flag is not None:
            from flagtui.app.flags.flag_screen import FlagScreen

            self.app.push_screen(FlagScreen(self._app_state, self._changing, self.flag, tab))

    def _sort_by(self, sort: Sort) -> None:
        super()._sort_by(sort)
        self.keep_sort(sort)

    # Changes

    def chosen(self) -> list[FlagRow]:
        return ListScreen.chosen(self)

    def at_cursor(self) -> list[FlagRow]:
        return ListScreen.at_cursor(self)

    def saved(self, records: Iterable[RecordId]) -> None:
        self.rows.unmark(records)

    def action_undo(self) -> None:
        self._changing.undo()

    def jump_words(self, row: FlagRow) -> tuple[str, str]:
        return row.key, row.name or row.type


def _numbers(records: Collection[int | str]) -> frozenset[int]:
    return frozenset(record for record in records if isinstance(record, int))
