"""JSON Schema of flags, for the schema document."""

from flagtui.service.errors import Json

_MOMENT = {"type": ["string", "null"], "format": "date-time"}
_TRUTH = {"type": "boolean"}
_MAYBE = {"type": ["boolean", "null"]}
_TEXTS = {"type": "array", "items": {"type": "string"}}
_NUMBERS = {"type": "array", "items": {"type": "integer"}}

USER: Json = {
    "type": ["object", "null"],
    "properties": {
        "id": {"type": "integer"},
        "uuid": {"type": "string", "format": "uuid"},
        "distinct_id": {"type": ["string", "null"]},
        "first_name": {"type": "string"},
        "last_name": {"type": "string"},
        "email": {"type": "string"},
        "is_email_verified": _MAYBE,
        "hedgehog_config": {"type": ["object", "null"]},
        "role_at_organization": {"type": ["string", "null"]},
    },
    "required": ["id", "uuid", "email"],
}

FLAG: Json = {
    "type": "object",
    "properties": {
        "id": {"type": "integer"},
        "name": {"type": "string"},
        "key": {"type": "string"},
        "filters": {"type": "object"},
        "deleted": _TRUTH,
        "active": _TRUTH,
        "archived": _TRUTH,
        "created_by": USER,
        "created_at": {"type": "string", "format": "date-time"},
        "updated_at": _MOMENT,
        "version": {"type": ["integer", "null"]},
        "last_modified_by": USER,
        "ensure_experience_continuity": _MAYBE,
        "experiment_set": _NUMBERS,
        "experiment_set_metadata": {"type": "array", "items": {"type": "object"}},
        "surveys": {"type": "array", "items": {"type": "object"}},
        "features": {"type": "array", "items": {"type": "object"}},
        "can_edit": _TRUTH,
        "tags": _TEXTS,
        "evaluation_contexts": _TEXTS,
        "usage_dashboard": {"type": ["integer", "null"]},
        "analytics_dashboards": _NUMBERS,
        "has_enriched_analytics": _MAYBE,
        "user_access_level": {"enum": ["none", "viewer", "editor", "manager", None]},
        "is_remote_configuration": _MAYBE,
        "has_encrypted_payloads": _MAYBE,
        "status": {"type": "string"},
        "evaluation_runtime": {"enum": ["server", "client", "all", "", None]},
        "bucketing_identifier": {"enum": ["distinct_id", "device_id", "", None]},
        "last_called_at": _MOMENT,
        "is_used_in_replay_settings": _TRUTH,
        "is_eligible_for_experiment": _TRUTH,
    },
    "required": ["id", "name", "key", "filters", "deleted", "active", "tags", "status"],
}

FLAG_PAGE: Json = {
    "type": "object",
    "properties": {
        "count": {"type": "integer"},
        "next": {"type": ["string", "null"]},
        "previous": {"type": ["string", "null"]},
        "results": {"type": "array", "items": FLAG},
    },
    "required": ["count", "next", "previous", "results"],
}

FLAG_BODY: Json = {
    "type": "object",
    "properties": {
        "key": {"type": "string", "minLength": 1, "maxLength": 400, "pattern": "^[a-zA-Z0-9_-]+$"},
        "name": {"type": "string"},
        "filters": {"type": "object"},
        "active": _TRUTH,
        "archived": _TRUTH,
        "deleted": _TRUTH,
        "tags": _TEXTS,
        "evaluation_contexts": _TEXTS,
        "evaluation_runtime": {"enum": ["server", "client", "all", None]},
        "bucketing_identifier": {"enum": ["distinct_id", "device_id", None]},
        "ensure_experience_continuity": _MAYBE,
        "is_remote_configuration": _MAYBE,
        "has_encrypted_payloads": _MAYBE,
        "has_enriched_analytics": _MAYBE,
        "analytics_dashboards": _NUMBERS,
        "version": {"type": ["integer", "null"]},
        "original_flag": {"type": ["object", "null"]},
    },
}

ONE_SHARE: Json = {
    "type": "object",
    "properties": {
        "condition_index": {"type": "integer", "minimum": 0},
        "rollout_percentage": {"type": "number", "minimum": 0, "maximum": 100},
        "version": {"type": "integer"},
    },
    "required": ["condition_index", "rollout_percentage", "version"],
}

TO_EVERYONE: Json = {
    "type": "object",
    "properties": {"version": {"type": "integer"}, "variant_key": {"type": ["string", "null"]}},
    "required": ["version"],
}

ACTIVITY_PAGE: Json = {
    "type": "object",
    "properties": {
        "results": {"type": "array", "items": {"type": "object"}},
        "next": {"type": ["string", "null"]},
        "previous": {"type": ["string", "null"]},
        "total_count": {"type": "integer"},
    },
    "required": ["results", "next", "previous", "total_count"],
}
