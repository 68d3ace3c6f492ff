"""The fields of a flag in a body, checked in the order in which faults are reported."""

import re
import sqlite3
from collections.abc import Mapping
from typing import Any

from flagtui.service.answers import text_of
from flagtui.service.bodies import Fields, whole_number
from flagtui.service.call import Call
from flagtui.service.errors import Json, invalid
from flagtui.service.flags.filter_storage import read_filters
from flagtui.service.flags.rows import Values

LONGEST_KEY = 400
MOST_CONTEXTS = 50
_KEY = re.compile(r"[a-zA-Z0-9_-]+")
RUNTIMES = ("server", "client", "all")
BUCKETINGS = ("distinct_id", "device_id")
CREATION_CONTEXTS = (
    "feature_flags",
    "experiments",
    "surveys",
    "early_access_features",
    "web_experiments",
    "product_tours",
)


def read_fields(call: Call, fields: Fields, row: sqlite3.Row | None) -> Values:
    """What the body says of the columns. `row` is the flag to change; None for a new one.

    `filters` are merged with the stored ones and absent where sending them changes nothing.
    """
    found: dict[str, Any] = {
        "name": fields.text("name"),
        "key": _read_key(call, fields, row),
        "filters": read_filters(call, fields, row),
        "deleted": fields.flag("deleted"),
        "active": fields.flag("active"),
        "archived": None if call.settings.legacy else fields.flag("archived"),
        "version": fields.number("version", null=True),
        "ensure_experience_continuity": fields.flag("ensure_experience_continuity", null=True),
        "rollback_conditions": fields.sent.get("rollback_conditions") if call.settings.legacy else None,
        "performed_rollback": fields.flag("performed_rollback", null=True) if call.settings.legacy else None,
        "tags": read_tags(fields),
        "evaluation_contexts": _read_contexts(call, fields),
        "analytics_dashboards": _read_dashboards(call, fields),
        "has_enriched_analytics": fields.flag("has_enriched_analytics", null=True),
        "creation_context": fields.choice("creation_context", CREATION_CONTEXTS),
        "is_remote_configuration": fields.flag("is_remote_configuration", null=True),
        "has_encrypted_payloads": fields.flag("has_encrypted_payloads", null=True),
        "evaluation_runtime": fields.choice("evaluation_runtime", RUNTIMES, null=True),
        "bucketing_identifier": fields.choice("bucketing_identifier", BUCKETINGS, null=True),
    }
    sent = {_CONTEXT_NAMES.get(name, name) for name in fields.sent}
    values = {name: value for name, value in found.items() if name in sent and name != "version"}
    if found["filters"] is None:
        values.pop("filters", None)
    return values


_CONTEXT_NAMES = {"evaluation_tags": "evaluation_contexts"}


def _read_key(call: Call, fields: Fields, row: sqlite3.Row | None) -> str | None:
    if row is None or call.method == "PUT":
        fields.require("key")
    key = fields.text("key", longest=LONGEST_KEY, blank=False)
    if key is None or (row is not None and key == row["key"] and not row["deleted"]):
        return key
    taken = call.db.execute(
        "SELECT 1 FROM flags WHERE project_id = ? AND key = ? AND deleted = 0 AND id IS NOT ?",
        (call.project.id, key, None if row is None else row["id"]),
    ).fetchone()
    if taken:
        raise fields.fault("key", "There is already a feature flag with this key.", "unique")
    if _KEY.fullmatch(key) is None:
        detail = "Only letters, numbers, hyphens (-) & underscores (_) are allowed."
        raise fields.fault("key", detail, "invalid_key")
    return key


def read_tags(fields: Fields) -> list[str] | None:
    """Trimmed, lower case, each once, sorted."""
    items = fields.items("tags")
    if items is None:
        return None
    for position, item in enumerate(items):
        if isinstance(item, bool | dict | list) or item is None:
            raise invalid("Not a valid string.", f"tags__{position}")
        if len(str(item).strip()) > 255:
            detail = "Ensure this field has no more than 255 characters."
            raise invalid(detail, f"tags__{position}", "max_length")
    return sorted({name for item in items if (name := str(item).strip().lower())})


