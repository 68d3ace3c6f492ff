"""The OpenAPI 3.1 document of the service, generated from the table of operations."""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache

from msgspec.structs import replace

from flagtui import __version__
from flagtui.service.errors import Json
from flagtui.service.generations import DEFAULT, Generation
from flagtui.service.operations import REST, Operation
from flagtui.service.responses import Response, encode
from flagtui.service.shapes import RECORD_NAME

_NAMED = re.compile(r"\{(\w+)\}")
_ERROR: Json = {
    "description": "An error; most carry these four keys.",
    "content": {
        "application/json": {
            "schema": {
                "type": "object",
                "properties": {
                    "type": {"type": "string"},
                    "code": {"type": "string"},
                    "detail": {"type": ["string", "null"]},
                    "attr": {"type": ["string", "null"]},
                },
            }
        }
    },
}
_ERRORS = (400, 401, 402, 403, 404, 405, 408, 409, 413, 415, 422, 429, 500, 503)
_INTEGERS = frozenset(("limit", "offset", "page"))


def document(operations: Iterable[Operation], generation: Generation = DEFAULT) -> dict[str, Json]:
    """Return the whole document, with the fields of one generation; operations of one path come together."""
    paths: dict[str, dict[str, Json]] = {}
    for operation in operations:
        shown = replace(operation, path=operation.path.replace(REST, "}"))
        paths.setdefault(f"{shown.path}/", {})[shown.method.lower()] = _operation(shown, generation)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "flagtui service",
            "version": __version__,
            "description": "Feature flags, experiments and event definitions on SQLite.",
        },
        "security": [{"key": []}],
        "paths": paths,
        "components": {"securitySchemes": {"key": {"type": "http", "scheme": "bearer"}}},
    }


def _operation(operation: Operation, generation: Generation) -> Json:
    described: dict[str, Json] = {
        "operationId": _name(operation),
        "summary": operation.summary,
        "tags": [_subject(operation.path)],
        "parameters": [*_path_parameters(operation.path), *_query_parameters(operation.parameters)],
        "responses": _responses(operation, generation),
    }
    if operation.scope:
        described["description"] = f"Needs the scope `{operation.scope}`."
        described["x-scope"] = operation.scope
    if operation.public:
        described["security"] = []
    if operation.has_body:
        schema = _read_by(generation, operation)
        described["requestBody"] = {"required": False, "content": {"application/json": {"schema": schema}}}
    return described


def _name(operation: Operation) -> str:
    words = [word.strip("{}") for word in operation.path.strip("/").split("/")]
    return "_".join((operation.method.lower(), *words))


def _subject(path: str) -> str:
    words = [word for word in path.strip("/").split("/") if not word.startswith("{")]
    return words[2] if len(words) > 2 and words[1] in ("projects", "organizations") else words[-1]


def _path_parameters(path: str) -> list[Json]:
    return [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in _NAMED.findall(path)
    ]


def _query_parameters(names: Iterable[str]) -> list[Json]:
    return [
        {
            "name": name,
            "in": "query",
            "required": False,
            "schema": {"type": "integer" if name in _INTEGERS else "string"},
        }
        for name in names
    ]


def _responses(operation: Operation, generation: Generation) -> Mapping[str, Json]:
    responses: dict[str, Json] = {str(status): _ERROR for status in _ERRORS}
    for status in operation.statuses:
        responses[str(status)] = _success(operation.media, _shown_by(generation, operation.response))
    for status in (204, 304, 405, *operation.bare):
        if str(status) in responses and (status != 405 or status in operation.statuses):
            responses[str(status)] = {"description": "No body."}
    return dict(sorted(responses.items()))


def _success(media: str, schema: Json) -> Json:
    return {"description": "Done.", "content": {media: {"schema": schema or {}}}}


def _shown_by(generation: Generation, schema: Json) -> Json:
    return _without(schema, lambda record: generation.body(record).hidden)


def _read_by(generation: Generation, operation: Operation) -> Json:
    is_new = operation.method == "POST"
    schema = operation.body or {"type": "object"}
    return _without(schema, lambda record: generation.body(record).unread(is_new=is_new))


def _without(schema: Json, names: Callable[[str], frozenset[str]]) -> Json:
    """Return the schema; each record in it lacks the fields that `names` lists for the record's name."""
    if isinstance(schema, list):
        return [_without(part, names) for part in schema]
    if not isinstance(schema, dict):
        return schema
    kept = dict(schema)
    if (record := schema.get(RECORD_NAME)) is not None:
        gone = names(record)
        kept["properties"] = {name: part for name, part in schema["properties"].items() if name not in gone}
        kept["required"] = [name for name in schema.get("required", ()) if name not in gone]
    return {name: _without(part, names) for name, part in kept.items()}


def schema_operation(operations: tuple[Operation, ...], generation: Generation) -> Operation:
    """Return the operation that shows the document of these operations, and of itself."""

    @cache
    def encode_document() -> bytes:
        return encode(document((*operations, shown), generation))

    def show(_: object) -> Response:
        return Response(encode_document())

    shown = Operation("GET", "/api/schema", show, "This document", public=True)
    return shown
