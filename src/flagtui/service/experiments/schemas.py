"""JSON Schema of experiments and what belongs to them, for the schema document."""

from typing import Final

from flagtui.service.errors import Json
from flagtui.service.experiments.fields import CONCLUSION, EXPERIMENTS
from flagtui.service.experiments.holdouts import HOLDOUTS
from flagtui.service.experiments.metric_rules import METRIC
from flagtui.service.experiments.saved_metrics import SAVED_METRICS
from flagtui.service.field_kinds import Use
from flagtui.service.flags.fields import FLAG
from flagtui.service.shapes import (
    MAYBE_OBJECT,
    MAYBE_TEXT,
    NUMBER,
    OBJECT,
    OBJECTS,
    TEXT,
    TRUTH,
    USER,
    listed,
    record,
    whole,
    words,
)

_BODY: Final = EXPERIMENTS.body_schema() | {
    "allow_unknown_events": TRUTH,
    "update_feature_flag_params": TRUTH,
}
_FIXED: Final = ("feature_flag_key", "type")

EXPERIMENT: Final = record(EXPERIMENTS.answer_schema(), EXPERIMENTS.always())
EXPERIMENT_ROW: Final = record(EXPERIMENTS.answer_schema(Use.BASIC), EXPERIMENTS.always(Use.BASIC))
CREATE_BODY: Final = record(_BODY, ("name", "feature_flag_key"))
PATCH_BODY: Final = record({name: schema for name, schema in _BODY.items() if name not in _FIXED})
END_BODY: Final = record(CONCLUSION.body_schema())
SHIP_BODY: Final = record(
    {**CONCLUSION.body_schema(), "variant_key": TEXT, "release_to_everyone": TRUTH}, ("variant_key",)
)
ARCHIVE_BODY: Final = record({"disable_feature_flag": TRUTH})
_NEW_NAMES: Final[dict[str, Json]] = {"name": MAYBE_TEXT, "feature_flag_key": MAYBE_TEXT}
DUPLICATE_BODY: Final = record(_NEW_NAMES)
COPY_BODY: Final = record({**_NEW_NAMES, "target_team_id": NUMBER}, ("target_team_id",))
RECALCULATE_BODY: Final = whole({"metric": METRIC, "fingerprint": TEXT})
RECALCULATION: Final = whole(
    {
        "id": TEXT,
        "experiment_id": NUMBER,
        "status": words(("pending", "in_progress", "completed", "failed")),
        "created_at": TEXT,
    }
)
TIMESERIES: Final = whole(
    {
        "experiment_id": NUMBER,
        "metric_uuid": TEXT,
        "status": words(("pending", "partial", "completed", "failed")),
        "timeseries": {"type": "object", "additionalProperties": MAYBE_OBJECT},
        "errors": MAYBE_OBJECT,
    }
)
COHORT: Final = whole({"cohort": OBJECT})
REQUIRES: Final = whole({"result": TRUTH})
ELIGIBLE: Final = whole({"results": listed(FLAG), "count": NUMBER})
STATS: Final = record(
    {
        "launched_last_30d": NUMBER,
        "launched_previous_30d": NUMBER,
        "percent_change": {"type": "number"},
        "active_experiments": NUMBER,
        "completed_last_30d": NUMBER,
    },
    ("launched_last_30d", "active_experiments", "completed_last_30d"),
)
_QUERY: Final = record(
    {
        "kind": words(("ExperimentQuery", "ExperimentExposureQuery")),
        "experiment_id": NUMBER,
        "metric": METRIC,
    },
    ("kind", "experiment_id"),
)
QUERY_BODY: Final = record({"query": _QUERY, "refresh": TEXT}, ("query",))
HOLDOUT: Final = record(
    {"id": NUMBER, "name": TEXT, "description": MAYBE_TEXT, "filters": OBJECTS, "created_by": USER},
    ("id", "name", "filters"),
)
HOLDOUT_BODY: Final = record(HOLDOUTS.fields.body_schema())
SAVED_METRIC: Final = record(
    {"id": NUMBER, "name": TEXT, "query": OBJECT, "created_by": USER}, ("id", "name", "query")
)
SAVED_METRIC_BODY: Final = record({**SAVED_METRICS.fields.body_schema(), "allow_unknown_events": TRUTH})
