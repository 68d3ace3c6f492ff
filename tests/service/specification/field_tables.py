"""The field tables of the specification as data, and a check of records in responses."""

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Final, NotRequired, TypedDict
from uuid import UUID


class FieldEntry(TypedDict):
    """One row of a table. `added` fields are not in the specification: newer servers have them."""

    type: str
    """A JSON type, `date-time`, `uuid`, `any`, or the name of another table."""
    nullable: NotRequired[bool]
    writable: NotRequired[bool]
    repeated: NotRequired[bool]
    """A list of such records."""
    added: NotRequired[bool]
    hidden: NotRequired[bool]
    """Stored, and shown by no generation."""
    values: NotRequired[list[str]]
    declared: NotRequired[str]
    """The type in the specification, where every known server sends another one."""
    not_on: NotRequired[list[str]]
    """Generations that do not show it."""
    not_in_lists_on: NotRequired[list[str]]


TABLES: Final[Mapping[str, Mapping[str, FieldEntry]]] = json.loads(
    (Path(__file__).parent / "fields.json").read_text(encoding="utf-8")
)


_CHECKS: Final[Mapping[str, Callable[[Any], bool]]] = {
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "date-time": lambda value: isinstance(value, str) and datetime.fromisoformat(value).tzinfo is not None,
    "uuid": lambda value: isinstance(value, str) and str(UUID(value)) == value,
}


def shown_fields(table: str, generation: str, *, in_list: bool = False) -> dict[str, FieldEntry]:
    """The fields that a record has in responses of this generation."""
    return {
        name: entry
        for name, entry in TABLES[table].items()
        if not entry.get("hidden") and generation not in entry.get("not_on", ())
        if not (in_list and generation in entry.get("not_in_lists_on", ()))
    }


def faults(
    record: Any, table: str, generation: str, *, in_list: bool = False, more: frozenset[str] = frozenset()
) -> Iterator[str]:
    """What of the table is not so in this record, and in the records it nests."""
    fields = shown_fields(table, generation, in_list=in_list)
    if missing := fields.keys() - record.keys():
        yield f"{table} lacks {sorted(missing)}"
    if unknown := record.keys() - fields.keys() - more:
        yield f"{table} has {sorted(unknown)}"
    for name, entry in fields.items():
        for fault in _value_faults(record.get(name), entry, generation):
            yield f"{table}.{name}: {fault}"


def _value_faults(value: Any, entry: FieldEntry, generation: str) -> Iterator[str]:
    type_ = entry["type"]
    if value is None or type_ == "any":
        if value is None and not entry.get("nullable") and type_ != "any":
            yield "is null"
    elif type_ in TABLES:
        for part in value if entry.get("repeated") else [value]:
            yield from faults(part, type_, generation)
    elif not _CHECKS[type_](value):
        yield f"{value!r} is no {type_}"
    elif "values" in entry and value not in entry["values"]:
        yield f"{value!r} is no value of it"
