"""Steps the server would refuse, or worse, an older one would not: known before anything is sent."""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Final

from flagtui.changes.difference import same
from flagtui.changes.experiments.experiment_fields import problems_in_fields, stored_field, variants_in
from flagtui.changes.experiments.step_consequences import StepContext
from flagtui.changes.experiments.steps import ANY, Choices, Step
from flagtui.changes.flags.flag_refusals import names_of
from flagtui.changes.skipped import Blocked, Linked
from flagtui.models.editable_fields import is_plain_key
from flagtui.models.experiment import Experiment
from flagtui.models.filters import Filters
from flagtui.models.json_value import JSON
from flagtui.models.record_fields import EXPERIMENT_FIELDS
from flagtui.models.rows import ExperimentRow

EDITABLE_OLD: Final = EXPERIMENT_FIELDS.having("old engine")
"""All that experiments of the old engine let be changed."""
NO_OP: Final = "no-op"
"""The code of a refusal because the experiment is in the state that the step leads to."""
_NO_ACCESS: Final = "you may view this experiment but not change it"
_OLD_ENGINE: Final = "it is measured by the old engine; only its name, description and end can be changed"
_COPIES: Final = ("duplicate", "copy")
"""Steps that leave the experiment as it is."""
_BY_STATE: Final = frozenset({"end", "archive", "unarchive", "reset", "delete"})
"""Steps that nothing about an experiment refuses but its access, its engine and its state."""
_WHATEVER: Final = ("unarchive", "delete", "restore", "duplicate", "create", "edit", "copy", "reopen")
"""Steps for which the state does not matter."""
_REFUSED: Final[Mapping[str | tuple[str, str], Blocked]] = {
    ("launch", "running"): Blocked(NO_OP, "it has already been launched"),
    "launch": Blocked("state", "it has already been launched"),
    "reset": Blocked(NO_OP, "it is already a draft"),
    "archive": Blocked("state", "it must be ended before it can be archived", "end it first"),
    ("archive", "draft"): Blocked("state", "it must be launched and ended before it can be archived"),
    ("pause", "paused"): Blocked(NO_OP, "it is already paused", "resume it instead"),
    ("resume", "running"): Blocked(NO_OP, "it is not paused", "pause it instead"),
    ("resume", "exposure_frozen"): Blocked("state", "it is not paused", "pause it instead"),
    ("end", "stopped"): Blocked(NO_OP, "it has already ended", "reset it to a draft first"),
    ("freeze", "paused"): Blocked("state", "a paused experiment cannot be frozen", "resume it first"),
    ("unfreeze", "paused"): Blocked("state", "it is paused", "resume it first"),
    "draft": Blocked("state", "it has not been launched yet", "launch it first"),
    "stopped": Blocked("state", "it has already ended", "reset it to a draft first"),
}
"""By step and state, by step, or by state: why not, in the order in which it is looked up."""


def foresee_refusal(
    fresh: Experiment, step: Step, choices: Choices, context: StepContext | None = None
) -> Blocked | None:
    """Return the first reason why this step cannot be taken now."""
    return next(
        chain(_refusals(fresh, step, choices), _of_context(step, choices, context or StepContext())), None
    )


def refuse_row(row: ExperimentRow, step: Step) -> str:
    """Return why the step cannot be taken, as far as the row in a list shows; empty where it can."""
    if not row.can_edit and step.name not in _COPIES:
        return _NO_ACCESS
    if row.is_legacy and not step.for_old_engine:
        return _OLD_ENGINE
    refused = next(_of_state(row.status, step, is_archived=row.archived), None)
    return "; ".join(filter(None, (refused.reason, refused.next))) if refused is not None else ""


def row_would_change(row: ExperimentRow, step: Step) -> bool:
    """Return whether the row in a list shows that the step would change the experiment."""
    return step.name in _BY_STATE and not refuse_row(row, step)


def _refusals(fresh: Experiment, step: Step, choices: Choices) -> Iterator[Blocked]:
    if step.name == "restore" and not fresh.deleted:
        yield Blocked(NO_OP, "it is not deleted")
    if not fresh.can_edit and step.name not in _COPIES:
        yield Blocked("access", _NO_ACCESS, "ask for editor access to it")
    if fresh.is_mostly_fixed and not step.for_old_engine:
        yield Blocked("old engine", _OLD_ENGINE, "create a new experiment instead")
    yield from _of_state(fresh.state, step, is_archived=fresh.archived)
    yield from _of_flag(fresh, step)
    if step.name in ("freeze", "unfreeze"):
        yield from _of_exposure(fresh, step)
    if step.name == "ship" and choices.variant not in {variant.key for variant in fresh.variants}:
        yield Blocked("variant", f"its flag has no variant {choices.variant or 'without a name'}")
    values = {"conclusion": choices.conclusion, "conclusion_comment": choices.comment}
    if problems := EXPERIMENT_FIELDS.problems(values):
        yield Blocked("conclusion", problems[0], "choose another conclusion")
    if step.name == "delete" and "deleted" not in fresh.raw:
        # Its DELETE removes the row for good.
        yield Blocked(
            "unknown field", "this server has no `deleted` and would ignore it", "archive it instead"
        )
    if step.name == "cohort" and fresh.exposure_cohort:
        yield Blocked(NO_OP, f"it already has an exposure cohort, #{fresh.exposure_cohort}")
    yield from _of_fields(fresh, step, choices)
    if step.name in ("duplicate", "create") and not is_plain_key(choices.flag_key):
        yield Blocked("key", "a flag key has 1 to 400 letters, digits, - and _", "choose another key")
    if step.name == "duplicate" and choices.flag_key == fresh.feature_flag_key:
        reason = "with the same flag, pausing or shipping one affects both"
        yield Blocked("key", reason, "give the copy a flag of its own")


