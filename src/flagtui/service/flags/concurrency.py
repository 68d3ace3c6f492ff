"""What happens when two people change one flag: stale versions, and fields that clash."""

import sqlite3
from collections.abc import Mapping

from flagtui.service.answers import text_of
from flagtui.service.bodies import Fields
from flagtui.service.call import Call
from flagtui.service.database import find
from flagtui.service.errors import Fault, Json, conflict
from flagtui.service.field_kinds import Values
from flagtui.service.flags.filter_storage import cleaned

_NOT_FIELDS = ("version", "original_flag")


def without_clashes(call: Call, fields: Fields, row: sqlite3.Row, stored: Values) -> Mapping[str, Json]:
    """The body less its stale echoes: fields equal to what the writer began from.

    A field clashes when the writer changed it and the stored value changed to something else: then 409.
    """
    body = fields.sent
    version = fields.number("version", null=True)
    if version is None or version in (-1, row["version"]):
        return body
    if call.settings.strict_versions:
        raise _clash(call.db, row)
    original = body.get("original_flag")
    if not isinstance(original, dict) or not original:
        return body
    for name in body:
        if name in original and name not in _NOT_FIELDS and _clashes(name, body, original, stored):
            raise _clash(call.db, row)
    if not call.generation.drops_echoes:
        return body
    return {name: value for name, value in body.items() if not _is_echo(name, value, original)}


def _clashes(name: str, body: Mapping[str, Json], original: Mapping[str, Json], stored: Values) -> bool:
    new, old, current = (_comparable(side.get(name)) for side in (body, original, stored))
    return len({text_of(new), text_of(old), text_of(current)}) == 3


def _is_echo(name: str, value: Json, original: Mapping[str, Json]) -> bool:
    return name in original and name not in _NOT_FIELDS and _comparable(value) == _comparable(original[name])


def _comparable(value: Json) -> Json:
    return cleaned(value) if isinstance(value, dict) else value


def _clash(db: sqlite3.Connection, row: sqlite3.Row) -> Fault:
    found = find(db, "users", id=row["last_modified_by_id"])
    who = found["email"] if found else "another user"
    return conflict(
        f"The feature flag was updated by {who} since you started editing it. Please refresh and try again."
    )
