"""Lists of the workspace's records, loaded when the list is first opened."""

from abc import abstractmethod
from collections.abc import AsyncIterator, Iterable
from typing import Any, Final, Literal

from textual import work
from textual.timer import Timer

from flagtui.api.errors import needs_key
from flagtui.app.commands.command_table import BY_ID
from flagtui.app.lists.list_screen import ListScreen
from flagtui.app.shell.status_line import missing_records
from flagtui.app.state.app_state import AppState
from flagtui.app.widgets.panes import AgedPane, PaneLine
from flagtui.app.writing.change_runner import ChangeRunner
from flagtui.store.collection import IdRow
from flagtui.store.kinds import KINDS
from flagtui.store.load_progress import Empty, LoadFailed
from flagtui.store.workspace import Workspace
from flagtui.text.empty_states import Words, no_match_words, nothing_words, trouble_words, waiting_words

BREATH: Final = 0.25
"""Seconds between two looks at a list that is still arriving: sorting a hundred thousand takes time."""
NEVER: Final = -1
"""No load has ended after which rows were sorted."""


class WorkspaceList(ListScreen[IdRow]):
    """Draws a collection of the workspace; loads rows that are missing or archived from the server."""

    def __init__(self, app_state: AppState, runner: ChangeRunner) -> None:
        super().__init__(app_state, runner)
        self._workspace: Workspace | None = None
        self._breathing: Timer | None = None
        self._drawn_version = self._failed_reads = 0
        self._is_drawn = False
        """Rows of this project are on screen."""
        self._was_away = True
        """Whether another screen than a dialog was in front: below one it is drawn as in front."""
        self._settled_at = NEVER
        self._asked_archived: tuple[int, Workspace | None] = (NEVER, None)

    def on_screen_suspend(self) -> None:
        self._was_away = self._was_away or not self.app.screen.is_modal

    def draw_resumed(self) -> None:
        if self._was_away:
            self._was_away = False
            self.rows.redraw_ages()
            self.update_from_state()
        else:
            self._look_soon()
        self.draw_preview(self.record)
        if self._workspace is not None and self._was_refused(self._workspace):
            self._load(self._workspace)

    def update_from_state(self) -> None:
        """Follow a change of the state; draw arriving pages only a few times a second."""
        if not self.is_attached or self not in self.app.screen_stack:
            return
        workspace = self._app_state.workspace
        if workspace is not self._workspace:
            self._enter(workspace)
        is_pouring = self._is_drawn and workspace is not None and workspace.loading(self.kind).is_running
        if not is_pouring:
            self._draw()
        elif self._breathing is None:
            self._breathing = self.set_timer(BREATH, self._draw)

    @property
    def awaits_rows(self) -> bool:
        """Whether rows are being loaded, or are about to be."""
        workspace = self._app_state.workspace
        loading = workspace.loading(self.kind) if workspace is not None else None
        return loading is None or loading.is_running or isinstance(loading.state, Empty)

    @property
    def is_read(self) -> bool:
        workspace = self._app_state.workspace
        return workspace is not None and workspace.collection(self.kind).is_complete and not self.awaits_rows

    def _enter(self, workspace: Workspace | None) -> None:
        """Leave the rows of one project for those of another."""
        self._workspace, self._is_drawn, self._sought = workspace, False, None
        self._failed_reads = 0
        self._drawn_version, self._settled_at = 0, NEVER
        if workspace is not None and isinstance(workspace.loading(self.kind).state, Empty):
            workspace.recall(self.kind)
            self._load(workspace)

    @work(exclusive=True, group="load", description="load")
    async def _load(self, workspace: Workspace) -> None:
        state = await workspace.refresh(self.kind)
        if workspace is self._workspace and isinstance(state, LoadFailed) and needs_key(state.error):
            self._app_state.become_troubled(state.error)

    def _was_refused(self, workspace: Workspace) -> bool:
        """Return whether the load failed with a key that the user has replaced since."""
        state = workspace.loading(self.kind).state
        is_refused = isinstance(state, LoadFailed) and needs_key(state.error)
        return is_refused and not needs_key(self._app_state.connection_trouble)

    def _draw(self) -> None:
        if self._breathing is not None:
            self._breathing.stop()
            self._breathing = None
        if self._workspace is not None:
            self._show_rows(self._workspace)
        else:
            self.show_recalled()
        self.reframe()
        if not self._has_failed_again():
            self._look_soon()

    def _has_failed_again(self) -> bool:
        """Return whether a failure is the news. One of the pane is, too: to look again would never end."""
        if self._workspace is None:
            return False
        link, failed_reads = self._workspace.client.link, self._failed_reads
        self._failed_reads = link.failed_reads
        return link.is_offline or link.failed_reads != failed_reads

    def show_recalled(self) -> None:
        """Show cached rows of this profile while there is no connection."""
        self._finder.show(self._app_state.recalled_rows(self.kind))
        self.rows.show(self._finder.rows, self._finder.find(self.search.value), anchor="top")

    def _show_rows(self, workspace: Workspace) -> None:
        collection, has_settled = workspace.collection(self.kind), self._settled_at != NEVER
        is_other_user = self._finder.set_user(workspace.me)
        self._finder.show(collection.rows)
        changed = collection.changed_since(self._drawn_version) if has_settled else frozenset()
        self._drawn_version, self._is_drawn = collection.version, len(collection) > 0
        self.rows.set_edits(collection.pending, collection.staged)
        anchor: Literal["keep", "top"] = "keep" if has_settled else "top"
        order = self._finder.find(self.search.value)
        self.rows.show(self._finder.rows, order, anchor=anchor, changed=changed)
        if is_other_user and self._finder.query.names_me:
            self._find(self.search.value)
        loading = workspace.loading(self.kind)
        is_all_read = collection.is_complete or loading.too_long is not None
        self._settle(is_all_read and not loading.is_running, self._app_state.refreshes)
        self.seek()

    def _settle(self, is_all_read: bool, refreshes: int) -> None:
        """Sort rows when a load that the user requested ends; otherwise nothing moves."""
        self._finder.ranking.is_steady = is_all_read
        if is_all_read and self._settled_at != refreshes:
            self._settled_at = refreshes
            self._sort_by(self._finder.ranking.sort)

    async def search_server(self, word: str) -> None:
        if self._app_state.workspace is not None:
            await self._app_state.workspace.search_server(self.kind, word)

    def missing(self) -> int:
        return missing_records(self._app_state.workspace, self.kind, self._finder.total)

    def words_without(self, total: int) -> Words:
        what, workspace = KINDS[self.kind].words, self._app_state.workspace
        loading = workspace.loading(self.kind) if workspace is not None else None
        if total:
            is_cut = loading is not None and loading.too_long is not None
            missing = missing_records(workspace, self.kind, total)
            return no_match_words(self.search.value, total, missing, is_cut=is_cut)
        trouble = self._app_state.connection_trouble or (loading.trouble if loading is not None else None)
        if trouble is not None:
            return trouble_words(trouble)
        if workspace is None or not workspace.collection(self.kind).is_complete:
            return waiting_words(what)
        creation = BY_ID.get(f"{self.kind}.new")
        is_offered = creation is not None and self.may_change(creation.action)
        return nothing_words(what, creation.id if creation and is_offered else "")

    def _find(self, line: str) -> None:
        super()._find(line)
        load = (self._app_state.refreshes, self._app_state.workspace)
        if "archived" in self._finder.query.shows and self._asked_archived != load:
            # The server leaves them out of its list.
            self._asked_archived = load
            self._load_archived()

    @work(group="load-archived")
    async def _load_archived(self) -> None:
        if self._app_state.workspace is not None:
            await self._app_state.workspace.load_archived(self.kind)


