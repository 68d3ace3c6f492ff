"""The lists of the tabs, and how to go to a record in them.

Each list is made when it is first opened, and keeps its state.
"""

from collections.abc import Mapping
from typing import Any, Final

from textual.screen import Screen

from flagtui.api.errors import ApiError
from flagtui.app.lists.list_frame import BrowseScreen
from flagtui.app.lists.list_screen import ListScreen
from flagtui.app.shell.screen_owner import KEPT, ScreenOwner
from flagtui.app.shell.toasts import drop_read, show_toast
from flagtui.app.state.app_state import AppState
from flagtui.app.state.go_to import TABS, GoTo, RecordLink
from flagtui.app.writing.change_runner import ChangeRunner
from flagtui.config.preferences import LeftList, LeftLists
from flagtui.models.rows import FlagRow
from flagtui.store.kinds import KINDS, Kind, load
from flagtui.store.load_progress import RecordId
from flagtui.store.workspace import Workspace
from flagtui.text.styled import Notice

LISTS: Final[Mapping[str, str]] = {
    **{kind.tab: kind.list_at for kind in KINDS.values()},
    TABS["activity"]: "flagtui.app.activity.activity_screen:ActivityScreen",
}
"""By the key of the tab: module and class, which are loaded when it is first opened."""


KIND_OF: Final[Mapping[str, Kind]] = {kind.tab: kind.plural for kind in KINDS.values()}
"""By the key of the tab; the activity is that of the flags."""
BELOW: Final = 1
"""Screens that are always at the bottom: Textual's own blank one."""


