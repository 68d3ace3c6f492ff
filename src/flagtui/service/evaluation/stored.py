"""Load flags, cohorts, people and groups for evaluation; records that are not stored do not exist."""

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime

import msgspec
from msgspec.structs import replace

from flagtui.evaluate.definitions import Definitions, needed_keys
from flagtui.evaluate.run import Group, Person
from flagtui.service.bodies import NOT_JSON
from flagtui.service.call import Call
from flagtui.service.database import find
from flagtui.service.errors import Json, invalid
from flagtui.service.field_kinds import Use
from flagtui.service.flags.fields import FLAGS
from flagtui.service.projects import load_time_zone
from flagtui.service.reader import remember
from flagtui.service.responses import Response, join_object, respond, text_of, value_of


def load_definitions(
    db: sqlite3.Connection, project_id: int, keys: Collection[str] | None = None
) -> Definitions:
    """Load all flags that are not deleted; with `keys`, these and the flags that they depend on."""

    def load() -> Definitions:
        among = "" if keys is None else " AND key IN (SELECT value FROM json_each(:keys))"
        rows = db.execute(
            f"SELECT * FROM flags WHERE project_id = :project AND deleted = 0{among}",
            {"project": project_id, "keys": text_of([*(keys or ())])},
        )
        flags = [evaluator_fields(row) for row in rows]
        return _definitions(db, project_id, flags, has_all=keys is None)

    return remember(db, ("definitions", project_id), load) if keys is None else load()


def load_definitions_for(db: sqlite3.Connection, project_id: int, flag: Mapping[str, Json]) -> Definitions:
    """Return the records to evaluate one flag, stored or not, with the flags that it depends on."""
    return _definitions(db, project_id, [flag])


def _definitions(
    db: sqlite3.Connection, project_id: int, flags: Sequence[Mapping[str, Json]], *, has_all: bool = False
) -> Definitions:
    cohorts, static = load_cohorts(db, project_id)
    return Definitions.of(
        [*([] if has_all else _load_needed(db, project_id, flags, cohorts)), *flags],
        cohorts=cohorts,
        static_cohorts=static,
        group_types=load_group_types(db, project_id),
        time_zone=load_time_zone(db, project_id),
    )


def _load_needed(
    db: sqlite3.Connection, project_id: int, flags: Iterable[Mapping[str, Json]], cohorts: Mapping[str, Json]
) -> list[Mapping[str, Json]]:
    """Return the other flags that these depend on, also through other flags and cohorts."""
    given = {flag["key"] for flag in flags}
    needed: list[Mapping[str, Json]] = []

    def key_of(flag_id: str) -> str | None:
        row = find(db, "flags", id=flag_id, project_id=project_id, deleted=0)
        return None if row is None else row["key"]

    def filters_of(key: str) -> list[Json]:
        row = None if key in given else find(db, "flags", project_id=project_id, key=key, deleted=0)
        if row is None:
            return []
        needed.append(evaluator_fields(row))
        return [needed[-1]["filters"]]

    needed_keys((flag["filters"] for flag in flags), cohorts, key_of, filters_of)
    return needed


def evaluator_fields(row: sqlite3.Row) -> dict[str, Json]:
    return {
        "id": row["id"],
        "key": row["key"],
        "active": bool(row["active"]) and not row["archived"],
        "ensure_experience_continuity": bool(row["ensure_experience_continuity"]),
        "bucketing_identifier": row["bucketing_identifier"],
        "filters": value_of(row["filters"]),
    }


def load_cohorts(db: sqlite3.Connection, project_id: int) -> tuple[dict[str, Json], list[int]]:
    """Return conditions by id as text, and the ids of those that are lists of people."""
    rows = db.execute(
        "SELECT id, is_static, filters FROM cohorts WHERE project_id = ? AND deleted = 0", (project_id,)
    ).fetchall()
    conditions = {
        str(row["id"]): value_of(row["filters"]).get("properties", {}) for row in rows if not row["is_static"]
    }
    return conditions, [row["id"] for row in rows if row["is_static"]]


def load_group_types(db: sqlite3.Connection, project_id: int) -> dict[str, str]:
    """Return names by index as text."""
    rows = db.execute(
        "SELECT type_index, name FROM group_types WHERE project_id = ? ORDER BY type_index", (project_id,)
    )
    return {str(row["type_index"]): row["name"] for row in rows}


def list_group_types(call: Call) -> Response:
    """Respond with the types of groups of the project by index, as the product lists them."""
    group_types = load_group_types(call.db, call.project.id)
    return respond(
        [
            {
                "group_type": name,
                "group_type_index": int(index),
                "name_singular": None,
                "name_plural": None,
                "detail_dashboard": None,
                "default_columns": None,
                "created_at": None,
            }
            for index, name in group_types.items()
        ]
    )


