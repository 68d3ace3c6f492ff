"""Flags that a copied flag depends on: which of them a target lacks, and whether they can be copied too."""

import sqlite3
from collections.abc import Sequence
from typing import Final

from flagtui.service.call import Call
from flagtui.service.database import find
from flagtui.service.errors import Json, invalid
from flagtui.service.flags.dependents import dependencies
from flagtui.service.flags.levels import load_levels
from flagtui.service.responses import value_of
from flagtui.service.shapes import NUMBER, NUMBERS, TEXT, TEXTS, TRUTH, whole

MOST_DEPENDENCIES: Final = 50
REQUIREMENTS: Final = whole(
    {
        "can_copy_dependencies": TRUTH,
        "dependency_count": NUMBER,
        "copied_dependency_keys": TEXTS,
        "reused_dependency_keys": TEXTS,
        "warnings": TEXTS,
        "reason": TEXT,
    }
)
REQUIREMENTS_BODY: Final = whole(
    {
        "feature_flag_key": TEXT,
        "from_project": NUMBER,
        "target_project_ids": {**NUMBERS, "minItems": 1, "maxItems": 50},
    }
)
_TOO_MANY: Final = f"Cannot copy more than {MOST_DEPENDENCIES} dependencies."
_NOT_EDITABLE: Final = "You do not have permission to copy one or more dependency flags."


def find_by_key(call: Call, key: str) -> sqlite3.Row | None:
    """Return the flag of the project with this key that is not deleted."""
    return find(call.db, "flags", project_id=call.project.id, key=key, deleted=0)


def load_dependencies(source: Call, row: sqlite3.Row) -> list[sqlite3.Row]:
    """Return the flags that a flag depends on, directly or not, each after its own dependencies.

    Raises:
        Fault: 400 for more than fifty, or where the caller may not edit one of them.
    """
    rows: dict[int, sqlite3.Row] = {}

    def visit(flag: sqlite3.Row, above: frozenset[int]) -> None:
        for number in dependencies(value_of(flag["filters"])):
            inner = find(source.db, "flags", id=number, project_id=source.project.id, deleted=0)
            if inner is None or number in rows or number in above:
                continue
            if len(rows) + len(above) > MOST_DEPENDENCIES:
                raise invalid(_TOO_MANY)
            visit(inner, above | {number})
            rows[number] = inner

    visit(row, frozenset((row["id"],)))
    levels = load_levels(source.db, source.caller, source.project)
    if not all(levels.reaches(number, "editor") for number in rows):
        raise invalid(_NOT_EDITABLE)
    return list(rows.values())


def missing_dependencies(source: Call, target: Call, row: sqlite3.Row) -> list[sqlite3.Row]:
    """Return the dependencies of a flag that the target project lacks."""
    return [flag for flag in load_dependencies(source, row) if find_by_key(target, flag["key"]) is None]


def describe_requirements(source: Call, targets: Sequence[Call], row: sqlite3.Row) -> Json:
    """Return which dependencies a copy would bring along, and the reasons against it."""
    rows = load_dependencies(source, row)
    present = {flag["key"]: [find_by_key(target, flag["key"]) for target in targets] for flag in rows}
    copied = [key for key, flags in present.items() if None in flags]
    reused = [key for key, flags in present.items() if all(flag and flag["active"] for flag in flags)]
    warnings = [
        f"'{flag['key']}' is disabled in project {flag['project_id']}."
        for flags in present.values()
        for flag in flags
        if flag is not None and not flag["active"]
    ]
    warnings += [
        f"You do not have permission to create feature flags in project {target.project.id}."
        for target in targets
        if copied and not load_levels(target.db, target.caller, target.project).reaches(0, "editor")
    ]
    return {
        "can_copy_dependencies": bool(copied) and not warnings,
        "dependency_count": len(rows),
        "copied_dependency_keys": copied,
        "reused_dependency_keys": reused,
        "warnings": warnings,
        "reason": _reason(len(rows), len(copied), warnings),
    }


def _reason(count: int, missing: int, warnings: Sequence[str]) -> str:
    if warnings:
        return warnings[0]
    if not count:
        return "The flag has no dependencies."
    if not missing:
        return "All dependency flags exist already."
    return f"{missing} dependency {'flag' if missing == 1 else 'flags'} can be copied."
