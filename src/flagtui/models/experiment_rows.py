"""Convert the bytes of an experiment list to rows."""

from datetime import datetime
from typing import Any, Final

import msgspec

from flagtui.local_time import unix
from flagtui.models.flag_rows import Id, Maker, credit
from flagtui.models.json_value import JSON
from flagtui.models.rows import OLD_QUERIES, ExperimentRow, RowReader


class _KeyedVariant(msgspec.Struct, gc=False):
    key: str


class _KeyedVariants(msgspec.Struct, gc=False):
    variants: list[_KeyedVariant] | None = None


class _VariantFilters(msgspec.Struct, gc=False):
    multivariate: _KeyedVariants | None = None


class _ExperimentFlag(msgspec.Struct, gc=False):
    id: Id | None = None
    key: str | None = None
    active: bool | None = None
    deleted: bool | None = None
    filters: _VariantFilters | None = None


class _Parameters(msgspec.Struct, gc=False):
    feature_flag_variants: list[_KeyedVariant] | None = None


class _Holdout(msgspec.Struct, gc=False):
    id: Id


class _Metric(msgspec.Struct, gc=False):
    kind: str | None = None


class _Shared(msgspec.Struct, gc=False):
    query: _Metric | None = None


class _Goal(msgspec.Struct, gc=False):
    events: list[Any] | None = None
    actions: list[Any] | None = None


class _Secondary(msgspec.Struct, gc=False):
    pass


class _Experiment(msgspec.Struct, gc=False):
    id: Id
    name: str
    description: str | None = None
    feature_flag_key: str | None = None
    feature_flag: _ExperimentFlag | None = None
    parameters: _Parameters | None = None
    start_date: datetime | None = None
    end_date: datetime | None = None
    status: str | None = None
    archived: bool | None = None
    deleted: bool | None = None
    type: str | None = None
    conclusion: str | None = None
    created_by: Maker | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    holdout: _Holdout | None = None
    holdout_id: Id | None = None
    is_legacy: bool | None = None
    metrics: list[_Metric] | None = None
    metrics_secondary: list[_Metric] | None = None
    saved_metrics: list[_Shared] | None = None
    secondary_metrics: list[_Secondary] | None = None
    filters: _Goal | None = None
    user_access_level: str | None = None


def _row_of(experiment: _Experiment) -> ExperimentRow:
    flag = experiment.feature_flag or _ExperimentFlag()
    maker_id, maker = credit(experiment.created_by)
    return ExperimentRow(
        id=experiment.id,
        name=experiment.name,
        description=experiment.description or "",
        key=experiment.feature_flag_key or flag.key or "",
        flag_id=flag.id,
        flag_active=flag.active is True if experiment.feature_flag else None,
        flag_deleted=flag.deleted is True,
        status=_status_of(experiment),
        archived=experiment.archived is True,
        deleted=experiment.deleted is True,
        type=experiment.type or "product",
        conclusion=experiment.conclusion or "",
        variants=_variants_of(experiment),
        started_at=unix(experiment.start_date),
        ended_at=unix(experiment.end_date),
        creator_id=maker_id,
        creator=maker,
        created_at=unix(experiment.created_at),
        updated_at=unix(experiment.updated_at),
        holdout_id=experiment.holdout_id or (experiment.holdout.id if experiment.holdout else None),
        is_legacy=_is_legacy(experiment),
        can_edit=experiment.user_access_level not in {"none", "viewer"},
    )


def _status_of(experiment: _Experiment) -> str:
    if experiment.status:
        return experiment.status.lower()
    if experiment.start_date is None:
        return "draft"
    if experiment.end_date is not None:
        return "stopped"
    return "running" if experiment.feature_flag is None or experiment.feature_flag.active else "paused"


def _variants_of(experiment: _Experiment) -> tuple[str, ...]:
    filters = experiment.feature_flag.filters if experiment.feature_flag else None
    several = filters.multivariate if filters else None
    variants = several.variants if several else None
    if not variants:
        variants = experiment.parameters.feature_flag_variants if experiment.parameters else None
    return tuple(variant.key for variant in variants or ())


def _is_legacy(experiment: _Experiment) -> bool:
    shared = [metric.query or _Metric() for metric in experiment.saved_metrics or ()]
    metrics = [*(experiment.metrics or ()), *(experiment.metrics_secondary or ()), *shared]
    goal = experiment.filters
    if not metrics and (experiment.secondary_metrics or (goal and (goal.events or goal.actions))):
        return True
    return (
        any(metric.kind in OLD_QUERIES for metric in metrics)
        if experiment.is_legacy is None
        else experiment.is_legacy
    )


def _row_from_anything(raw: dict[str, JSON]) -> ExperimentRow | None:
    # Only malformed rows come here, so the full models are loaded only when there is one.
    from flagtui.models.experiment import Experiment

    experiment = Experiment.of(raw)
    return experiment.row() if experiment.id > 0 else None


read_experiment_page: Final = RowReader(_Experiment, _row_of, _row_from_anything).read
"""Return the rows of a page of the experiment list; raises `NotJson` for other content."""
