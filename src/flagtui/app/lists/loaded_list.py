"""Lists of the workspace's records; all but the flags are loaded when they are first opened."""

from typing import Any, Final, Generic, Literal

from textual import work
from textual.timer import Timer

from flagtui.api.errors import needs_key
from flagtui.app.lists.list_screen import ListScreen, R
from flagtui.app.lists.record_links import RecordKeys
from flagtui.app.shell.status_line import missing_records, words_without_records
from flagtui.app.state.app_state import AppState, Watcher
from flagtui.app.state.go_to import RecordLink
from flagtui.app.writing.changes import Changes
from flagtui.store.load import LoadFailed
from flagtui.store.query import QueryPerson
from flagtui.store.workspace import Kind, Workspace
from flagtui.text.empty_states import Words

BREATH: Final = 0.25
"""Seconds between two looks at a list that is still arriving: sorting a hundred thousand takes time."""


class WorkspaceList(RecordKeys, ListScreen[R]):
    """A list of one kind of record: the server is asked for rows that are missing or archived."""

    kind: Kind
    _asked_archived: tuple[int, Workspace | None] = (-1, None)

    async def search_server(self, word: str) -> None:
        if self._app_state.workspace is not None:
            await self._app_state.workspace.search_server(self.kind, word)

    def missing(self) -> int:
        return missing_records(self._app_state.workspace, self.kind, self._finder.total)

    def words_without(self, total: int) -> Words:
        return words_without_records(self._app_state, self.kind, self.search.value, total)

    def show_recalled(self) -> None:
        """Without a connection: rows of an earlier run of this profile, never those of another."""
        self._sought = None
        self._finder.show(self._app_state.recalled_rows(self.kind))
        self.rows.show(self._finder.rows, self._finder.find(self.search.value), anchor="top")

    def _find(self, line: str) -> None:
        super()._find(line)
        asked = (self._app_state.refreshes, self._app_state.workspace)
        if "archived" in self._finder.query.shows and self._asked_archived != asked:
            # The server leaves them out of its list.
            self._asked_archived = asked
            self._load_archived()

    @work(group="load-archived")
    async def _load_archived(self) -> None:
        if self._app_state.workspace is not None:
            await self._app_state.workspace.load_archived(self.kind)

    def target(self) -> RecordLink | None:
        row: Any = self.record
        return RecordLink(self.kind, row.id, self.description.key(row)) if row is not None else None


class RecordsScreen(WorkspaceList[R], Generic[R]):
    """Draws a collection of the workspace."""

    def __init__(self, app_state: AppState, changing: Changes) -> None:
        super().__init__(app_state, changing)
        self._workspace: Workspace | None = None
        self._person: QueryPerson | None = None
        self._stops: tuple[Watcher, ...] = ()
        self._breathing: Timer | None = None
        self._drawn_version = 0
        self._has_settled = False

    def on_mount(self) -> None:
        self.apply_preferences()
        self._show_sort()
        self.follow(self._app_state.watch, self.believe)

    def on_screen_resume(self) -> None:
        self.believe()

    def believe(self) -> None:
        """Draw what is known now; called after every change there."""
        if not self.is_attached or self not in self.app.screen_stack:
            return
        workspace = self._app_state.workspace
        if workspace is not self._workspace:
            self._follow(workspace)
        if workspace is not None:
            self._show_rows(workspace)
        else:
            self.show_recalled()
        self.reframe()
        self._look_soon()

    def load_rows(self) -> None:
        """Ask the server for the whole list again."""
        if self._workspace is not None:
            self._load(self._workspace)

    def _follow(self, workspace: Workspace | None) -> None:
        """Leave the rows of one project for those of another."""
        for stop in self._stops:
            stop()
        self._workspace, self._stops, self._sought = workspace, (), None
        self._drawn_version, self._has_settled = 0, False
        if workspace is None:
            return
        collection, loading = workspace.collection(self.kind), workspace.loading(self.kind)
        workspace.recall(self.kind)
        self._stops = (
            self.follow(collection.watch, self._believe_soon),
            self.follow(loading.watch, self._believe_soon),
        )
        self._load(workspace)

    @work(exclusive=True, group="load")
    async def _load(self, workspace: Workspace) -> None:
        self._has_settled = False
        state = await workspace.refresh(self.kind)
        if workspace is self._workspace and isinstance(state, LoadFailed) and needs_key(state.error):
            self._app_state.become_troubled(state.error)
        self.believe()

    def _believe_soon(self) -> None:
        if self._workspace is not None and not self._workspace.loading(self.kind).is_running:
            self.believe()
        elif self._breathing is None and self.is_attached:
            self._breathing = self.set_timer(BREATH, self._breathe)

    def _breathe(self) -> None:
        self._breathing = None
        self.believe()

    def _show_rows(self, workspace: Workspace) -> None:
        collection = workspace.collection(self.kind)
        if workspace.me is not self._person:
            self._person = workspace.me
            self._finder.know_person(workspace.me)
        self._finder.show(collection.rows)
        changed = collection.changed_since(self._drawn_version) if self._has_settled else frozenset()
        self._drawn_version = collection.version
        self.rows.set_pending(collection.pending)
        anchor: Literal["keep", "top"] = "keep" if self._has_settled else "top"
        order = self._finder.find(self.search.value)
        self.rows.show(self._finder.rows, order, anchor=anchor, changed=changed)
        is_settled = collection.is_complete and not workspace.loading(self.kind).is_running
        self._finder.is_steady = is_settled
        if is_settled and not self._has_settled:
            self._has_settled = True
            self._sort_by(self._finder.sort)
        self.seek()
