"""The experiments of the sample company, past, running and planned, and their rows in the database."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any, Final, Literal

import msgspec

from flagtui.service.activity import Entry, change, record
from flagtui.service.database import insert_row
from flagtui.service.experiments.analysis.metric import NODE_KEYS, fingerprint
from flagtui.service.experiments.rows import insert
from flagtui.service.experiments.save import SCOPE
from flagtui.service.responses import text_of
from flagtui.service.sample_data.company import WEB
from flagtui.service.sample_data.data import Moments, format_stamp, load_subject, named_uuid, slug, user

Metric = dict[str, Any]
Stage = Literal["draft", "running", "paused", "stopped", "archived"]
HALVES: Final = (("control", 50.0), ("test", 50.0))
CRITERIA: Final = {"filterTestAccounts": True}
HOLDOUT: Final = {
    "id": 1,
    "name": "Left alone",
    "description": "A tenth that sees no test",
    "filters": text_of([{"properties": [], "rollout_percentage": 10, "variant": "holdout-1"}]),
}
SAVED: Final = ((1, "Revenue per person", "revenue"), (2, "Queries per person", "queries"))
"""Shared metrics: id, name, and measurement."""


class Plan(msgspec.Struct, frozen=True):
    """One experiment as it will be stored, and the truth that its events are drawn from."""

    id: int
    name: str
    question: str
    stage: Stage
    ages: Sequence[float]
    """In days: created, then started, then ended or paused, as far as the stage goes."""
    lifts: Sequence[float] = (1.0,)
    """For each variant after the first: how much more often its people convert."""
    people: int = 800
    """Number of exposed users."""
    rate: float = 0.2
    """How many of the first variant's people convert."""
    metrics: Sequence[str] = ("paid",)
    """Names from the catalogue of metrics; the first is primary, `+` before a name makes it secondary."""
    author: str = "Mo"
    conclusion: str | None = None
    comment: str | None = None
    variants: Sequence[tuple[str, float]] = HALVES
    frequentist: bool = False
    dropped: float = 0.0
    """Share of the last variant's exposures that never arrived: what a sample-ratio mismatch looks like."""
    runtime: str = "all"
    tags: Sequence[str] = ("growth",)
    holdout: bool = False
    flag_key: str = ""
    saved: Sequence[int] = ()
    """Ids of shared metrics it also watches."""

    @property
    def key(self) -> str:
        return self.flag_key or slug(self.name.replace("'", ""))

    @property
    def author_id(self) -> int:
        return user(self.author)


@cache
def plans() -> tuple[Plan, ...]:
    """Return the plans in the order they were made; the ids are theirs."""
    rows: list[dict[str, Any]] = load_subject("experiments")["experiments"]
    return tuple(Plan(number, **row) for number, row in enumerate(rows, start=1))


@cache
def catalogue() -> dict[str, Metric]:
    """Return metrics by the name that plans give them."""
    more = load_subject("experiments")["metric_types"]
    return {
        name: {
            **{"metric_type": plan["metric_type"], "name": plan["name"], "goal": "increase"},
            **{field: _metric_field(field, value) for field, value in plan.items()},
            **more.get(plan["metric_type"], {}),
        }
        for name, plan in load_subject("experiments")["metrics"].items()
    }


def _metric_field(field: str, value: Any) -> Any:
    """Return a field of a metric: events by their names, or with how they are counted, become nodes."""
    if field == "series":
        return [_event(step) for step in value]
    if field not in NODE_KEYS:
        return value
    return _event(value) if isinstance(value, str) else _event(*value)


def _event(name: str, math: str = "total", of: str | None = None) -> Metric:
    node: Metric = {"kind": "EventsNode", "event": name, "name": name, "math": math}
    return node if of is None else {**node, "math_property": of}


def metric(name: str, experiment: int) -> Metric:
    identity = named_uuid(f"metric {experiment} {name}")
    return {"kind": "ExperimentMetric", "uuid": identity, **catalogue()[name]}


