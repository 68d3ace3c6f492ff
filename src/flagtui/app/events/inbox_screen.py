"""The inbox: one event definition after the other, one key for each decision, all applied together."""

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any, Final

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical

from flagtui.app.commands.command import Command
from flagtui.app.commands.command_table import BY_ID, bindings_of, command_of
from flagtui.app.events.event_changes import EventChanges
from flagtui.app.events.event_screen import EventScreen
from flagtui.app.events.inbox_columns import INBOX_COLUMNS
from flagtui.app.events.inbox_questions import describe, type_tags
from flagtui.app.shell.status_line import FramedScreen
from flagtui.app.shell.toasts import show_toast
from flagtui.app.state.app_state import AppState
from flagtui.app.state.permissions import may_write, writes_in
from flagtui.app.widgets.line import Line, styled
from flagtui.app.widgets.panes import Pane
from flagtui.app.widgets.row_list import RowList
from flagtui.changes.event_definitions.event_uses import EventUses, KnownUses
from flagtui.changes.event_definitions.triage import Triage
from flagtui.changes.proposal import Report
from flagtui.local_time import MINUTE
from flagtui.models.json_value import JSON
from flagtui.store.inbox import NEW_TWINS, REASONS, Case, Inbox, Suggestion
from flagtui.store.kinds import EVENTS
from flagtui.store.workspace import Workspace
from flagtui.text.key_signs import key_sign
from flagtui.text.styled import Notice
from flagtui.text.triage_words import case_lines, decided_lines, progress_bar, progress_line

DECIDED_LINES: Final = 6
REST: Final = 0.12
"""Seconds the cursor rests before the uses of the event are read."""


