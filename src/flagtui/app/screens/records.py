"""A list of one kind of record besides flags: loaded when it is first opened, searched while typing."""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import islice
from typing import ClassVar, Final, Generic, Literal, TypeVar

from textual import on, work
from textual.timer import Timer

from flagtui.app.changing import Changing
from flagtui.app.desk import Desk, Watcher
from flagtui.app.notices import Notice, tell
from flagtui.app.palette import Jump
from flagtui.app.permits import may_write, writes_in
from flagtui.app.screens.browse import BrowseScreen
from flagtui.app.standing import link_of, location_of, tabs_of, words_without_records
from flagtui.app.widgets.row_list import RowList
from flagtui.app.widgets.row_messages import SortAsked
from flagtui.app.widgets.row_painter import Sort as ShownSort
from flagtui.app.widgets.search_line import Completion, SearchLine
from flagtui.models.rows import EventDefinitionRow, ExperimentRow
from flagtui.safe_text import safe_text
from flagtui.store.collection import Collection, RecordId
from flagtui.store.finder import Finder
from flagtui.store.loading import Failed, Loading
from flagtui.store.query import (
    Person,
    Vocabulary,
    accept,
    compile_query,
    complete,
    cycle,
    describe,
    read_line,
)
from flagtui.store.sorting import Sort
from flagtui.store.workspace import Workspace

R = TypeVar("R", EventDefinitionRow, ExperimentRow)
Kind = Literal["experiments", "events"]

REST: Final = 0.12
"""Seconds the cursor stays before the pane beside the list is drawn anew."""
BREATH: Final = 0.25
"""Seconds between two looks at a list that is still arriving: sorting a hundred thousand takes time."""


