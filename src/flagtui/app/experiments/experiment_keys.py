"""The keys of an experiment, the same in its list and on its own page: steps, forms, editor, copies."""

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property, partial
from typing import Final

from flagtui.api.errors import ApiError
from flagtui.app.dialogs.picker import Choice, PickerScreen
from flagtui.app.experiments.detail.proposed_conclusion import NO_PROPOSAL, propose_conclusion
from flagtui.app.experiments.experiment_steps import ExperimentSteps, key_problem
from flagtui.app.experiments.form.experiment_form import ExperimentForm
from flagtui.app.experiments.form.experiment_questions import ask_flag
from flagtui.app.forms.form_lines import ask_line
from flagtui.app.forms.json_editing import edit_as_json
from flagtui.app.forms.question_chain import ask_in_turn
from flagtui.app.lists.record_links import RecordKeys
from flagtui.changes.experiments.experiment_draft import ExperimentCopy, experiment_text
from flagtui.changes.experiments.step_refusals import refuse_row
from flagtui.changes.experiments.steps import STEPS, Choices, ExperimentIntent, StepName
from flagtui.details.metric_findings import Findings
from flagtui.models.experiment import Experiment
from flagtui.models.rows import ExperimentRow
from flagtui.store.workspace import Workspace
from flagtui.text.judgement import leading_of
from flagtui.text.styled import Notice

HERE: Final = 0
"""In place of a project's number."""
NEXT: Final[dict[str, tuple[str, ...]]] = {
    "draft": ("lists.open", "experiments.launch", "experiments.edit"),
    "running": ("lists.open", "experiments.switch", "experiments.end", "experiments.ship"),
    "exposure_frozen": ("lists.open", "experiments.freeze", "experiments.end", "experiments.ship"),
    "paused": ("lists.open", "experiments.switch", "experiments.end"),
    "stopped": ("lists.open", "experiments.ship", "experiments.archive", "experiments.duplicate"),
    "archived": ("lists.open", "experiments.archive", "experiments.duplicate"),
}
"""By state: the commands to show first."""


