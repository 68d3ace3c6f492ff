"""Groups of people kept out of experiments, and the share they keep away from a flag."""

from flagtui.service.answers import Answer, answer, empty, text_of, value_of
from flagtui.service.bodies import Fields
from flagtui.service.call import Call
from flagtui.service.errors import Json, invalid, not_found
from flagtui.service.experiments.flag_changes import change_flag
from flagtui.service.experiments.representation import nested_holdouts, texts
from flagtui.service.experiments.rows import select
from flagtui.service.pagination import page, window


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


def list_holdouts(call: Call) -> Answer:
    part = window(call)
    count = call.db.execute(
        "SELECT count(*) FROM holdouts WHERE project_id = ?", (call.project.id,)
    ).fetchone()[0]
    rows = call.db.execute(
        "SELECT id FROM holdouts WHERE project_id = ? ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?",
        (call.project.id, part.limit, part.offset),
    ).fetchall()
    described = nested_holdouts(call, (row["id"] for row in rows))
    return page(call, count, texts(described[row["id"]] for row in rows), part)


def retrieve_holdout(call: Call) -> Answer:
    return _shown(call, _called(call))


def create_holdout(call: Call) -> Answer:
    fields = Fields(call.body())
    columns = _read(fields, new=True)
    if not columns.get("filters"):
        raise invalid("Filters are required to create an holdout group")
    sql = (
        "INSERT INTO holdouts (project_id, name, description, filters, created_by_id, created_at, updated_at)"
        " VALUES (?, ?, ?, '[]', ?, ?, ?)"
    )
    described = (columns["name"], columns.get("description"))
    stamped = (call.caller.user_id, call.stamp, call.stamp)
    number = call.db.execute(sql, (call.project.id, *described, *stamped)).lastrowid or 0
    _store(call, number, {"filters": _named(columns["filters"], number)})
    return _shown(call, number, 201)


def update_holdout(call: Call) -> Answer:
    """The flags of its experiments follow a new share."""
    number = _called(call)
    columns = _read(Fields(call.body()), new=False)
    if "filters" in columns:
        columns["filters"] = _named(columns["filters"], number)
    _store(call, number, columns)
    if "filters" in columns:
        _carry_over(call, number, holdout_of(call, number))
    return _shown(call, number)


def delete_holdout(call: Call) -> Answer:
    """Its experiments go on without it."""
    number = _called(call)
    call.body()
    _carry_over(call, number, None)
    call.db.execute("DELETE FROM holdouts WHERE id = ?", (number,))
    return empty(204)


def _read(fields: Fields, *, new: bool) -> dict[str, Json]:
    columns: dict[str, Json] = {}
    if new:
        fields.require("name")
    if "name" in fields:
        columns["name"] = fields.text("name", longest=400, blank=False)
    if "description" in fields:
        columns["description"] = fields.text("description", longest=400, null=True)
    if "filters" in fields:
        columns["filters"] = _checked_filters(fields.sent["filters"])
    return columns


def _checked_filters(sent: Json) -> list[dict[str, Json]]:
    if sent is None:
        return []
    if not isinstance(sent, list) or not all(isinstance(one, dict) for one in sent):
        raise invalid("Filters must be a list of objects", "filters")
    for one in sent:
        share = one.get("rollout_percentage")
        if share is None:
            raise invalid("Rollout percentage must be present.", "filters")
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 100:
            raise invalid("Rollout percentage must be between 0 and 100.", "filters")
    return sent


def _named(filters: list[dict[str, Json]], number: int) -> list[dict[str, Json]]:
    """People held back see a variant of this name."""
    return [{**one, "variant": f"holdout-{number}"} for one in filters]


def _store(call: Call, number: int, columns: dict[str, Json]) -> None:
    if "filters" in columns:
        columns = {**columns, "filters": text_of(columns["filters"])}
    pairs = "".join(f", {name} = ?" for name in columns)
    sql = f"UPDATE holdouts SET updated_at = ?{pairs} WHERE id = ?"
    call.db.execute(sql, (call.stamp, *columns.values(), number))


def _carry_over(call: Call, number: int, share: Json) -> None:
    done: set[int] = set()
    for one in select(call.db, "e.holdout_id = ?", (number,)):
        had = one.flag.filters.get("holdout") or {}
        if one.flag.id not in done and not one.flag.deleted and had.get("id") == number and had != share:
            change_flag(call, one.flag, {"filters": {**one.flag.filters, "holdout": share}})
        done.add(one.flag.id)


def _called(call: Call) -> int:
    number = call.number("id")
    sql = "SELECT id FROM holdouts WHERE id = ? AND project_id = ?"
    row = call.db.execute(sql, (number, call.project.id)).fetchone()
    if row is None:
        raise not_found()
    return int(row["id"])


def _shown(call: Call, number: int, status: int = 200) -> Answer:
    return answer(nested_holdouts(call, [number])[number], status)
