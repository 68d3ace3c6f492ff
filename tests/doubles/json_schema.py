"""Checks a document against a JSON schema, as far as the schemas of this project go."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
    "array": (list,),
    "object": (dict,),
}


def faults(value: Any, schema: Mapping[str, Any], where: str = "$") -> Iterator[str]:
    """What the schema objects to; nothing for a valid document."""
    unknown = schema.keys() - {
        *("$schema", "title", "description", "type", "required", "additionalProperties"),
        *("properties", "items", "const", "format", "enum", "if", "then", "not", "$defs"),
    }
    assert not unknown, unknown
    if "const" in schema and value != schema["const"]:
        yield f"{where} is {value!r}, not {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{where} is {value!r}, not one of {schema['enum']}"
    if "not" in schema and not list(faults(value, schema["not"], where)):
        yield f"{where} is what it must not be"
    if "if" in schema and not list(faults(value, schema["if"], where)):
        yield from faults(value, schema["then"], where)
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(is_of(value, kind) for kind in kinds):
        yield f"{where} is {type(value).__name__}, not {' or '.join(kinds)}"
    if schema.get("format") == "date-time" and isinstance(value, str):
        assert datetime.fromisoformat(value).tzinfo, where
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        yield from (f"{where} has no {name}" for name in schema.get("required", ()) if name not in value)
        for name, item in value.items():
            if name in properties:
                yield from faults(item, properties[name], f"{where}.{name}")
            elif schema.get("additionalProperties") is False:
                yield f"{where} has {name} besides"
    if isinstance(value, list):
        for place, item in enumerate(value):
            yield from faults(item, schema.get("items", {}), f"{where}[{place}]")


def is_of(value: Any, kind: str) -> bool:
    """JSON knows true from 1."""
    return isinstance(value, TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))
