"""Asking for event definitions by name, and how much one is used."""

from flagtui.service.answers import Answer, answer, spliced
from flagtui.service.call import Call
from flagtui.service.errors import hand_written
from flagtui.service.event_definitions.rows import JOINED, definition_text, find_row


def by_name(call: Call) -> Answer:
    name = call.query.get("name")
    if not name:
        raise hand_written(400, {"detail": "Query parameter 'name' is required"})
    row = call.db.execute(
        f"{JOINED} WHERE d.project_id = ? AND d.name = ?", (call.project.id, name)
    ).fetchone()
    if row is None:
        raise hand_written(404, {"detail": f"Event definition with name '{name}' not found"})
    return spliced(definition_text(call, row))


def primary_properties(call: Call) -> Answer:
    """Those that have one, of all events or of the names that were asked for."""
    wanted = set(call.query.getlist("names"))
    rows = call.db.execute(
        "SELECT name, primary_property FROM event_definitions"
        " WHERE project_id = ? AND primary_property IS NOT NULL ORDER BY name",
        (call.project.id,),
    )
    found = {row["name"]: row["primary_property"] for row in rows if not wanted or row["name"] in wanted}
    return answer({"primary_properties": found})


def metrics(call: Call) -> Answer:
    return answer({"query_usage_30_day": find_row(call)["query_usage_30_day"]})