class RecordsScreen(BrowseScreen, Generic[R]):
    """Draws a collection of the workspace. Subclasses say which, with what columns and words."""

    kind: Kind
    tab: str
    """The key of its tab."""
    hint = "search"
    orders: tuple[str, ...]
    shown_orders: ClassVar[dict[str, str]] = {}
    """Orders without a column of their own, by the column that is nearest in meaning."""

    def __init__(self, desk: Desk, changing: Changing, finder: Finder[R], vocabulary: Vocabulary[R]) -> None:
        super().__init__()
        self._desk = desk
        self._changing = changing
        self._finder: Finder[R] = finder
        self._vocabulary: Vocabulary[R] = vocabulary
        self._workspace: Workspace | None = None
        self._person: Person | None = None
        self._stops: tuple[Watcher, ...] = ()
        self._resting: Timer | None = None
        self._breathing: Timer | None = None
        self._drawn_version = 0
        self._has_settled = False
        self._going_to: RecordId | None = None
        self.add_class("-preview")

    @abstractmethod
    def collection(self, workspace: Workspace) -> Collection[R]:
        """The rows this list shows."""

    @abstractmethod
    def arriving(self, workspace: Workspace) -> Loading[R]:
        """How they arrive."""

    @abstractmethod
    def known_values(self, rows: Sequence[R]) -> dict[str, list[str]]:
        """What Tab offers after a qualifier."""

    @abstractmethod
    def show_beside(self, row: R | None) -> None:
        """Draw the pane beside the list."""

    @abstractmethod
    def action_open(self) -> None:
        """Open the record under the cursor."""

    @property
    def record(self) -> R | None:
        """The record under the cursor."""
        row: R | None = self.rows.row
        return row

    def chosen(self) -> list[R]:
        """The marked records, else the one under the cursor."""
        marked: list[R] = self.rows.marked_rows()
        return marked or ([self.record] if self.record is not None else [])

    def on_mount(self) -> None:
        self._show_sort()
        self._desk.watch(self.believe)

    def on_screen_resume(self) -> None:
        self.believe()

    def believe(self) -> None:
        """Draw what the desk knows now; called after every change there."""
        if not self.is_attached or self not in self.app.screen_stack:
            return
        workspace = self._desk.workspace
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
        self._workspace, self._stops = workspace, ()
        self._drawn_version, self._has_settled = 0, False
        if workspace is None:
            # Rows of the profile that was left must not stand under the badge of another.
            self._finder.show(())
            self.rows.show((), anchor="top")
            return
        collection, loading = self.collection(workspace), self.arriving(workspace)
        workspace.recall(self.kind)
        self._stops = (collection.watch(self._believe_soon), loading.watch(self._believe_soon))
        self._load(workspace)

    @work(exclusive=True, group="load")
    async def _load(self, workspace: Workspace) -> None:
        self._has_settled = False
        state = await workspace.refresh(self.kind)
        if workspace is self._workspace and isinstance(state, Failed):
            self._desk.become_troubled(state.error)
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
        if self._going_to is not None and self.rows.select(self._going_to):
            self._going_to = None

    # Searching

    def make_search(self) -> SearchLine:
        return SearchLine(self._find, self._completions, placeholder=self.hint)

    def _find(self, line: str) -> None:
        order = self._finder.find(line)
        self.rows.show(self._finder.rows, order, anchor="top")
        self.search.set_problems([(p.start, p.end, p.reason) for p in self._finder.query.problems])
        self._show_counts(order)

    def _completions(self, line: str, cursor: int) -> Sequence[Completion]:
        known = self.known_values(self._finder.rows)
        return [accept(line, cursor, found) for found in complete(line, cursor, known, self._vocabulary)]

    def reframe(self) -> None:
        desk = self._desk
        link = link_of(desk, desk.session.clock(), self.kind)
        self.show_frame(location_of(desk), link, tabs_of(desk), self.tab)
        self._show_counts(self._finder.find(self.search.value))

    def _show_counts(self, order: Sequence[int]) -> None:
        total = self._finder.total
        count = f"{total:,}" if len(order) == total else f"{len(order):,} of {total:,}"
        chips = describe(self._finder.query)
        self.show_chips(chips, len(self.rows.marks), count, safe_text(self.search.reason, 60))
        if not order:
            words = words_without_records(self._desk, self.kind, self.search.value, total)
            self.rows.explain(*words.lines, look=words.look)

    # Following the cursor

    @on(RowList.Highlighted)
    def _moved(self) -> None:
        self._look_soon()

    @on(RowList.MarksChanged)
    def _marked(self) -> None:
        self._show_counts(self._finder.find(self.search.value))

    @on(RowList.Opened)
    def _opened(self) -> None:
        self.action_open()

    @on(SearchLine.Left)
    def _to_rows(self) -> None:
        if self.record is not None:
            self.rows.select(self.record.id)
        self.set_focus(self.rows)

    def _look_soon(self) -> None:
        if self._resting is not None:
            self._resting.stop()
        self._resting = self.set_timer(REST, lambda: self.show_beside(self.record))

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Nothing that changes records has a key where it is known that it would be refused."""
        if action in writes_in(self.kind) and (allowed := may_write(self._desk, self.kind)) is not True:
            return allowed
        return super().check_action(action, parameters)

    def action_cycle(self, qualifier: str) -> None:
        self.search.set_line(cycle(self.search.value, qualifier, self._vocabulary))

    def action_back(self) -> None:
        if self.leave_search():
            return
        if self.search.value:
            self.search.set_line("")
        else:
            self.rows.action_clear_marks()

    def action_sort(self) -> None:
        name = self._finder.sort.name
        place = self.orders.index(name) if name in self.orders else -1
        self._sort_by(Sort(self.orders[(place + 1) % len(self.orders)]))

    def action_reverse(self) -> None:
        self._sort_by(self._finder.sort.press(self._finder.sort.name))

    @on(SortAsked)
    def _sort_asked(self, asked: SortAsked) -> None:
        self._sort_by(self._finder.sort.press(asked.column))

    def _sort_by(self, sort: Sort) -> None:
        self._finder.sort_by(sort)
        self._show_sort()
        self.rows.show(self._finder.rows, self._finder.find(self.search.value))

    def _show_sort(self) -> None:
        sort = self._finder.sort
        name = self.shown_orders.get(sort.name, sort.name)
        self.rows.set_sort(ShownSort(name, descending=not sort.is_reversed))

    def action_copy_key(self) -> None:
        if self.record is not None:
            name = safe_text(self.record.name, 400)
            self.app.copy_to_clipboard(name)
            tell(self.app, Notice(f"sent to the terminal's clipboard: {name}"))

    def jumps(self, words: str, limit: int) -> Iterable[Jump]:
        """Records whose name has these words, for the palette."""
        asked = compile_query(read_line(words, self._vocabulary), now=self._desk.session.clock())
        for row in islice(filter(asked, self._finder.rows), limit):
            yield Jump(row.name, row.description, partial(self.go_to, row.id))

    def go_to(self, record: RecordId) -> None:
        """Put the cursor on a record, clearing the search when it hides it, as soon as it has arrived."""
        if not self.rows.select(record):
            self.search.set_line("")
            self._going_to = None if self.rows.select(record) else record
        self.set_focus(self.rows)
