"""The project's flag changes as they happen: filter by user, flag, kind and time, and revert one."""

from collections.abc import Sequence
from typing import Final, Literal

from textual import on, work
from textual.containers import VerticalScroll
from textual.widgets import Static

from flagtui import local_time
from flagtui.api.errors import ApiError
from flagtui.app.activity.activity_columns import MORE_ACTIVITY_COLUMNS, activity_columns
from flagtui.app.activity.activity_keys import why_not_reverted
from flagtui.app.activity.activity_moment import ActivityAroundMoment
from flagtui.app.activity.moment_facts import MomentFacts
from flagtui.app.commands.command_table import bindings_of
from flagtui.app.state.app_state import AppState, Watcher
from flagtui.app.state.permissions import is_missing, may_write
from flagtui.app.widgets.column_layout import Column
from flagtui.app.widgets.line import join_lines
from flagtui.app.widgets.row_list import RowList
from flagtui.app.writing.change_runner import ChangeRunner
from flagtui.models.activity import Activity
from flagtui.models.activity_rows import ChangeRow
from flagtui.store.activity_listing import needs_moment
from flagtui.store.kinds import KINDS
from flagtui.store.workspace import Workspace
from flagtui.text.activity_words import AROUND_A_MOMENT
from flagtui.text.empty_states import Words, no_match_words, nothing_words, trouble_words, waiting_words
from flagtui.text.entry_lines import EntryView, entry_lines, touches_payloads

NOT_HERE: Final = frozenset({"lists.copy_key"})
"""y copies whole lines."""
FOR_A_LINE: Final = 10
"""Pages read for one query; more are read when the cursor moves to the end."""
FOR_A_MOMENT: Final = 30
AHEAD: Final = 2
"""Screens of rows kept ready below the cursor."""


