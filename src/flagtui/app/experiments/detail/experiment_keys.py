"""The keys that take steps with an experiment, the same in the list and in the experiment itself."""

from abc import abstractmethod
from collections.abc import Collection, Sequence
from typing import Final

from flagtui.app.experiments.detail.judgement import leading_of
from flagtui.app.experiments.detail.metric_findings import Findings
from flagtui.app.experiments.experiment_edits import ExperimentEdits
from flagtui.app.experiments.experiment_steps import TOGETHER, ExperimentSteps
from flagtui.app.lists.record_links import RecordKeys
from flagtui.changes.experiments.steps import StepName
from flagtui.models.rows import ExperimentRow
from flagtui.store.load_progress import RecordId

NEXT: Final[dict[str, tuple[str, ...]]] = {
    "draft": ("lists.open", "experiments.launch", "experiments.edit"),
    "running": ("lists.open", "experiments.switch", "experiments.end", "experiments.ship"),
    "exposure_frozen": ("lists.open", "experiments.end", "experiments.ship"),
    "paused": ("lists.open", "experiments.switch", "experiments.end"),
    "stopped": ("lists.open", "experiments.ship", "experiments.archive", "experiments.duplicate"),
    "archived": ("lists.open", "experiments.archive", "experiments.duplicate"),
}
"""By state: the commands to show first."""


class ExperimentKeys(RecordKeys):
    """Starts changes of experiments; a confirmed change goes on when the screen closes."""

    experimenting: ExperimentSteps
    writing: ExperimentEdits

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

    @property
    def next_commands(self) -> Sequence[str]:
        """What one is likely to do with it next, for the line of keys."""
        row = self.subject()
        if row is None:
            return ("experiments.new",)
        return NEXT.get("archived" if row.archived else row.status, ())

    def action_step(self, name: StepName) -> None:
        """For everything chosen where one answer does for all, else for the one that is meant."""
        rows = self.chosen()
        if len(rows) > 1 and name in TOGETHER:
            self.experimenting.start(name, rows, saved=self.saved)
            return
        row = rows[0] if len(rows) == 1 else self.subject()
        if row is not None:
            leading = leading_of(self.known(row))
            words = leading.words if leading else ""
            self.experimenting.start(name, [row], words, self.saved)

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

    def action_edit_json(self) -> None:
        row = self.subject()
        if row is not None:
            self.writing.edit_json(row)

    def action_duplicate(self) -> None:
        """A copy here, or one in another project."""
        row = self.subject()
        if row is not None:
            self.writing.duplicate(row)

    def action_new(self) -> None:
        self.writing.create()
