"""Types for the events of a project, as source code in three languages."""

import hashlib
import json
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

import msgspec

from flagtui.service.call import Call
from flagtui.service.responses import Response, respond

VERSION: Final = "1.1.0"
"""The version of the generated text: a different text for the same events needs a new one."""
_NEWLINE: Final = "\n"
_HEAD: Final = "Made from the event definitions of this project. Changes will be overwritten."
_WORD: Final = re.compile(r"[A-Za-z0-9]+")
_GO_TAG: Final = re.compile(r"[A-Za-z0-9!#$%&()*+\-./:;<=>?@\[\]^_{|}~ ]+")
"""Names that Go's json package reads from a tag as they are."""

Events = Mapping[str, Mapping[str, str]]
"""Types of properties in the words of the language, by event and property."""


class TypeWriter(msgspec.Struct, frozen=True):
    """A programming language; a property of another kind, or of none, has the type `any`."""

    title: str
    kinds: Mapping[str, str]
    any: str
    write: Callable[[Events], str]

    def handle(self, call: Call) -> Response:
        stored = dict(_events(call.db, call.project.id))
        events = {
            event: {name: self.kinds.get(kind or "", self.any) for name, kind in properties.items()}
            for event, properties in stored.items()
        }
        schema = json.dumps(stored, sort_keys=True)
        return respond(
            {
                "content": self.write(events),
                "event_count": len(events),
                "schema_hash": hashlib.sha256(schema.encode()).hexdigest()[:32],
                "generator_version": VERSION,
            }
        )


def _events(db: sqlite3.Connection, project_id: int) -> Iterator[tuple[str, Mapping[str, str | None]]]:
    """Return every event that is not hidden, with the kinds of the properties it was seen with."""
    properties: dict[str, dict[str, str | None]] = {}
    for row in db.execute(
        "SELECT event, name, property_type FROM property_definitions WHERE project_id = ? ORDER BY name",
        (project_id,),
    ):
        properties.setdefault(row["event"], {})[row["name"]] = row["property_type"]
    for (name,) in db.execute(
        "SELECT name FROM event_definitions WHERE project_id = ? AND hidden IS NOT 1 ORDER BY name",
        (project_id,),
    ):
        yield name, properties.get(name, {})


def _write_typescript(events: Events) -> str:
    """Return TypeScript; names are ASCII strings, so that no name ends its line or becomes code."""
    entries = "".join(
        f"  {json.dumps(event)}: {_typescript_shape(properties)};\n" for event, properties in events.items()
    )
    return (
        f"// {_HEAD}\n\nexport interface EventSchemas {{\n{entries}}}\n\n"
        "export type EventName = keyof EventSchemas;\n\n"
        "export type EventProperties<Name extends EventName> = EventSchemas[Name];\n"
    )


def _typescript_shape(properties: Mapping[str, str]) -> str:
    if not properties:
        return "Record<string, any>"
    return "{ " + "; ".join(f"{json.dumps(name)}?: {kind}" for name, kind in properties.items()) + " }"


def _write_python(events: Events) -> str:
    """Return a module without imports but of the standard library."""
    types = _name_all(events, "Event{}Properties", set())
    names = ", ".join(map(_quote, events))
    lines = [f"# {_HEAD}", "", "from datetime import datetime", "from typing import Any, Literal, TypedDict"]
    lines += ["", f"EventName = Literal[{names}]" if events else "EventName = str"]
    for event, properties in events.items():
        members = [f"    {_quote(name)}: {kind}," for name, kind in properties.items()]
        shape = [f'TypedDict("{types[event]}", {{', *members, "}, total=False)"]
        lines += ["", f"{types[event]} = {_NEWLINE.join(shape) if members else 'dict[str, Any]'}"]
    entries = [f"    {_quote(event)}: {types[event]}," for event in events]
    lines += ["", 'EventSchemas = TypedDict("EventSchemas", {', *entries, "}, total=False)", ""]
    return _NEWLINE.join(lines)


def _write_go(events: Events) -> str:
    """Return a file of package `events`, formatted as gofmt would."""
    taken = {"EventName"}
    constants = _name_all(events, "Event{}", taken)
    types = _name_all(events, "Event{}Properties", taken)
    lines = [f"// {_HEAD}", "", "package events"]
    if any("*time.Time" in properties.values() for properties in events.values()):
        lines += ["", 'import "time"']
    lines += ["", "// EventName is the name of an event.", "type EventName string"]
    if events:
        width = max(map(len, constants.values()))
        entries = [f"\t{constants[event]:{width}} EventName = {_quote(event)}" for event in events]
        lines += ["", "// The names of all events.", "const (", *entries, ")"]
    for event, properties in events.items():
        lines += ["", f"// {types[event]} are the properties of {constants[event]}."]
        lines.append(f"type {types[event]} {_go_shape(properties)}")
    return _NEWLINE.join([*lines, ""])


def _go_shape(properties: Mapping[str, str]) -> str:
    """Return a struct; a table where a property has a name that no tag can hold."""
    if not properties or not all(map(_GO_TAG.fullmatch, properties)):
        return "map[string]any"
    fields = _name_all(properties, "{}", set())
    name_width, kind_width = max(map(len, fields.values())), max(map(len, properties.values()))
    lines = [
        f'\t{fields[name]:{name_width}} {kind:{kind_width}} `json:"{name},omitempty"`'
        for name, kind in properties.items()
    ]
    return _NEWLINE.join(["struct {", *lines, "}"])


def _name_all(names: Iterable[str], form: str, taken: set[str]) -> Mapping[str, str]:
    """Return identifiers by name, made of its ASCII words; a number makes the same ones differ."""
    identifiers: dict[str, str] = {}
    for name in names:
        words = "".join(word[0].upper() + word[1:] for word in _WORD.findall(name)) or "Unnamed"
        plain = f"N{words}" if form.startswith("{") and words[0].isdigit() else words
        identifier, number = form.format(plain), 1
        while identifier in taken:
            number += 1
            identifier = form.format(f"{plain}_{number}")
        taken.add(identifier)
        identifiers[name] = identifier
    return identifiers


def _quote(text: str) -> str:
    """Return an ASCII literal for Python and Go, which have no pairs of surrogates as JSON has."""
    return '"' + "".join(map(_escape, text)) + '"'


def _escape(character: str) -> str:
    return json.dumps(character)[1:-1] if character < "\U00010000" else f"\\U{ord(character):08x}"


LANGUAGES: Final[Mapping[str, TypeWriter]] = {
    "typescript": TypeWriter(
        "TypeScript",
        {"String": "string", "Numeric": "number", "Boolean": "boolean", "DateTime": "string | Date"},
        "any",
        _write_typescript,
    ),
    "golang": TypeWriter(
        "Go",
        {"String": "*string", "Numeric": "*float64", "Boolean": "*bool", "DateTime": "*time.Time"},
        "any",
        _write_go,
    ),
    "python": TypeWriter(
        "Python",
        {"String": "str", "Numeric": "float", "Boolean": "bool", "DateTime": "str | datetime"},
        "Any",
        _write_python,
    ),
}
"""By the last part of the path."""
