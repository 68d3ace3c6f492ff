"""Steps of experiments: read again, ask for choices, then pass the step to the pipeline."""

from collections.abc import Callable, Sequence
from typing import Final

from msgspec.structs import replace

from flagtui.app.dialogs.picker import Choice, PickerScreen
from flagtui.app.dialogs.prompt import Prompt, PromptReading, PromptScreen
from flagtui.app.experiments.detail.proposed_conclusion import NO_PROPOSAL, ProposedConclusion
from flagtui.app.forms.form_lines import ask_line
from flagtui.app.forms.question_chain import ask_in_turn
from flagtui.app.shell.change_tasks import OnReport, ignore
from flagtui.app.shell.kept_texts import keeping_texts
from flagtui.app.state.app_state import AppState
from flagtui.app.writing.change_runner import ChangeRunner
from flagtui.app.writing.workspace_context import WorkspaceContext
from flagtui.changes.experiments.step_planner import StepPlanner, unread_experiment
from flagtui.changes.experiments.step_refusals import foresee_refusal
from flagtui.changes.experiments.steps import STEPS, Choices, ExperimentIntent, Step, StepName
from flagtui.changes.sets.change_set import ChangeSetError
from flagtui.changes.skipped import Skipped
from flagtui.models.editable_fields import is_plain_key
from flagtui.models.experiment import Experiment
from flagtui.models.record_fields import EXPERIMENT_FIELDS
from flagtui.models.rows import ExperimentRow
from flagtui.safe_text import safe_text
from flagtui.store.workspace import Workspace
from flagtui.text.formats import count, percent
from flagtui.text.outcomes import explain_blocked
from flagtui.text.set_words import explain_set_fault, next_in_app

NAME_CELLS: Final = 36
"""Room for a name in the title of a choice."""
CHOSEN: Final[frozenset[StepName]] = frozenset({"end", "ship", "archive", "duplicate"})
"""Steps whose question follows others."""
WON: Final = "won"
"""The conclusion that too few people do not allow."""


