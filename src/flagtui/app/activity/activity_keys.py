"""Actions on an entry of the activity: open its flag, revert it, copy it."""

from collections.abc import Sequence

from textual import work
from textual.widgets.input import Selection

from flagtui import local_time
from flagtui.app.activity.activity_columns import ACTIVITY_LIST
from flagtui.app.activity.activity_search import WINDOW, ActivityFinder
from flagtui.app.activity.timeline_text import as_lines, as_markdown
from flagtui.app.commands.command_table import Command
from flagtui.app.lists.list_screen import ListScreen
from flagtui.app.shell.toasts import copy_text, show_toast
from flagtui.app.shell.written_files import export
from flagtui.app.state.app_state import AppState
from flagtui.app.state.go_to import OpenRecord, RecordLink
from flagtui.app.state.permissions import is_missing
from flagtui.app.widgets.search_line import SearchLine
from flagtui.app.writing.change_runner import ChangeRunner
from flagtui.models.activity_rows import ChangeRow
from flagtui.safe_text import safe_text
from flagtui.store.activity_feed import ActivityFeed
from flagtui.store.activity_listing import moment_of
from flagtui.store.kinds import KINDS
from flagtui.store.workspace import Workspace
from flagtui.text.activity_words import activity_words
from flagtui.text.formats import count
from flagtui.text.styled import Notice


def why_not_reverted(row: ChangeRow) -> str:
    """Return why the log rules out a revert; empty otherwise."""
    if row.kind == "flags" and not row.entry.is_unlogged:
        return ""
    # Most changes are of flags, and logged.
    from flagtui.changes.revert_planner import reason_against

    return reason_against(row)


class ActivityKeys(ListScreen[ChangeRow]):
    """Keys of the activity; the screen draws."""

    description = ACTIVITY_LIST

    def __init__(self, app_state: AppState, runner: ChangeRunner) -> None:
        self._finding = ActivityFinder(app_state.session.clock.time)
        super().__init__(app_state, runner, self._finding)
        self._workspace: Workspace | None = None

    def link_to(self, row: ChangeRow) -> RecordLink | None:
        id = row.record_id if row.record_id is not None else row.entry.item_id
        return RecordLink(row.kind, id, row.key) if id else None

    def refusal_of(self, command: Command) -> str:
        """Return why a command is not for this change: it is for flags, or the log rules out a revert."""
        only = {"flags.who": self.at_cursor, "flags.history": self.at_cursor, "activity.revert": self.single}
        rows = only[command.id]() if command.id in only else ()
        if rows and command.id == "activity.revert":
            return why_not_reverted(rows[0]) or super().refusal_of(command)
        if rows and rows[0].kind != "flags":
            return "it is no change of a flag"
        return super().refusal_of(command)

    def why_not_now(self, command: Command, sign: str) -> str:
        """Return why the command cannot run: around a moment, ctrl+a marks changes in its window only."""
        if command.id == "lists.mark_shown" and self.rows.shown and not (self.marked or self.counted_rows()):
            return f"{sign}: no changes in {WINDOW}"
        return super().why_not_now(command, sign)

    @property
    def write_scope(self) -> str:
        """The scope for the chosen changes; of several, one that the key lacks."""
        scopes = [*dict.fromkeys(KINDS[row.kind].write_scope for row in self.chosen())]
        missing = (scope for scope in scopes if is_missing(self._app_state, scope))
        return next(missing, scopes[0] if scopes else super().write_scope)

    @property
    def feed(self) -> ActivityFeed | None:
        return self._workspace.activity if self._workspace is not None else None

    @work(group="activity")
    async def catch_up(self) -> None:
        """Read new entries."""
        if self.feed is not None:
            await self.feed.catch_up()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return False for an @ typed into the line, which is text."""
        if action == "moment" and isinstance(self.focused, SearchLine):
            return False
        return super().check_action(action, parameters)

    def action_open(self) -> None:
        self.action_open_tab("overview")

    def action_open_tab(self, tab: str) -> None:
        """Open the flag in its current state, also when it is archived or deleted."""
        if (target := self.needs_target(self.at_cursor())) is not None:
            self.post_message(OpenRecord(target, tab))

    def action_revert(self) -> None:
        """Revert the marked changes together, else the one under the cursor, newest first."""
        self._runner.revert(self.chosen(), self._on_reverted)

    def _on_reverted(self, changes: Sequence[str]) -> None:
        """Unmark the reverted changes; those of later questions stay marked."""
        self.rows.unmark(changes)
        if self.is_attached:
            self.catch_up()

    def action_sort(self) -> None:
        """Sort by the next column; around a moment the likeliest cause comes first again after the last."""
        finding = self._finding
        is_last = finding.ranking.sort.name == self.description.visible_orders(self.rows.shown_columns)[-1]
        if finding.centre is not None and is_last and finding.is_sorted:
            finding.rank_suspects()
            self._find(self.search.value)
        else:
            super().action_sort()

    def action_moment(self) -> None:
        """Begin to type a moment at the start of the search line; it replaces the previous moment."""
        moment, rest = moment_of(self.search.value)
        self.set_focus(self.search)
        self.search.set_line(f"@ {moment}{rest and ' '}{rest}")
        self.search.selection = Selection(2, 2 + len(moment))

    def action_copy_lines(self) -> None:
        rows = self.chosen()
        if rows:
            words = activity_words(rows[0].entry, names=self._app_state.names)
            first = f"{safe_text(rows[0].key, 80)}, {words}"
            what = f"{len(rows):,} changes" if len(rows) > 1 else first
            copy_text(self.app, as_lines(rows, self._app_state.names), what)

    def counted_rows(self) -> Sequence[ChangeRow]:
        """Return the entries that the line matches, in order; around a moment those in its window."""
        return self._finding.inside_window(super().counted_rows())

    def action_export(self) -> None:
        """Write the marked entries, else those that are counted, as a Markdown timeline to a file."""
        workspace = self._workspace
        if workspace is None:
            return
        marked: Sequence[ChangeRow] = [*self.rows.marked_rows()]
        rows = marked or self.counted_rows()
        if not rows:
            show_toast(self.app, Notice("There is nothing to write."))
            return
        client, searched, centre = workspace.client, self.search.value.strip(), self._finding.centre
        what = "Changes" if centre is not None else "Changes of flags"
        when = f" ({local_time.minute(centre.at)}, {WINDOW})" if centre is not None else ""
        title = f"{what} in project {client.project}" + (f": {searched}{when}" if searched else "")
        text = as_markdown(rows, title, self._page_of, self._app_state.names)
        name, what = f"activity-{client.project}.md", count(len(rows), "change")
        show_toast(self.app, export(name, text, what, self._app_state.session.clock.time()))

    def _page_of(self, row: ChangeRow) -> str:
        target = self.link_to(row)
        return self._app_state.address_of(target.kind, target.id) if target is not None else ""
