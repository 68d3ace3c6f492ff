"""The records that commands print: their fields, and the JSON schema of each."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Generic, Literal, TypeVar

import msgspec

from flagtui import local_time

JSON = Any
Shown = TypeVar("Shown")
Outer = TypeVar("Outer")
Shown_contra = TypeVar("Shown_contra", contravariant=True)

FieldType = Literal[
    "text",
    "text?",
    "whole",
    "whole?",
    "number?",
    "truth",
    "truth?",
    "time?",
    "texts",
    "texts?",
    "object",
    "objects",
    "any",
]
"""`?` is null where the value is not known."""

_TYPES: Final[Mapping[str, Mapping[str, JSON]]] = {
    "text": {"type": "string"},
    "text?": {"type": ["string", "null"]},
    "whole": {"type": "integer"},
    "whole?": {"type": ["integer", "null"]},
    "number?": {"type": ["number", "null"]},
    "truth": {"type": "boolean"},
    "truth?": {"type": ["boolean", "null"]},
    "time?": {"type": ["string", "null"], "format": "date-time"},
    "texts": {"type": "array", "items": {"type": "string"}},
    "texts?": {"type": ["array", "null"], "items": {"type": "string"}},
    "object": {"type": "object"},
    "objects": {"type": "array", "items": {"type": "object"}},
    "any": {},
}


class RecordField(msgspec.Struct, Generic[Shown_contra], frozen=True):
    """One value of a record. `words` formats it for people; programs get the value itself."""

    name: str
    type: FieldType
    about: str
    value: Callable[[Shown_contra], JSON] | None = None
    """Reads it from a record; None reads the attribute of this name. Moments are Unix seconds or a stamp."""
    is_shown: bool = False
    """A column of the table without `--fields`."""
    words: Callable[[JSON], str] | None = None
    is_extra: bool = False
    """Programs get it only if they name it: it takes long to compute."""
    is_long: bool = False
    """A separate line below the others if a terminal is too narrow for all columns."""
    choices: tuple[str, ...] = ()
    """Every value it can have; empty where any can be."""
    is_spare: bool = False
    """Hidden in a table that is too narrow for it, unless it is named."""

    def read(self, record: Shown_contra) -> JSON:
        """Return the value as programs get it."""
        value = getattr(record, self.name) if self.value is None else self.value(record)
        is_moment = self.type == "time?" and isinstance(value, int | float)
        return local_time.stamp(value) if is_moment else value

    def cell(self, value: JSON) -> str:
        """Return the value in a table."""
        return self.words(value) if self.words is not None else plain(value)


PROJECT: Final = "project"
_ABOUT_PROJECT: Final = "The id of its project, where several projects are read."


class InProject(msgspec.Struct, Generic[Shown], frozen=True):
    """A record of one of several projects."""

    record: Shown
    project: str
    page: str = ""
    """The address of its page; empty where it has none."""


def _record_of(each: InProject[Shown]) -> Shown:
    return each.record


class RecordSchema(msgspec.Struct, Generic[Shown], frozen=True):
    """The fields that a command prints. `name` is that of the schema, too."""

    name: str
    about: str
    fields: tuple[RecordField[Shown], ...]
    version: int = 1
    """Increased when a field is renamed, removed or changes its meaning; new fields leave it as it is."""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(field.name for field in self.fields)

    def within(self, inner: Callable[[Outer], Shown]) -> tuple[RecordField[Outer], ...]:
        """Return the same fields, of a record that contains one of these."""

        def outside(field: RecordField[Shown]) -> RecordField[Outer]:
            def value(outer: Outer) -> JSON:
                return field.read(inner(outer))

            shape = (
                field.is_shown,
                field.words,
                field.is_extra,
                field.is_long,
                field.choices,
                field.is_spare,
            )
            return RecordField(field.name, field.type, field.about, value, *shape)

        return tuple(map(outside, self.fields))

    def in_projects(self) -> "RecordSchema[InProject[Shown]]":
        """Return the schema of the same records of several projects, each with the id of its project."""
        fields = self.within(_record_of)
        if PROJECT not in self.names:
            fields = (*fields, RecordField(PROJECT, "text", _ABOUT_PROJECT, is_shown=True))
        return RecordSchema(self.name, self.about, fields, self.version)

    def fields_named(self, names: Sequence[str]) -> tuple[RecordField[Shown], ...]:
        """Return the fields of these names in their order. Raises KeyError with the first unknown name."""
        by_name = {field.name: field for field in self.fields}
        return tuple(by_name[name] for name in names)

    @property
    def standard(self) -> tuple[RecordField[Shown], ...]:
        """The fields that programs get when they name none."""
        return tuple(field for field in self.fields if not field.is_extra)

    @property
    def shown(self) -> tuple[RecordField[Shown], ...]:
        """The columns of a table when none were chosen."""
        return tuple(field for field in self.fields if field.is_shown)

    def schema(self) -> dict[str, JSON]:
        """Return the JSON schema of what `--json` prints.

        With `--fields` the document names them as `fields`, and records have those members only. A line of
        `--ndjson` is `#/$defs/line`.
        """
        record: dict[str, Any] = {
            "type": "object",
            "additionalProperties": False,
            "properties": {field.name: _value_schema(field) for field in self.fields},
        }
        # Only where several projects are read.
        record["properties"].setdefault(PROJECT, {"type": "string", "description": _ABOUT_PROJECT})
        complete = {"required": [field.name for field in self.standard]}
        envelope = {"schema_version": {"const": self.version}, "schema": {"const": self.name}}
        line = {**record, "properties": {**envelope, **record["properties"]}, "required": [*envelope]}
        names = {
            "type": "array",
            "items": {"enum": list(record["properties"])},
            "description": "The chosen fields.",
        }
        return {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": self.name,
            "description": self.about,
            "type": "object",
            "required": ["schema_version", "schema", "records"],
            "additionalProperties": False,
            "properties": {**envelope, "fields": names, "records": {"type": "array", "items": record}},
            "if": {"not": {"required": ["fields"]}},
            "then": {"properties": {"records": {"items": complete}}},
            "$defs": {"line": {"description": "A line of --ndjson, and of watch.", **line}},
        }


def _value_schema(field: RecordField[Any]) -> dict[str, JSON]:
    choices = {"enum": list(field.choices)} if field.choices else {}
    return {**_TYPES[field.type], **choices, "description": field.about}


def plain(value: JSON) -> str:
    """Return a value as text: nothing for null, lists with commas, as JSON where a text has one itself."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple) and all(isinstance(item, str) and "," not in item for item in value):
        return ",".join(value)
    if isinstance(value, dict | list | tuple):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
