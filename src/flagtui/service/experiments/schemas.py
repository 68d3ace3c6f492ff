"""JSON Schema of experiments and what belongs to them, for the schema document."""

from typing import Final

from flagtui.service.errors import Json
from flagtui.service.experiments.fields import CONCLUSION, EXPERIMENTS, IN_A_LIST
from flagtui.service.experiments.metric_rules import METRIC
from flagtui.service.experiments.nested_fields import HOLDOUT_FIELDS
from flagtui.service.experiments.saved_metrics import SAVED_METRICS
from flagtui.service.flags.fields import FLAG
from flagtui.service.shapes import (
    MAYBE_OBJECT,
    MAYBE_TEXT,
    NUMBER,
    NUMBERS,
    OBJECT,
    TEXT,
    TRUTH,
    list_of,
    record,
    whole,
    words,
)

_BODY: Final = EXPERIMENTS.body_schema() | {
    "allow_unknown_events": TRUTH,
    "update_feature_flag_params": TRUTH,
}

EXPERIMENT: Final = record(EXPERIMENTS.answer_schema(), EXPERIMENTS.always(), of=EXPERIMENTS.record)
EXPERIMENT_ROW: Final = record(EXPERIMENTS.answer_schema(), EXPERIMENTS.always(), of=IN_A_LIST)
CREATE_BODY: Final = record(_BODY, ("name", "feature_flag_key"), of=EXPERIMENTS.record)
PATCH_BODY: Final = record(_BODY, of=EXPERIMENTS.record)
_ENDING: Final[dict[str, Json]] = {**CONCLUSION.body_schema(), "open_cleanup_pr": TRUTH}
END_BODY: Final = record(_ENDING)
SHIP_BODY: Final = record({**_ENDING, "variant_key": TEXT, "release_to_everyone": TRUTH}, ("variant_key",))
MATCHES: Final = whole({"ids": NUMBERS, "total": NUMBER})
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
ELIGIBLE: Final = whole({"results": list_of(FLAG), "count": NUMBER})
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
HOLDOUT_BODY: Final = record(HOLDOUT_FIELDS.body_schema(), of="holdout")
SAVED_METRIC: Final = record(
    SAVED_METRICS.fields.answer_schema(), SAVED_METRICS.fields.always(), of="saved metric"
)
SAVED_METRIC_BODY: Final = record({**SAVED_METRICS.fields.body_schema(), "allow_unknown_events": TRUTH})
