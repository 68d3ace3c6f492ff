"""Convert planned changes into changes of a set: with their base, without secrets."""

from collections.abc import Iterable
from typing import Final

from flagtui.changes.difference import same
from flagtui.changes.event_definitions.definition_intent import KIND as EVENT
from flagtui.changes.event_definitions.definition_plan import EventPlan
from flagtui.changes.experiments.experiment_fields import stored_field
from flagtui.changes.experiments.step_plan import ExperimentPlan
from flagtui.changes.flags.flag_intent import LASTING
from flagtui.changes.flags.flag_plan import Plan
from flagtui.changes.flags.property_rules import NEW_FLAG
from flagtui.changes.journal_entries import mask_payloads
from flagtui.changes.proposal import Proposal
from flagtui.changes.sets.change_set import ChangeSetError, StagedChange
from flagtui.evaluate import wire
from flagtui.models.experiment import Experiment
from flagtui.models.json_value import JSON
from flagtui.models.record_fields import EXPERIMENT_FIELDS
from flagtui.store.kinds import EXPERIMENTS

AT_ONCE: Final = "Apply it directly, without --stage, --out and propose."
PLAIN_FIELDS: Final = ("name", "description", "conclusion", "conclusion_comment")
"""Fields of experiments that a set can hold: of the others, servers compute and add parts."""
_ARCHIVED: Final = {"archive": True, "unarchive": False}


def changes_of(plans: Iterable[Proposal]) -> list[StagedChange]:
    """Return the plans as changes of a set. Raises ChangeSetError for one that no set can hold."""
    return [_change_of(plan) for plan in plans]


def _change_of(plan: Proposal) -> StagedChange:
    if isinstance(plan, Plan) and plan.verb.name != LASTING:
        return _flag_change(plan)
    if isinstance(plan, EventPlan) and not (plan.is_deletion or plan.is_new):
        return StagedChange(
            kind=EVENT,
            record=plan.id,
            key=plan.key,
            verb=plan.intent.verb,
            base={name: plan.before[name] for name in plan.body},
            values=dict(plan.body),
        )
    if isinstance(plan, ExperimentPlan) and (values := _values_of(plan)):
        return StagedChange(
            kind=EXPERIMENTS.entry,
            record=plan.id,
            key=plan.key,
            verb=plan.verb.name,
            base={name: experiment_value(plan.fresh, name) for name in values},
            values=values,
        )
    is_permanent = isinstance(plan, Plan | EventPlan)
    why = "a permanent delete" if is_permanent else f"“{plan.verb.title}”"
    if isinstance(plan, ExperimentPlan) and plan.step.name in ("edit", "archive"):
        others = [name for name in plan.choices.fields if name not in PLAIN_FIELDS]
        why = EXPERIMENT_FIELDS.words(others[0]) if others else "archiving it and turning its flag off"
    raise ChangeSetError("direct", f"{plan.key}: {why} cannot be staged", AT_ONCE)


def _values_of(plan: ExperimentPlan) -> dict[str, JSON]:
    """Return the new values of a step that changes nothing else; none for every other step."""
    step, choices = plan.step.name, plan.choices
    if step in _ARCHIVED and not choices.disable_flag:
        return {"archived": _ARCHIVED[step]}
    is_plain = step == "edit" and all(name in PLAIN_FIELDS for name in choices.fields)
    return dict(choices.fields) if is_plain else {}


def experiment_value(fresh: Experiment, name: str) -> JSON:
    """Return a value of the experiment in the form that sets compare."""
    return fresh.archived if name == "archived" else stored_field(fresh, name)


def _flag_change(plan: Plan) -> StagedChange:
    base, values = dict(plan.before), dict(plan.values)
    if plan.is_secret:
        if not same(wire.payloads(base.get("filters")), wire.payloads(values.get("filters"))):
            what = f"{plan.key}: an encrypted payload is never written to a change set"
            raise ChangeSetError("direct", what, AT_ONCE)
        base, values = mask_payloads(base, base), mask_payloads(values, values)
    return StagedChange(
        kind="flag",
        record=f"{NEW_FLAG}{plan.key}" if plan.is_new else plan.id,
        key=plan.key,
        verb=plan.intent.verb,
        version=plan.fresh.version,
        base=base,
        values=values,
    )
