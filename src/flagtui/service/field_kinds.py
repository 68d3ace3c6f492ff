"""Fields of a record, declared once: how each is read from a body, kept in its column and described.

A record's table lists them in the order in which their faults are reported. Reading a body, the columns, the
activity log and the schema document are made from it.
"""

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from enum import Flag, auto
from typing import Any, Final, Literal, NamedTuple

import msgspec

from flagtui.service.bodies import Fields
from flagtui.service.call import Call
from flagtui.service.clock import shown_stamp, stamp
from flagtui.service.errors import Json
from flagtui.service.responses import text_of, value_of
from flagtui.service.shapes import (
    MAYBE_MOMENT,
    MAYBE_NUMBER,
    MAYBE_TRUTH,
    MOMENT,
    NUMBER,
    TEXTS,
    TRUTH,
    words,
)

Values = dict[str, Json]
"""Columns by name, decoded: booleans, documents, the rest as it is stored."""
Storage = Literal["plain", "moment", "truth", "json"]


class Target(NamedTuple):
    """The target of a body: `row` is the record to change, None for a new one."""

    call: Call
    row: sqlite3.Row | None = None


Read = Callable[[Fields, str, Target], Json]


class Kind(msgspec.Struct, frozen=True):
    """A kind of value: its reader, which raises its faults, and the `schema` of valid values."""

    read: Read
    schema: Json
    storage: Storage = "plain"


class Use(Flag):
    """Another use of a field."""

    NONE = 0
    LOGGED = auto()
    """Changes are written to the activity log."""
    COPIED = auto()
    """A copy of the record has it too."""
    VERSIONED = auto()
    """An older version shows it."""
    SUMMARY = auto()
    """Shown where another record nests this one."""
    SORTED = auto()
    """A list can be in its order."""
    BASIC = auto()
    """Shown without a licence, where less than the whole record is."""
    ALWAYS = auto()
    """Every response has it."""
    NEEDED = auto()
    """A new record cannot be without it."""


class Field(msgspec.Struct, frozen=True):
    """`kind` None is read-only; `shown` None is the schema of `kind` without limits, {} is not shown."""

    name: str
    kind: Kind | None = None
    uses: Use = Use.NONE
    shown: Json = None
    default: Json = ...
    """The default of a new record; `...` for that of the column."""
    column: str = ""
    """Where it is kept, if that has another name."""
    storage: Storage = "plain"
    """Of a field that has no kind and is no moment."""

    @property
    def place(self) -> str:
        return self.column or self.name

    @property
    def is_shown(self) -> bool:
        """Return whether a response of some generation has it."""
        return self.shown != HIDDEN and (self.shown is not None or self.kind is not None)

    @property
    def kept(self) -> Storage:
        if self.kind is not None:
            return self.kind.storage
        return "moment" if self.shown in (MOMENT, MAYBE_MOMENT) else self.storage


_LIMITS: Final = ("minLength", "maxLength", "minimum", "pattern")


