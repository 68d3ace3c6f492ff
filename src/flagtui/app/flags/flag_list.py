"""The flags of a project: find one while typing, see what it does, turn it off."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import ClassVar

from textual import work
from textual.binding import BindingType
from textual.timer import Timer

from flagtui.app.commands.command_table import bindings_of
from flagtui.app.flags.flag_columns import FLAG_LIST
from flagtui.app.flags.flag_keys import FlagKeys
from flagtui.app.flags.flag_preview import Preview
from flagtui.app.lists.loaded_list import WorkspaceList
from flagtui.app.lists.record_links import RecordKeys
from flagtui.app.shell.preload import PANE, load_in_background
from flagtui.app.state.app_state import AppState
from flagtui.app.writing.changes import Changes
from flagtui.details.flag_details import FlagDetails
from flagtui.models.rows import FlagRow
from flagtui.store.load_progress import RecordId


class LookUpKeys(RecordKeys):
    """A screen with this opens the look-ups above itself."""

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


class FlagsScreen(LookUpKeys, FlagKeys, WorkspaceList[FlagRow]):
    """Draws the collection of flags. Changes go to the App, where nothing that happens here cancels them."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("flags", "lists", "everywhere")]
    kind = "flags"
    place = "flags"
    tab = "1"
    description = FLAG_LIST

    def __init__(self, app_state: AppState, changing: Changes) -> None:
        super().__init__(app_state, changing)
        self._drawing: Timer | None = None
        self._drawn_version = 0
        self._is_drawn = False
        self._settled_at = -1

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
            self.show_recalled()
            self._settled_at = -1
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

    # Following the cursor

    def draw_preview(self, row: FlagRow | None) -> None:
        inspector = self._app_state.inspector
        if inspector is None:
            known = FlagDetails(row) if row is not None else None
        else:
            known = inspector.known(row) if row is not None else None
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
        link = self._app_state.page_of("flags", details.row.id) if details is not None else ""
        self.preview.show(details, self._app_state.now(), link)

    # Keys

    def action_open(self) -> None:
        pick = self._app_state.session.pick
        if pick is None:
            self.action_open_tab()
        elif self.flag is not None:
            pick(self.flag.key)
            self.app.exit()

    def action_open_tab(self, tab: str = "overview") -> None:
        if self.flag is not None:
            from flagtui.app.flags.flag_screen import FlagScreen

            self.app.push_screen(FlagScreen(self._app_state, self._changing, self.flag, tab))

    # Changes

    def chosen(self) -> list[FlagRow]:
        return WorkspaceList.chosen(self)

    def at_cursor(self) -> list[FlagRow]:
        return WorkspaceList.at_cursor(self)

    def saved(self, records: Iterable[RecordId]) -> None:
        WorkspaceList.saved(self, records)


def _numbers(records: Collection[int | str]) -> frozenset[int]:
    return frozenset(record for record in records if isinstance(record, int))
