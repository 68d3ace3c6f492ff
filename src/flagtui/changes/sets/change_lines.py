"""The differences of a staged change, in words."""

from flagtui.changes.difference import MISSING, DifferenceLine, difference, field_words
from flagtui.changes.flags.flag_context import Context
from flagtui.changes.flags.flag_plan import Plan
from flagtui.changes.flags.flag_words import in_words
from flagtui.changes.flags.new_flags import Taken, plan_create
from flagtui.changes.proposal import DiffLine
from flagtui.changes.sets.change_set import StagedChange
from flagtui.models.record_fields import EVENT_FIELDS


def change_lines(change: StagedChange) -> tuple[DiffLine, ...]:
    """Return each path that the change moves. Texts are raw."""
    if change.is_new:
        plan = plan_create(change.values, Taken(()), Context())
        return plan.lines if isinstance(plan, Plan) else ()
    if change.kind == "flag":
        lines = difference(change.base, change.values)
        return tuple(DiffLine(line, in_words(line, change.base, change.values)) for line in lines)
    return tuple(_event_line(name, change) for name in change.values)


def change_words(change: StagedChange) -> list[str]:
    """Return the differences as phrases: `rollout 10 % → 40 %`."""
    return [line.words for line in change_lines(change)]


def _event_line(name: str, change: StagedChange) -> DiffLine:
    before, after = change.base.get(name, MISSING), change.values[name]
    line = DifferenceLine((name,), before, after)
    return DiffLine(line, field_words(EVENT_FIELDS, name, before, after))