class Table:
    """The fields of one kind of record. `record` is its name in the table of generations."""

    def __init__(self, record: str, fields: Iterable[Field]) -> None:
        self.record = record
        self.fields = tuple(fields)
        self._places = {field.name: field.place for field in self.fields}
        self._by_use: dict[Use, tuple[tuple[str, str, Storage], ...]] = {}
        kept = {field.place: field.kept for field in self.fields}
        self._kept = {place: storage for place, storage in kept.items() if storage in ("truth", "json")}

    def using(self, use: Use) -> tuple[str, ...]:
        """Return columns of the fields that take part in something, each once, in their order."""
        return tuple(dict.fromkeys(field.place for field in self.fields if use in field.uses))

    def places(self, use: Use) -> tuple[tuple[str, str], ...]:
        """Name and column of the fields that take part in something."""
        return tuple((field.name, field.place) for field in self.fields if use in field.uses)

    def place(self, name: str) -> str:
        """Return the column of a field; an unknown name is its own column."""
        return self._places.get(name, name)

    @property
    def defaults(self) -> Values:
        return {field.place: field.default for field in self.fields if field.default is not ...}

    def read(self, body: Fields, target: Target, needed: bool = False) -> Values:
        """Return the columns of the sent fields; raises the fault of the first invalid field.

        `needed` requires the mandatory fields of a new record. Fields that the server's generation
        does not read are ignored.
        """
        unread = target.call.generation.body(self.record).unread(is_new=target.row is None)
        columns: Values = {}
        for field in self.fields:
            if field.kind is None or field.name in unread:
                continue
            if needed and Use.NEEDED in field.uses:
                body.require(field.name)
            if field.name in body:
                columns[field.place] = field.kind.read(body, field.name, target)
        return columns

    def decode(self, row: sqlite3.Row | Mapping[str, Any]) -> Values:
        """Return a row's columns as values."""
        values: Values = {name: row[name] for name in row.keys()}  # noqa: SIM118  # A Row iterates its values.
        for name, storage in self._kept.items():
            if name not in values:
                continue
            if storage == "json":
                values[name] = value_of(values[name])
            elif values[name] is not None:
                values[name] = bool(values[name])
        return values

    def encode(self, values: Mapping[str, Json]) -> Values:
        """Return values as the columns keep them."""
        return {
            name: text_of(value) if value is not None and self._kept.get(name) == "json" else value
            for name, value in values.items()
        }

    def texts(self, row: sqlite3.Row, use: Use) -> dict[str, str]:
        """Return the JSON texts of a row's columns, by field."""
        return {name: _text(row[place], storage) for name, place, storage in self._text_columns(use)}

    def _text_columns(self, use: Use) -> tuple[tuple[str, str, Storage], ...]:
        """Return name, column and storage of the fields; a page asks for them once per record."""
        if use not in self._by_use:
            fields = (field for field in self.fields if use in field.uses)
            self._by_use[use] = tuple((field.name, field.place, field.kept) for field in fields)
        return self._by_use[use]

    def answer_schema(self, use: Use = Use.NONE) -> dict[str, Json]:
        """Return the JSON Schema of response fields of any generation that take part in `use`, by field."""
        return {
            field.name: _without_limits(field.kind.schema)
            if field.shown is None and field.kind
            else field.shown
            for field in self.fields
            if use in field.uses and field.is_shown
        }

    def body_schema(self) -> dict[str, Json]:
        """Return the JSON Schema of body fields of any generation, by field."""
        return {field.name: field.kind.schema for field in self.fields if field.kind is not None}

    def always(self) -> tuple[str, ...]:
        """Return the names that every response has."""
        return tuple(field.name for field in self.fields if Use.ALWAYS in field.uses)


HIDDEN: Final = "hidden"
"""Instead of a schema: no response has the field."""


def _text(value: Any, storage: Storage) -> str:
    if value is None or storage == "plain":
        return text_of(value)
    if storage == "moment":
        return text_of(shown_stamp(value))
    if storage == "json":
        return str(value)
    return "true" if value else "false"


def _without_limits(schema: Json) -> Json:
    return {name: value for name, value in schema.items() if name not in _LIMITS}


def text(longest: int | None = None, *, blank: bool = True, null: bool = False, pattern: str = "") -> Kind:
    schema: dict[str, Json] = {"type": ["string", "null"] if null else "string"}
    schema |= {"minLength": 1} if not blank else {}
    schema |= {"maxLength": longest} if longest else {}
    schema |= {"pattern": pattern} if pattern else {}
    return Kind(lambda body, name, _: body.text(name, longest=longest, blank=blank, null=null), schema)


def truth(*, null: bool = False) -> Kind:
    schema = MAYBE_TRUTH if null else TRUTH
    return Kind(lambda body, name, _: body.flag(name, null=null), schema, "truth")


def number(*, null: bool = False) -> Kind:
    return Kind(lambda body, name, _: body.number(name, null=null), MAYBE_NUMBER if null else NUMBER)


def choice(allowed: tuple[str, ...], *, null: bool = False) -> Kind:
    schema = words(allowed, *(None,) * null)
    return Kind(lambda body, name, _: body.choice(name, allowed, null=null), schema)


def moment(*, null: bool = True) -> Kind:
    """Return the kind of a time, stored as the service's clock writes it."""

    def read(body: Fields, name: str, _: Target) -> Json:
        sent = body.moment(name, null=null)
        return None if sent is None else stamp(sent)

    return Kind(read, MAYBE_MOMENT if null else MOMENT, "moment")


TAGS: Final = Kind(lambda body, name, _: body.tags(name), TEXTS, "json")
"""Of a record: trimmed, lower case, each once, sorted."""


def checked_kind(check: Callable[[Json], Json], schema: Json) -> Kind:
    """Return a kind for values of any type; `check` refuses a value or returns it as it is stored."""
    return Kind(lambda body, name, _: check(body.sent[name]), schema, "json")
