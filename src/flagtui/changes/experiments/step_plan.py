"""Plan a step on the current experiment: its changes, consequences, and how success will look."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, Final

from msgspec.structs import replace

from flagtui.api import Client
from flagtui.api.errors import ApiError
from flagtui.api.heavy_work import off_loop
from flagtui.changes.difference import MISSING, DifferenceLine, FieldConflict, same, value_words
from flagtui.changes.experiments.experiment_fields import change_words, is_kept, stored_field
from flagtui.changes.experiments.metric_nodes import events_measured
from flagtui.changes.experiments.served_variants import starts_flag
from flagtui.changes.experiments.step_consequences import StepContext, cautions, consequences
from flagtui.changes.experiments.step_refusals import foresee_refusal
from flagtui.changes.experiments.steps import LIVE, Choices, ExperimentIntent, Step, StepName
from flagtui.changes.proposal import PlanBase
from flagtui.changes.skipped import Blocked
from flagtui.models.editable_fields import is_plain_key
from flagtui.models.experiment import Experiment
from flagtui.models.json_value import JSON, format_number
from flagtui.models.record_fields import EXPERIMENT_FIELDS
from flagtui.models.rows import state_word

MADE_HERE: Final[frozenset[StepName]] = frozenset({"create", "duplicate", "restore"})
"""Steps after which there is an experiment more in the list."""


UNDO_OF_ENDING: Final = "restore the old shares, and let it go on"
"""What an undo of shipping a running experiment does."""


class ExperimentPlan(PlanBase, frozen=True, kw_only=True):
    """A step that could be taken."""

    noun: ClassVar[str] = "experiment"
    intent: ExperimentIntent
    fresh: Experiment
    moves: tuple[DifferenceLine, ...]
    """Every value that changes."""

    @property
    def id(self) -> int:
        return self.intent.id

    @property
    def step(self) -> Step:
        return self.intent.step

    @property
    def choices(self) -> Choices:
        return self.intent.choices

    @property
    def makes_record(self) -> bool:
        return self.step.name in MADE_HERE

    @property
    def is_deletion(self) -> bool:
        return self.step.name == "delete"

    @property
    def key(self) -> str:
        """Its name. Raw."""
        return self.fresh.name or f"experiment {self.id}"

    @property
    def type_to_confirm(self) -> str:
        """The key of its flag: names can be anything."""
        key = self.fresh.feature_flag_key
        return key if key and is_plain_key(key) else str(self.id)

    def title_of(self, counted: str) -> str:
        what = self.verb.title.replace("an experiment", "the experiment")
        if "the experiment" in what:
            return what.replace("the experiment", counted)
        # `Pause: turn its flag OFF` speaks of one flag.
        step, about_one, _ = what.partition(":")
        return f"{step} {counted}" if about_one else f"{what.replace(' its ', ' their ')}: {counted}"

    @property
    def versions(self) -> str:
        # No server lets users read what is deleted.
        state = "" if self.step.name == "restore" else f" · {state_word(self.fresh.state)}"
        return f"#{self.id}{state}" if self.id else "new"


def plan_step(intent: ExperimentIntent, fresh: Experiment, context: StepContext) -> ExperimentPlan | Blocked:
    """Plan the step for the current experiment."""
    step, choices = intent.step, intent.choices
    if refusal := foresee_refusal(fresh, step, choices, context):
        return refusal
    moves = tuple(_lines(fresh, step, choices))
    ends_too = step.name == "ship" and fresh.state in LIVE
    return ExperimentPlan(
        intent=intent,
        fresh=fresh,
        verb=replace(step.verb, undo=UNDO_OF_ENDING) if ends_too else step.verb,
        moves=moves,
        lines=tuple(_worded_lines(moves, choices, names_of_shared(fresh, choices))),
        consequences=tuple(consequences(fresh, step, choices, context)),
        cautions=tuple(cautions(fresh, step, choices, context)),
        conflicts=tuple(_changed_since(fresh, choices)),
        # Deleted experiments cannot be read, and new ones are not there.
        read_at=0.0 if step.name in ("restore", "create") else context.now,
    )


def _changed_since(fresh: Experiment, choices: Choices) -> Iterator[FieldConflict]:
    """Yield the edited fields that have another value than the user saw, and than the requested one."""
    for name, seen in choices.seen.items():
        current, requested = stored_field(fresh, name), choices.fields[name]
        if not same(current, seen) and not same(current, requested):
            yield FieldConflict((name,), seen, requested, current)


def names_of_shared(fresh: Experiment, choices: Choices) -> Mapping[int, str]:
    """Return the names of shared metrics that the experiment has, or gets, by id."""
    return {link.saved_metric or 0: link.name for link in fresh.saved_metrics} | dict(choices.shared)


def _worded_lines(
    moves: Sequence[DifferenceLine], choices: Choices, shared: Mapping[int, str]
) -> Iterator[DifferenceLine]:
    """Yield the moves for a dialog in words, without repeating their values."""
    for move in moves:
        is_field = move.where in choices.fields
        parts = change_words(move.where, move.before, move.after, shared) if is_field else (move.words,)
        for words in parts:
            yield DifferenceLine(move.path, MISSING, MISSING, words)


EVENTS_ASKED: Final = 200
"""The most events of one experiment that a server is asked about: no address holds more."""


async def gather_for_step(intent: ExperimentIntent, fresh: Experiment, client: Client) -> StepContext:
    """Read the context of a step. Omit unavailable hints: the server decides."""
    context = StepContext()
    flag = fresh.feature_flag
    try:
        is_launch = intent.step.name == "launch"
        events = await off_loop(lambda: events_measured(fresh), fresh.raw) if is_launch else ()
        if 0 < len(events) <= EVENTS_ASKED:
            needs_code = await client.results.requires_flag_implementation(events)
            context = replace(context, needs_code=needs_code)
        if intent.step.name in ("create", "duplicate"):
            return replace(context, flag=await client.flags.find(intent.choices.flag_key), new_flag="off")
        if flag is not None and not flag.active and intent.step.name in ("launch", "resume"):
            context = replace(context, flag=await client.flags.get(flag.id))
        if flag is not None and (intent.step.name == "pause" or intent.choices.disable_flag):
            dependents = await client.flags.dependents(flag.id)
            context = replace(context, dependents=tuple(flag.key for flag in dependents))
    except ApiError:
        return context
    return context


def is_reached(plan: ExperimentPlan, experiment: Experiment) -> bool:
    """Return whether the experiment has the state that the step leads to, and all new values."""
    return is_in_state(plan, experiment) and not missing_fields(plan, experiment)


def is_in_state(plan: ExperimentPlan, experiment: Experiment) -> bool:
    """Return whether the experiment has the state that the step leads to."""
    choices, state = plan.choices, experiment.state
    is_on = state in ("running", "exposure_frozen")
    shares = {variant.key: variant.rollout for variant in experiment.variants}
    reached: dict[StepName, bool] = {
        "launch": is_on,
        "resume": is_on,
        "pause": state == "paused",
        "end": state == "stopped",
        "ship": state == "stopped" and shares.get(choices.variant) == 100,
        "archive": experiment.archived,
        "unarchive": not experiment.archived,
        "reset": state == "draft",
        "freeze": state == "exposure_frozen",
        "unfreeze": is_on and not experiment.frozen_conditions,
        "cohort": bool(experiment.exposure_cohort),
        "delete": experiment.deleted,
        "restore": not experiment.deleted,
        "duplicate": experiment.feature_flag_key == choices.flag_key and experiment.id != plan.id,
        "create": experiment.feature_flag_key == choices.flag_key and experiment.name == choices.name,
        "copy": experiment.id != plan.id,
    }
    return reached.get(plan.step.name, True)


def missing_fields(plan: ExperimentPlan, experiment: Experiment) -> tuple[str, ...]:
    """Return the fields whose new values were not saved."""
    fields = dict(plan.choices.fields)
    if plan.step.name == "end" and plan.choices.conclusion:
        fields["conclusion"] = plan.choices.conclusion
    return tuple(name for name, value in fields.items() if not is_kept(experiment, name, value, same))


_STATES_AFTER: Final[Mapping[StepName, str]] = {
    "launch": "running",
    "pause": "paused",
    "resume": "running",
    "end": "stopped",
    "ship": "stopped",
    "reset": "draft",
    "freeze": "exposure_frozen",
    "unfreeze": "running",
}


def _state_after(fresh: Experiment, step: StepName) -> str | None:
    """Return the state that a step leads to; None where the state stays."""
    if step == "ship" and fresh.state not in LIVE:
        return None
    return "exposure_frozen" if step == "resume" and fresh.is_frozen else _STATES_AFTER.get(step)


def _lines(fresh: Experiment, step: Step, choices: Choices) -> Iterator[DifferenceLine]:
    """Yield every value that the step changes."""
    flag = fresh.feature_flag
    if step.name == "ship":
        yield from _shipped_lines(fresh, choices)
    if (state := _state_after(fresh, step.name)) is not None:
        yield _field_line("status", fresh.state, state)
    match step.name:
        case "launch" if flag is not None and not flag.active:
            yield _flag_line(fresh, is_on=True)
        case "reopen" if starts_flag(fresh, choices):
            yield _flag_line(fresh, is_on=True)
        case "pause" | "resume":
            yield _flag_line(fresh, is_on=step.name == "resume")
        case "end" | "ship":
            yield from _conclusion_lines(fresh, choices)
        case "archive" | "unarchive":
            yield _switch_line("archived", step.name == "archive")
        case "delete" | "restore":
            yield _switch_line("deleted", step.name == "delete")
        case "create":
            yield _field_line("name", None, choices.name)
            yield _field_line("feature_flag_key", None, choices.flag_key)
        case "duplicate":
            yield _field_line("feature_flag_key", fresh.feature_flag_key, choices.flag_key)
    for name, value in choices.fields.items():
        before, shared = stored_field(fresh, name), names_of_shared(fresh, choices)
        yield DifferenceLine((name,), before, value, "; ".join(change_words(name, before, value, shared)))


def _flag_line(fresh: Experiment, *, is_on: bool) -> DifferenceLine:
    words = f"flag {fresh.feature_flag_key}: {'off → on' if is_on else 'on → off'}"
    return DifferenceLine(("feature_flag", "active"), not is_on, is_on, words)


def _conclusion_lines(fresh: Experiment, choices: Choices) -> Iterator[DifferenceLine]:
    if choices.conclusion:
        yield _field_line("conclusion", fresh.conclusion or "none", choices.conclusion)
    if choices.comment:
        yield _field_line("conclusion_comment", fresh.conclusion_comment or None, choices.comment)


def _shipped_lines(fresh: Experiment, choices: Choices) -> Iterator[DifferenceLine]:
    for place, variant in enumerate(fresh.variants):
        share = 100 if variant.key == choices.variant else 0
        if variant.rollout != share:
            path = ("filters", "multivariate", "variants", place, "rollout_percentage")
            words = f"variant {variant.key}: {format_number(variant.rollout)} % → {share} %"
            yield DifferenceLine(path, variant.rollout, share, words)


def _field_line(field: str, before: JSON, after: JSON) -> DifferenceLine:
    names = {"status": "experiment", "feature_flag_key": "flag", "conclusion_comment": "comment"}
    shown = [value_words(EXPERIMENT_FIELDS.get(field), side) for side in (before, after) if side is not None]
    sides = map(str, shown)
    words = " → ".join(map(state_word, sides) if field == "status" else sides)
    return DifferenceLine((field,), before, after, f"{names.get(field, field)}: {words}")


def _switch_line(field: str, value: bool) -> DifferenceLine:
    words = f"not {field} → {field}" if value else f"{field} → not {field}"
    return DifferenceLine((field,), not value, value, words)
