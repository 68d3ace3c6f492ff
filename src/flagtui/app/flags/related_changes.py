"""Records created from a flag: a cohort, a dashboard, scheduled changes."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import Final

from flagtui import local_time
from flagtui.api.heavy_work import off_loop
from flagtui.app.dialogs.picker import Choice, PickerScreen
from flagtui.app.dialogs.prompt import Prompt, PromptReading, PromptScreen
from flagtui.app.flags.flag_reader import read_flag
from flagtui.app.flags.form.rollout import CLAUSES, MOST
from flagtui.app.forms.form_lines import ask_line
from flagtui.app.forms.question_chain import ask_in_turn
from flagtui.app.shell.change_tasks import OnReport, ignore
from flagtui.app.shell.kept_texts import keeping_texts
from flagtui.app.state.app_state import AppState
from flagtui.app.writing.change_runner import ChangeRunner
from flagtui.app.writing.workspace_context import WorkspaceContext
from flagtui.changes.flags.flag_words import condition_in_short
from flagtui.changes.related.creation import OPERATIONS, VERBS, RelatedPlan, What, made_beside
from flagtui.changes.related.related_planner import RelatedPlanner
from flagtui.changes.related.schedules import (
    Later,
    adding_condition,
    dropping,
    plan_later,
    plan_switch_later,
    raising,
    read_moment,
    switching,
    why_no_step,
    why_not_dropped,
)
from flagtui.changes.skipped import Blocked
from flagtui.models.filters import EVERYONE, Condition
from flagtui.models.flag import Flag
from flagtui.models.flag_responses import ScheduledChange
from flagtui.models.json_value import format_number
from flagtui.models.rows import FlagRow
from flagtui.text.formats import share_of
from flagtui.text.schedule_words import scheduled_words
from flagtui.text.styled import Notice

Kind = str | ScheduledChange

KINDS: Final = (
    Choice[Kind]("on", "turn it on", "later"),
    Choice[Kind]("off", "turn it off", "later"),
    Choice[Kind]("rollout", "raise the rollout", "of a condition, later"),
    Choice[Kind]("condition", "add a condition for everyone", "a share of them, later"),
)


class RelatedChanges:
    """Reads again, asks, sends once, reports the outcome."""

    def __init__(self, app_state: AppState, runner: ChangeRunner) -> None:
        self._app_state = app_state
        self._runner = runner

    def why_not(self, what: What) -> str:
        """Return why the server refuses it to keys; empty while unknown."""
        workspace = self._app_state.workspace
        return workspace.client.capabilities.why_not(OPERATIONS[what]) if workspace else ""

    @property
    def closed(self) -> tuple[tuple[str, str], ...]:
        """Names and reasons of everything that the server refused to keys so far."""
        reasons = ((VERBS[what].title.rpartition(" ")[0].lower(), self.why_not(what)) for what in OPERATIONS)
        return tuple((title, why) for title, why in reasons if why)

    def make(self, what: What, row: FlagRow) -> None:
        """Begin the path."""
        if (workspace := self._app_state.workspace) is not None:
            client = workspace.client
            self._runner.run(
                self._write(row, lambda fresh: made_beside(what, fresh, client, self._reach_words(row)))
            )

    def make_dashboard(self, row: FlagRow, flag: Flag | None) -> None:
        """Create the usage dashboard, or extend an existing one."""
        has_one = flag is not None and flag.usage_dashboard is not None
        self.make("enrich" if has_one else "dashboard", row)

    async def _write(
        self,
        row: FlagRow,
        plan: Callable[[Flag], Awaitable[RelatedPlan | Blocked | None]],
        on_report: OnReport = ignore,
    ) -> None:
        if (workspace := self._app_state.workspace) is None:
            return

        async def make() -> RelatedPlan | Blocked | None:
            fresh = await read_flag(row, self._app_state, self._runner)
            return None if fresh is None else await plan(fresh)

        context = WorkspaceContext(self._app_state, workspace)
        await self._runner.write([row.key], RelatedPlanner(context, make=make), on_report)

    def _reach_words(self, row: FlagRow) -> str:
        """Return the number of users that a cohort would have; empty if they were not counted."""
        reach = self._app_state.inspector.cached_details(row).reach if self._app_state.inspector else None
        if reach is None or reach.affected is None:
            return ""
        return f"{reach.about}{reach.affected:,} {reach.unit}"

    async def schedule(self, row: FlagRow) -> None:
        """Ask for a change and its time. Only within a worker."""

        async def ask() -> None:
            with keeping_texts(self._runner, self._app_state, f"schedule {row.id}"):
                await self._schedule(row)

        await ask_in_turn(ask)

    async def _schedule(self, row: FlagRow) -> None:
        if (workspace := self._app_state.workspace) is None:
            return
        query = {"model_name": "FeatureFlag", "record_id": row.id}
        changes = await self._runner.signing_in.fetch(
            "the schedule cannot be read", lambda: workspace.client.schedule.all(query)
        )
        if changes is None:
            return
        waiting = [
            Choice[Kind](change, f"drop: {scheduled_words(change)}", _when(change))
            for change in changes
            if not change.is_done
        ]
        # What changes the flag as it is now comes first.
        kinds = sorted(KINDS, key=lambda kind: kind.value == ("on" if row.active else "off"))
        chosen = await self._runner.ask(PickerScreen(f"Schedule for {row.key}", [*kinds, *waiting]))
        if isinstance(chosen, ScheduledChange):
            await self.drop(row, chosen)
        elif chosen == "rollout":
            await self._schedule_step(row)
        elif chosen is not None and (later := await self._later(chosen)) is not None:
            await self._write(row, lambda fresh: plan_switch_later(later, fresh, workspace.client))

    async def _schedule_step(self, row: FlagRow) -> None:
        """Ask which condition gets which share when, and schedule that."""
        fresh = await read_flag(row, self._app_state, self._runner)
        if fresh is None:
            return
        if why := await off_loop(lambda: why_no_step(fresh), fresh.filters):
            self._runner.show_toast(Notice(f"{row.key}: {why}.", "warning", "not scheduled"))
            return
        conditions = fresh.targeting.deciding
        place: int | None = 0
        if len(conditions) > 1:
            names = self._app_state.names_about(fresh)
            choices = [
                Choice(
                    at, f"condition {at + 1}", condition_in_short(dict(condition.raw), names, most=CLAUSES)
                )
                for at, condition in islice(_below_everyone(conditions), MOST)
            ]
            title = f"Raise the rollout of {row.key}"
            if (total := sum(1 for _ in _below_everyone(conditions))) > MOST:
                title = f"{title}: {MOST} of {total:,} conditions"
            place = await self._runner.ask(PickerScreen(title, choices))
        if place is None:
            return
        now = conditions[place].rollout
        limits = f"above {format_number(now)}, up to 100"

        def problem(line: str) -> str:
            share = share_of(line)
            return "" if share is not None and share > now else f"a number {limits}"

        if (answers := await self._share_and_moment(limits, problem)) is None:
            return
        share, at = answers

        async def plan(again: Flag) -> RelatedPlan | Blocked:
            if again.targeting.deciding[place : place + 1] != conditions[place : place + 1]:
                return Blocked("changed", f"condition {place + 1} was changed meanwhile", "choose it again")
            later = raising(again, place, share, at)
            return plan_later(later, again) if isinstance(later, Later) else later

        await self._write(row, plan)

    async def drop(self, row: FlagRow, change: ScheduledChange, on_report: OnReport = ignore) -> None:
        """Drop a scheduled change as it is now, after the usual question. Only within a worker."""
        if (workspace := self._app_state.workspace) is None:
            return

        async def plan(fresh: Flag) -> RelatedPlan | Blocked | None:
            now = await self._runner.signing_in.fetch(
                f"{row.key}: its schedule cannot be read", lambda: workspace.client.schedule.get(change.id)
            )
            if now is None:
                return None
            return why_not_dropped(now) or plan_later(dropping(now, scheduled_words(now)), fresh)

        await self._write(row, plan, on_report)

    async def _later(self, kind: str) -> Later | None:
        if kind != "condition":
            at = await self._when()
            return None if at is None else switching(kind == "on", at)
        answers = await self._share_and_moment("0 to 100", _share_problem)
        return answers and adding_condition(*answers)

    async def _share_and_moment(
        self, limits: str, problem: Callable[[str], str]
    ) -> tuple[float, datetime] | None:
        line = await ask_line(self._runner, "Share in percent", limits, problem=problem)
        share = share_of(line) if line is not None else None
        moment = await self._when() if share is not None else None
        return None if share is None or moment is None else (share, moment)

    async def _when(self) -> datetime | None:
        zone = local_time.label(self._now)
        name = f" ({name})" if (name := local_time.zone_name()) not in ("", zone) else ""
        about = f"tomorrow 09:00 or +2h, in {zone}{name}"
        line = await self._runner.ask(PromptScreen(Prompt("When", about, read=self._moment)))
        moment = read_moment(line, self._now) if line is not None else None
        return local_time.utc(moment) if isinstance(moment, float) else None

    @property
    def _now(self) -> float:
        return self._app_state.session.clock.time()

    def _moment(self, line: str) -> PromptReading:
        moment = read_moment(line, self._now)
        if isinstance(moment, str):
            return PromptReading(problem=moment)
        words = f"{local_time.wall(moment):%A}, {local_time.minute(moment)}{local_time.beside(moment)}"
        return PromptReading([(words, "$text-muted")])


def _below_everyone(conditions: Sequence[Condition]) -> Iterator[tuple[int, Condition]]:
    return (each for each in enumerate(conditions) if each[1].rollout < EVERYONE)


def _when(change: ScheduledChange) -> str:
    return local_time.minute(change.scheduled_at.timestamp()) if change.scheduled_at else ""


def _share_problem(line: str) -> str:
    return "" if share_of(line) is not None else "a number from 0 to 100"
