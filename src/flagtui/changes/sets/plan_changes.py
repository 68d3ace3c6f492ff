"""Convert planned changes into changes of a set: what they are based on, and nothing secret."""

from collections.abc import Iterable
from typing import Final

from flagtui.changes.difference import same
from flagtui.changes.event_definitions.definition_intent import KIND as EVENT
from flagtui.changes.event_definitions.definition_plan import EventPlan
from flagtui.changes.flags.flag_intent import LASTING
from flagtui.changes.flags.flag_plan import Plan
from flagtui.changes.flags.property_rules import NEW_FLAG
from flagtui.changes.journal_entries import masked
from flagtui.changes.proposal import Proposal
from flagtui.changes.sets.change_set import ChangeSetError, StagedChange
from flagtui.models.json_value import JSON, as_dict

AT_ONCE: Final = "Apply it directly, without --stage and --out."


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
    is_permanent = isinstance(plan, Plan | EventPlan)
    why = "a permanent delete" if is_permanent else f"“{plan.verb.title}”"
    raise ChangeSetError("direct", f"{plan.key}: {why} cannot be staged", AT_ONCE)


def _flag_change(plan: Plan) -> StagedChange:
    base, values = dict(plan.before), dict(plan.values)
    if plan.is_secret:
        if not same(_payloads(base), _payloads(values)):
            what = f"{plan.key}: an encrypted payload is never written to a change set"
            raise ChangeSetError("direct", what, AT_ONCE)
        base, values = masked(base, base), masked(values, values)
    return StagedChange(
        kind="flag",
        record=f"{NEW_FLAG}{plan.key}" if plan.is_new else plan.id,
        key=plan.key,
        verb=plan.intent.verb,
        version=plan.version,
        base=base,
        values=values,
    )


def _payloads(values: dict[str, JSON]) -> JSON:
    return as_dict(as_dict(values.get("filters")).get("payloads"))
