"""The differences of a staged change, in words."""

from msgspec.structs import replace

from flagtui.changes.difference import MISSING, DifferenceLine, difference, field_words
from flagtui.changes.flags.flag_context import Context
from flagtui.changes.flags.flag_plan import Plan
from flagtui.changes.flags.flag_words import in_words
from flagtui.changes.flags.new_flags import Taken, plan_create
from flagtui.changes.sets.change_set import StagedChange
from flagtui.models.editable_fields import FieldTable
from flagtui.models.record_fields import EVENT_FIELDS, EXPERIMENT_FIELDS, FLAG_FIELDS
from flagtui.store.kinds import EXPERIMENTS


def change_lines(change: StagedChange) -> tuple[DifferenceLine, ...]:
    """Return each path that the change moves. Texts are raw."""
    if change.verb == "create":
        plan = plan_create(change.values, Taken(()), Context())
        return plan.lines if isinstance(plan, Plan) else ()
    if change.kind == "flag":
        lines = difference(change.base, change.values)
        return tuple(replace(line, words=in_words(line, change.base, change.values)) for line in lines)
    fields = EXPERIMENT_FIELDS if change.kind == EXPERIMENTS.entry else EVENT_FIELDS
    return tuple(_field_line(name, change, fields) for name in change.values)


def change_words(change: StagedChange) -> list[str]:
    """Return the differences as phrases: `rollout 10 % → 40 %`."""
    return [line.words for line in change_lines(change)]


def _field_line(name: str, change: StagedChange, fields: FieldTable) -> DifferenceLine:
    before, after = change.base.get(name, MISSING), change.values[name]
    # Experiments have no field for it, because people do not edit it.
    fields = FLAG_FIELDS if name == "archived" else fields
    return DifferenceLine((name,), before, after, field_words(fields, name, before, after))