def _of_state(state: str, step: Step, *, is_archived: bool) -> Iterator[Blocked]:
    if step.name in ("archive", "unarchive") and (step.name == "archive") == is_archived:
        yield Blocked(NO_OP, "it is already archived" if is_archived else "it is not archived")
    if state not in step.states and step.name not in _WHATEVER:
        places = ((step.name, state), step.name, state) if state in ANY else ()
        refusal = next((_REFUSED[place] for place in places if place in _REFUSED), None)
        reason = f"its state is {state}, which this step does not know"
        yield refusal or Blocked("state", reason, "do it in the browser")


def _of_flag(fresh: Experiment, step: Step) -> Iterator[Blocked]:
    flag = fresh.feature_flag
    if step.name == "restore" and flag is not None and flag.deleted:
        yield Blocked("flag", "its flag has been deleted", "restore the flag first")
    if step.name not in ("launch", "pause", "resume", "ship", "cohort", "freeze", "unfreeze"):
        return
    if flag is None or flag.id <= 0:
        yield Blocked("flag", "it has no flag", "look at it in the browser")
    elif flag.deleted:
        yield Blocked("flag", f"its flag {flag.key} has been deleted", "restore the flag first")
    elif step.name == "launch" and len(fresh.variants) < 2:
        yield Blocked("flag", "its flag has fewer than two variants", "give the flag variants first")


def _of_context(step: Step, choices: Choices, context: StepContext) -> Iterator[Blocked]:
    """Yield what flags that were read beside the experiment rule out."""
    flag = context.flag
    if flag is not None and flag.archived and step.name in ("launch", "resume"):
        reason = f"its flag {flag.key} is archived, so that it cannot be turned on"
        yield Blocked("flag", reason, "unarchive the flag first")
    if flag is not None and step.name in ("create", "duplicate"):
        if len(flag.targeting.variants) < 2:
            reason = f"the flag {flag.key} exists and has fewer than two variants"
            yield Blocked("flag", reason, "choose another key")
        if variants_in(choices.fields.get("parameters")):
            reason = f"the flag {flag.key} exists and has its own variants"
            yield Blocked("flag", reason, "use it as it is, or choose another key")
    if context.dependents and (step.name == "pause" or choices.disable_flag):
        asking = tuple(Linked(0, key) for key in context.dependents)
        verb, those = ("depends", "that flag") if len(asking) == 1 else ("depend", "those flags")
        reason = f"{names_of(asking)} {verb} on its flag, so that cannot be turned off"
        yield Blocked("dependents", reason, f"change or turn off {those} first")


def _of_exposure(fresh: Experiment, step: Step) -> Iterator[Blocked]:
    """Yield why servers would not freeze or unfreeze the exposure of a running experiment."""
    if step.name == "unfreeze":
        if not fresh.frozen_conditions:
            yield Blocked(NO_OP, "its exposure is not frozen")
        return
    filters = fresh.feature_flag.targeting if fresh.feature_flag is not None else Filters.of({})
    kinds = [filters.group_type_index, *map(filters.group_type_of, filters.conditions)]
    if fresh.is_frozen or fresh.state == "exposure_frozen":
        yield Blocked(NO_OP, "its exposure is already frozen")
    if any(kind is not None for kind in kinds):
        yield Blocked("flag", "its flag is for groups; only an experiment on users can be frozen")
    if not filters.conditions:
        yield Blocked("flag", "its flag has no condition to restrict")
    if fresh.holdout_id or fresh.holdout or filters.raw.get("holdout") or filters.raw.get("holdout_groups"):
        yield Blocked("holdout", "an experiment with a holdout cannot be frozen")
    if filters.feature_enrollment:
        yield Blocked("flag", "a flag with early access cannot be frozen")


def _of_fields(fresh: Experiment, step: Step, choices: Choices) -> Iterator[Blocked]:
    """Yield what strict servers refuse, and fields that this experiment cannot change any more."""
    if step.name == "create":
        yield from _of_values({**choices.fields, "name": choices.name})
    elif step.name == "edit":
        yield from _of_values(choices.fields, is_undo=choices.is_restored)
        yield from _of_edit(fresh, choices.fields)


def _of_values(fields: Mapping[str, JSON], *, is_undo: bool = False) -> Iterator[Blocked]:
    for problem in problems_in_fields(fields, is_undo=is_undo):
        yield Blocked("fields", problem, "correct it and try again")


def _of_edit(fresh: Experiment, fields: Mapping[str, JSON]) -> Iterator[Blocked]:
    refused = sorted(set(fields) - EDITABLE_OLD)
    if refused and fresh.is_mostly_fixed:
        names = ", ".join(map(EXPERIMENT_FIELDS.words, refused))
        reason = f"it is measured by the old engine; {names} cannot be changed"
        yield Blocked("old engine", reason, "change only its name and description")
    fixed = map(EXPERIMENT_FIELDS.words, sorted(EXPERIMENT_FIELDS.having("for drafts") & fields.keys()))
    if (names := " and ".join(fixed)) and fresh.state != "draft":
        reason = f"{names} cannot be changed once it is launched"
        yield Blocked("state", reason, "reset it first, or make another one")
    flag = fresh.feature_flag
    if "parameters" in fields and flag is not None and flag.active:
        reason = f"its flag {fresh.feature_flag_key} is on: another split would give users other variants"
        yield Blocked("flag", reason, "change the flag itself, which sets who matches")
    if fields and all(same(stored_field(fresh, name), value) for name, value in fields.items()):
        yield Blocked(NO_OP, "it has these values already")
