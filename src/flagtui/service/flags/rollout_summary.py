"""Write `is_simple_flag` and `rollout_percentage`, which follow from `filters`.

The specification lists them as fields; servers of 2025 derived them. Nothing sent is dropped: a value that
repeats the flag is no change, a percentage sets the only condition, everything else is a 400.
"""

import sqlite3
from collections.abc import Mapping

from flagtui.service.bodies import Fields
from flagtui.service.call import Call
from flagtui.service.errors import Json, invalid
from flagtui.service.field_kinds import Values
from flagtui.service.flags.filter_storage import Filters, read_filters
from flagtui.service.flags.status import groups_of, variants_of
from flagtui.service.responses import value_of

_SIMPLE, _SHARE = "is_simple_flag", "rollout_percentage"


def read_share(fields: Fields, name: str) -> int | None:
    """Return a whole percentage or null."""
    share = fields.number(name, null=True, least=0)
    if share is not None and share > 100:
        raise fields.fault(name, "Ensure this value is less than or equal to 100.", "max_value")
    return share


def is_simple(filters: Mapping[str, Json]) -> bool:
    """Return whether there are no variants and no condition has properties."""
    has_properties = any(group.get("properties") for group in groups_of(filters))
    return isinstance(filters.get("groups"), list) and not variants_of(filters) and not has_properties


def simple_rollout(filters: Mapping[str, Json]) -> int | None:
    """Return the whole percentage of the only condition of a simple flag."""
    groups = groups_of(filters)
    share = groups[0].get(_SHARE) if len(groups) == 1 and is_simple(filters) else None
    return int(share) if isinstance(share, int | float) and share == int(share) else None


def apply_summary(call: Call, sent: Values, row: sqlite3.Row | None) -> Values:
    """Return the columns with both fields applied to `filters`. `row` is None for a new flag.

    Raises:
        Fault: 400 for a value that the filters contradict.
    """
    columns = {name: value for name, value in sent.items() if name not in ("is_simple", "simple_rollout")}
    stored: Filters = {"groups": []} if row is None else value_of(row["filters"])
    if "simple_rollout" in sent and not _repeats(row, "simple_rollout", sent):
        _apply_share(call, columns, sent["simple_rollout"], stored, row)
    if "is_simple" in sent and not _repeats(row, "is_simple", sent):
        simple = is_simple(columns.get("filters", stored))
        if simple != sent["is_simple"]:
            words = "simple" if simple else "not simple"
            detail = f"{_SIMPLE} follows from filters, by which this flag is {words}. Change filters instead."
            raise invalid(detail, _SIMPLE)
    return columns


def _repeats(row: sqlite3.Row | None, column: str, sent: Values) -> bool:
    """Return whether the value is the stored one, as in a body that was read before."""
    return row is not None and sent[column] == row[column]


def _apply_share(
    call: Call, columns: Values, share: int | None, stored: Filters, row: sqlite3.Row | None
) -> None:
    if "filters" in columns or share is None:
        actual = simple_rollout(columns.get("filters", stored))
        if actual != share:
            shown = "null" if actual is None else actual
            detail = f"{_SHARE} follows from filters, by which it is {shown}. Send one of the two."
            raise invalid(detail, _SHARE)
        return
    groups = groups_of(stored) or [{"properties": []}]
    if len(groups) > 1 or not is_simple(stored):
        detail = (
            f"{_SHARE} is the percentage of a flag with one condition, without properties or variants. "
            "Change filters instead."
        )
        raise invalid(detail, _SHARE)
    changes = {"groups": [{**groups[0], _SHARE: share}]}
    columns["filters"] = read_filters(call, Fields({"filters": changes}), row)
