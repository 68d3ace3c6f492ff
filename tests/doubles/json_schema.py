"""A check of documents against JSON schemas."""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

import fastjsonschema


@cache
def _compile(text: str) -> Any:
    return fastjsonschema.compile(json.loads(text))


def validate(document: Any, schema: Mapping[str, Any]) -> None:
    """Raise JsonSchemaException unless the document follows the schema."""
    _compile(json.dumps(schema))(document)
