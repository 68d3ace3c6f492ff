"""Actions that create an experiment, edit one in a form or an editor, and copy one to another project."""

from collections.abc import Callable
from typing import Final

from flagtui.api.errors import ApiError
from flagtui.app.dialogs.picker import Choice, PickerScreen
from flagtui.app.dialogs.prompt import Prompt, PromptReading, PromptScreen
from flagtui.app.experiments.experiment_steps import ExperimentSteps
from flagtui.app.experiments.form.experiment_form import ExperimentForm
from flagtui.app.experiments.form.flag_choice import ask_flag
from flagtui.app.state.app_state import AppState
from flagtui.app.writing.changes import Changes
from flagtui.app.writing.json_editing import edit_as_json
from flagtui.changes.experiments.experiment_draft import ExperimentCopy, experiment_text
from flagtui.changes.experiments.steps import STEPS, Choices, ExperimentIntent
from flagtui.models.editable_fields import is_plain_key
from flagtui.models.experiment import Experiment
from flagtui.models.rows import ExperimentRow
from flagtui.store.workspace import Workspace
from flagtui.text.styled import Notice

HERE: Final = 0
"""In place of a project's number."""


class ExperimentEdits:
    """Asks for what is wanted; the step itself goes the way of all steps."""

    def __init__(self, app_state: AppState, changing: Changes, experimenting: ExperimentSteps) -> None:
        self._app_state = app_state
        self._changing = changing
        self._experimenting = experimenting

    def create(self) -> None:
        """A new draft, on a flag that is there or a new one."""
        self._changing.run(self._create())

    def edit(self, row: ExperimentRow) -> None:
        """In a form of its fields."""
        self._changing.run(self._edit(row))

    def edit_json(self, row: ExperimentRow) -> None:
        """As JSON in the person's own editor."""
        self._changing.run(self._edit_json(row))

    def duplicate(self, row: ExperimentRow) -> None:
        """A draft like it, here or in another project."""
        self._changing.run(self._duplicate(row))

    async def _create(self) -> None:
        workspace = self._app_state.workspace
        if workspace is None or self._experimenting.is_read_only():
            return
        name = await self._changing.ask(PromptScreen(Prompt("Name of the new experiment", read=_named)))
        if name is None:
            return
        flag = await ask_flag(self._changing, workspace, name.strip())
        if flag is not None:
            self._fill_in(ExperimentCopy.new(name.strip(), flag.key, is_linked=flag.is_there), workspace)

    async def _edit(self, row: ExperimentRow) -> None:
        fresh, workspace = await self._read(row)
        if fresh is not None and workspace is not None:
            self._fill_in(ExperimentCopy.of(fresh), workspace)

    async def _read(self, row: ExperimentRow) -> tuple[Experiment | None, Workspace | None]:
        workspace = self._app_state.workspace
        if workspace is None or self._experimenting.is_read_only():
            return None, None
        fresh = await self._experimenting.read(row.id, row.name, workspace)
        if fresh is None or fresh.can_edit:
            return fresh, workspace
        words = f"{fresh.name}: you may look at this experiment but not change it"
        self._changing.tell(Notice(words, "warning", "not possible now"))
        return None, None

    def _fill_in(self, copy: ExperimentCopy, workspace: Workspace) -> None:
        form = ExperimentForm(self._app_state, self._changing, workspace, copy, self._save)
        self._changing.app.push_screen(form)

    def _save(self, intent: ExperimentIntent, saved: Callable[[], None]) -> None:
        self._changing.run(self._saving(intent, saved))

    async def _saving(self, intent: ExperimentIntent, saved: Callable[[], None] = lambda: None) -> None:
        """Editing takes long; what is there now decides."""
        workspace, choices = self._app_state.workspace, intent.choices
        if workspace is None:
            self._changing.tell(Notice("There is no connection yet; nothing was changed.", "warning"))
            return
        fresh: Experiment | None = Experiment.of(
            {"id": 0, "name": choices.name, "feature_flag_key": choices.flag_key}
        )
        if intent.id:
            fresh = await self._experimenting.read(intent.id, f"experiment {intent.id}", workspace)
        if fresh is not None:
            await self._experimenting.take(intent, fresh, workspace, saved)

    async def _edit_json(self, row: ExperimentRow) -> None:
        fresh, workspace = await self._read(row)
        if fresh is None or workspace is None:
            return
        record = experiment_text(fresh)
        edited = edit_as_json(self._changing, record, self._app_state.session.state_folder / "drafts")
        if edited is not None:
            choices = Choices(
                fields=edited.changes, seen={name: record.shown[name] for name in edited.changes}
            )
            await self._saving(ExperimentIntent(row.id, STEPS["edit"], choices), edited.saved)

    async def _duplicate(self, row: ExperimentRow) -> None:
        workspace = self._app_state.workspace
        if workspace is None or self._experimenting.is_read_only():
            return
        try:
            projects = await workspace.client.projects.list()
        except ApiError:
            # A key that may not list projects can still copy within its own.
            projects = ()
        here = workspace.client.project
        others = [Choice(one.id, one.label, f"#{one.id}") for one in projects if one.id != here]
        choices = [Choice(HERE, "here", "with a flag of its own"), *others]
        project = await self._changing.ask(PickerScreen(f"Copy {row.name} to", choices)) if others else HERE
        if project == HERE:
            await self._experimenting.take_step(STEPS["duplicate"], [row])
            return
        fresh = await self._experimenting.read(row.id, row.name, workspace) if project is not None else None
        if project is None or fresh is None:
            return
        asked = Prompt("Flag key there", "", fresh.feature_flag_key, read=_plain)
        key = await self._changing.ask(PromptScreen(asked))
        if key is not None:
            chosen = Choices(project=project, flag_key=key.strip())
            await self._experimenting.take(ExperimentIntent(row.id, STEPS["copy"], chosen), fresh, workspace)


def _named(line: str) -> PromptReading:
    return PromptReading(problem="" if 0 < len(line.strip()) <= 400 else "a name has 1 to 400 characters")


def _plain(line: str) -> PromptReading:
    return PromptReading(problem="" if is_plain_key(line.strip()) else "letters, digits, - and _ only")
