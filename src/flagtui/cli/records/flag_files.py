"""Flags in files: one record or many, in the format that `flags get --json` prints."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.next_commands import next_command
from flagtui.cli.records.flag_records import STORED_NAMES, WHOLE_FLAG
from flagtui.models.json_value import JSON, refuse_constant
from flagtui.models.record_fields import FLAG_FIELDS
from flagtui.safe_text import safe_text

_NAMES: Final[Mapping[str, str]] = {**STORED_NAMES, "runtime": FLAG_FIELDS.shown_field("runtime").name}

FOLLOWING: Final = ("rollout", "deleted")
"""Printed fields that a file cannot change, and that users may edit all the same."""


def is_flag_file(text: str) -> bool:
    """Return whether the text has printed records, not the JSON of `flags edit --print`."""
    try:
        records = list(_objects(text))
    except (ValueError, RecursionError, Trouble):
        return False
    return len(records) > 1 or any("schema" in record or "id" in record for record in records)


def read_flags(text: str) -> list[dict[str, JSON]]:
    """Return the fields of each flag under the names of the API. Raises Trouble.

    Fields that follow from others, such as `stale`, are skipped, but for those of `FOLLOWING`; the `id` and
    the `version` name the flag that was printed.
    """
    try:
        records = list(_objects(text))
    except (ValueError, RecursionError) as fault:
        why = "it is nested too deeply" if isinstance(fault, RecursionError) else safe_text(str(fault), 200)
        raise Trouble(f"the file is not JSON: {why}.", _print_it(), code="usage") from None
    flags = [_fields_of(record) for record in records]
    times = Counter(str(flag["key"]) for flag in flags)
    if twice := next((key for key, count in times.items() if count > 1), None):
        raise Trouble(f"the file has {safe_text(twice, 80)} more than once.", code="usage")
    if not flags:
        raise Trouble("the file has no flag; nothing was sent.", _print_it(), code="nothing_to_do")
    return flags


def _objects(text: str) -> Iterator[Any]:
    """Yield the records of a document, a list, one object, or NDJSON."""
    try:
        value = _parse(text)
    except json.JSONDecodeError:
        # The first line decides whether it is NDJSON: a later fault is that of its line.
        # Texts can have other ends of lines.
        lines = [line for line in text.split("\n") if line.strip()]
        if len(lines) < 2:
            raise
        yield from map(_parse, lines)
        return
    records = value.get("records", [value]) if isinstance(value, dict) else value
    schema = value.get("schema", WHOLE_FLAG.name) if isinstance(value, dict) else WHOLE_FLAG.name
    if not isinstance(records, list):
        raise Trouble("the file has no list of flags.", _print_it(), code="usage")
    if schema != WHOLE_FLAG.name:
        what = f"the file has records of the schema {safe_text(str(schema), 80)!r}, not {WHOLE_FLAG.name!r}."
        raise Trouble(what, _print_it(), code="usage")
    yield from records


def _parse(text: str) -> Any:
    return json.loads(text, object_pairs_hook=_object, parse_constant=refuse_constant)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object. Raises Trouble for a name with two values, of which one would be lost."""
    value: dict[str, Any] = {}
    for name, item in pairs:
        if value.setdefault(name, item) != item:
            what = f"an object of the file has {safe_text(name, 80)!r} twice, with different values."
            raise Trouble(what, "Leave one of them out.", code="usage")
    return value


def _fields_of(record: Any) -> dict[str, JSON]:
    if not isinstance(record, dict) or not isinstance(record.get("key"), str) or not record["key"]:
        raise Trouble("a record of the file has no key.", _print_it(), code="usage")
    fields: dict[str, JSON] = {}
    for name, value in record.items():
        field = _NAMES.get(name, name)
        if field in FLAG_FIELDS.edited or name in ("id", "version", *FOLLOWING):
            fields[field] = value
        elif name not in (*WHOLE_FLAG.names, "schema", "schema_version", "project"):
            what = f"{safe_text(name, 80)!r} is not a field of a flag; nothing was sent."
            raise Trouble(what, _print_it(), code="usage")
    return fields


def _print_it() -> str:
    return f"Print it with: {next_command('flags', 'get', 'KEY', '--json')}"
