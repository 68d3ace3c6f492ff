"""Groups of people kept out of experiments, and the share they keep away from a flag."""

import sqlite3
from typing import Final

from flagtui.service.call import Call
from flagtui.service.database import find, update_row
from flagtui.service.errors import Json, invalid
from flagtui.service.experiments.nested_fields import HOLDOUT_FIELDS
from flagtui.service.experiments.rows import AwaitsApproval, change_flag, select
from flagtui.service.field_kinds import Values
from flagtui.service.resources import Resource
from flagtui.service.responses import text_of, value_of


def holdout_of(call: Call, number: int | None) -> dict[str, Json] | None:
    """Return the holdout as the filters of a flag store it; None without one."""
    row = find(call.db, "holdouts", id=number)
    if row is None:
        return None
    groups = value_of(row["filters"])
    share = groups[0].get("rollout_percentage", 0) if groups else 0
    return {"id": number, "exclusion_percentage": share}


class Holdouts(Resource):
    table = "holdouts"
    fields = HOLDOUT_FIELDS

    def check(self, call: Call, row: sqlite3.Row | None, columns: Values) -> None:
        if row is None and not columns.get("filters"):
            raise invalid("Filters are required to create an holdout group")

    def follow(self, call: Call, number: int, columns: Values) -> None:
        """Name the variant of people held back, and apply a new share to the flags of its experiments."""
        if "filters" in columns:
            named = [{**group, "variant": f"holdout-{number}"} for group in columns["filters"]]
            update_row(call.db, self.table, number, {"filters": text_of(named)})
            _carry_over(call, number, holdout_of(call, number))

    def leave(self, call: Call, row: sqlite3.Row) -> None:
        """Remove it from its experiments."""
        call.body()
        _carry_over(call, row["id"], None)


def _carry_over(call: Call, number: int, share: Json) -> None:
    """Apply the share to the flags; raises 400 under a policy, since one request changes one flag."""
    flags = {each.flag.id: each.flag for each in select(call.db, "e.holdout_id = ?", (number,))}
    for flag in flags.values():
        had = flag.filters.get("holdout") or {}
        if flag.deleted or had.get("id") != number or had == share:
            continue
        try:
            change_flag(call, flag, {"filters": {**flag.filters, "holdout": share}})
        except AwaitsApproval:
            detail = f"Changes of the feature flag '{flag.key}' need approval, so its holdout stays."
            raise invalid(detail) from None


HOLDOUTS: Final = Holdouts()
