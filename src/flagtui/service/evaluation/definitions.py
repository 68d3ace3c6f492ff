"""The flags, cohorts and group types of a project, as the evaluator and its callers read them."""

import sqlite3
from collections.abc import Iterable, Mapping

from flagtui.evaluate.definitions import Definitions
from flagtui.service.answers import joined, value_of
from flagtui.service.call import Call
from flagtui.service.errors import Json
from flagtui.service.field_kinds import Use
from flagtui.service.flags.fields import FLAGS
from flagtui.service.flags.representation import properties_of


def load_definitions(db: sqlite3.Connection, project_id: int) -> Definitions:
    """Everything but deleted flags."""
    return _definitions(db, project_id, _load_flags(db, project_id))


def load_definitions_for(db: sqlite3.Connection, project_id: int, flag: Mapping[str, Json]) -> Definitions:
    """What it takes to evaluate one flag, stored or not: other flags only when it asks for some."""
    asks = any(item.get("type") == "flag" for item in properties_of(flag["filters"]))
    others = _load_flags(db, project_id) if asks else []
    return _definitions(db, project_id, [*others, flag])


def _definitions(db: sqlite3.Connection, project_id: int, flags: Iterable[Mapping[str, Json]]) -> Definitions:
    cohorts, static = load_cohorts(db, project_id)
    return Definitions.of(
        flags,
        cohorts=cohorts,
        static_cohorts=static,
        group_types=load_group_types(db, project_id),
        time_zone=_load_time_zone(db, project_id),
    )


def _load_flags(db: sqlite3.Connection, project_id: int) -> list[dict[str, Json]]:
    rows = db.execute("SELECT * FROM flags WHERE project_id = ? AND deleted = 0", (project_id,))
    return [evaluated(row) for row in rows]


def evaluated(row: sqlite3.Row) -> dict[str, Json]:
    """What the evaluator needs of a row."""
    return {
        "id": row["id"],
        "key": row["key"],
        "active": bool(row["active"]) and not row["archived"],
        "ensure_experience_continuity": bool(row["ensure_experience_continuity"]),
        "bucketing_identifier": row["bucketing_identifier"],
        "filters": value_of(row["filters"]),
    }


def load_cohorts(db: sqlite3.Connection, project_id: int) -> tuple[dict[str, Json], list[int]]:
    """Conditions by id as text, and the ids of those that are lists of people."""
    rows = db.execute(
        "SELECT id, is_static, filters FROM cohorts WHERE project_id = ? AND deleted = 0", (project_id,)
    ).fetchall()
    conditions = {
        str(row["id"]): value_of(row["filters"]).get("properties", {}) for row in rows if not row["is_static"]
    }
    return conditions, [row["id"] for row in rows if row["is_static"]]


def _load_time_zone(db: sqlite3.Connection, project_id: int) -> str:
    row = db.execute("SELECT timezone FROM projects WHERE id = ?", (project_id,)).fetchone()
    return "UTC" if row is None else str(row["timezone"])


def load_group_types(db: sqlite3.Connection, project_id: int) -> dict[str, str]:
    """Names by index as text."""
    rows = db.execute(
        "SELECT type_index, name FROM group_types WHERE project_id = ? ORDER BY type_index", (project_id,)
    )
    return {str(row["type_index"]): row["name"] for row in rows}


def minimal_text(call: Call, row: sqlite3.Row, filters: str, **more: str) -> str:
    """JSON text; `filters` and whatever `more` it has are JSON texts already."""
    own = FLAGS.texts(row, Use.SUMMARY) | {"team_id": str(row["project_id"]), "filters": filters} | more
    return joined(call.generation.written("flag summary", own))