class ActivityScreen(ActivityAroundMoment):
    """Newest first. New entries come in above; the cursor stays with its own."""

    BINDINGS = bindings_of("activity", "lists", "everywhere", without=NOT_HERE)
    place = "activity"
    tab = "4"

    def __init__(self, app_state: AppState, runner: ChangeRunner) -> None:
        super().__init__(app_state, runner)
        self._pages = 0
        """Read since the query changed or the cursor moved."""
        self._stops: tuple[Watcher, ...] = ()
        self._reads = 0
        self._newest = 0.0
        """The place of the newest entry when the person was last at the top."""
        self._drawn = 0.0
        """The place of the newest entry that was drawn."""
        self._secrets: dict[int, bool] = {}
        """By flag: whether its payloads are encrypted."""
        self._named: dict[int, str] = {}
        """Names of cohorts as the rows show them."""

    def all_columns(self) -> tuple[Column[ChangeRow], ...]:
        zone = local_time.label(self._app_state.session.now())
        return (*activity_columns(self._app_state.names, zone), *MORE_ACTIVITY_COLUMNS)

    def make_preview(self) -> VerticalScroll:
        return VerticalScroll(Static(id="change", markup=False), id="change-pane", can_focus=False)

    # What is known

    def on_screen_resume(self) -> None:
        self.update_from_state()
        if self.feed is not None and self.feed.rows:
            self.catch_up()

    def update_from_state(self) -> None:
        """Draw the current state; called after every change of the app's state."""
        if not self.is_attached or self not in self.app.screen_stack:
            return
        if self._app_state.workspace is not self._workspace:
            self._follow(self._app_state.workspace)
        feed, is_due = self.feed, self._app_state.reads != self._reads
        self._reads = self._app_state.reads
        if is_due:
            self.forget_moment()
        if feed is not None and feed.rows and (feed.is_behind or is_due):
            self.catch_up()
        elif feed is not None and is_due:
            feed.trouble = None
        self.draw_rows()
        self._read_on_if_wanted()

    def _follow(self, workspace: Workspace | None) -> None:
        for stop in self._stops:
            stop()
        self._workspace, self._newest, self._drawn, self._pages = workspace, 0.0, 0.0, 0
        self._secrets.clear()
        self.rows.action_clear_marks()
        self._moment = MomentFacts(workspace) if workspace is not None else None
        self._stops = (
            (self.follow(workspace.activity.watch, self.draw_rows),) if workspace is not None else ()
        )

    def _read_on_if_wanted(self) -> None:
        if not self.is_reading and self._wants_more():
            self.is_reading = True
            self._read_on()

    @work(group="activity")
    async def _read_on(self) -> None:
        try:
            while self.feed is not None and self._wants_more():
                self._pages += 1
                await self.feed.read_on()
                # How many rows are below the cursor decides about the next page.
                self.draw_rows()
        finally:
            self.is_reading = False
        self.reframe()
        self.follow_moment()

    @property
    def is_read(self) -> bool:
        return self.feed is not None and self.feed.is_complete

    def _wants_more(self) -> bool:
        feed, centre = self.feed, self._finding.centre
        if feed is None or feed.is_complete or feed.trouble is not None:
            return False
        if not feed.rows:
            return True
        if centre is not None:
            oldest = feed.oldest
            return self._pages < FOR_A_MOMENT and (oldest is None or oldest > centre.since)
        below = self.rows.shown - 1 - max(self.rows.place, 0)
        return self._pages < FOR_A_LINE and below < AHEAD * max(self.rows.size.height, 1)

    # Drawing

    def draw_rows(self) -> None:
        if not self.is_attached:
            return
        self._take_names()
        self._finding.know(self._workspace.me if self._workspace else None, self.entries())
        is_first, was_at_top = self._drawn == 0, self.rows.place == 0
        changed = [] if is_first else [row.id for row in self._finding.rows if row.place > self._drawn]
        order = self._finding.find(self.search.value)
        anchor: Literal["keep", "top", "first"] = "top" if is_first else "keep"
        if self._finding.centre is not None and not self.rows.was_moved:
            # Older entries are still being read: the best candidate may be among them.
            anchor = "first"
        rule = self._finding.rule(order)
        self.rows.show(self._finding.rows, order, anchor=anchor, changed=changed, rule=rule)
        self._show_problems()
        self._drawn = self._finding.newest
        self.follow_moment()
        if was_at_top and changed and self.rows.place > 0:
            self.rows.reveal_above(self.rows.place)
            self._newest = self._finding.newest
        self.reframe()
        if is_first:
            # What is inside the pane is mounted after the pane itself.
            self.call_after_refresh(self._preview)
        else:
            self._look_soon()

    def _show_problems(self) -> None:
        self.search.set_problems([(p.start, p.end, p.reason) for p in self._finding.problems])

    def _find(self, line: str) -> None:
        self._pages = 0
        before = self._finding.centre
        order, centre = self._finding.find(line), self._finding.centre
        if centre != before:
            self._finding.know(self._workspace.me if self._workspace else None, self.entries())
            order = self._finding.find(line)
            if (centre is None) != (before is None):
                self.rows.set_columns(self.columns_shown())
        # Another moment has other candidates, of which the best is the first.
        anchor: Literal["top", "first"] = "first" if centre is not None and centre != before else "top"
        self.rows.show(self._finding.rows, order, anchor=anchor, rule=self._finding.rule(order))
        self._show_problems()
        self.reframe()
        self._read_on_if_wanted()
        self.follow_moment()
        self._look_soon()

    def reframe(self) -> None:
        self.trouble = self.feed.trouble if self.feed is not None else None
        self.draw_frame()
        self._show_sort()
        if self.rows.place == 0:
            self._newest = self._finding.newest
        news = sum(1 for row in self._finding.rows if row.place > self._newest and row.kind == "flags")
        if (feed := self.feed) is not None:
            trouble = self.search.reason or (feed.trouble.what if feed.trouble and feed.rows else "")
            missing = self._moment.missing(self._finding.centre) if self._moment is not None else ()
            marked, room = len(self.rows.marks), self.chip_room
            counts = [*self._finding.count_pieces(marked, news, trouble, missing, room)]
            # As in every list, the position gives way to a reason.
            counts += self._finding.place_pieces(feed, 0 if trouble else self.rows.position)
            self.show_chips(() if trouble else self._finding.chips(), counts)
        if not self.rows.shown:
            self._explain_nothing()
        self.show_keys_for_record()

    def _explain_nothing(self) -> None:
        feed, total = self.feed, len(self._finding.rows)
        words = waiting_words("the activity")
        if feed is not None and feed.trouble is not None:
            words = trouble_words(feed.trouble)
        elif self._app_state.trouble is not None and not total:
            words = trouble_words(self._app_state.trouble)
        elif self.is_reading and not self._finding.find(self.search.value):
            words = waiting_words("older changes") if total else words
        elif total:
            words = no_match_words(self.search.value, total)
            if self._finding.centre is None and needs_moment(self._finding.query):
                words = Words((*words.lines, AROUND_A_MOMENT), words.look)
        elif feed is not None and feed.is_complete:
            words = nothing_words("changes")
        self.rows.explain(*words.lines, look=words.look)

    @on(RowList.Highlighted)
    def _on_moved(self) -> None:
        self._pages = 0
        self._read_on_if_wanted()
        self.reframe()
        self._look_soon()

    def _show_counts(self, order: Sequence[int]) -> None:
        self.reframe()

    def _show_position(self) -> None:
        """Draw nothing more: the frame has it, before the number of entries."""

    def draw_preview(self, row: ChangeRow | None) -> None:
        lines = [*entry_lines(self._view_of(row))] if row is not None else []
        self.query_one("#change", Static).update(join_lines(lines))
        is_unknown = row is not None and row.flag_id not in (None, *self._secrets)
        if row and is_unknown and touches_payloads(row) and self.query_one("#change-pane").display:
            self._learn_secrecy(row)
        self._learn_cohorts([row.entry for row in self.rows.in_sight])

    @work(group="names", description="learn cohorts")
    async def _learn_cohorts(self, entries: Sequence[Activity]) -> None:
        """Load the names of the visible cohorts; rows show numbers meanwhile."""
        inspector = self._app_state.inspector
        if inspector is not None and await inspector.cohorts.learn_those_in(entries) and self.is_attached:
            self.draw_rows()
            self.draw_preview(self.record)

    def _take_names(self) -> None:
        names = self._app_state.names
        if names.cohorts != self._named:
            self._named = dict(names.cohorts)
            self._finding.know_names(names)
            self.rows.set_columns(self.columns_shown())

    def _view_of(self, row: ChangeRow) -> EntryView:
        app_state, workspace = self._app_state, self._workspace
        scope, is_flag, moment = KINDS[row.kind].write_scope, row.kind == "flags", self._moment
        refusal = why_not_reverted(row)
        why_not = f"the key lacks {scope}, so nothing is reverted" if is_missing(app_state, scope) else ""
        is_counted = moment is not None and self._finding.centre is not None and is_flag
        return EntryView(
            row,
            app_state.session.now(),
            flag=workspace.flags.get(row.flag_id) if workspace and row.flag_id is not None else None,
            centre=self._finding.centre,
            is_secret=self._secrets.get(row.flag_id or 0, True),
            why_not=refusal or why_not,
            can_write=may_write(app_state, scope) is True and not refusal,
            names=app_state.names,
            users=moment.users(row) if moment is not None and is_counted else None,
            why_uncounted=moment.trouble if moment is not None and is_counted else "",
            is_counted=is_counted,
        )

    @work(exclusive=True, group="inspect", description="learn secrecy")
    async def _learn_secrecy(self, row: ChangeRow) -> None:
        """Return whether payloads may be shown: only once the flag is known to have no encrypted ones."""
        workspace = self._workspace
        if workspace is None or row.flag_id is None:
            return
        try:
            flag = await workspace.client.flags.get(row.flag_id)
        except ApiError:
            # They stay masked; the rest of the entry is there.
            return
        # On another server, another flag has the same id.
        if workspace is self._workspace:
            self._secrets[row.flag_id] = flag.has_encrypted_payloads
            self.draw_preview(self.record)