class TabScreens:
    """Goes from list to list."""

    def __init__(self, app: ScreenOwner[Any], app_state: AppState, runner: ChangeRunner) -> None:
        self._app = app
        self._app_state = app_state
        self._runner = runner
        self._lists: dict[str, BrowseScreen] = {}
        self.current = "1"
        """The key of the tab whose list was opened last."""

    def open_as_left(self) -> None:
        """Show the list that was in front at the end of the last run."""
        tab = self._left_lists().tab
        self.open(tab if tab in LISTS else "1")

    def keep_left(self) -> bool:
        """Remember how the lists are left now; False when another tab or search is in front than before."""
        session, before = self._app_state.session, self._left_lists()
        if (workspace := self._app_state.workspace) is not None:
            workspace.keep_newer()
        lists = {key: self._lists[key].left_list() for key in sorted(self._lists)}
        if lists:
            left = LeftLists(self.current, {**before.lists, **lists})
            session.preferences.keep_left(session.profile, session.host, left)
        nothing, here = LeftList(), self.current
        line, line_before = lists.get(here, nothing).line, before.lists.get(here, nothing).line
        return here == (before.tab or "1") and line == line_before

    def shows_next_start(self) -> bool:
        """Return whether the screen shows the list of the next start, complete and live."""
        state, workspace, screen = self._app_state, self._app_state.workspace, self._app.screen
        # The activity has no list of records that could be whole.
        if workspace is None or self.current == "4" or screen is not self._lists.get(self.current):
            return False
        left = self._left_in_front()
        is_plain = self.current == "1" and left is not None and not left.line
        is_whole = workspace.collection(state.kind).is_complete and state.trouble is None
        return is_whole and state.refreshes > 0 and (is_plain or state.session.preferences.resumes)

    def next_start(self) -> object:
        """Return the first screen of the next start, to compare it with this one."""
        workspace = self._app_state.workspace
        return self.current, workspace and workspace.client.project, self._left_in_front()

    def _left_in_front(self) -> LeftList | None:
        screen = self._lists.get(self.current)
        return screen.left_list() if screen is not None else None

    def _left_lists(self) -> LeftLists:
        session = self._app_state.session
        return session.preferences.left_lists(session.profile, session.host)

    def open(self, key: str) -> None:
        """Show the list of this tab. Details open above the present one are closed, dialogs stay."""
        app = self._app
        if app.screen.is_modal or key not in LISTS:
            return
        if key != self.current:
            # Toasts are about the records of the list that is left.
            drop_read(app)
        self._app_state.kind = KIND_OF.get(key, "flags")
        self.current = key
        app.uncover_list()
        self._show(self._lists.get(key) or self._make(key))

    def leave_pages(self) -> bool:
        """Close the pages and dialogs above the lists: they are about one project.

        Return False, and close nothing, while a form is open, which could not be saved in another project.
        """
        from flagtui.app.forms.draft_form import LinesForm

        above = self._app.screen_stack[KEPT:]
        if any(isinstance(screen, LinesForm) for screen in above):
            words = "save or leave the form first, which is for this project"
            show_toast(self._app, Notice(words, "warning", "not switched"))
            return False
        for screen in above:
            if not isinstance(screen, BrowseScreen):
                self._app.close_screen(screen)
        return True

    def renew(self, screen: Screen[Any]) -> None:
        """Show a new list in the place of one that cannot go on."""
        app, key = self._app, next((key for key, made in self._lists.items() if made is screen), "")
        if not key:
            return
        is_shown = screen in app.screen_stack
        made = self._make(key)
        if is_shown:
            app.uncover_list()
            self._show(made)
        app.uninstall_screen(screen)

    def _make(self, key: str) -> BrowseScreen:
        made: BrowseScreen = load(LISTS[key])(self._app_state, self._runner)
        self._lists[key] = made
        made.starts_at = self._left_lists().lists.get(key, made.starts_at)
        # Installed screens stay when another is shown.
        self._app.install_screen(made, f"tab-{key}-{id(made)}")
        return made

    def _show(self, made: BrowseScreen) -> None:
        if len(self._app.screen_stack) == BELOW:
            self._app.push_screen(made)
        else:
            self._app.switch_screen(made)

    def lists(self) -> list[BrowseScreen]:
        """Return the lists that were opened before."""
        return [*self._lists.values()]

    def open_flag(self, row: FlagRow, tab: str = "overview") -> None:
        """Show a flag above the present screen."""
        from flagtui.app.flags.flag_screen import FlagScreen

        self._app.push_screen(FlagScreen(self._app_state, self._runner, row, tab))

    async def open_record(self, target: RecordLink, tab: str) -> None:
        """Show the page of a record above the present screen, as it is today, also when no list has it."""
        workspace = self._app_state.workspace
        if workspace is None:
            return
        try:
            row = workspace.collection(target.kind).get(target.id) or await _read(workspace, target)
        except ApiError as error:
            from flagtui.text.outcomes import explain_error

            show_toast(self._app, explain_error(error, target.key))
            return
        if workspace is not self._app_state.workspace:
            return
        if target.kind == "flags":
            self.open_flag(row, tab)
            return
        place = TABS[target.kind]
        makes_pages: Any = self._lists.get(place) or self._make(place)
        if (page := makes_pages.page_of(row)) is not None:
            self._app.push_screen(page)

    def has_answered(self, key: str) -> bool:
        """Open the flag with this key, or report that there is none; return False while neither is known."""
        workspace = self._app_state.workspace
        if workspace is None:
            return False
        row = next((row for row in workspace.flags.rows if row.key == key), None)
        if row is not None:
            self.open_flag(row)
        elif workspace.flags.is_complete and self._app_state.refreshes:
            show_toast(self._app, Notice(f"There is no flag {key} in this project.", "warning"))
        else:
            return False
        return True

    def go_to(self, message: GoTo) -> None:
        """Put the cursor of its list on a record, and show the list or the record as requested."""
        tab = TABS[message.kind]
        if message.arrival == "behind":
            if isinstance(made := self._lists.get(tab), ListScreen):
                made.stand_on(message.record)
            return
        if message.arrival == "cursor" or self._app.screen is not self._lists.get(tab):
            self.open(tab)
        screen = self._lists.get(tab)
        if not isinstance(screen, ListScreen):
            return
        if message.arrival == "cursor":
            screen.call_after_refresh(screen.go_to, message.record)
        else:
            screen.call_after_refresh(_open, screen, message.record, message.key)


async def _read(workspace: Workspace, target: RecordLink) -> Any:
    """Return the row of a record that is not in its list, which has it from now on. Raises ApiError."""
    collection = workspace.collection(target.kind)
    moment = collection.moment
    row = (await workspace.operations(target.kind).get(target.id)).row()
    if target.kind != "flags":
        collection.put(row, moment)
    return row


def _open(screen: ListScreen[Any], record: RecordId, key: str) -> None:
    screen.go_to(record)
    if screen.rows.row_id == record:
        screen.action_open()
    else:
        show_toast(screen.app, Notice(f"{key} is not in the list any more.", "warning"))