class ExperimentSteps:
    """Starts steps; those of several experiments are confirmed together and sent one by one."""

    def __init__(self, app_state: AppState, runner: ChangeRunner) -> None:
        self._app_state = app_state
        self.runner = runner

    def start(
        self,
        name: StepName,
        rows: Sequence[ExperimentRow],
        leading: str = "",
        on_report: OnReport = ignore,
        proposed: ProposedConclusion = NO_PROPOSAL,
    ) -> None:
        """Begin the path; `leading` is the result of the first metric of one experiment so far."""
        if rows:
            self.runner.run(self.take_step(STEPS[name], rows, leading, on_report, proposed))

    async def take_step(
        self,
        step: Step,
        rows: Sequence[ExperimentRow],
        leading: str = "",
        on_report: OnReport = ignore,
        proposed: ProposedConclusion = NO_PROPOSAL,
    ) -> None:
        """Read, ask and carry out a step. Only within a change that was begun."""
        if (workspace := self.runner.open_workspace()) is None:
            return
        if self.runner.is_read_only():
            return
        fresh, skipped = await self._read_all(step, rows, workspace)
        flags = fresh[0].feature_flag_key if len(rows) == 1 and fresh else "each of them"

        async def ask() -> Choices | None:
            change = f"{step.name} {[experiment.id for experiment in fresh]}"
            with keeping_texts(self.runner, self._app_state, change):
                return await self._choose(step, fresh, flags, proposed)

        choices = await ask_in_turn(ask) if fresh else None
        if choices is None and (fresh or not skipped):
            return
        intents = [
            ExperimentIntent(experiment.id, step, choices or Choices(), leading) for experiment in fresh
        ]
        # Other users may have changed what was read before the choices.
        await self._write(intents, () if step.name in CHOSEN else fresh, workspace, on_report, skipped)

    async def save(self, intent: ExperimentIntent, saved: Callable[[], None]) -> None:
        """Save the edited experiment, planned on its current state. Only within a worker."""
        if (workspace := self.runner.open_workspace()) is None:
            return
        fresh: Experiment | None = unread_experiment(intent)
        if intent.id:
            fresh = await self.read(intent.id, f"experiment {intent.id}", workspace)
        if fresh is not None:
            await self.take(intent, fresh, workspace, lambda report: saved() if report.saved else None)

    async def take(
        self,
        intent: ExperimentIntent,
        fresh: Experiment,
        workspace: Workspace,
        on_report: OnReport = ignore,
    ) -> None:
        """Ask to confirm a step whose choices were made elsewhere, and take it. Only within a worker."""
        await self._write([intent], [fresh], workspace, on_report)

    async def _write(
        self,
        intents: Sequence[ExperimentIntent],
        fresh: Sequence[Experiment],
        workspace: Workspace,
        on_report: OnReport,
        skipped: Sequence[Skipped] = (),
    ) -> None:
        context = WorkspaceContext(self._app_state, workspace)
        planner = StepPlanner(context, {experiment.id: experiment for experiment in fresh})
        await self.runner.write(intents, planner, on_report, skipped)

    async def read(self, id: int, name: str, workspace: Workspace) -> Experiment | None:
        """Read the experiment; show a toast and return None when it cannot be read."""

        async def ask() -> Experiment:
            with self.runner.reading(name):
                return await WorkspaceContext(self._app_state, workspace).read_experiment(id)

        try:
            return await self.runner.signing_in.fetch(name, ask)
        except ChangeSetError as error:
            self.runner.show_toast(explain_set_fault(error))
            return None

    async def _read_all(
        self, step: Step, rows: Sequence[ExperimentRow], workspace: Workspace
    ) -> tuple[list[Experiment], list[Skipped]]:
        """Return the experiments that can take the step; report why a single one cannot."""
        if len(rows) == 1:
            fresh = await self.read(rows[0].id, rows[0].name, workspace)
            return ([] if fresh is None or self._is_refused(step, fresh) else [fresh]), []

        async def look(id: int) -> Experiment | Skipped:
            try:
                fresh = await WorkspaceContext(self._app_state, workspace).read_experiment(id)
            except ChangeSetError as error:
                name = next(row.name for row in rows if row.id == id)
                return Skipped(id, name, error.what, next_in_app(error))
            refusal = foresee_refusal(fresh, step, Choices())
            return fresh if refusal is None else Skipped(fresh.id, fresh.name, refusal.reason, refusal.next)

        named = [(row.id, row.name) for row in rows]
        with self.runner.reading(count(len(rows), "experiment")) as show_progress:
            return await self.runner.signing_in.fetch_each(named, look, show_progress)

    def _is_refused(self, step: Step, fresh: Experiment) -> bool:
        """Return whether the step is impossible whatever is chosen, so that nothing is asked in vain."""
        if step.name in ("ship", "duplicate"):
            variant = next((variant.key for variant in fresh.variants), "")
            probe = Choices(variant=variant, flag_key=f"{fresh.feature_flag_key}-"[:400])
        else:
            probe = Choices()
        refusal = foresee_refusal(fresh, step, probe)
        if refusal is not None:
            self.runner.show_toast(explain_blocked(refusal, fresh.name))
        return refusal is not None

    # What is chosen on the way to a step

    async def _choose(
        self, step: Step, fresh: Sequence[Experiment], flags: str, proposed: ProposedConclusion
    ) -> Choices | None:
        """Ask for the choices of the step, once for all experiments; None when the user leaves."""
        whose = safe_text(fresh[0].name, NAME_CELLS) if len(fresh) == 1 else count(len(fresh), "experiment")
        match step.name:
            case "end":
                is_erased = any(experiment.conclusion for experiment in fresh)
                about = "the present one is erased" if is_erased else "it can be set later"
                kept = Choice("", "no conclusion yet", about)
                title = f"End with which conclusion: {whose}"
                return await self._ask_conclusion(title, kept, proposed, at_first=False)
            case "ship":
                return await self._ship(fresh[0], f"Ship which variant: {whose}", proposed)
            case "archive" if any(
                experiment.feature_flag and experiment.feature_flag.active for experiment in fresh
            ):
                return await self._archive(flags, f"Archive, and the flag: {whose}")
            case "duplicate":
                return await self._copy(fresh[0])
        return Choices()

    async def _ask_conclusion(
        self, title: str, without: Choice[str], proposed: ProposedConclusion, *, at_first: bool
    ) -> Choices | None:
        """Ask for a conclusion and a comment, the proposed one selected; `without` skips both."""
        options = EXPERIMENT_FIELDS["conclusion"].takes.options
        words = [Choice(option.value, option.words, option.about) for option in options]
        offered = [without, *words] if at_first else [*words, without]
        if not at_first:
            offered = [replace(each, current=each.value == proposed.conclusion) for each in offered]
        if proposed.objection:
            offered = [
                replace(each, about=proposed.objection) if each.value == WON else each for each in offered
            ]

        conclusion = await self.runner.ask(PickerScreen(title, offered))
        if not conclusion:
            return None if conclusion is None else Choices()
        about = "A comment for later readers; empty for none."
        wrong = EXPERIMENT_FIELDS["conclusion_comment"].takes.wrong
        comment = await ask_line(self.runner, "Why?", about, problem=wrong)
        return None if comment is None else Choices(conclusion=conclusion, comment=comment.strip())

    async def _ship(self, fresh: Experiment, title: str, proposed: ProposedConclusion) -> Choices | None:
        variants = [
            Choice(
                variant.key, variant.key, f"{percent(variant.rollout)} now", variant.key == proposed.winner
            )
            for variant in fresh.variants
        ]
        people = [
            Choice(False, "users its conditions match", "conditions stay as they are", True),
            Choice(True, "everyone", "an open condition is put before all others"),
        ]
        kept = Choice("", "leave the conclusion as it is", fresh.conclusion or "there is none")

        variant = await self.runner.ask(PickerScreen(title, variants))
        if variant is None:
            return None
        everyone = await self.runner.ask(PickerScreen(f"Ship to whom: {variant}", people))
        if everyone is None:
            return None
        concluded = await self._ask_conclusion("Conclude with it?", kept, proposed, at_first=True)
        return concluded and replace(concluded, variant=variant, everyone=everyone)

    async def _archive(self, key: str, title: str) -> Choices | None:
        ways = [
            Choice(False, "leave its flag on", f"{key} is still served", True),
            Choice(True, "turn its flag off and archive it", "no one gets a variant any more"),
        ]
        disable = await self.runner.ask(PickerScreen(title, ways))
        return None if disable is None else Choices(disable_flag=disable)

    async def _copy(self, fresh: Experiment) -> Choices | None:
        about = "Without a flag of its own, pausing or shipping the copy also affects the original."
        own = fresh.feature_flag_key

        def read(line: str) -> PromptReading:
            is_own = line.strip() == own
            return PromptReading(problem="this is the flag of the original" if is_own else key_problem(line))

        prompt = Prompt("Flag key of the copy", about, f"{own}-copy", "a key of its own", read)
        key = await self.runner.ask(PromptScreen(prompt))
        if key is None:
            return None
        name = await ask_line(self.runner, "Name of the copy", value=f"{fresh.name} (Copy)")
        return None if name is None else Choices(flag_key=key.strip(), name=name.strip()[:400])


def key_problem(line: str) -> str:
    """Return why a line is not a valid flag key; empty if it is."""
    return "" if is_plain_key(line.strip()) else "letters, digits, - and _ only"
