"""The share of people a holdout keeps away from a flag."""

from flagtui.service.answers import value_of
from flagtui.service.call import Call
from flagtui.service.errors import Json


def holdout_of(call: Call, number: int | None) -> dict[str, Json] | None:
    """What the filters of a flag say of a holdout; None for no holdout."""
    if number is None:
        return None
    row = call.db.execute("SELECT filters FROM holdouts WHERE id = ?", (number,)).fetchone()
    if row is None:
        return None
    groups = value_of(row["filters"])
    share = groups[0].get("rollout_percentage", 0) if groups else 0
    return {"id": number, "exclusion_percentage": share}
