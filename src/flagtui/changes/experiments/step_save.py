"""Send steps of experiments, each in one request."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from flagtui.api.errors import ApiError, Invalid
from flagtui.api.operations import after_write
from flagtui.api.shipped_filters import ship_filters, unfrozen_filters
from flagtui.changes.adapter import Adapter
from flagtui.changes.canonical_filters import clean_filters, normal_filters
from flagtui.changes.difference import same
from flagtui.changes.experiments.experiment_fields import events_in, stored_field
from flagtui.changes.experiments.metric_nodes import events_measured
from flagtui.changes.experiments.metrics import with_order
from flagtui.changes.experiments.step_plan import ExperimentPlan, is_in_state, is_reached, missing_fields
from flagtui.changes.experiments.steps import Choices, StepName
from flagtui.changes.journal import Numbered
from flagtui.changes.journal_entries import Entry
from flagtui.changes.proposal import Outcome, conflict_because
from flagtui.models.experiment import Experiment, ExperimentFlag
from flagtui.models.json_value import JSON
from flagtui.models.record_fields import EXPERIMENT_FIELDS
from flagtui.models.rows import state_word

if TYPE_CHECKING:
    from flagtui.api.experiments import Experiments


StepOutcome = Outcome[ExperimentPlan, Experiment]
SEARCHABLE: Final = 200
"""Characters a server takes to search for; a name can have more."""


@dataclass(frozen=True)
class StepAdapter(Adapter[ExperimentPlan, Experiment]):
    """Steps of experiments in the pipeline: no step carries a version."""

    experiments: Experiments
    elsewhere: Callable[[int], Experiments] | None = None
    """The experiments of another project, by its number: that is where copies are."""
    is_approved_whole = False

    def journal_entry(self, plan: ExperimentPlan) -> Entry:
        before, after = before_and_after(plan)
        flag = plan.fresh.feature_flag
        return Entry(
            key=plan.key,
            verb=plan.verb.name,
            kind="experiment",
            record=0 if plan.step.name in MAKING else plan.id,
            before=before,
            after=after,
            words=tuple(line.words for line in plan.lines),
            is_secret=flag is not None and flag.has_encrypted_payloads,
        )

    def is_compared(self, plan: ExperimentPlan) -> bool:
        """Return whether the server compares: it refuses impossible steps, but always accepts new values.

        It ships a variant whatever the others have become.
        """
        return plan.step.name not in ("edit", "reopen", "ship")

    async def read(self, plan: ExperimentPlan) -> Experiment | None:
        name = plan.step.name
        if name not in MAKING:
            return await self.experiments.get(plan.id)
        experiments = self.experiments
        if name == "copy":
            if self.elsewhere is None:
                return None
            experiments = self.elsewhere(plan.choices.project)
        key = plan.choices.flag_key or plan.fresh.feature_flag_key
        id = await find_made(experiments, key, plan.choices.name, plan.fresh.name, plan.id)
        return None if id is None else await experiments.get(id)

    def conflict(self, plan: ExperimentPlan, now: Experiment) -> StepOutcome | None:
        if plan.step.name in MAKING:
            return None
        moved = [
            EXPERIMENT_FIELDS.words(name)
            for name in plan.choices.fields
            if not same(stored_field(now, name), stored_field(plan.fresh, name))
        ]
        if plan.step.name == "ship" and _targeting(now) != _targeting(plan.fresh):
            moved.append("the targeting of its flag")
        if now.state == plan.fresh.state and now.archived == plan.fresh.archived and not moved:
            return None
        change = f"{', '.join(moved)} changed since" if moved else f"it is {state_word(now.state)} now"
        return conflict_because(plan, now, f"it was changed meanwhile: {change}")

    async def send(self, plan: ExperimentPlan) -> StepOutcome:
        try:
            outcome = await _take(plan, self.experiments)
        except Invalid:
            # Servers refuse a step once the experiment has left the state that was shown.
            if (conflict := await self._conflict_now(plan)) is None:
                raise
            return conflict
        if is_reached(plan, outcome):
            return self._saved_outcome(plan, outcome)
        reason = f"the server accepted the change, but it is {state_word(outcome.state)}"
        if dropped := missing_fields(plan, outcome):
            named = ", ".join(EXPERIMENT_FIELDS.words(name) for name in dropped)
            is_partly = plan.step.name not in MAKING and is_in_state(plan, outcome)
            if is_partly and not self.is_as_before(plan, outcome):
                saved = self._saved_outcome(plan, outcome)
                kept = {name: stored_field(outcome, name) for name in dropped}
                remarks = (f"not changed as planned: {named}",)
                return replace(saved, remarks=remarks, server_values={**saved.server_values, **kept})
            reason = f"the server accepted the change, without {named}"
        return Outcome(plan, "refused", outcome, reason, "look at it in the browser")

    async def _conflict_now(self, plan: ExperimentPlan) -> StepOutcome | None:
        if plan.step.name in MAKING:
            return None
        try:
            return self.conflict(plan, await self.experiments.get(plan.id))
        except ApiError:
            return None

    def judge(self, plan: ExperimentPlan, seen: Experiment | None) -> StepOutcome | None:
        return None if seen is None or not is_reached(plan, seen) else self._saved_outcome(plan, seen)

    def is_as_before(self, plan: ExperimentPlan, seen: Experiment | None) -> bool:
        """Return whether it is in its previous state: without versions, any other state proves nothing."""
        if seen is None:
            return plan.step.name != "copy" or self.elsewhere is not None
        if plan.step.name in ("edit", "reopen"):
            fields = plan.choices.fields
            moves = [move for move in plan.moves if move.where in fields]
            return all(same(stored_field(seen, move.where), move.before) for move in moves)
        return _standing(seen) == _standing(plan.fresh)

    def stored_record(self, outcome: StepOutcome) -> Numbered:
        record, id = outcome.record, outcome.plan.id
        if outcome.plan.step.name in MAKING:
            id = record.id if record is not None and outcome.is_saved else 0
        return Numbered(id)

    def _saved_outcome(self, plan: ExperimentPlan, experiment: Experiment) -> StepOutcome:
        return Outcome(plan, "saved", experiment, server_values=server_values(plan.step.name, experiment))


def _targeting(experiment: Experiment) -> JSON:
    """Return the conditions and variants of its flag, which shipping overwrites and the undo restores."""
    flag = experiment.feature_flag
    return None if flag is None else normal_filters(flag.filters)


def _standing(experiment: Experiment) -> tuple[object, ...]:
    """Return what steps change; older servers change the flag and the experiment one after the other."""
    flag = experiment.feature_flag
    is_on = flag is not None and flag.active
    return experiment.state, experiment.archived, _targeting(experiment), experiment.variants, is_on


async def find_made(
    experiments: Experiments, key: JSON, name: str, original: str, original_id: JSON
) -> int | None:
    """Find a new experiment by the key of its flag, and by its name if one was chosen; return its number.

    Otherwise its name has that of the original in it. Raises ApiError.
    """
    offset = 0
    while True:
        query = {"search": (name or original)[:SEARCHABLE], "limit": 100, "offset": offset or None}
        page = await experiments.page(query)
        for row in page.rows:
            if row.key == key and row.id != original_id and (not name or row.name == name):
                return row.id
        offset += page.size
        if not page.size or offset >= page.total:
            return None


async def _take(plan: ExperimentPlan, experiments: Experiments) -> Experiment:
    id, chosen = plan.id, plan.choices
    conclusion, comment = chosen.conclusion or None, chosen.comment or None
    steps: dict[StepName, Callable[[], Awaitable[Experiment]]] = {
        "launch": lambda: experiments.launch(id),
        "pause": lambda: experiments.pause(id),
        "resume": lambda: experiments.resume(id),
        "end": lambda: experiments.end(id, conclusion=conclusion, comment=comment),
        "ship": lambda: experiments.ship_variant(
            id, chosen.variant, everyone=chosen.everyone, conclusion=conclusion, comment=comment
        ),
        "archive": lambda: experiments.archive(id, disable_flag=chosen.disable_flag),
        "unarchive": lambda: experiments.unarchive(id),
        "reset": lambda: experiments.reset(id),
        "duplicate": lambda: experiments.duplicate(id, flag_key=chosen.flag_key, name=chosen.name or None),
        "create": lambda: experiments.create(chosen.name, chosen.flag_key, _fields_sent(plan)),
        "edit": lambda: experiments.update(id, with_order(plan.fresh, _fields_sent(plan))),
        "reopen": lambda: experiments.update(id, chosen.fields),
        "copy": lambda: experiments.copy_to_project(id, chosen.project, flag_key=chosen.flag_key or None),
        "freeze": lambda: experiments.freeze_exposure(id),
        "unfreeze": lambda: experiments.unfreeze_exposure(id),
        "delete": lambda: experiments.delete(id),
        "restore": lambda: experiments.restore(id),
    }
    if plan.step.name == "cohort":
        await experiments.create_exposure_cohort(id)
        with after_write():
            return await experiments.get(id)
    return await steps[plan.step.name]()


def _fields_sent(plan: ExperimentPlan) -> Mapping[str, JSON]:
    """Return the fields as sent: unasked, servers refuse events without data, even those stored before."""
    fields, choices = plan.choices.fields, plan.choices
    if not (events := events_in(fields)):
        return fields
    is_allowed = choices.is_restored or choices.unseen or events <= {*events_measured(plan.fresh)}
    return {**fields, "allow_unknown_events": True} if is_allowed else fields


CONCLUDED: Final = ("conclusion", "conclusion_comment")
RESET: Final = ("start_date", "end_date", *CONCLUDED, "archived")
"""What a reset erases."""
MAKING: Final[frozenset[StepName]] = frozenset({"create", "duplicate", "copy"})
"""Steps that make another experiment; the number in the journal is that one's, and 0 until it is known."""