def add_experiments(db: sqlite3.Connection, flag_ids: Mapping[str, int], now: datetime) -> None:
    """Add the experiments, on the flags of `flag_ids` by key."""
    moments = Moments(now)
    since = format_stamp(moments.ago(400))
    birth = {"project_id": WEB, "created_at": since, "updated_at": since}
    insert_row(db, "holdouts", {**HOLDOUT, **birth, "created_by_id": user("Mo")})
    for number, name, kind in SAVED:
        shared = {"id": number, "name": name, "query": text_of(metric(kind, 0))}
        insert_row(db, "saved_metrics", {**shared, **birth, "created_by_id": user("Alice")})
    for plan in plans():
        insert(db, columns(plan, flag_ids[plan.key], moments))
        made = format_stamp(moments.ago(plan.ages[0]))
        for saved in plan.saved:
            link = {"experiment_id": plan.id, "saved_metric_id": saved, "created_at": made}
            insert_row(db, "experiment_saved_metrics", link)
        for entry in entries(plan, moments):
            record(db, entry)


def columns(plan: Plan, flag_id: int, moments: Moments) -> dict[str, Any]:
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
        "start_date": format_stamp(started),
        "end_date": format_stamp(ended),
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
        "created_at": format_stamp(moments.ago(plan.ages[0])),
        "updated_at": format_stamp(latest(plan, moments)),
        "type": "web" if plan.runtime == "client" else "product",
    }


def dates(plan: Plan, moments: Moments) -> tuple[datetime | None, datetime | None]:
    """Return when it was launched and when it ended; a pause is not an end."""
    started = moments.ago(plan.ages[1]) if plan.stage != "draft" else None
    ended = moments.ago(plan.ages[2]) if plan.stage in ("stopped", "archived") else None
    return started, ended


def latest(plan: Plan, moments: Moments) -> datetime:
    """Return the latest change: the famous experiment got another metric 24 minutes ago."""
    return moments.ago(minutes=24) if plan.flag_key == "checkout-redesign" else moments.ago(plan.ages[-1])


def running_time(plan: Plan) -> dict[str, Any]:
    return {
        "minimum_detectable_effect": 10 if plan.people < 1_000 else 14,
        "recommended_running_time": 20 if plan.people > 1_000 else 28,
        "recommended_sample_size": plan.people * 5 // 3,
    }


def stored_metrics(
    plan: Plan, secondary: bool, started: datetime | None, stats: dict[str, Any]
) -> list[Metric]:
    names = [name for name in plan.metrics if name.startswith("+") == secondary]
    start = started.isoformat() if started else None
    under = {"stats_config": stats, "exposure_criteria": CRITERIA}
    metrics = [metric(name.removeprefix("+"), plan.id) for name in names]
    return [{**each, "fingerprint": fingerprint(each, start, under)} for each in metrics]


def entries(plan: Plan, moments: Moments) -> Iterator[Entry]:
    """Return its entries of the activity log."""

    def entry(at: datetime, author: int, activity: str, *changes: dict[str, Any]) -> Entry:
        detail = {"name": plan.name, "type": None, "short_id": None, "trigger": None, "changes": changes}
        return Entry(WEB, SCOPE, str(plan.id), activity, author, format_stamp(at) or "", detail)

    started, ended = dates(plan, moments)
    yield entry(moments.ago(plan.ages[0]), plan.author_id, "created")
    if started:
        launch = change(SCOPE, "start_date", None, format_stamp(started))
        yield entry(started, plan.author_id, "updated", launch)
    if ended:
        end = change(SCOPE, "end_date", None, format_stamp(ended))
        yield entry(ended, plan.author_id, "updated", end, change(SCOPE, "conclusion", None, plan.conclusion))
    if plan.flag_key == "checkout-redesign":
        added = change(SCOPE, "metrics_secondary", [], [metric("viewed", plan.id)])
        yield entry(latest(plan, moments), user("Mo"), "updated", added)
