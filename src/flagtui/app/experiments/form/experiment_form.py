"""An experiment as a form of lines."""

from collections.abc import Awaitable, Iterator, Sequence
from typing import TypeVar, cast

from textual import work

from flagtui.api.errors import ApiError
from flagtui.app.experiments.experiment_steps import ExperimentSteps
from flagtui.app.experiments.form.experiment_form_lines import Companions, experiment_lines
from flagtui.app.experiments.form.experiment_questions import ExperimentQuestions
from flagtui.app.forms.draft_form import LinesForm
from flagtui.app.forms.form_lines import FormLine, LineId
from flagtui.app.state.app_state import AppState
from flagtui.changes.experiments.experiment_draft import ExperimentCopy, Place
from flagtui.models.experiment import Holdout, SavedMetric
from flagtui.models.json_value import as_text
from flagtui.models.rows import state_word
from flagtui.safe_text import safe_text
from flagtui.store.workspace import Workspace
from flagtui.text.styled import Notice, Piece

SharedT = TypeVar("SharedT", Holdout, SavedMetric)


class ExperimentForm(LinesForm[ExperimentCopy, ExperimentQuestions]):
    """Edits the draft of an experiment; saving passes it to the pipeline of steps."""

    moves = "primary and secondary metrics"
    shares = "variants and the rollout"
    removes = "variants and metrics"

    def __init__(
        self, app_state: AppState, steps: ExperimentSteps, workspace: Workspace, copy: ExperimentCopy
    ) -> None:
        questions = ExperimentQuestions(copy, steps.runner, workspace, app_state)
        super().__init__(app_state, steps.runner, copy, questions)
        self._experiment_steps = steps
        self._workspace = workspace

    def on_mount(self) -> None:
        self._learn_companions()

    @work(exclusive=True, group="inspect")
    async def _learn_companions(self) -> None:
        """Load shared metrics and holdouts; the form can be used meanwhile."""
        client = self._workspace.client
        metrics, holdouts = await _read(client.saved_metrics.all()), await _read(client.holdouts.all())
        self._questions.known = Companions(
            {metric.id: metric for metric in metrics}, {holdout.id: holdout for holdout in holdouts}
        )
        if self.is_attached:
            self._draw()

    def lines(self) -> Iterator[FormLine]:
        return experiment_lines(self._copy, self._questions.known)

    @property
    def draft_id(self) -> str:
        return str(self._copy.fresh.id)

    @property
    def record_name(self) -> str:
        return as_text(self._copy.values.get("name")) or self._copy.fresh.name

    def heading(self) -> Sequence[Piece]:
        copy = self._copy
        name = safe_text(self.record_name, 60)
        title: Piece = ("New experiment ", "bold $primary") if copy.is_new else ("Edit ", "bold $primary")
        state = "" if copy.is_new else f"  #{copy.fresh.id} · {safe_text(state_word(copy.fresh.state), 20)}"
        return title, (name, "bold"), (state, "$faint")

    def has_share(self, line: FormLine) -> bool:
        return line.part == "variant" or line.name == "rollout_percentage"

    def can_remove(self, line: FormLine) -> bool:
        return line.part in ("variant", "metric")

    def remove_line(self, line: FormLine) -> None:
        if line.part == "variant":
            self._copy.remove_variant(line.place)
        elif line.part == "metric":
            self._copy.remove_metric(cast(Place, line.name), line.place)

    def movable_among(self, line: FormLine) -> tuple[str, int]:
        # The order of shared metrics is not kept.
        if line.part != "metric" or line.name == "saved_metrics_ids":
            return "metric", 0
        noun = "secondary metric" if line.name == "metrics_secondary" else "primary metric"
        return noun, len(self._copy.metrics(cast(Place, line.name)))

    def id_at(self, line: FormLine, place: int) -> LineId:
        return "metric", line.name, place, -1

    def move_line(self, line: FormLine, step: int) -> None:
        self._copy.move_metric(cast(Place, line.name), line.place, line.place + step)

    async def save(self) -> None:
        intent = self._copy.intent()
        if intent is None:
            self._runner.show_toast(Notice("Nothing is changed."))
        else:
            await self._experiment_steps.save(intent, self._on_saved)

    def _on_saved(self) -> None:
        if self.is_attached:
            self.leave()


async def _read(records: Awaitable[tuple[SharedT, ...]]) -> tuple[SharedT, ...]:
    try:
        return await records
    except ApiError:
        # A key that may not list them makes experiments without them.
        return ()