def _read_contexts(call: Call, fields: Fields) -> list[str] | None:
    if call.settings.legacy:
        return _read_legacy_contexts(fields)
    if "evaluation_contexts" not in fields:
        return None
    items = fields.sent["evaluation_contexts"]
    if not isinstance(items, list) or len(items) > MOST_CONTEXTS:
        raise invalid(f"evaluation_contexts must be a list of at most {MOST_CONTEXTS} items.")
    for item in items:
        if not isinstance(item, str) or not item.strip() or len(item.strip()) > 255:
            raise invalid("Invalid evaluation context name.")
    return sorted({item.strip().lower() for item in items})


def _read_legacy_contexts(fields: Fields) -> list[str] | None:
    items = fields.items("evaluation_tags")
    if items is None:
        return None
    wanted = {str(item).strip().lower() for item in items}
    strangers = sorted(wanted - set(read_tags(fields) or ()))
    if strangers:
        detail = f"Evaluation tags must be a subset of tags. Invalid evaluation tags: {', '.join(strangers)}"
        raise invalid(detail)
    return sorted(wanted)


def _read_dashboards(call: Call, fields: Fields) -> list[int] | None:
    items = fields.items("analytics_dashboards")
    if items is None:
        return None
    numbers = []
    for item in items:
        number = whole_number(item)
        if number is None:
            detail = f"Incorrect type. Expected pk value, received {type(item).__name__}."
            raise fields.fault("analytics_dashboards", detail, "incorrect_type")
        numbers.append(number)
    known = call.db.execute(
        "SELECT id FROM dashboards WHERE project_id = ? AND deleted = 0"
        " AND id IN (SELECT value FROM json_each(?))",
        (call.project.id, text_of([n for n in numbers if abs(n) < 2**63])),
    ).fetchall()
    for number in numbers:
        if number not in {row["id"] for row in known}:
            detail = f'Invalid pk "{number}" - object does not exist.'
            raise fields.fault("analytics_dashboards", detail, "does_not_exist")
    return sorted(set(numbers))


def check_together(merged: Mapping[str, Json]) -> None:
    """Rules that need more than one field. `merged` is the flag as it would become."""
    if merged["bucketing_identifier"] == "device_id" and merged["ensure_experience_continuity"]:
        raise invalid(
            "Cannot enable 'persist across authentication steps' when using device ID bucketing. "
            "These features are incompatible."
        )
    if merged["has_encrypted_payloads"] and not merged["is_remote_configuration"]:
        raise invalid("Encrypted payloads require the flag to be a remote configuration.")


def check_required_marks(call: Call, sent: Values, row: sqlite3.Row | None) -> None:
    """Tags and evaluation contexts a project may ask every flag to have."""
    settings = call.project.settings
    if settings.get("require_flag_tags"):
        _check_required_tags(sent, row)
    if settings.get("require_evaluation_contexts"):
        _check_required_contexts(sent, row)


def _check_required_tags(sent: Values, row: sqlite3.Row | None) -> None:
    if row is None:
        if not sent.get("tags") and sent.get("creation_context", "feature_flags") == "feature_flags":
            detail = "Add at least one tag. This project requires new feature flags to be tagged."
            raise invalid(detail, "tags")
    elif sent.get("tags") == [] and row["tags"] != "[]":
        raise invalid("Keep at least one tag. This project requires feature flags to stay tagged.", "tags")


def _check_required_contexts(sent: Values, row: sqlite3.Row | None) -> None:
    if row is None:
        if not sent.get("evaluation_contexts"):
            raise invalid("At least one evaluation context is required to create a new feature flag.")
    elif sent.get("evaluation_contexts") == [] and row["evaluation_contexts"] != "[]":
        raise invalid(
            "Cannot remove all evaluation contexts. At least one evaluation context is required because this "
            "flag already has evaluation contexts and the team requires them."
        )