class InspectedList(WorkspaceList[IdRow]):
    """Loads details of the record at the cursor and shows them beside the list."""

    @abstractmethod
    def pane_lines(self, details: Any, now: float, width: int) -> Iterable[PaneLine]:
        """Return the lines of the pane, with ages as of `now`, in Unix seconds."""

    @abstractmethod
    def known_of(self, row: IdRow) -> Any:
        """Return the details known without a request; None shows nothing."""

    @abstractmethod
    def learn(self, row: IdRow) -> AsyncIterator[Any]:
        """Yield the details again each time more of them arrive."""

    def make_preview(self) -> AgedPane[Any]:
        return AgedPane(self.pane_lines)

    @property
    def preview(self) -> AgedPane[Any]:
        return self.query_one(AgedPane)

    def _draw(self) -> None:
        super()._draw()
        pane, row = self.preview, self.record
        details = pane.subject if pane.display else None
        if details is not None and row is not None and details.row.id == row.id and details.row != row:
            # A batch changes rows more often than the cursor comes to rest.
            self.draw_preview(row)

    def draw_preview(self, row: IdRow | None) -> None:
        # A hidden pane follows once it is shown.
        if row is None or self.preview.display:
            self._show_known(self.known_of(row) if row is not None else None)

    def _show_known(self, details: Any) -> None:
        link = self._app_state.page_of(self.kind, details.row.id) if details is not None else ""
        self.preview.show(details, self._app_state.session.now(), link)

    def load_all(self, row: IdRow) -> None:
        if self.preview.display:
            self._look(row)

    @work(exclusive=True, group="inspect", description="look")
    async def _look(self, row: IdRow) -> None:
        async for details in self.learn(row):
            if self.record is not None and self.record.id == row.id:
                self._show_known(details)
