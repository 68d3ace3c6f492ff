"""Experiments, their shared metrics and holdout, and what is logged of them."""

import sqlite3
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from flagtui.service.activity import Entry, change, record
from flagtui.service.answers import text_of
from flagtui.service.database import insert_row
from flagtui.service.experiments.analysis.fingerprint import Conditions, fingerprint
from flagtui.service.experiments.rows import insert
from flagtui.service.experiments.save import SCOPE
from flagtui.service.sample_data.company import WEB
from flagtui.service.sample_data.data import Moments, stamped, user
from flagtui.service.sample_data.experiment_plans import ExperimentPlan, plans
from flagtui.service.sample_data.metrics import SAVED, Metric, metric

CRITERIA: Final = {"filterTestAccounts": True}
HOLDOUT: Final = {
    "id": 1,
    "name": "Left alone",
    "description": "A tenth that sees no test",
    "filters": text_of([{"properties": [], "rollout_percentage": 10, "variant": "holdout-1"}]),
}


def add_experiments(db: sqlite3.Connection, flag_ids: Mapping[str, int], now: datetime) -> None:
    """`flag_ids` by key."""
    moments = Moments(now)
    since = stamped(moments.ago(400))
    birth = {"project_id": WEB, "created_at": since, "updated_at": since}
    insert_row(db, "holdouts", {**HOLDOUT, **birth, "created_by_id": user("Mo")})
    for number, name, kind in SAVED:
        shared = {
            "id": number,
            "name": name,
            "query": text_of(metric(kind, 0)),
            "created_by_id": user("Alice"),
        }
        insert_row(db, "saved_metrics", {**shared, **birth})
    for plan in plans():
        insert(db, columns(plan, flag_ids[plan.key], moments))
    for plan in plans():
        made = stamped(moments.ago(plan.ages[0]))
        for saved in plan.saved:
            link = {"experiment_id": plan.id, "saved_metric_id": saved, "created_at": made}
            insert_row(db, "experiment_saved_metrics", link)
        for entry in entries(plan, moments):
            record(db, entry)


def columns(plan: ExperimentPlan, flag_id: int, moments: Moments) -> dict[str, Any]:
    started, ended = dates(plan, moments)
    stats = {"method": "frequentist" if plan.frequentist else "bayesian"}
    primary = stored_metrics(plan, False, started, stats)
    secondary = stored_metrics(plan, True, started, stats)
    saved = [{"id": number, "metadata": {"type": "primary"}} for number in plan.saved]
    archived = plan.stage == "archived"
    return {
        "id": plan.id,
        "project_id": WEB,
        "flag_id": flag_id,
        "name": plan.name,
        "description": plan.question,
        "start_date": stamped(started),
        "end_date": stamped(ended),
        "parameters": {},
        "running_time_calculation": running_time(plan),
        "metrics": primary,
        "metrics_secondary": secondary,
        "primary_metrics_ordered_uuids": [each["uuid"] for each in primary],
        "secondary_metrics_ordered_uuids": [each["uuid"] for each in secondary],
        "saved_metrics_ids": saved or None,
        "exposure_criteria": CRITERIA,
        "stats_config": stats,
        "conclusion": plan.conclusion,
        "conclusion_comment": plan.comment,
        "holdout_id": HOLDOUT["id"] if plan.holdout else None,
        "archived": archived,
        "archived_flag": archived,
        "created_by_id": plan.author_id,
        "created_at": stamped(moments.ago(plan.ages[0])),
        "updated_at": stamped(latest(plan, moments)),
        "type": "web" if plan.runtime == "client" else "product",
    }


def dates(plan: ExperimentPlan, moments: Moments) -> tuple[datetime | None, datetime | None]:
    """When it was launched and when it ended; a pause is not an end."""
    started = moments.ago(plan.ages[1]) if plan.stage != "draft" else None
    ended = moments.ago(plan.ages[2]) if plan.stage in ("stopped", "archived") else None
    return started, ended


def latest(plan: ExperimentPlan, moments: Moments) -> datetime:
    """The famous one got another metric twenty-four minutes ago."""
    return moments.ago(minutes=24) if plan.flag_key == "checkout-redesign" else moments.ago(plan.ages[-1])


def running_time(plan: ExperimentPlan) -> dict[str, Any]:
    return {
        "minimum_detectable_effect": 10 if plan.people < 1_000 else 14,
        "recommended_running_time": 20 if plan.people > 1_000 else 28,
        "recommended_sample_size": plan.people * 5 // 3,
    }


def stored_metrics(
    plan: ExperimentPlan, secondary: bool, started: datetime | None, stats: dict[str, Any]
) -> list[Metric]:
    names = [name for name in plan.metrics if name.startswith("+") == secondary]
    under = Conditions(started.isoformat() if started else None, stats, CRITERIA)
    found = [metric(name.removeprefix("+"), plan.id) for name in names]
    return [{**each, "fingerprint": fingerprint(each, under)} for each in found]


def entries(plan: ExperimentPlan, moments: Moments) -> Iterator[Entry]:
    """What the activity log tells of it."""

    def entry(at: datetime, author: int, activity: str, *changes: dict[str, Any]) -> Entry:
        detail = {"name": plan.name, "type": None, "short_id": None, "trigger": None, "changes": changes}
        return Entry(WEB, SCOPE, str(plan.id), activity, author, stamped(at) or "", detail)

    started, ended = dates(plan, moments)
    yield entry(moments.ago(plan.ages[0]), plan.author_id, "created")
    if started:
        launch = change(SCOPE, "start_date", None, stamped(started))
        yield entry(started, plan.author_id, "updated", launch)
    if ended:
        end = change(SCOPE, "end_date", None, stamped(ended))
        yield entry(ended, plan.author_id, "updated", end, change(SCOPE, "conclusion", None, plan.conclusion))
    if plan.flag_key == "checkout-redesign":
        added = change(SCOPE, "metrics_secondary", [], [metric("viewed", plan.id)])
        yield entry(latest(plan, moments), user("Mo"), "updated", added)
