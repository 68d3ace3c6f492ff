"""The query parameters that the evaluating operations share."""

import msgspec

from flagtui.evaluate.run import Group
from flagtui.service.call import Call
from flagtui.service.errors import Json, invalid
from flagtui.service.evaluation.people import load_groups


def read_groups(call: Call) -> dict[str, Group]:
    text = call.query.get("groups")
    return load_groups(call.db, call.project.id, _group_keys(text) if text else {})


def _group_keys(text: str) -> dict[str, Json]:
    keys = _decoded(text, "groups")
    if not isinstance(keys, dict):
        raise invalid("groups must be a JSON object", "groups")
    return keys


def read_flag_keys(call: Call) -> frozenset[str] | None:
    """Repeated names or one JSON list; None for all flags. Older servers have no such parameter."""
    values = call.query.getlist("flag_keys")
    if "flag_keys" in call.generation.missing_parameters:
        return None
    keys: list[Json] = list(values)
    if len(values) == 1 and values[0].lstrip().startswith("["):
        keys = _decoded(values[0], "flag_keys")
    return frozenset(str(key) for key in keys if key != "") or None


def _decoded(text: str, name: str) -> Json:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        raise invalid(f"Invalid JSON in {name} parameter", name) from None
