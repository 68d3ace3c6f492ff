"""Experiments as answers show them: the newest shape, the slim rows of its lists, and the older shape."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from flagtui.service.answers import encode, value_of
from flagtui.service.call import Call
from flagtui.service.errors import Json
from flagtui.service.experiments.access_levels import levels_of, shown_level
from flagtui.service.experiments.analysis.fingerprint import Conditions, fingerprint
from flagtui.service.experiments.flag_config import projected_parameters
from flagtui.service.experiments.records import Experiment, LinkedFlag
from flagtui.service.people import nested_users

NOT_IN_LISTS = (
    "holdout_id",
    "secondary_metrics",
    "saved_metrics",
    "saved_metrics_ids",
    "filters",
    "exposure_criteria",
    "metrics",
    "metrics_secondary",
    "stats_config",
    "scheduling_config",
    "primary_metrics_ordered_uuids",
    "secondary_metrics_ordered_uuids",
    "only_count_matured_users",
)
_NEWER = ("running_time_calculation", "excluded_variants", "only_count_matured_users", "status", "is_legacy")
LEGACY_KINDS = ("ExperimentTrendsQuery", "ExperimentFunnelsQuery")


def describe(call: Call, experiment: Experiment) -> dict[str, Json]:
    """The whole object."""
    return describe_all(call, [experiment])[0]


def describe_all(call: Call, experiments: Sequence[Experiment], slim: bool = False) -> list[dict[str, Json]]:
    """Whole objects, or the rows of a list; older servers have whole objects in lists too."""
    holdouts = nested_holdouts(call, (one.fields["holdout_id"] for one in experiments))
    users = nested_users(call.db, (one.fields["created_by_id"] for one in experiments))
    levels = levels_of(call)
    shown = []
    for one in experiments:
        linked = [] if slim and not call.settings.legacy else saved_metric_links(call, one)
        parts = _Parts(
            holdouts.get(one.fields["holdout_id"]), value_of(users[one.fields["created_by_id"]]), linked
        )
        row = _describe(call, one, parts, slim)
        row["user_access_level"] = shown_level(call, levels, one)
        shown.append(row)
    return shown


class _Parts:
    """What an answer nests from other tables."""

    def __init__(self, holdout: Json, created_by: Json, saved_metrics: list[dict[str, Json]]) -> None:
        self.holdout = holdout
        self.created_by = created_by
        self.saved_metrics = saved_metrics


def _describe(call: Call, one: Experiment, parts: _Parts, slim: bool) -> dict[str, Json]:
    fields, legacy = one.fields, call.settings.legacy
    shown = {
        "id": one.id,
        "name": fields["name"],
        "description": fields["description"],
        "start_date": fields["start_date"],
        "end_date": fields["end_date"],
        "feature_flag_key": one.flag.key,
        "feature_flag": nested_flag(one.flag, legacy),
        "holdout": parts.holdout,
        "holdout_id": fields["holdout_id"],
        "exposure_cohort": fields["exposure_cohort_id"],
        "parameters": projected_parameters(fields["parameters"], one.flag, legacy),
        "running_time_calculation": fields["running_time_calculation"] or {},
        "excluded_variants": fields["excluded_variants"],
        "secondary_metrics": fields["secondary_metrics"] or [],
        "saved_metrics": parts.saved_metrics,
        "saved_metrics_ids": fields["saved_metrics_ids"],
        "filters": fields["filters"] or {},
        "archived": bool(fields["archived"]),
        "deleted": bool(fields["deleted"]),
        "created_by": parts.created_by,
        "created_at": fields["created_at"],
        "updated_at": fields["updated_at"],
        "type": fields["type"],
        "exposure_criteria": fields["exposure_criteria"],
        "metrics": with_fingerprints(one, one.metrics("primary")),
        "metrics_secondary": with_fingerprints(one, one.metrics("secondary")),
        "stats_config": fields["stats_config"],
        "scheduling_config": fields["scheduling_config"],
        "conclusion": fields["conclusion"],
        "conclusion_comment": fields["conclusion_comment"],
        "primary_metrics_ordered_uuids": fields["primary_metrics_ordered_uuids"],
        "secondary_metrics_ordered_uuids": fields["secondary_metrics_ordered_uuids"],
        "only_count_matured_users": bool(fields["only_count_matured_users"]),
        "status": one.status,
        "is_legacy": is_legacy(one, parts.saved_metrics),
    }
    hidden = _NEWER if legacy else NOT_IN_LISTS if slim else ()
    return {name: value for name, value in shown.items() if name not in hidden}


def nested_flag(flag: LinkedFlag, legacy: bool) -> dict[str, Json]:
    """The summary of a flag an experiment carries."""
    fields = flag.fields
    continuity = fields["ensure_experience_continuity"]
    shown = {
        "id": flag.id,
        "team_id": fields["project_id"],
        "name": fields["name"],
        "key": flag.key,
        "filters": flag.filters,
        "deleted": flag.deleted,
        "active": flag.active,
        "ensure_experience_continuity": None if continuity is None else bool(continuity),
        "version": fields["version"],
        "evaluation_runtime": fields["evaluation_runtime"],
    }
    if legacy:
        encrypted = bool(fields["has_encrypted_payloads"])
        return shown | {"has_encrypted_payloads": encrypted, "evaluation_tags": fields["evaluation_contexts"]}
    return shown | {
        "evaluation_contexts": fields["evaluation_contexts"],
        "bucketing_identifier": fields["bucketing_identifier"],
    }


def metric_fingerprint(one: Experiment, metric: Mapping[str, Json]) -> str:
    """Of a metric as this experiment computes it now."""
    under = Conditions(
        start=one.start.isoformat() if one.start else None,
        stats_config=one.fields["stats_config"],
        exposure_criteria=one.fields["exposure_criteria"],
        excluded_variants=one.fields["excluded_variants"],
        only_matured=bool(one.fields["only_count_matured_users"]),
    )
    return fingerprint(metric, under)


def with_fingerprints(one: Experiment, metrics: Iterable[Mapping[str, Json]]) -> list[dict[str, Json]]:
    return [{**metric, "fingerprint": metric_fingerprint(one, metric)} for metric in metrics]


def saved_metric_links(call: Call, one: Experiment) -> list[dict[str, Json]]:
    rows = call.db.execute(
        "SELECT l.id, l.saved_metric_id, l.metadata, l.created_at, m.query, m.name"
        " FROM experiment_saved_metrics AS l JOIN saved_metrics AS m ON m.id = l.saved_metric_id"
        " WHERE l.experiment_id = ? ORDER BY l.id",
        (one.id,),
    ).fetchall()
    return [
        {
            "id": row["id"],
            "experiment": one.id,
            "saved_metric": row["saved_metric_id"],
            "metadata": value_of(row["metadata"]),
            "created_at": row["created_at"],
            "query": with_fingerprints(one, [value_of(row["query"])])[0],
            "name": row["name"],
        }
        for row in rows
    ]


def nested_holdouts(call: Call, ids: Iterable[int | None]) -> dict[int | None, Json]:
    """Holdouts by id, as experiments nest them and their own endpoint shows them."""
    wanted = sorted({number for number in ids if number is not None})
    marks = ",".join("?" for _ in wanted)
    rows = call.db.execute(f"SELECT * FROM holdouts WHERE id IN ({marks})", wanted).fetchall()
    users = nested_users(call.db, (row["created_by_id"] for row in rows))
    return {row["id"]: _holdout(row, value_of(users[row["created_by_id"]])) for row in rows}


def _holdout(row: Any, created_by: Json) -> dict[str, Json]:
    return {
        "id": row["id"],
        "name": row["name"],
        "description": row["description"],
        "filters": value_of(row["filters"]),
        "created_by": created_by,
        "created_at": row["created_at"],
        "updated_at": row["updated_at"],
    }


def is_legacy(one: Experiment, saved_metrics: Iterable[Mapping[str, Json]] = ()) -> bool:
    """Whether a metric is of the engine before this one, which can only be read."""
    queries = [link["query"] for link in saved_metrics]
    every = [*one.metrics("primary"), *one.metrics("secondary"), *queries]
    return any(metric.get("kind") in LEGACY_KINDS for metric in every)


def texts(shown: Iterable[Mapping[str, Json]]) -> list[str]:
    """JSON texts for a page."""
    return [encode(one).decode() for one in shown]
