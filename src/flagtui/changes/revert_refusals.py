"""Reasons to refuse the revert of a change in the activity."""

from collections.abc import Iterable, Sequence
from typing import Final, TypeVar

from msgspec.structs import replace

from flagtui.changes.difference import FieldConflict, compact, taken_apart
from flagtui.changes.proposal import Caution, PlanBase
from flagtui.changes.skipped import Blocked
from flagtui.models.json_value import JSON

PlanT = TypeVar("PlanT", bound=PlanBase)
NOT_LOGGED: Final = Blocked("unlogged", "what it changed is not logged", "change it by hand")
NAMED: Final = 3
SIDE: Final = 120
"""Characters of one side of a conflict."""


def changed_since(conflicts: Sequence[FieldConflict]) -> Blocked:
    """Return the refusal with all three values: set by the change, previous, current."""
    places = [place for conflict in conflicts for place in taken_apart(conflict)]
    differences = [
        f"{place.where}: this change made it {_side(place.seen)},"
        f" before that it was {_side(place.mine)}, now it is {_side(place.theirs)}"
        for place in places[:NAMED]
    ]
    more = f"; and {len(places) - NAMED:,} more places" if len(places) > NAMED else ""
    reason = f"changed again since. {'; '.join(differences)}{more}"
    return Blocked("moved on", reason, "undo the newer change first, or set the value by hand")


def not_settable(field: str) -> Blocked:
    """Return the refusal for a field that no request sets."""
    name = field.replace("_", " ")
    return Blocked("field", f"the old {name} cannot be set again", "change it by hand")


def as_partial(plan: PlanT, fields: Iterable[str]) -> PlanT:
    """Return the plan with a caution about changed fields that no request sets again; they stay."""
    # Servers keep the order of metrics themselves.
    names = [field.replace("_", " ") for field in fields if not field.endswith("_ordered_uuids")]
    if not names:
        return plan
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    words = f"not reverted, since it cannot be set again: {', '.join(names[:NAMED])}{more}"
    return replace(plan, cautions=(*plan.cautions, Caution(words)), unrestored=words)


def not_kept(field: str) -> Blocked:
    """Return the refusal for a field whose previous value the log lacks."""
    name = field.replace("_", " ")
    return Blocked("unlogged", f"the log does not contain the previous {name}", "change it by hand")


def _side(value: JSON) -> str:
    text = compact(value) or "nothing"
    return text if len(text) <= SIDE else f"{text[:SIDE]}…"
