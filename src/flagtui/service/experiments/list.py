"""Lists of experiments with filters, orders and pages, and single experiments."""

from collections.abc import Mapping
from datetime import timedelta

from flagtui.service.call import Call
from flagtui.service.clock import stamp
from flagtui.service.errors import invalid
from flagtui.service.experiments.fields import IN_A_LIST
from flagtui.service.experiments.metric_rules import uses_event
from flagtui.service.experiments.records import Experiment
from flagtui.service.experiments.representation import describe_all, every_metric, levels_of
from flagtui.service.experiments.rows import select
from flagtui.service.experiments.save import find_called, respond_experiment
from flagtui.service.list_filters import (
    Filter,
    Where,
    among,
    choosing,
    comparing,
    narrow,
    read_ids,
    searching,
)
from flagtui.service.pagination import page, window
from flagtui.service.responses import Response, respond, text_of

PARAMETERS = (
    *("limit", "offset", "archived", "status", "created_by_id", "search", "order", "feature_flag_id"),
    *("event", "prompt_name"),
)
_STATES = {
    "draft": "e.start_date IS NULL",
    "running": "e.start_date IS NOT NULL AND e.end_date IS NULL AND f.active = 1",
    "paused": "e.start_date IS NOT NULL AND e.end_date IS NULL AND f.active = 0",
    "stopped": "e.start_date IS NOT NULL AND e.end_date IS NOT NULL",
}
_FROZEN = (
    "json_array_length(f.filters, '$.groups') > 0 AND NOT EXISTS ("
    "SELECT 1 FROM json_each(f.filters, '$.groups') AS condition"
    " WHERE json_extract(condition.value, '$.exposure_frozen') IS NOT 1)"
)
_STATES["exposure_frozen"] = f"{_STATES['running']} AND {_FROZEN}"
_STATES["complete"] = _STATES["stopped"]
_ORDERS = {
    "created_at": "e.created_at",
    "updated_at": "e.updated_at",
    "name": "e.name",
    "start_date": "e.start_date",
    "end_date": "e.end_date",
    "duration": "julianday(coalesce(e.end_date, :now)) - julianday(e.start_date)",
    "status": "CASE WHEN e.start_date IS NULL THEN 0 WHEN e.end_date IS NULL THEN 1 ELSE 2 END",
    "created_by": "(SELECT u.first_name FROM users AS u WHERE u.id = e.created_by_id)",
}


def list_experiments(call: Call) -> Response:
    """Return a page of experiments; rows of the newest servers lack large fields."""
    where, part, order = _where(call), window(call), _order(call)
    if call.query.get("event"):
        matches = matching_experiments(call)
        chosen, count = matches[part.offset : part.offset + part.limit], len(matches)
    else:
        counting = f"SELECT count(*) FROM experiments AS e JOIN flags AS f ON f.id = e.flag_id WHERE {where}"
        count = call.db.execute(counting, where.values).fetchone()[0]
        values = {**where.values, "limit": part.limit, "offset": part.offset}
        chosen = select(call.db, str(where), values, f"{order} LIMIT :limit OFFSET :offset")
    return page(call, count, [text_of(record) for record in describe_all(call, chosen, IN_A_LIST)], part)


def matching_experiments(call: Call) -> list[Experiment]:
    """Return every experiment that the query of a list matches, in its order."""
    where, order, event = _where(call), _order(call), call.query.get("event")
    every = select(call.db, str(where), where.values, order)
    if not event:
        return every
    return [each for each in every if uses_event(call, every_metric(call, each), event)]


def retrieve_experiment(call: Call) -> Response:
    return respond_experiment(call, find_called(call))


def experiment_stats(call: Call) -> Response:
    """Return how many were started and ended lately."""
    month, before = (stamp(call.now - timedelta(days=days)) for days in (30, 60))
    row = call.db.execute(
        "SELECT count(*) FILTER (WHERE start_date >= :month) AS launched,"
        " count(*) FILTER (WHERE start_date >= :before AND start_date < :month) AS earlier,"
        " count(*) FILTER (WHERE start_date IS NOT NULL AND end_date IS NULL AND archived = 0) AS active,"
        " count(*) FILTER (WHERE start_date IS NOT NULL AND end_date >= :month) AS completed"
        " FROM experiments WHERE project_id = :project AND deleted = 0",
        {"month": month, "before": before, "project": call.project.id},
    ).fetchone()
    launched, earlier = row["launched"], row["earlier"]
    percent = round((launched - earlier) / earlier * 100, 1) if earlier else (100.0 if launched else 0.0)
    return respond(
        {
            "launched_last_30d": launched,
            "launched_previous_30d": earlier,
            "percent_change": percent,
            "active_experiments": row["active"],
            "completed_last_30d": row["completed"],
        }
    )


def _where(call: Call) -> Where:
    where = Where(
        ["e.project_id = :project", "e.deleted = 0"], {"project": call.project.id, "now": call.stamp}
    )
    levels_of(call).narrow(where, "e.id")
    sent = {name: text.strip() for name, text in call.query.items()}
    narrow(call, where, FILTERS, {"archived": ""} | {name: text for name, text in sent.items() if text})
    return where


def _order(call: Call) -> str:
    """Return the order; empty values come first when descending, as in the product's database."""
    order = call.query.get("order", "").strip() or "-created_at"
    name = order.removeprefix("-")
    if name not in _ORDERS:
        raise invalid(f"Invalid order field: '{order}'")
    if order.startswith("-"):
        return f"ORDER BY {_ORDERS[name]} DESC NULLS FIRST, e.id DESC"
    return f"ORDER BY {_ORDERS[name]} ASC NULLS LAST, e.id ASC"


def _flag_number(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        raise invalid("feature_flag_id must be an integer") from None
    return number if abs(number) < 2**63 else -1


FILTERS: Mapping[str, Filter] = {
    "archived": comparing("archived", "e.archived = :archived", lambda text: text.lower() == "true"),
    "status": lambda call, where, text: choosing(_STATES)(call, where, text.lower()),
    "created_by_id": comparing("creators", f"e.created_by_id IN {among('creators')}", read_ids),
    "search": searching("e.name"),
    "feature_flag_id": comparing("flag", "e.flag_id = :flag", _flag_number),
    "prompt_name": comparing("prompt", "json_extract(e.parameters, '$.prompt_metadata.name') = :prompt"),
}