class ExperimentKeys(RecordKeys):
    """Handles the keys of experiments; a confirmed change continues when the screen closes."""

    kind = "experiments"

    @cached_property
    def steps(self) -> ExperimentSteps:
        """The way of all steps."""
        return ExperimentSteps(self._app_state, self._runner)

    def refuse(self, row: ExperimentRow, verb: str) -> str:
        return refuse_row(row, STEPS[verb]) if verb in STEPS else ""

    def subject(self) -> ExperimentRow | None:
        """Return the experiment under the cursor or on the page."""
        return next(iter(self.at_cursor()), None)

    @abstractmethod
    def findings_of(self, row: ExperimentRow) -> Findings:
        """Return the findings about the experiment."""

    @property
    def next_commands(self) -> Sequence[str]:
        """The likeliest next commands, for the line of keys."""
        row = self.subject()
        if row is None:
            return ("experiments.new",)
        return NEXT.get("archived" if row.archived else row.status, ())

    def action_step(self, name: StepName) -> None:
        """Take a step for all chosen experiments; the question for one names its result."""
        rows = self.chosen()
        findings = self.findings_of(rows[0]) if len(rows) == 1 else None
        leading = leading_of(findings) if findings is not None else None
        proposed = propose_conclusion(findings) if findings is not None else NO_PROPOSAL
        self.steps.start(name, rows, leading.words if leading else "", self.on_report, proposed)

    def action_switch(self) -> None:
        """Pause or resume: the first row decides; the rest is skipped with the reason."""
        if rows := self.chosen():
            self.action_step("resume" if rows[0].is_paused else "pause")

    def action_freeze(self) -> None:
        """Freeze or unfreeze the exposure: the first row decides."""
        if rows := self.chosen():
            self.action_step("unfreeze" if rows[0].is_frozen else "freeze")

    def action_archive(self) -> None:
        if rows := self.chosen():
            self.action_step("unarchive" if rows[0].archived else "archive")

    def action_new(self) -> None:
        """Create a draft, on an existing flag or a new one."""
        self._runner.run(ask_in_turn(self._create))

    def action_edit(self) -> None:
        """Edit the experiment in a form."""
        for row in self.single():
            self._runner.run(self._edit(row))

    def action_edit_json(self) -> None:
        """Edit the experiment as JSON in the user's editor."""
        for row in self.single():
            self._runner.run(self._edit_json(row))

    def action_duplicate(self) -> None:
        """Copy the experiment as a draft, here or to another project."""
        for row in self.single():
            self._runner.run(ask_in_turn(partial(self._duplicate, row)))

    async def _create(self) -> None:
        workspace = self._app_state.workspace
        if workspace is None or self._runner.is_read_only():
            return
        name = await ask_line(self._runner, "Name of the new experiment", problem=_name_problem)
        if name is None:
            return
        chosen = await ask_flag(self._runner, workspace, name.strip())
        if chosen is not None:
            key, is_linked = chosen.key, chosen.is_linked
            copy = ExperimentCopy.new(name.strip(), key, is_linked=is_linked, flag=chosen.flag)
            await self._fill_in(copy, workspace)

    async def _edit(self, row: ExperimentRow) -> None:
        fresh, workspace = await self._read(row)
        if fresh is not None and workspace is not None:
            await self._fill_in(ExperimentCopy.of(fresh), workspace)

    async def _read(self, row: ExperimentRow) -> tuple[Experiment | None, Workspace | None]:
        workspace = self._app_state.workspace
        if workspace is None or self._runner.is_read_only():
            return None, None
        fresh = await self.steps.read(row.id, row.name, workspace)
        if fresh is None or fresh.can_edit:
            return fresh, workspace
        words = f"{fresh.name}: you may view this experiment but not change it"
        self._runner.show_toast(Notice(words, "warning", "not possible now"))
        return None, None

    async def _fill_in(self, copy: ExperimentCopy, workspace: Workspace) -> None:
        await ExperimentForm(self._app_state, self.steps, workspace, copy).open()

    async def _edit_json(self, row: ExperimentRow) -> None:
        fresh, workspace = await self._read(row)
        if fresh is None or workspace is None:
            return
        record = experiment_text(fresh)
        edited = await edit_as_json(self._runner, record, self._app_state.session.state_folder / "drafts")
        if edited is not None:
            choices = Choices(
                fields=edited.changes, seen={name: record.shown[name] for name in edited.changes}
            )
            await self.steps.save(ExperimentIntent(row.id, STEPS["edit"], choices), edited.delete_copy)
            edited.report_copy(self._runner)

    async def _duplicate(self, row: ExperimentRow) -> None:
        workspace = self._app_state.workspace
        if workspace is None or self._runner.is_read_only():
            return
        try:
            with self._runner.reading("the projects"):
                projects = await workspace.client.projects.list()
        except ApiError:
            # A key that may not list projects can still copy within its own.
            projects = ()
        here = workspace.client.project
        others = [
            Choice(project.id, project.label, f"#{project.id}") for project in projects if project.id != here
        ]
        choices = [Choice(HERE, "here", "with a flag of its own"), *others]
        project = await self._runner.ask(PickerScreen(f"Copy {row.name} to", choices)) if others else HERE
        if project == HERE:
            await self.steps.take_step(STEPS["duplicate"], [row])
            return
        fresh = await self.steps.read(row.id, row.name, workspace) if project is not None else None
        if project is None or fresh is None:
            return
        own = fresh.feature_flag_key
        key = await ask_line(self._runner, "Flag key there", "", own, key_problem)
        if key is not None:
            chosen = Choices(project=project, flag_key=key.strip())
            await self.steps.take(ExperimentIntent(row.id, STEPS["copy"], chosen), fresh, workspace)


def _name_problem(line: str) -> str:
    return "" if 0 < len(line.strip()) <= 400 else "a name has 1 to 400 characters"