class InboxScreen(FramedScreen):
    """Shows the queue; decisions are kept on disk until they are applied through the pipeline of changes."""

    BINDINGS = bindings_of("inbox", "everywhere")
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]
    VERTICAL_BREAKPOINTS = [(0, "-short"), (20, "-tall")]
    AUTO_FOCUS = "RowList"
    list_tab = "3"

    def __init__(self, app_state: AppState, path: EventChanges, workspace: Workspace) -> None:
        super().__init__()
        self._app_state = app_state
        self._path = path
        self._events = workspace.events
        self._inbox: Inbox | None = None
        self._cases: list[Case] = []
        self._reason = ""
        self._looked_at = 0
        self._applied: set[str] = set()
        self._reads = app_state.reads
        self._began = app_state.session.clock.monotonic()
        here = app_state.signature(workspace)
        self._uses = EventUses(workspace.client)
        self._answers: dict[str, KnownUses] = {}
        self._triage = Triage(app_state.session.state_folder, f"{here.host} {here.project}")

    def body(self) -> ComposeResult:
        yield Line(id="progress")
        yield Line(id="bar")
        with Horizontal(id="body"):
            with Vertical(id="queue"):
                yield RowList(INBOX_COLUMNS, clock=lambda: self._app_state.session.now())
                yield Pane(id="decided")
            yield Pane(id="proposed")

    @property
    def rows(self) -> "RowList[Case]":
        return self.query_one(RowList)

    @property
    def case(self) -> Case | None:
        """The event under the cursor."""
        return self.rows.row

    def on_mount(self) -> None:
        self.follow(self._app_state.watch, self._look)
        self._resting = self.set_timer(REST, self._look_for_uses)
        self.rows.explain("Checking the events…")
        if left := self._triage.load():
            keys = f"{key_sign('inbox.apply')} applies them, {key_sign('inbox.undo')} forgets one"
            show_toast(self.app, Notice(f"{left:,} decided last time and not applied; {keys}"))
        self._sort_out()

    @work(exclusive=True, group="load")
    async def _sort_out(self) -> None:
        self._applied = self._triage.still_applied(self._events.get)
        opened = self._inbox.opened if self._inbox is not None else None
        self._inbox = await asyncio.to_thread(Inbox, self._events.rows, self._app_state.session.now(), opened)
        self._show_queue()

    def _look(self) -> None:
        """Draw the frame; sort again after a refresh, and after an undo or a redo of applied decisions."""
        self._triage.settle_done(self._events.server_row, self._events.pending)
        reads, applied = self._app_state.reads, self._triage.still_applied(self._events.get)
        if (reads, applied) != (self._reads, self._applied):
            self._reads = reads
            self._sort_out()
        self._draw()

    @property
    def _decided(self) -> set[str]:
        """Ids of the events that have a decision, applied or not."""
        return {*self._triage.by_id, *self._applied}

    def _show_queue(self) -> None:
        if self._inbox is None:
            return
        before, self._cases = self._cases, self._inbox.waiting(self._reason, self._decided)
        if not (before and self._cases):
            self.refresh_bindings()
        self.rows.show(self._cases)
        if not self._cases:
            reason, apply, back = map(key_sign, ("inbox.reason", "inbox.apply", "app.back"))
            keys = f"{reason} shows another reason · {apply} applies · {back} leaves"
            self.rows.explain("Nothing left to decide here.", "", keys)
        self._draw()

    def on_resize(self) -> None:
        # The pane is as wide as it will be only after the layout.
        self.call_after_refresh(self._draw)

    @on(RowList.Highlighted)
    def _on_moved(self) -> None:
        self._draw_case()
        self._resting.stop()
        self._resting = self.set_timer(REST, self._look_for_uses)

    @work(exclusive=True, group="inspect")
    async def _look_for_uses(self) -> None:
        """Load the experiments that measure the event at the cursor."""
        if (case := self.case) is not None:
            self._answers[case.name] = await self._uses.find(case.name)
            self._draw_case()

    def _draw(self) -> None:
        if not self.is_attached:
            return
        width, waiting = self.size.width, len(self._triage.by_id)
        self.draw_frame()
        inbox, left = self._inbox, len(self._cases)
        decided = inbox.count_decided(self._reason, self._decided) if inbox is not None else 0
        minutes = (self._app_state.session.clock.monotonic() - self._began) / MINUTE
        # Two decisions within a second are no pace of hundreds.
        pace = self._looked_at / minutes if self._looked_at and minutes >= 1 else None
        twins = len(inbox.waiting(NEW_TWINS, self._decided)) if inbox is not None else 0
        news = f"   {twins:,} new look-alike{'s' if twins > 1 else ''}" if twins else ""
        end = styled((news, "$warning"), (f"   {waiting} decided  " if waiting else "  ", "$primary"))
        progress = progress_line(self._reason, left, decided, pace, width)
        self.query_one("#progress", Line).show(styled(*progress), end)
        self.query_one("#bar", Line).show(styled(*progress_bar(left, decided, width)))
        lines = list(decided_lines([*self._triage.by_id.values()], DECIDED_LINES, width))
        pane = self.query_one("#decided", Pane)
        pane.display = bool(lines)
        pane.show(lines)
        self._draw_case()

    def redraw_ages(self) -> None:
        self.query_one(RowList).redraw_ages()
        self._draw()

    def _draw_case(self) -> None:
        pane, case = self.query_one("#proposed", Pane), self.case
        if case is None or self._inbox is None:
            pane.show([])
            return
        uses, proposal = self._answers.get(case.name), self._inbox.proposal(case)
        now = self._app_state.session.now()
        pane.show(list(case_lines(case, proposal, uses, now, pane.content_size.width)))

    # Decisions

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in writes_in("inbox"):
            permit = may_write(self._app_state, EVENTS.write_scope)
            if permit is not True or self._path.why_read_only:
                return None if permit else permit
        command = command_of("inbox", action, *parameters[:1])
        return None if command and self.leaves_out(command.id) else super().check_action(action, parameters)

    def leaves_out(self, command_id: str) -> bool:
        """Return whether the line of keys leaves out a command: it is for an event, and none is left."""
        is_empty = self._inbox is not None and not self._cases
        return is_empty and command_id in BY_ID and BY_ID[command_id].applies_to == "cursor"

    def why_not_now(self, command: Command, sign: str) -> str:
        return f"{sign}: no event is left to decide here" if self.leaves_out(command.id) else ""

    def _decide(self, changes: dict[str, JSON], same_as: str = "", case: Case | None = None) -> None:
        """Keep a decision about the event; by default about the one under the cursor."""
        if (case := case or self.case) is not None:
            self._triage.decide(case.row, changes, same_as)
            self._looked_at += 1
            self._show_queue()

    @property
    def _proposal(self) -> Suggestion:
        return self._inbox.proposal(self.case) if self._inbox and self.case else Suggestion()

    def action_verify(self) -> None:
        self._decide({"verified": True})

    def action_hide(self) -> None:
        self._decide({"hidden": True})

    def action_same_as(self) -> None:
        """Decide to hide the event, with a note in its description that names the other event."""
        case = self.case
        if case is None or case.twin is None:
            show_toast(self.app, Notice("no other event looks like this one"))
            return
        note = f"Same as {case.twin.name}."
        text = f"{note} {case.row.description}".strip()
        self._decide({"hidden": True, "description": text}, same_as=case.twin.name)

    def action_take_tags(self) -> None:
        """Decide to add the proposed tags; without any, ask for tags."""
        case, tags = self.case, self._proposal.tags
        if case is None:
            return
        if tags:
            self._decide({"tags": sorted({*case.row.tags, *tags})})
        else:
            self.action_type_tags()

    def action_type_tags(self) -> None:
        if self.case is not None:
            self._path.runner.run(self._ask(self.case, type_tags(self._path, self._app_state, self.case)))

    def action_describe(self) -> None:
        if self.case is not None:
            self._path.runner.run(self._ask(self.case, describe(self._path, self.case, self._proposal)))

    async def _ask(self, case: Case, question: Coroutine[Any, Any, dict[str, JSON]]) -> None:
        if changes := await question:
            # Another user may have changed it meanwhile, so that the cursor is on another event.
            self._decide(changes, case=case)

    def action_next(self) -> None:
        """Leave it as it is for now."""
        self._looked_at += 1
        self.rows.action_cursor_down()
        self._draw()

    def action_undo(self) -> None:
        """Forget the last decision; once all are applied, undo the applied ones."""
        if not self._events.pending.isdisjoint(self._triage.by_id):
            words = "the decisions are being applied; wait for the result"
            show_toast(self.app, Notice(words, "warning", "not now"))
            return
        decision = self._triage.undo_last()
        if decision is None:
            self._path.runner.undo()
            return
        self._looked_at = max(0, self._looked_at - 1)
        self._show_queue()
        self.rows.select(decision.id)

    # Applying

    def action_apply(self) -> None:
        """Start the decided changes, up to the profile's limit for one confirmation."""
        if self._app_state.is_staging:
            words = "the inbox applies its decisions at once: end staging first"
            show_toast(self.app, Notice(words, "warning"))
            return
        most = self._app_state.session.rules.bulk_limit
        intents = [decision.intent for decision in list(self._triage.by_id.values())[:most]]
        if not intents:
            show_toast(self.app, Notice("nothing is decided yet"))
            return
        self._path.start(intents, lambda report: self._apply([intent.id for intent in intents], report))

    def _apply(self, ids: Sequence[str], report: Report[Any, Any]) -> None:
        self._triage.settle_report(ids, report, self._events.get)
        self._sort_out()

    # Keys

    def action_reason(self) -> None:
        names = ["", *REASONS, NEW_TWINS]
        self._reason = names[(names.index(self._reason) + 1) % len(names)]
        self._show_queue()

    def action_rows(self, what: str) -> None:
        getattr(self.rows, f"action_{what}")()

    @on(RowList.Opened)
    def action_open(self) -> None:
        if self.case is not None:
            self.app.push_screen(EventScreen(self._app_state, self._path, self.case.row))
