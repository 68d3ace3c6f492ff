"""The flags of a project: find one while typing, see what it does, turn it off."""

from collections.abc import Iterable
from dataclasses import replace
from typing import ClassVar

from textual import work
from textual.binding import BindingType

from flagtui.app.commands.command_table import bindings_of
from flagtui.app.flags.flag_columns import FLAG_LIST
from flagtui.app.flags.flag_keys import FlagKeys
from flagtui.app.flags.flag_preview import Preview
from flagtui.app.lists.loaded_list import WorkspaceList
from flagtui.app.lists.record_links import RecordKeys
from flagtui.app.shell.preload import PANE, load_in_background
from flagtui.details.flag_details import FlagDetails
from flagtui.models.rows import FlagRow
from flagtui.store.load_progress import RecordId


class LookUpKeys(RecordKeys):
    """A screen with this opens the look-ups above itself."""

    def action_ids(self) -> None:
        from flagtui.app.flags.lookups.flags_by_id import find_by_ids

        self._changing.run(find_by_ids(self._app_state, self._changing))

    def action_my_flags(self) -> None:
        from flagtui.app.flags.lookups.my_flags import MyFlagsScreen

        self.app.push_screen(MyFlagsScreen(self._app_state, self._changing))

    def action_definitions(self) -> None:
        from flagtui.app.flags.lookups.definitions_screen import DefinitionsScreen

        self.app.push_screen(DefinitionsScreen(self._app_state))


class FlagsScreen(LookUpKeys, FlagKeys, WorkspaceList[FlagRow]):
    """Draws the collection of flags. Changes go to the App, where nothing that happens here cancels them."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("flags", "lists", "everywhere")]
    kind = "flags"
    place = "flags"
    tab = "1"
    description = FLAG_LIST

    def make_preview(self) -> Preview:
        return Preview()

    @property
    def preview(self) -> Preview:
        return self.query_one(Preview)

    @property
    def flag(self) -> FlagRow | None:
        """The flag under the cursor."""
        return self.record

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
