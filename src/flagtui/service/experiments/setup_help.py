"""Help with the setup of an experiment: eligible flags, signs of a wired SDK, duration."""

from datetime import timedelta
from typing import get_args

import msgspec

from flagtui.service.bodies import NOT_JSON, Fields, is_number
from flagtui.service.call import Call
from flagtui.service.clock import stamp
from flagtui.service.errors import Json, invalid, plain_error
from flagtui.service.experiments.analysis.sample_size import (
    CalculatorType,
    assumed_variance,
    baseline_value,
    recommended_days,
    recommended_sample,
)
from flagtui.service.experiments.analysis.samples import RATIO_SUMS, SUMS, Sample
from flagtui.service.experiments.metric_rules import action_events
from flagtui.service.flags.levels import load_levels
from flagtui.service.flags.list import FILTERS, RUNTIME_FILTER
from flagtui.service.flags.representation import flag_texts
from flagtui.service.list_filters import Where, narrow, searching
from flagtui.service.responses import Response, encode, respond, respond_text

_SHARED_FILTERS = ("created_by_id", RUNTIME_FILTER, "has_evaluation_contexts", "has_evaluation_tags")
"""Parameters with the same meaning as in the list of flags."""
ELIGIBLE_PARAMETERS = ("search", "active", *_SHARED_FILTERS[:3], "order", "limit", "offset")
_ELIGIBLE = """project_id = :project AND deleted = 0 AND archived = 0 AND variant_count BETWEEN 2 AND 20
    AND json_extract(filters, '$.multivariate.variants[0].key') = 'control'"""
_ELIGIBLE_FILTERS = {
    "search": searching("key", "name"),
    **{name: FILTERS[name] for name in _SHARED_FILTERS},
}
_CALCULATOR_TYPES: tuple[CalculatorType, ...] = get_args(CalculatorType)
_SAMPLE_DAYS = 7


def eligible_feature_flags(call: Call) -> Response:
    """Return flags with at least two variants of which the first is `control`."""
    limit, offset = _window(call)
    where = _eligible_where(call)
    count = call.db.execute(f"SELECT count(*) FROM flags WHERE {where}", where.values).fetchone()[0]
    rows = call.db.execute(
        f"SELECT * FROM flags WHERE {where} ORDER BY {_eligible_order(call)} LIMIT :limit OFFSET :offset",
        {**where.values, "limit": limit, "offset": offset},
    ).fetchall()
    return respond_text(f'{{"results":[{",".join(flag_texts(call, rows))}],"count":{count}}}')


def requires_flag_implementation(call: Call) -> Response:
    """Return whether no event sampled lately has the value of a flag.

    True with nothing to sample.
    """
    names = [str(item.get("id") or item.get("event") or "") for item in _items(call, "events")]
    for item in _items(call, "actions"):
        names += action_events(call, item.get("id"))
    names = [name for name in names if name]
    since = stamp(call.now - timedelta(days=_SAMPLE_DAYS))
    seen = None
    if names:
        seen = call.db.execute(
            "SELECT 1 FROM events AS e WHERE e.project_id = ? AND e.timestamp >= ?"
            " AND e.event IN (SELECT value FROM json_each(?))"
            " AND EXISTS (SELECT 1 FROM json_each(e.properties) AS p WHERE p.key LIKE '$feature/%') LIMIT 1",
            (call.project.id, since, encode(names).decode()),
        ).fetchone()
    return respond({"result": seen is None})


def calculate_running_time(call: Call) -> Response:
    """Compute the required people and days, from the baseline sent or from the sums it follows from."""
    fields = Fields(call.body())
    fields.require("metric_type")
    kind = fields.choice("metric_type", _CALCULATOR_TYPES)
    kind_name = next(name for name in _CALCULATOR_TYPES if name == kind)
    fields.require("minimum_detectable_effect")
    percent = _number(fields, "minimum_detectable_effect")
    variants = fields.number("number_of_variants", least=2) or 2
    sums = fields.mapping("baseline_stats", null=True)
    sample = _sample(sums) if sums else None
    baseline = _number(fields, "baseline_value")
    if baseline is None and sample:
        baseline = baseline_value(sample, kind_name)
    variance = _number(fields, "variance")
    if variance is None and baseline is not None:
        variance = assumed_variance(kind_name, baseline, sample)
    size = None
    if baseline is not None and percent is not None:
        size = recommended_sample(kind_name, baseline, percent, variants, variance)
    return respond(
        {
            "baseline_value": baseline,
            "variance": variance,
            "recommended_sample_size": size,
            "recommended_running_time_days": recommended_days(size, _number(fields, "exposure_rate_per_day")),
        }
    )


def _window(call: Call) -> tuple[int, int]:
    try:
        limit, offset = int(call.query.get("limit", 20)), int(call.query.get("offset", 0))
    except ValueError:
        raise plain_error("Invalid limit or offset") from None
    return max(1, min(limit, 100)), max(0, min(offset, 2**62))


def _eligible_where(call: Call) -> Where:
    where = Where([_ELIGIBLE], {"project": call.project.id})
    load_levels(call.db, call.caller, call.project).narrow(where, "id")
    if "active" in call.query:
        where.add("active = :active", active=call.query["active"].strip().lower() == "true")
    narrow(call, where, _ELIGIBLE_FILTERS, {name: text for name, text in call.query.items() if text})
    return where


def _eligible_order(call: Call) -> str:
    order = call.query.get("order", "-created_at")
    name = order.removeprefix("-")
    if name not in ("created_at", "key", "name"):
        order, name = "-created_at", "created_at"
    return f"{name} {'DESC' if order.startswith('-') else 'ASC'}, id DESC"


def _items(call: Call, parameter: str) -> list[dict[str, Json]]:
    try:
        items = msgspec.json.decode(call.query.get(parameter) or "[]")
    except NOT_JSON:
        return []
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def _number(fields: Fields, name: str) -> float | None:
    value = fields.sent.get(name)
    if value is None:
        return None
    if not is_number(value) or abs(value) > 1e15:
        raise invalid("A valid number is required.", name)
    return float(value)


def _sample(sums: dict[str, Json]) -> Sample:
    fields = Fields(sums, "baseline_stats__")
    return Sample(
        key="control",
        count=max(0, fields.number("number_of_samples") or 0),
        steps=tuple(step for step in fields.items("step_counts", null=True) or () if isinstance(step, int)),
        **{field: _number(fields, name) or 0.0 for name, field in {**SUMS, **RATIO_SUMS}.items()},
    )
