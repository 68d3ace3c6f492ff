"""Experiments as answers show them: the newest shape, the slim rows of its lists, and the older shape."""

from collections.abc import Iterable, Mapping, Sequence

from flagtui.service.answers import value_of
from flagtui.service.call import Call
from flagtui.service.errors import Json
from flagtui.service.experiments.analysis.metric import OLD_KINDS, fingerprint
from flagtui.service.experiments.fields import EXPERIMENTS
from flagtui.service.experiments.flag_config import projected_parameters
from flagtui.service.experiments.holdouts import HOLDOUTS
from flagtui.service.experiments.records import Experiment, LinkedFlag
from flagtui.service.field_kinds import Use
from flagtui.service.flags.fields import FLAGS
from flagtui.service.flags.levels import DEFAULT, Levels, load_levels
from flagtui.service.projects import nested_users
from flagtui.service.resources import find_row

NOT_IN_LISTS = frozenset(field.name for field in EXPERIMENTS.fields if Use.BASIC not in field.uses)


def describe(call: Call, experiment: Experiment) -> dict[str, Json]:
    """The whole object."""
    return describe_all(call, [experiment])[0]


def describe_all(call: Call, experiments: Sequence[Experiment], slim: bool = False) -> list[dict[str, Json]]:
    """Whole objects, or the rows of a list; older servers have whole objects in lists too."""
    holdouts = nested_holdouts(call, (one.fields["holdout_id"] for one in experiments))
    users = nested_users(call.db, (one.fields["created_by_id"] for one in experiments))
    levels = levels_of(call)
    slim = slim and call.generation.slim_rows
    hidden = NOT_IN_LISTS if slim else ()
    shown = []
    for one in experiments:
        linked = [] if slim else saved_metric_links(call, one)
        row = {
            **_described(call, one),
            "holdout": holdouts.get(one.fields["holdout_id"]),
            "saved_metrics": linked,
            "created_by": value_of(users[one.fields["created_by_id"]]),
            "is_legacy": is_old(one, linked),
            "user_access_level": _shown_level(call, levels, one),
        }
        known = {name: value for name, value in row.items() if name not in hidden}
        shown.append(call.generation.written("experiment", known))
    return shown


def levels_of(call: Call) -> Levels:
    """What the caller may do with each experiment of the project."""
    return load_levels(call.db, call.caller, call.project, "experiment")


def _shown_level(call: Call, levels: Levels, one: Experiment) -> str:
    """The access level in an answer: the creator of an experiment is its manager."""
    level = levels.of(one.id)
    is_own = one.fields["created_by_id"] == call.caller.user_id
    return "manager" if is_own and level == DEFAULT else level


def _described(call: Call, one: Experiment) -> dict[str, Json]:
    """Its own columns, and what follows from them and the flag."""
    fields = one.fields
    shown = {field.name: fields.get(field.place) for field in EXPERIMENTS.fields}
    return shown | {
        "feature_flag_key": one.flag.key,
        "feature_flag": nested_flag(call, one.flag),
        "parameters": projected_parameters(call, fields["parameters"], one.flag),
        "running_time_calculation": fields["running_time_calculation"] or {},
        "secondary_metrics": fields["secondary_metrics"] or [],
        "filters": fields["filters"] or {},
        "metrics": with_fingerprints(one, one.metrics("primary")),
        "metrics_secondary": with_fingerprints(one, one.metrics("secondary")),
        "status": one.status,
    }


def nested_flag(call: Call, flag: LinkedFlag) -> dict[str, Json]:
    """The summary of a flag an experiment carries."""
    summary = {name: flag.fields[name] for name in FLAGS.using(Use.SUMMARY)}
    return call.generation.written("flag summary", {**summary, "team_id": flag.fields["project_id"]})


def metric_fingerprint(one: Experiment, metric: Mapping[str, Json]) -> str:
    """Of a metric as this experiment computes it now."""
    return fingerprint(metric, one.start.isoformat() if one.start else None, one.fields)


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


def nested_holdouts(call: Call, ids: Iterable[int | None]) -> dict[int, Json]:
    """Holdouts by id, as experiments nest them and their own endpoint shows them."""
    found = (find_row(call.db, "holdouts", call.project.id, number) for number in set(ids))
    rows = [row for row in found if row is not None]
    return {row["id"]: value_of(text) for row, text in zip(rows, HOLDOUTS.texts(call, rows), strict=True)}


def every_metric(call: Call, one: Experiment) -> list[Mapping[str, Json]]:
    """Primary, secondary and shared ones."""
    saved = [link["query"] for link in saved_metric_links(call, one)]
    return [*one.metrics("primary"), *one.metrics("secondary"), *saved]


def is_old(one: Experiment, saved_metrics: Iterable[Mapping[str, Json]] = ()) -> bool:
    """Whether a metric is of the engine before this one, which can only be read."""
    queries = [link["query"] for link in saved_metrics]
    every = [*one.metrics("primary"), *one.metrics("secondary"), *queries]
    return any(metric.get("kind") in OLD_KINDS for metric in every)