Sides = tuple[dict[str, JSON], dict[str, JSON]]


def before_and_after(plan: ExperimentPlan) -> Sides:
    """Return every value that the step changes, also those that the question shows in other words."""
    step, chosen, fresh, flag = plan.step.name, plan.choices, plan.fresh, plan.fresh.feature_flag
    if step in ("duplicate", "copy"):
        made: dict[str, JSON] = {"feature_flag_key": chosen.flag_key or fresh.feature_flag_key}
        made |= {"name": chosen.name} if chosen.name else {}
        made |= {"project": chosen.project} if chosen.project else {}
        return {"id": plan.id}, made
    values = _values_beside(step, chosen)
    before = {move.where: move.before for move in plan.moves} | {name: fresh.raw.get(name) for name in values}
    after = {move.where: move.after for move in plan.moves} | values
    if flag is None or step not in ("launch", "ship", "archive", "reopen"):
        return before, after
    if step == "archive" and chosen.disable_flag:
        before["feature_flag.active"], after["feature_flag.active"] = flag.active, False
    before |= {"feature_flag.id": flag.id, "feature_flag.key": flag.key}
    return _flag_change(plan, flag, before, after) if step == "ship" else (before, after)


def _values_beside(step: StepName, choices: Choices) -> dict[str, JSON]:
    """Return the new values that are not among the moves of a step."""
    conclusion: dict[str, JSON] = {
        "conclusion": choices.conclusion,
        "conclusion_comment": choices.comment,
    }
    match step:
        case "end":
            # What is not sent is erased.
            return {name: value or None for name, value in conclusion.items()}
        case "ship":
            return {name: value for name, value in conclusion.items() if value}
        case "reset":
            return {**dict.fromkeys(RESET), "archived": False}
    return {}


def server_values(step: StepName, record: Experiment) -> dict[str, JSON]:
    """Return the values that the server chose when the step was taken."""
    if step in MAKING:
        return {"name": record.name}
    return {"end_date": record.raw.get("end_date")} if step in ("end", "ship") else {}


def _flag_change(
    plan: ExperimentPlan, flag: ExperimentFlag, before: dict[str, JSON], after: dict[str, JSON]
) -> Sides:
    """Return the flag's whole targeting instead of each share: the undo is a change of the flag."""
    try:
        filters = ship_filters(flag.filters, plan.choices.variant, plan.choices.everyone)
    except Invalid:
        return before, after
    before, after = (
        {name: side[name] for name in side if not name.startswith("filters.")} for side in (before, after)
    )
    # Shipping deletes the cohort of a frozen exposure, so the undo cannot require it again.
    stored = clean_filters(unfrozen_filters(flag.filters))
    return {**before, "filters": stored}, {**after, "filters": clean_filters(filters)}
