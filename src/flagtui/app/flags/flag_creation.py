"""Actions that create flags, copy them here or to another project, and restore deleted ones."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Final, Literal

from flagtui.api.errors import ApiError
from flagtui.api.heavy_work import off_loop
from flagtui.app.dialogs.picker import Choice, PickerScreen
from flagtui.app.flags.flag_reader import is_left, read_flag, read_flags
from flagtui.app.flags.form.flag_form import FormScreen
from flagtui.app.forms.form_lines import ask_new_key
from flagtui.app.forms.question_chain import ask_in_turn
from flagtui.app.shell.change_tasks import OnReport
from flagtui.app.shell.place_choices import project_choices
from flagtui.app.state.app_state import AppState
from flagtui.app.writing.change_runner import ChangeRunner
from flagtui.app.writing.workspace_context import WorkspaceContext
from flagtui.changes.flags.flag_draft import WorkingCopy
from flagtui.changes.flags.flag_planner import NewFlag
from flagtui.changes.flags.new_flags import (
    boolean_flag,
    copy_of,
    multivariate_flag,
    remote_configuration,
    why_no_copy,
)
from flagtui.changes.proposal import Report
from flagtui.changes.related.creation import RelatedPlan
from flagtui.changes.related.project_copies import (
    bound_to_its_project,
    find_left_behind,
    find_target,
    needs_the_server,
    plan_copy,
    stays_behind_in_words,
    why_no_new_flag,
)
from flagtui.changes.related.related_planner import RelatedPlanner
from flagtui.changes.skipped import Blocked
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON
from flagtui.models.rows import FlagRow
from flagtui.store.workspace import Workspace
from flagtui.text.formats import count
from flagtui.text.outcomes import explain_skipped
from flagtui.text.styled import Notice

Kind = Literal["boolean", "multivariate", "config", "copy"]

KINDS: Final[tuple[Choice[Kind], ...]] = (
    Choice("boolean", "on or off", "a boolean flag"),
    Choice("multivariate", "several variants", "control and test to begin with"),
    Choice("config", "remote configuration", "a value for programs to read"),
)
HERE: Final = 0


class FlagCreation:
    """Starts every action that creates a flag."""

    def __init__(self, app_state: AppState, runner: ChangeRunner, on_report: OnReport) -> None:
        self._app_state = app_state
        self._runner = runner
        self._on_report = on_report

    async def new(self, rows: Sequence[FlagRow]) -> None:
        """Ask for a new flag; the flag under the cursor can be its model."""
        await ask_in_turn(lambda: self._ask_new(rows))

    async def _ask_new(self, rows: Sequence[FlagRow]) -> None:
        copies: list[Choice[Kind]] = [Choice("copy", f"like {row.key}", "a copy of it, off") for row in rows]
        kind = await self._runner.ask(PickerScreen("New flag", [*KINDS, *copies]))
        if kind is None:
            return
        key = await self._key(f"{rows[0].key}-copy" if kind == "copy" else "")
        if key is None:
            return
        match kind:
            case "boolean":
                await self._fill_in(boolean_flag(key))
            case "multivariate":
                await self._fill_in(multivariate_flag(key, ("control", "test")))
            case "config":
                await self._fill_in(remote_configuration(key, "{}"))
            case "copy":
                await self._copy_here(rows[0], key)

    async def _fill_in(self, fields: dict[str, JSON]) -> None:
        await FormScreen(self._app_state, self._runner, WorkingCopy.new(fields)).open()

    async def _key(self, usual: str) -> str | None:
        rows = self._app_state.workspace.flags.rows if self._app_state.workspace else ()
        about = "used by code; hard to change later"
        return await ask_new_key(self._runner, rows, usual, about)

    async def copy_to(self, rows: Sequence[FlagRow]) -> None:
        """Copy one flag to another key here, or flags to another project with the same keys."""
        await ask_in_turn(lambda: self._ask_copy_to(rows))

    async def _ask_copy_to(self, rows: Sequence[FlagRow]) -> None:
        try:
            with self._runner.reading("the projects"):
                projects = await project_choices(self._app_state)
        except ApiError:
            # A key that may not list projects can still copy within its own.
            projects = []
        row, is_one = rows[0], len(rows) == 1
        here = [Choice(HERE, "here", "under another key")] if is_one else []
        others = [
            Choice(project.value, project.name, project.about) for project in projects if not project.current
        ]
        if not here and not others:
            self._runner.show_toast(Notice("This key opens no other project.", "warning"))
            return
        title = f"Copy {row.key} to" if is_one else f"Copy {len(rows):,} flags to"
        chosen = await self._runner.ask(PickerScreen(title, [*here, *others]))
        if chosen == HERE:
            key = await self._key(f"{row.key}-copy")
            if key is not None:
                await self._copy_here(row, key)
        elif chosen is not None:
            name = next(project.name for project in others if project.value == chosen)
            await self._copy_away(rows, chosen, name)

    # Copies: the flag is read again, and what is not copied is reported

    async def _copy_here(self, row: FlagRow, key: str) -> None:
        """Copy the flag under another key, opened as a form."""
        workspace = self._app_state.workspace
        flag = await read_flag(row, self._app_state, self._runner)
        if flag is not None and (why := why_no_copy(flag)):
            self._runner.show_toast(Notice(f"{flag.key}: {why}", "warning", "not possible"))
        elif flag is not None and workspace is not None:
            left = await find_left_behind([flag], workspace.client)
            consequences = (stays_behind_in_words(left[flag.id]),)
            copy = await off_loop(lambda: WorkingCopy.new(copy_of(flag, key)), flag.filters)
            if not is_left(workspace, self._app_state, self._runner):
                await FormScreen(self._app_state, self._runner, copy, consequences).open()

    async def _copy_away(self, rows: Sequence[FlagRow], project: int, name: str) -> None:
        """Copy flags to another project as new flags; by the server where only it can copy a single one."""
        workspace = self._app_state.workspace
        flags, skipped = await read_flags(rows, self._app_state, self._runner)
        target = (
            await self._target_project(rows, workspace, project) if workspace is not None and flags else None
        )
        if target is None or workspace is None:
            return
        if len(rows) == 1 and needs_the_server(flags[0]) and not bound_to_its_project(flags[0]):
            await self._by_the_server(rows[0], flags[0], target, name)
            return
        skipped += [why for flag in flags if (why := why_no_new_flag(flag))]
        if len(rows) == 1 and skipped:
            self._runner.show_toast(explain_skipped(skipped[0]))
            return
        skipped_ids = {record.id for record in skipped}
        copied = [flag for flag in flags if flag.id not in skipped_ids]
        left = await find_left_behind(copied, workspace.client)
        new_flags = [
            NewFlag(
                await off_loop(partial(copy_of, flag, flag.key), flag.filters),
                (stays_behind_in_words(left[flag.id]),),
                flag.id,
            )
            for flag in copied
        ]

        def end(report: Report[Any, Any]) -> None:
            self._on_report(report)
            if report.saved:
                some = f"{count(len(report.saved), 'flag')} copied to {name}, off."
                what = f"{rows[0].key} is in {name} now, off." if len(rows) == 1 else some
                self._runner.show_toast(Notice(what))

        await self._runner.create(new_flags, end, skipped, (target, name))

    async def _by_the_server(self, row: FlagRow, flag: Flag, target_project: Workspace, name: str) -> None:
        """Have the server make it, which finds its cohorts and flags there."""
        workspace = self._app_state.workspace
        if workspace is None:
            return
        here, first = WorkspaceContext(self._app_state, workspace), [flag]
        away = WorkspaceContext(self._app_state, target_project)

        async def make() -> RelatedPlan | Blocked | None:
            source = first.pop() if first else await read_flag(row, self._app_state, self._runner)
            if source is None:
                return None
            about = f"{source.key} was not copied"
            target = await self._runner.signing_in.fetch(about, lambda: find_target(here, away, name))
            if target is None:
                return None
            left = await find_left_behind([source], workspace.client)
            return plan_copy(source, target, left[source.id], self._app_state.names)

        await self._runner.write([row.key], RelatedPlanner(here, make=make, place=name))

    async def _target_project(
        self, rows: Sequence[FlagRow], workspace: Workspace, project: int
    ) -> Workspace | None:
        """Load the other project and its flags with these keys; None, with a toast, without a response."""

        async def ask() -> Workspace:
            target = workspace.in_project(project)
            for row in rows:
                for filters in ({"search": row.key}, {"search": row.key, "archived": "true"}):
                    target.flags.put_all((await target.client.flags.page(filters)).rows)
            return target

        what = rows[0].key if len(rows) == 1 else "they"
        return await self._runner.signing_in.fetch(f"{what} cannot be copied", ask)
