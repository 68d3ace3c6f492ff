"""Experiments, their shared metrics and holdout, and what is logged of them."""

import sqlite3
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from flagtui.service.answers import text_of
from flagtui.service.experiments.analysis.fingerprint import Conditions, fingerprint
from flagtui.service.sample_data.company import WEB
from flagtui.service.sample_data.experiment_plans import PLANS, ExperimentPlan
from flagtui.service.sample_data.flag_rows import LOG_COLUMNS
from flagtui.service.sample_data.insert_rows import Row, insert, named_uuid, stamped
from flagtui.service.sample_data.metrics import SAVED, Metric, metric
from flagtui.service.sample_data.moments import Moments
from flagtui.service.sample_data.people import ALICE, MO

EXPERIMENT_COLUMNS: Final = (
    "id, project_id, flag_id, name, description, start_date, end_date, parameters, running_time_calculation,"
    "metrics, metrics_secondary, primary_metrics_ordered_uuids, secondary_metrics_ordered_uuids,"
    "saved_metrics_ids, exposure_criteria, stats_config, conclusion, conclusion_comment, holdout_id,"
    "archived, archived_flag, created_by_id, created_at, updated_at, type"
)
CRITERIA: Final = {"filterTestAccounts": True}
HOLDOUT_FILTERS: Final = [{"properties": [], "rollout_percentage": 10, "variant": "holdout-1"}]


def add_experiments(db: sqlite3.Connection, flag_ids: Mapping[str, int], now: datetime) -> None:
    """`flag_ids` by key."""
    moments = Moments(now)
    since = stamped(moments.ago(400))
    insert(
        db,
        "holdouts",
        "id, project_id, name, description, filters, created_by_id, created_at, updated_at",
        [(1, WEB, "Left alone", "A tenth that sees no test", text_of(HOLDOUT_FILTERS), MO, since, since)],
    )
    insert(
        db,
        "saved_metrics",
        "id, project_id, name, query, created_by_id, created_at, updated_at",
        ((number, WEB, name, text_of(metric(kind, 0)), ALICE, since, since) for number, name, kind in SAVED),
    )
    rows = (experiment_row(plan, flag_ids[plan.key], moments) for plan in PLANS)
    insert(db, "experiments", EXPERIMENT_COLUMNS, rows)
    insert(
        db,
        "experiment_saved_metrics",
        "experiment_id, saved_metric_id, created_at",
        ((plan.id, saved, stamped(moments.ago(plan.ages[0]))) for plan in PLANS for saved in plan.saved),
    )
    insert(db, "activity", LOG_COLUMNS, (row for plan in PLANS for row in log_rows(plan, moments)))


def experiment_row(plan: ExperimentPlan, flag_id: int, moments: Moments) -> Row:
    started, ended = dates(plan, moments)
    stats = {"method": "frequentist" if plan.frequentist else "bayesian"}
    primary = stored_metrics(plan, False, started, stats)
    secondary = stored_metrics(plan, True, started, stats)
    saved = [{"id": number, "metadata": {"type": "primary"}} for number in plan.saved]
    archived = plan.stage == "archived"
    return (
        plan.id,
        WEB,
        flag_id,
        plan.name,
        plan.question,
        stamped(started),
        stamped(ended),
        "{}",
        text_of(running_time(plan)),
        text_of(primary),
        text_of(secondary),
        text_of([each["uuid"] for each in primary]),
        text_of([each["uuid"] for each in secondary]),
        text_of(saved) if saved else None,
        text_of(CRITERIA),
        text_of(stats),
        plan.conclusion,
        plan.comment,
        1 if plan.holdout else None,
        archived,
        archived,
        plan.author,
        stamped(moments.ago(plan.ages[0])),
        stamped(latest(plan, moments)),
        "web" if plan.runtime == "client" else "product",
    )


def dates(plan: ExperimentPlan, moments: Moments) -> tuple[datetime | None, datetime | None]:
    """When it was launched and when it ended; a pause is not an end."""
    started = moments.ago(plan.ages[1]) if plan.stage != "draft" else None
    ended = moments.ago(plan.ages[2]) if plan.stage in ("stopped", "archived") else None
    return started, ended


def latest(plan: ExperimentPlan, moments: Moments) -> datetime:
    """The running one that is drawn got another metric twenty-four minutes ago."""
    return moments.ago(minutes=24) if plan.flag_key == "checkout-redesign" else moments.ago(plan.ages[-1])


def running_time(plan: ExperimentPlan) -> dict[str, Any]:
    return {
        "minimum_detectable_effect": 10 if plan.size < 1_000 else 14,
        "recommended_running_time": 20 if plan.size > 1_000 else 28,
        "recommended_sample_size": plan.size * 5 // 3,
    }


def stored_metrics(
    plan: ExperimentPlan, secondary: bool, started: datetime | None, stats: dict[str, Any]
) -> list[Metric]:
    names = [name for name in plan.metrics if name.startswith("+") == secondary]
    under = Conditions(started.isoformat() if started else None, stats, CRITERIA)
    found = [metric(name.removeprefix("+"), plan.id) for name in names]
    return [{**each, "fingerprint": fingerprint(each, under)} for each in found]


def log_rows(plan: ExperimentPlan, moments: Moments) -> Iterator[Row]:
    started, ended = dates(plan, moments)
    yield log_row(plan, "created", moments.ago(plan.ages[0]), [])
    if started:
        yield log_row(plan, "updated", started, [change("start_date", None, stamped(started))])
    if ended:
        changes = [change("end_date", None, stamped(ended)), change("conclusion", None, plan.conclusion)]
        yield log_row(plan, "updated", ended, changes)
    if plan.flag_key == "checkout-redesign":
        added = [metric("viewed", plan.id)]
        yield log_row(plan, "updated", latest(plan, moments), [change("metrics_secondary", [], added)], MO)


def change(field: str, before: Any, after: Any) -> dict[str, Any]:
    action = "changed" if before else "created"
    return {"type": "Experiment", "action": action, "field": field, "before": before, "after": after}


def log_row(
    plan: ExperimentPlan, activity: str, at: datetime, changes: list[Any], author: int | None = None
) -> Row:
    detail = {"name": plan.name, "type": None, "short_id": None, "trigger": None, "changes": changes}
    return (
        named_uuid(f"experiment {plan.id} {at} {activity}"),
        WEB,
        "Experiment",
        str(plan.id),
        activity,
        author or plan.author,
        0,
        stamped(at),
        text_of(detail),
    )
