"""A list of one kind of record besides flags: loaded when it is first opened, searched while typing."""

from abc import abstractmethod
from typing import Final, Generic, Literal, TypeVar

from textual import work
from textual.timer import Timer

from flagtui.app.lists.list_screen import ListScreen
from flagtui.app.shell.sign_in import needs_key
from flagtui.app.shell.status_line import link_of, location_of, tabs_of, words_without_records
from flagtui.app.shell.toasts import tell
from flagtui.app.state.app_state import AppState, Watcher
from flagtui.app.state.permissions import may_write, writes_in
from flagtui.app.writing.changes import Changes
from flagtui.models.rows import EventDefinitionRow, ExperimentRow
from flagtui.safe_text import safe_text
from flagtui.store.collection import Collection
from flagtui.store.finder import Finder
from flagtui.store.load import LoadFailed, Loading
from flagtui.store.query import QueryPerson, Vocabulary
from flagtui.store.workspace import Workspace
from flagtui.text.empty_states import Words
from flagtui.text.notices import Notice

R = TypeVar("R", EventDefinitionRow, ExperimentRow)

BREATH: Final = 0.25
"""Seconds between two looks at a list that is still arriving: sorting a hundred thousand takes time."""


class RecordsScreen(ListScreen[R], Generic[R]):
    """Draws a collection of the workspace. Subclasses say which, with what columns and words."""

    tab: str
    """The key of its tab."""

    def __init__(
        self, app_state: AppState, changing: Changes, finder: Finder[R], vocabulary: Vocabulary[R]
    ) -> None:
        super().__init__(app_state, changing, finder, vocabulary)  # type: ignore[arg-type]  # mypy knows R by each kind
        self._workspace: Workspace | None = None
        self._person: QueryPerson | None = None
        self._stops: tuple[Watcher, ...] = ()
        self._breathing: Timer | None = None
        self._has_settled = False
        self.add_class("-preview")

    @abstractmethod
    def collection(self, workspace: Workspace) -> Collection[R]:
        """The rows this list shows."""

    @abstractmethod
    def arriving(self, workspace: Workspace) -> Loading[R]:
        """How they arrive."""

    def on_mount(self) -> None:
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
            # Rows of the profile that was left must not stand under the badge of another.
            self._finder.show(())
            self.rows.show((), anchor="top")
            return
        collection, loading = self.collection(workspace), self.arriving(workspace)
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
        if self._workspace is not None and not self.arriving(self._workspace).is_running:
            self.believe()
        elif self._breathing is None and self.is_attached:
            self._breathing = self.set_timer(BREATH, self._breathe)

    def _breathe(self) -> None:
        self._breathing = None
        self.believe()

    def _show_rows(self, workspace: Workspace) -> None:
        collection = self.collection(workspace)
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
        is_settled = collection.is_complete and not self.arriving(workspace).is_running
        self._finder.is_steady = is_settled
        if is_settled and not self._has_settled:
            self._has_settled = True
            self._sort_by(self._finder.sort)
        self.seek()

    def reframe(self) -> None:
        app_state = self._app_state
        link = link_of(app_state)
        self.show_frame(location_of(app_state), link, tabs_of(app_state), self.tab)
        self._show_counts(self._finder.find(self.search.value))

    def words_without(self, total: int) -> Words:
        return words_without_records(self._app_state, self.kind, self.search.value, total)

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Nothing that changes records has a key where it is known that it would be refused."""
        if action in writes_in(self.kind) and (allowed := may_write(self._app_state, self.kind)) is not True:
            return allowed
        return super().check_action(action, parameters)

    def action_copy_key(self) -> None:
        if self.record is not None:
            name = safe_text(self.record.name, 400)
            self.app.copy_to_clipboard(name)
            tell(self.app, Notice(f"sent to the terminal's clipboard: {name}"))

    def jump_words(self, row: R) -> tuple[str, str]:
        return row.name, row.description