def minimal_text(call: Call, row: sqlite3.Row, filters: str, **more: str) -> str:
    """Return JSON text; `filters` and `more` are JSON texts already."""
    own = FLAGS.texts(row, Use.SUMMARY) | {"team_id": str(row["project_id"]), "filters": filters} | more
    return join_object(call.generation.adapt_record("flag summary", own))


_PERSONS = """
    SELECT p.id, p.properties, p.created_at,
        (SELECT min(d.distinct_id) FROM distinct_ids AS d WHERE d.person_id = p.id) AS distinct_id,
        (SELECT group_concat(m.cohort_id) FROM cohort_members AS m WHERE m.person_id = p.id) AS cohorts
    FROM persons AS p WHERE p.project_id = ?"""
"""A person with several distinct ids is represented by the first."""
_KNOWN_AS = """ AND p.id =
    (SELECT d.person_id FROM distinct_ids AS d WHERE d.project_id = p.project_id AND d.distinct_id = ?)"""
_NOWHERE: frozenset[str] = frozenset()


class StoredPerson(msgspec.Struct, frozen=True):
    row: int
    distinct_id: str
    properties: Mapping[str, Json]
    cohorts: frozenset[str]
    """Ids of the lists of people this person is in."""
    created_at: str

    @classmethod
    def of(cls, row: sqlite3.Row) -> "StoredPerson":
        cohorts = frozenset(row["cohorts"].split(",")) if row["cohorts"] else _NOWHERE
        distinct_id, properties = row["distinct_id"] or "", value_of(row["properties"])
        return cls(row["id"], distinct_id, properties, cohorts, row["created_at"])

    def at(self, now: datetime, groups: Mapping[str, Group] | None = None) -> Person:
        return Person(
            self.distinct_id,
            self.properties,
            groups or {},
            static_cohorts=self.cohorts,
            metadata={"created_at": self.created_at},
            is_complete=True,
            now=now,
        )


def load_people(db: sqlite3.Connection, project_id: int) -> Sequence[StoredPerson]:

    def load() -> Sequence[StoredPerson]:
        return [StoredPerson.of(row) for row in db.execute(f"{_PERSONS} ORDER BY p.id", (project_id,))]

    # Loaded again after each change of a flag, people would fragment the memory.
    return remember(db, project_id, load, topic="people")


def load_person(
    db: sqlite3.Connection, project_id: int, distinct_id: str, groups: Mapping[str, Group], now: datetime
) -> Person:
    """Return the person with this distinct id; an unknown id is a person without properties."""
    row = db.execute(_PERSONS + _KNOWN_AS, (project_id, distinct_id)).fetchone()
    if row is None:
        return Person(distinct_id, {}, groups, metadata={}, is_complete=True, now=now)
    return replace(StoredPerson.of(row), distinct_id=distinct_id).at(now, groups)


def load_groups(db: sqlite3.Connection, project_id: int, keys: Mapping[str, Json]) -> dict[str, Group]:
    """Return groups by the name of their type, without types that the project does not have."""
    return {
        name: _load_group(db, project_id, index, keys[name])
        for index, name in load_group_types(db, project_id).items()
        if isinstance(keys.get(name), str | int)
    }


def _load_group(db: sqlite3.Connection, project_id: int, type_index: str, key: str | int) -> Group:
    row = find(db, "groups", project_id=project_id, type_index=type_index, key=str(key))
    return Group(key, {} if row is None else value_of(row["properties"]))


def every_group(
    db: sqlite3.Connection, project_id: int, type_index: int, type_name: str, now: datetime
) -> Iterator[Person]:
    """Return every group of one type, each as a member without other properties."""
    rows = db.execute(
        "SELECT key, properties FROM groups WHERE project_id = ? AND type_index = ?", (project_id, type_index)
    )
    for row in rows:
        group = Group(row["key"], value_of(row["properties"]))
        yield Person("", groups={type_name: group}, is_complete=True, now=now)


def read_groups(call: Call) -> dict[str, Group]:
    text = call.query.get("groups")
    return load_groups(call.db, call.project.id, _group_keys(text) if text else {})


def _group_keys(text: str) -> dict[str, Json]:
    keys = _decode(text, "groups")
    if not isinstance(keys, dict):
        raise invalid("groups must be a JSON object", "groups")
    return keys


def read_flag_keys(call: Call) -> frozenset[str] | None:
    """Read repeated keys or one JSON list; None means all flags. Older servers lack the parameter."""
    values = call.query.getlist("flag_keys")
    if "flag_keys" in call.generation.missing_parameters:
        return None
    keys: list[Json] = list(values)
    if len(values) == 1 and values[0].lstrip().startswith("["):
        keys = _decode(values[0], "flag_keys")
    return frozenset(str(key) for key in keys if key != "") or None


def _decode(text: str, name: str) -> Json:
    try:
        return msgspec.json.decode(text)
    except NOT_JSON:
        raise invalid(f"Invalid JSON in {name} parameter", name) from None
