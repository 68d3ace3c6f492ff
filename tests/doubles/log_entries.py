"""Entries of the activity as servers log them."""

from flagtui.models.activity import Activity
from flagtui.models.json_value import JSON


def moves(**changed: tuple[JSON, JSON]) -> list[JSON]:
    """Return the changes of an entry by field; null is any kind of empty."""
    return [
        {
            "field": name,
            "action": "created" if old is None else "deleted" if new is None else "changed",
            "before": old,
            "after": new,
        }
        for name, (old, new) in changed.items()
    ]


def log_entry(
    activity: str = "updated",
    /,
    *,
    about: tuple[str, int | str, str] = ("FeatureFlag", 812, "checkout-v2"),
    at: JSON = "2026-03-02T08:41:12Z",
    by: str = "Sam",
    **changed: tuple[JSON, JSON],
) -> Activity:
    """An entry about a record: its scope, its number and its name."""
    scope, id, name = about
    raw = {"id": f"{activity} {id} {at}", "scope": scope, "activity": activity, "item_id": str(id)}
    user = {"first_name": by, "email": f"{by.lower()}@acme.test"}
    detail = {"name": name, "changes": moves(**changed)}
    return Activity.of({**raw, "user": user, "created_at": at, "detail": detail})
