"""The keys that take steps with an experiment, the same in the list and in the experiment itself."""

from abc import abstractmethod
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Literal

from textual.screen import Screen

from flagtui.app.experiments.detail.judgement import leading_of
from flagtui.app.experiments.detail.metric_findings import Findings
from flagtui.app.experiments.experiment_batch import TOGETHER, ExperimentBatch
from flagtui.app.experiments.experiment_edits import ExperimentEdits
from flagtui.app.experiments.experiment_steps import ExperimentSteps
from flagtui.app.experiments.experiment_undo import ExperimentUndo
from flagtui.app.shell.toasts import tell
from flagtui.app.state.app_state import AppState
from flagtui.app.state.go_to import GoTo
from flagtui.app.state.permissions import may_write, writes_in
from flagtui.changes.experiments.steps import StepName
from flagtui.models.rows import ExperimentRow
from flagtui.store.load_progress import RecordId
from flagtui.text.notices import Notice

if TYPE_CHECKING:
    AnyScreen = Screen[None]
else:
    # Textual reads the styles of a class from its first base that is a widget, and this is none.
    AnyScreen = object

Place = Literal["experiments", "experiment"]


class ExperimentKeys(AnyScreen):
    """Starts changes of experiments; a confirmed change goes on when the screen closes."""

    experimenting: ExperimentSteps
    writing: ExperimentEdits
    place: Place

    @abstractmethod
    def subject(self) -> ExperimentRow | None:
        """The experiment that is meant."""

    def chosen(self) -> Sequence[ExperimentRow]:
        """The experiments that a step is for; only a list can have several."""
        row = self.subject()
        return [row] if row is not None else []

    def saved(self, records: Collection[RecordId]) -> None:
        """What was chosen and took the step."""

    @abstractmethod
    def known(self, row: ExperimentRow) -> Findings:
        """What is known of it."""

    @abstractmethod
    def state_here(self) -> AppState:
        """What every screen shares."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Steps need a profile and a key that may write."""
        if (
            action in writes_in(self.place)
            and (allowed := may_write(self.state_here(), self.place)) is not True
        ):
            return allowed
        return super().check_action(action, parameters)

    def action_step(self, name: StepName) -> None:
        """For everything chosen where one answer does for all, else for the one that is meant."""
        rows = self.chosen()
        if len(rows) > 1 and name in TOGETHER:
            ExperimentBatch(self.state_here(), self.experimenting).start(name, rows, self.saved)
            return
        row = rows[0] if len(rows) == 1 else self.subject()
        if row is not None:
            leading = leading_of(self.known(row))
            words = leading.words if leading else ""
            self.experimenting.start(name, row, words, lambda: self.saved([row.id]))

    def action_switch(self) -> None:
        """Pause what runs, resume what is paused: the first decides, and why not is told of the rest."""
        if rows := self.chosen():
            self.action_step("resume" if rows[0].status == "paused" else "pause")

    def action_archive(self) -> None:
        if rows := self.chosen():
            self.action_step("unarchive" if rows[0].archived else "archive")

    def action_edit(self) -> None:
        row = self.subject()
        if row is not None:
            self.writing.edit(row)

    def action_edit_text(self) -> None:
        row = self.subject()
        if row is not None:
            self.writing.edit_text(row)

    def action_copy_to_project(self) -> None:
        row = self.subject()
        if row is not None:
            self.writing.copy(row)

    def action_new(self) -> None:
        self.writing.create()

    def action_undo(self) -> None:
        ExperimentUndo(self.state_here(), self.experimenting).undo()

    def action_flag(self) -> None:
        row = self.subject()
        if row is not None and row.flag_id is None:
            tell(self.app, Notice("This experiment has no flag.", "warning"))
        elif row is not None and row.flag_id is not None:
            self.post_message(GoTo("flags", row.flag_id))
