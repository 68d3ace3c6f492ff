"""Experiments as responses show them; what each generation shows is in its table."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from flagtui.service.call import Call
from flagtui.service.clock import shown_stamp
from flagtui.service.errors import Json
from flagtui.service.experiments.analysis.metric import OLD_KINDS, fingerprint
from flagtui.service.experiments.fields import EXPERIMENTS
from flagtui.service.experiments.flag_config import projected_parameters
from flagtui.service.experiments.freeze_rules import freezing_refusal
from flagtui.service.experiments.holdouts import HOLDOUTS
from flagtui.service.experiments.records import Experiment, LinkedFlag
from flagtui.service.field_kinds import Use
from flagtui.service.flags.fields import FLAGS
from flagtui.service.flags.levels import DEFAULT, Levels, load_levels
from flagtui.service.projects import nested_users
from flagtui.service.resources import find_row
from flagtui.service.responses import text_of, value_of

_SHOWN: Final = tuple((field.name, field.place) for field in EXPERIMENTS.fields if field.is_shown)
_SUMMARY: Final = (*FLAGS.places(Use.SUMMARY), ("team_id", "project_id"))


def describe_all(
    call: Call, experiments: Sequence[Experiment], record: str = "experiment"
) -> list[dict[str, Json]]:
    """Return the objects with the fields that the generation shows of this kind of record."""
    holdouts = nested_holdouts(call, (experiment.fields["holdout_id"] for experiment in experiments))
    users = nested_users(call.db, (experiment.fields["created_by_id"] for experiment in experiments))
    levels = levels_of(call)
    links = links_by_experiment(call, experiments)
    shown = []
    for experiment in experiments:
        linked = links[experiment.id]
        row = {
            **_columns_of(call, experiment),
            "holdout": holdouts.get(experiment.fields["holdout_id"]),
            "saved_metrics": linked,
            "created_by": value_of(users[experiment.fields["created_by_id"]]),
            "is_legacy": is_old(experiment, linked),
            "can_freeze_exposure": freezing_refusal(experiment) is None,
            "user_access_level": _shown_level(call, levels, experiment),
        }
        shown.append(call.generation.adapt_record(record, row))
    return shown


def levels_of(call: Call) -> Levels:
    return load_levels(call.db, call.caller, call.project, "experiment")


def _shown_level(call: Call, levels: Levels, experiment: Experiment) -> str:
    """Return the access level in a response: the creator of an experiment is its manager."""
    level = levels.of(experiment.id)
    is_own = experiment.fields["created_by_id"] == call.caller.user_id
    return "manager" if is_own and level == DEFAULT else level


def _columns_of(call: Call, experiment: Experiment) -> dict[str, Json]:
    """Return its columns, and what follows from them and the flag."""
    fields = experiment.fields
    dates = {name: shown_stamp(fields[name]) for name in ("start_date", "end_date") if fields[name]}
    return (
        {name: fields.get(place) for name, place in _SHOWN}
        | dates
        | {
            "feature_flag_key": experiment.flag.key,
            "feature_flag": nested_flag(call, experiment.flag),
            "parameters": projected_parameters(call, fields["parameters"], experiment.flag),
            "running_time_calculation": fields["running_time_calculation"] or {},
            "secondary_metrics": fields["secondary_metrics"] or [],
            "filters": fields["filters"] or {},
            "metrics": with_fingerprints(experiment, experiment.metrics("primary")),
            "metrics_secondary": with_fingerprints(experiment, experiment.metrics("secondary")),
            "status": experiment.status,
        }
    )


def nested_flag(call: Call, flag: LinkedFlag) -> dict[str, Json]:
    """Return the summary of a flag an experiment carries."""
    summary = {name: flag.fields[place] for name, place in _SUMMARY}
    return call.generation.adapt_record("flag summary", summary)


def metric_fingerprint(experiment: Experiment, metric: Mapping[str, Json]) -> str:
    """Return the fingerprint of a metric as this experiment computes it now."""
    return fingerprint(metric, experiment.start.isoformat() if experiment.start else None, experiment.fields)


def with_fingerprints(experiment: Experiment, metrics: Iterable[Mapping[str, Json]]) -> list[dict[str, Json]]:
    return [{**metric, "fingerprint": metric_fingerprint(experiment, metric)} for metric in metrics]


def saved_metric_links(call: Call, experiment: Experiment) -> list[dict[str, Json]]:
    return links_by_experiment(call, [experiment])[experiment.id]


def links_by_experiment(call: Call, experiments: Sequence[Experiment]) -> Mapping[int, list[dict[str, Json]]]:
    """Return which saved metrics each experiment uses, by its id; read in one query."""
    by_id = {experiment.id: experiment for experiment in experiments}
    rows = call.db.execute(
        "SELECT l.id, l.experiment_id, l.saved_metric_id, l.metadata, l.created_at, m.query, m.name"
        " FROM experiment_saved_metrics AS l JOIN saved_metrics AS m ON m.id = l.saved_metric_id"
        " WHERE l.experiment_id IN (SELECT value FROM json_each(?)) ORDER BY l.id",
        (text_of(list(by_id)),),
    )
    links: dict[int, list[dict[str, Json]]] = {number: [] for number in by_id}
    for row in rows:
        experiment = by_id[row["experiment_id"]]
        links[experiment.id].append(
            {
                "id": row["id"],
                "experiment": experiment.id,
                "saved_metric": row["saved_metric_id"],
                "metadata": value_of(row["metadata"]),
                "created_at": row["created_at"],
                "query": with_fingerprints(experiment, [value_of(row["query"])])[0],
                "name": row["name"],
            }
        )
    return links


def nested_holdouts(call: Call, ids: Iterable[int | None]) -> dict[int, Json]:
    """Return holdouts by id, as experiments nest them and their own endpoint shows them."""
    candidates = (find_row(call.db, "holdouts", call.project.id, number) for number in set(ids))
    rows = [row for row in candidates if row is not None]
    return {row["id"]: value_of(text) for row, text in zip(rows, HOLDOUTS.texts(call, rows), strict=True)}


def every_metric(call: Call, experiment: Experiment) -> list[Mapping[str, Json]]:
    saved = [link["query"] for link in saved_metric_links(call, experiment)]
    return [*experiment.metrics("primary"), *experiment.metrics("secondary"), *saved]


def is_old(experiment: Experiment, saved_metrics: Iterable[Mapping[str, Json]] = ()) -> bool:
    """Return whether a metric is of the engine before this one, which can only be read."""
    queries = [link["query"] for link in saved_metrics]
    every = [*experiment.metrics("primary"), *experiment.metrics("secondary"), *queries]
    return any(metric.get("kind") in OLD_KINDS for metric in every)
