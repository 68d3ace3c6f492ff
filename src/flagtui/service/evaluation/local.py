"""The document for local evaluation: flags, cohorts and group types, and the access to it."""

import sqlite3
from collections.abc import Mapping, Sequence

from flagtui.evaluate import wire
from flagtui.evaluate.definitions import link_dependencies, used_cohorts
from flagtui.service.access import admit, identify
from flagtui.service.call import Call, Project
from flagtui.service.database import find
from flagtui.service.errors import Json, not_found, standard
from flagtui.service.etags import tagged_answer
from flagtui.service.evaluation.stored import load_cohorts, load_group_types, minimal_text
from flagtui.service.flags.dependents import dependencies
from flagtui.service.flags.representation import properties_of
from flagtui.service.flags.rules.documents import stored_version
from flagtui.service.operations import Operation
from flagtui.service.reader import remember
from flagtui.service.responses import Response, join_object, text_of, value_of

_FLAGS = """
    SELECT *, EXISTS (SELECT 1 FROM experiments AS e WHERE e.flag_id = flags.id AND e.deleted = 0) AS tested
    FROM flags WHERE project_id = ? AND deleted = 0 AND coalesce(has_encrypted_payloads, 0) = 0
    AND NOT EXISTS (SELECT 1 FROM surveys AS s WHERE s.internal_flag_id = flags.id) ORDER BY key"""
_SENT_AS_NO = ("false", "0", "no")


def local_evaluation(call: Call) -> Response:
    return document_answer(call, call.project)


def document_answer(call: Call, project: Project) -> Response:
    """Return the document, or 304 without a body when the caller has it already; libraries poll for it."""
    question = ("document", project.id, _expands_cohorts(call))
    content = remember(call.db, question, lambda: document_text(call, project).encode())
    return tagged_answer(content, call.headers)


def document_text(call: Call, project: Project) -> str:
    rows = _evaluable(call.db.execute(_FLAGS, (project.id,)).fetchall())
    cohorts, _ = load_cohorts(call.db, project.id)
    filters = _linked_filters(rows)
    shown: Mapping[str, Json] = _needed_cohorts(cohorts, filters)
    if _expands_cohorts(call):
        filters, shown = [expand_cohorts(text, cohorts) for text in filters], {}
    flags = ",".join(
        minimal_text(call, row, text, has_experiment="true" if row["tested"] else "false")
        for row, text in zip(rows, filters, strict=True)
    )
    texts = {
        "flags": f"[{flags}]",
        "group_type_mapping": text_of(load_group_types(call.db, project.id)),
        "cohorts": text_of(shown),
        "minimal_flag_called_events": "false",
        "property_matching_version": "1",
    }
    return join_object(call.generation.adapt_record("SDK document", texts))


def _evaluable(rows: list[sqlite3.Row]) -> list[sqlite3.Row]:
    """Return the flags of version 1 that depend, directly or transitively, on flags of version 1 only."""
    left_out = {row["id"] for row in rows if stored_version(row["filters"]) != 1}
    if not left_out:
        return rows
    needed = {row["id"]: dependencies(value_of(row["filters"])) for row in rows}
    while more := {number for number in needed if number not in left_out and left_out & {*needed[number]}}:
        left_out |= more
    return [row for row in rows if row["id"] not in left_out]


def _linked_filters(rows: Sequence[sqlite3.Row]) -> list[str]:
    """Return stored filters unchanged, except that dependencies name keys and the order of evaluation."""
    flags = [
        {
            "id": row["id"],
            "key": row["key"],
            "filters": value_of(row["filters"]) if '"flag"' in row["filters"] else {},
        }
        for row in rows
    ]
    pairs = zip(rows, flags, link_dependencies(flags), strict=True)
    return [row["filters"] if new is old else text_of(new["filters"]) for row, old, new in pairs]


def _needed_cohorts(cohorts: Mapping[str, Json], filters: Sequence[str]) -> dict[str, Json]:
    """Return the cohorts that conditions ask for, and those that these ask for in turn."""
    asking = [item for text in filters if '"cohort"' in text for item in properties_of(value_of(text))]
    return dict(sorted(used_cohorts(asking, cohorts).items()))


def _expands_cohorts(call: Call) -> bool:
    """Return whether to expand cohorts: older servers only; the parameter needs no value to mean yes."""
    if not call.generation.is_older:
        return False
    return call.query.get("send_cohorts", "no").lower() in _SENT_AS_NO


def expand_cohorts(filters: str, cohorts: Mapping[str, Json]) -> str:
    """Replace cohorts that are a plain list of person properties by those; the others stay."""
    if '"cohort"' not in filters:
        return filters
    decoded = value_of(filters)
    for group in wire.conditions(decoded):
        if isinstance(group, dict) and isinstance(group.get("properties"), list):
            group["properties"] = [new for item in group["properties"] for new in _written_out(item, cohorts)]
    return text_of(decoded)


def _written_out(item: Json, cohorts: Mapping[str, Json]) -> list[Json]:
    if not isinstance(item, dict) or item.get("type") != "cohort" or item.get("operator") == "not_in":
        return [item]
    plain = _plain_properties(cohorts.get(str(item.get("value"))))
    return [item] if plain is None else plain


def _plain_properties(group: Json) -> list[Json] | None:
    """Return the properties of a group that asks for all of them, whatever single groups are around it."""
    if not isinstance(group, dict) or not isinstance(group.get("values"), list) or not group["values"]:
        return None
    members = group["values"]
    if len(members) == 1 and isinstance(members[0], dict) and "values" in members[0]:
        return _plain_properties(members[0])
    if group.get("type") != "AND" and len(members) > 1:
        return None
    return members if all(map(_is_plain, members)) else None


def _is_plain(item: Json) -> bool:
    return isinstance(item, dict) and item.get("type") == "person" and not item.get("negation")


def sdk_project(call: Call, operation: Operation) -> Project:
    """Return the project an SDK asks about.

    The faults are those of `operation`, which lies under that project.
    """
    token, caller = call.query.get("token"), identify(call.db, call.headers.get("authorization"))
    number = caller.current_project_id if not token else project_id_of_token(call.db, token)
    project = admit(call.db, caller, operation, {"project_id": str(number)}, call.settings)
    if project is None:
        raise not_found("Project not found.")
    return project


def project_id_of_token(db: sqlite3.Connection, token: str) -> int:
    row = find(db, "projects", api_token=token)
    if row is None:
        detail = "Incorrect authentication credentials."
        raise standard(401, "authentication_error", "authentication_failed", detail)
    number: int = row["id"]
    return number
