"""What SDKs evaluate with: every flag, cohort and group type of a project in one document, with an ETag."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256

from flagtui.evaluate.definitions import linked
from flagtui.service.answers import Answer, empty, joined, spliced, text_of, value_of
from flagtui.service.call import Call, Project
from flagtui.service.errors import Json
from flagtui.service.evaluation.definitions import load_cohorts, load_group_types
from flagtui.service.evaluation.expansion import expanded
from flagtui.service.evaluation.minimal import minimal_text
from flagtui.service.flags.representation import properties_of

_FLAGS = """
    SELECT *, EXISTS (SELECT 1 FROM experiments AS e WHERE e.flag_id = flags.id AND e.deleted = 0) AS tested
    FROM flags WHERE project_id = ? AND deleted = 0 AND coalesce(has_encrypted_payloads, 0) = 0
    AND NOT EXISTS (SELECT 1 FROM surveys AS s WHERE s.internal_flag_id = flags.id) ORDER BY key"""
_SENT_AS_NO = ("false", "0", "no")


def local_evaluation(call: Call) -> Answer:
    return document_answer(call, call.project)


def document_answer(call: Call, project: Project) -> Answer:
    """The document, or 304 without a body when the caller has it already."""
    text = document_text(call, project)
    tag = f'W/"{sha256(text.encode()).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Cache-Control": "private, must-revalidate"}
    if _is_known(tag, call.headers.get("if-none-match", "")):
        return empty(304, headers)
    return spliced(text, headers=headers)


def document_text(call: Call, project: Project) -> str:
    rows = call.db.execute(_FLAGS, (project.id,)).fetchall()
    cohorts, _ = load_cohorts(call.db, project.id)
    filters = _linked_filters(rows)
    shown: Mapping[str, Json] = _needed(cohorts, filters)
    if _expands_cohorts(call):
        filters, shown = [expanded(text, cohorts) for text in filters], {}
    flags = ",".join(_flag_text(call, row, text) for row, text in zip(rows, filters, strict=True))
    texts = {
        "flags": f"[{flags}]",
        "group_type_mapping": text_of(load_group_types(call.db, project.id)),
        "cohorts": text_of(shown),
        "minimal_flag_called_events": "false",
        "property_matching_version": "1",
    }
    return joined(call.generation.written("SDK document", texts))


def _flag_text(call: Call, row: sqlite3.Row, filters: str) -> str:
    return minimal_text(call, row, filters, has_experiment="true" if row["tested"] else "false")


def _linked_filters(rows: Sequence[sqlite3.Row]) -> list[str]:
    """Stored text as it is, but for dependencies, which name keys and the order of evaluation."""
    flags = [
        {
            "id": row["id"],
            "key": row["key"],
            "filters": value_of(row["filters"]) if '"flag"' in row["filters"] else {},
        }
        for row in rows
    ]
    pairs = zip(rows, flags, linked(flags), strict=True)
    return [row["filters"] if new is old else text_of(new["filters"]) for row, old, new in pairs]


def _needed(cohorts: Mapping[str, Json], filters: Sequence[str]) -> dict[str, Json]:
    """The cohorts that conditions ask for, and those that these ask for in turn."""
    waiting = [
        str(item.get("value"))
        for text in filters
        if '"cohort"' in text
        for item in properties_of(value_of(text))
        if item.get("type") == "cohort"
    ]
    found: dict[str, Json] = {}
    while waiting:
        name = waiting.pop()
        if name in cohorts and name not in found:
            found[name] = cohorts[name]
            waiting.extend(_named_in(cohorts[name]))
    return dict(sorted(found.items()))


def _named_in(group: Json) -> Iterator[str]:
    if not isinstance(group, dict):
        return
    if group.get("type") == "cohort":
        yield str(group.get("value"))
    members = group.get("values")
    for member in members if isinstance(members, list) else ():
        yield from _named_in(member)


def _expands_cohorts(call: Call) -> bool:
    """Only older servers can leave cohorts out; the parameter needs no value to mean yes."""
    if not call.generation.is_older:
        return False
    return call.query.get("send_cohorts", "no").lower() in _SENT_AS_NO


def _is_known(tag: str, known: str) -> bool:
    """Weak comparison, as the header asks for."""
    candidates = {candidate.strip().removeprefix("W/") for candidate in known.split(",")}
    return "*" in candidates or tag.removeprefix("W/") in candidates
