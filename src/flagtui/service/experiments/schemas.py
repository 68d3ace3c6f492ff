"""JSON Schema of experiments and what belongs to them, for the schema document."""

from flagtui.service.errors import Json
from flagtui.service.experiments.settings_rules import CONCLUSIONS, METHODS, TYPES
from flagtui.service.flags.schemas import FLAG, USER

_MOMENT = {"type": ["string", "null"], "format": "date-time"}
_TRUTH = {"type": "boolean"}
_TEXT = {"type": ["string", "null"]}
_NUMBER = {"type": ["integer", "null"]}
_OBJECT = {"type": "object"}
_MAYBE_OBJECT = {"type": ["object", "null"]}
_OBJECTS = {"type": "array", "items": _OBJECT}
_MAYBE_TEXTS = {"type": ["array", "null"], "items": {"type": "string"}}
_SHARE = {"type": "number", "minimum": 0, "maximum": 100}
_NODE = {
    "type": "object",
    "properties": {"kind": {"enum": ["EventsNode"]}, "event": {"type": "string"}},
    "required": ["kind", "event"],
}
_METRIC: Json = {
    "type": "object",
    "properties": {
        "kind": {"enum": ["ExperimentMetric"]},
        "metric_type": {"enum": ["mean", "funnel"]},
        "name": {"type": "string"},
        "goal": {"enum": ["increase", "decrease"]},
        "source": _NODE,
        "series": {"type": "array", "items": _NODE, "minItems": 1},
    },
    "required": ["kind", "metric_type", "source", "series"],
}
_COMMON: Json = {
    "id": {"type": "integer"},
    "name": {"type": "string"},
    "description": _TEXT,
    "start_date": _MOMENT,
    "end_date": _MOMENT,
    "feature_flag_key": {"type": "string"},
    "feature_flag": _OBJECT,
    "holdout": _MAYBE_OBJECT,
    "exposure_cohort": _NUMBER,
    "parameters": _MAYBE_OBJECT,
    "archived": _TRUTH,
    "deleted": _TRUTH,
    "created_by": USER,
    "created_at": {"type": "string", "format": "date-time"},
    "updated_at": {"type": "string", "format": "date-time"},
    "type": {"enum": [*TYPES, None]},
    "conclusion": {"enum": [*CONCLUSIONS, None]},
    "conclusion_comment": _TEXT,
    "status": {"enum": ["draft", "running", "paused", "stopped"]},
    "is_legacy": _TRUTH,
    "user_access_level": {"enum": ["none", "viewer", "editor", "manager"]},
}
_REQUIRED = [
    "id",
    "name",
    "feature_flag_key",
    "feature_flag",
    "start_date",
    "end_date",
    "archived",
    "deleted",
]
EXPERIMENT_ROW: Json = {"type": "object", "properties": _COMMON, "required": _REQUIRED}
EXPERIMENT: Json = {
    "type": "object",
    "properties": {
        **_COMMON,
        "holdout_id": _NUMBER,
        "metrics": _OBJECTS,
        "metrics_secondary": _OBJECTS,
        "secondary_metrics": {},
        "saved_metrics": _OBJECTS,
        "saved_metrics_ids": {"type": ["array", "null"]},
        "filters": _OBJECT,
        "exposure_criteria": _MAYBE_OBJECT,
        "stats_config": _MAYBE_OBJECT,
        "scheduling_config": _MAYBE_OBJECT,
        "excluded_variants": _MAYBE_TEXTS,
        "running_time_calculation": _OBJECT,
        "primary_metrics_ordered_uuids": _MAYBE_TEXTS,
        "secondary_metrics_ordered_uuids": _MAYBE_TEXTS,
        "only_count_matured_users": _TRUTH,
    },
    "required": [*_REQUIRED, "metrics", "metrics_secondary", "stats_config", "exposure_criteria"],
}
PATCH_BODY: Json = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 1, "maxLength": 400},
        "description": {"type": ["string", "null"], "maxLength": 3_000},
        "start_date": _MOMENT,
        "end_date": _MOMENT,
        "holdout_id": _NUMBER,
        "parameters": {
            "type": ["object", "null"],
            "properties": {
                "feature_flag_variants": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {"key": {"type": "string"}, "rollout_percentage": _SHARE},
                        "required": ["key", "rollout_percentage"],
                    },
                },
                "rollout_percentage": _SHARE,
            },
        },
        "feature_flag": _MAYBE_OBJECT,
        "running_time_calculation": _MAYBE_OBJECT,
        "excluded_variants": _MAYBE_TEXTS,
        "saved_metrics_ids": {"type": ["array", "null"], "items": _OBJECT},
        "filters": _MAYBE_OBJECT,
        "archived": _TRUTH,
        "deleted": _TRUTH,
        "exposure_criteria": _MAYBE_OBJECT,
        "metrics": {"type": "array", "items": _METRIC},
        "metrics_secondary": {"type": "array", "items": _METRIC},
        "stats_config": {"type": ["object", "null"], "properties": {"method": {"enum": list(METHODS)}}},
        "scheduling_config": _MAYBE_OBJECT,
        "conclusion": {"enum": [*CONCLUSIONS, None]},
        "conclusion_comment": {"type": ["string", "null"], "maxLength": 4_000},
        "primary_metrics_ordered_uuids": _MAYBE_TEXTS,
        "secondary_metrics_ordered_uuids": _MAYBE_TEXTS,
        "only_count_matured_users": _TRUTH,
        "allow_unknown_events": _TRUTH,
        "update_feature_flag_params": _TRUTH,
    },
}
CREATE_BODY: Json = {
    "type": "object",
    "properties": {
        **PATCH_BODY["properties"],
        "feature_flag_key": {"type": "string", "pattern": "^[a-zA-Z0-9_-]{1,400}$"},
        "type": {"enum": [*TYPES, None]},
    },
    "required": ["name", "feature_flag_key"],
}
END_BODY: Json = {
    "type": "object",
    "properties": {"conclusion": {"enum": [*CONCLUSIONS, None]}, "conclusion_comment": _TEXT},
}
SHIP_BODY: Json = {
    "type": "object",
    "properties": {
        **END_BODY["properties"],
        "variant_key": {"type": "string"},
        "release_to_everyone": _TRUTH,
    },
    "required": ["variant_key"],
}
ARCHIVE_BODY: Json = {"type": "object", "properties": {"disable_feature_flag": _TRUTH}}
DUPLICATE_BODY: Json = {"type": "object", "properties": {"name": _TEXT, "feature_flag_key": _TEXT}}
COPY_BODY: Json = {
    "type": "object",
    "properties": {**DUPLICATE_BODY["properties"], "target_team_id": {"type": "integer"}},
    "required": ["target_team_id"],
}
RECALCULATE_BODY: Json = {
    "type": "object",
    "properties": {"metric": _METRIC, "fingerprint": {"type": "string"}},
    "required": ["metric", "fingerprint"],
}
RECALCULATION: Json = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "experiment_id": {"type": "integer"},
        "status": {"enum": ["pending", "in_progress", "completed", "failed"]},
        "created_at": {"type": "string"},
    },
    "required": ["id", "experiment_id", "status", "created_at"],
}
TIMESERIES: Json = {
    "type": "object",
    "properties": {
        "experiment_id": {"type": "integer"},
        "metric_uuid": {"type": "string"},
        "status": {"enum": ["pending", "partial", "completed", "failed"]},
        "timeseries": {"type": "object", "additionalProperties": _MAYBE_OBJECT},
        "errors": _MAYBE_OBJECT,
    },
    "required": ["experiment_id", "metric_uuid", "status", "timeseries", "errors"],
}
COHORT: Json = {"type": "object", "properties": {"cohort": _OBJECT}, "required": ["cohort"]}
REQUIRES: Json = {"type": "object", "properties": {"result": _TRUTH}, "required": ["result"]}
ELIGIBLE: Json = {
    "type": "object",
    "properties": {"results": {"type": "array", "items": FLAG}, "count": {"type": "integer"}},
    "required": ["results", "count"],
}
STATS: Json = {
    "type": "object",
    "properties": {
        "launched_last_30d": {"type": "integer"},
        "launched_previous_30d": {"type": "integer"},
        "percent_change": {"type": "number"},
        "active_experiments": {"type": "integer"},
        "completed_last_30d": {"type": "integer"},
    },
    "required": ["launched_last_30d", "active_experiments", "completed_last_30d"],
}
QUERY_BODY: Json = {
    "type": "object",
    "properties": {
        "query": {
            "type": "object",
            "properties": {
                "kind": {"enum": ["ExperimentQuery", "ExperimentExposureQuery"]},
                "experiment_id": {"type": "integer"},
                "metric": _METRIC,
            },
            "required": ["kind", "experiment_id"],
        },
        "refresh": {"type": "string"},
    },
    "required": ["query"],
}
HOLDOUT: Json = {
    "type": "object",
    "properties": {
        "id": {"type": "integer"},
        "name": {"type": "string"},
        "description": _TEXT,
        "filters": _OBJECTS,
        "created_by": USER,
    },
    "required": ["id", "name", "filters"],
}
HOLDOUT_BODY: Json = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 1, "maxLength": 400},
        "description": {"type": ["string", "null"], "maxLength": 400},
        "filters": {
            "type": "array",
            "items": {"type": "object", "properties": {"rollout_percentage": _SHARE}},
        },
    },
}
SAVED_METRIC: Json = {
    "type": "object",
    "properties": {
        "id": {"type": "integer"},
        "name": {"type": "string"},
        "query": _OBJECT,
        "created_by": USER,
    },
    "required": ["id", "name", "query"],
}
SAVED_METRIC_BODY: Json = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 1, "maxLength": 400},
        "description": {"type": ["string", "null"], "maxLength": 400},
        "query": _METRIC,
        "tags": {"type": "array", "items": {"type": "string"}},
        "allow_unknown_events": _TRUTH,
    },
}


def page_of(item: Json) -> Json:
    """A page of a list."""
    return {
        "type": "object",
        "properties": {
            "count": {"type": "integer"},
            "next": _TEXT,
            "previous": _TEXT,
            "results": {"type": "array", "items": item},
        },
        "required": ["count", "next", "previous", "results"],
    }
