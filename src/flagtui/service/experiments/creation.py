"""Reading the body of an experiment, and creating one with a new flag or on an existing flag."""

from collections.abc import Mapping

import msgspec

from flagtui.service.activity import log
from flagtui.service.bodies import Fields
from flagtui.service.call import Call
from flagtui.service.errors import Json, invalid
from flagtui.service.experiments.fields import EXPERIMENTS, check_baseline, check_excluded
from flagtui.service.experiments.flag_config import (
    UNCHANGED_FLAG,
    FlagConfig,
    check_variants_of,
    from_parameters,
    new_filters,
)
from flagtui.service.experiments.holdouts import holdout_of
from flagtui.service.experiments.metric_rules import ORDER_OF, check_references, ordered_uuids
from flagtui.service.experiments.records import Experiment, LinkedFlag, baseline_of
from flagtui.service.experiments.rows import change_flag, create_flag, find, find_flag, insert
from flagtui.service.experiments.save import SCOPE, respond_experiment
from flagtui.service.experiments.saved_metrics import Usage, replace_links
from flagtui.service.field_kinds import Target
from flagtui.service.flags.levels import check_level
from flagtui.service.flags.rules.documents import config_version
from flagtui.service.responses import Response


class Input(msgspec.Struct, frozen=True):
    """The values of a body: columns that change, and changes of other tables."""

    columns: dict[str, Json]
    """Only the fields that were sent."""
    flag_key: str | None = None
    flag: FlagConfig = UNCHANGED_FLAG
    has_variants: bool = False
    links: list[Usage] | None = None
    sent: frozenset[str] = frozenset()
    allow_unknown_events: bool = False
    update_flag: bool = False


def read_input(call: Call, sent: Mapping[str, Json], *, new: bool) -> Input:
    """Return every field of the body; raises the fault of the first that is wrong."""
    fields = Fields(sent)
    columns = EXPERIMENTS.read(fields, Target(call), needed=new)
    flag_key, config = columns.pop("feature_flag_key", None), columns.pop("feature_flag", None)
    links = columns.get("saved_metrics_ids")
    if "saved_metrics_ids" in columns:
        columns["saved_metrics_ids"] = sent["saved_metrics_ids"]
    parameters = sent.get("parameters") or {}
    return Input(
        columns=columns,
        flag_key=flag_key,
        flag=config or from_parameters(call, parameters),
        has_variants=bool(parameters.get("feature_flag_variants")),
        links=links,
        sent=frozenset(sent),
        allow_unknown_events=bool(fields.flag("allow_unknown_events")),
        update_flag=bool(fields.flag("update_feature_flag_params")),
    )


_DATES = "End date must be after start date"


def create_experiment(call: Call) -> Response:
    check_level(call, 0, "editor", "experiment")
    given = read_input(call, call.body(), new=True)
    return respond_experiment(call, create(call, given), 201)


def create(call: Call, given: Input) -> Experiment:
    """Store an experiment and what belongs to it; after a fault nothing is stored."""
    columns = with_defaults(call, given.columns)
    check_dates(columns)
    flag = link_flag(call, given, columns)
    check_baseline(columns["stats_config"], flag.variant_keys)
    baseline = baseline_of(columns["stats_config"], flag.variant_keys)
    check_excluded(columns.get("excluded_variants"), flag.variant_keys, baseline)
    check_metrics(call, columns, given)
    columns |= orders(columns, {}, given)
    birth = {"created_by_id": call.caller.user_id, "created_at": call.stamp, "updated_at": call.stamp}
    stored = {**columns, **birth, "project_id": call.project.id, "flag_id": flag.id}
    number = insert(call.db, stored)
    if given.links:
        replace_links(call, number, given.links)
    experiment = find(call.db, call.project.id, number, deleted=True)
    log(call, SCOPE, experiment.fields, "created", None, merge=None)
    return experiment


def link_flag(call: Call, given: Input, columns: Mapping[str, Json]) -> LinkedFlag:
    """Return the flag whose key the body names, created if it does not exist."""
    flag = find_flag(call.db, call.project.id, given.flag_key or "")
    if flag is not None and config_version(flag.filters) != 1:
        raise invalid(
            f"The feature flag {flag.key} uses a configuration format that an experiment cannot use yet. "
            "Pick a different flag.",
            "feature_flag_key",
        )
    return _link_flag(call, given, flag, columns) if flag else _new_flag(call, given, columns)


def with_defaults(call: Call, sent: Mapping[str, Json]) -> dict[str, Json]:
    """Return the columns of a new experiment, with defaults for fields that were not sent."""
    method = call.project.settings.get("default_stats_method", "bayesian")
    return {
        **EXPERIMENTS.defaults,
        **sent,
        "type": sent.get("type") or "product",
        "exposure_criteria": {"filterTestAccounts": True, **(sent.get("exposure_criteria") or {})},
        "stats_config": {"method": method, **(sent.get("stats_config") or {})},
    }


def check_dates(columns: Mapping[str, Json]) -> None:
    """Raise if the end precedes the start; texts of moments sort like the moments."""
    start, end = columns.get("start_date"), columns.get("end_date")
    if start is not None and end is not None and start >= end:
        raise invalid(_DATES)


def check_metrics(call: Call, columns: Mapping[str, Json], given: Input) -> None:
    """Raise for unknown events and actions of the metrics that were sent."""
    metrics = [metric for name in ORDER_OF for metric in columns.get(name) or ()]
    unknown = given.allow_unknown_events or not call.generation.refuses_unknown_events
    check_references(call.db, call.project.id, metrics, unknown_events=unknown)


def orders(columns: Mapping[str, Json], had: Mapping[str, Json], given: Input) -> dict[str, list[str] | None]:
    """Display orders that follow from the metrics or were sent; `had` are the columns before."""
    orders_by_field = {}
    for field, name in ORDER_OF.items():
        if field in columns or name in columns:
            before = had.get(field) or []
            metrics = (columns[field] or []) if field in columns else before
            orders_by_field[name] = ordered_uuids(
                columns.get(name), had.get(name), metrics, field, given=name in given.sent, before=before
            )
    return orders_by_field


def _new_flag(call: Call, given: Input, columns: Mapping[str, Json]) -> LinkedFlag:
    filters = new_filters(given.flag, holdout_of(call, columns.get("holdout_id")))
    body: dict[str, Json] = {
        "key": given.flag_key,
        "name": f"Feature Flag for Experiment {columns['name']}",
        "filters": filters,
        "active": columns.get("start_date") is not None,
        "creation_context": "experiments",
        "ensure_experience_continuity": bool(given.flag.continuity),
    }
    return create_flag(call, body)


def _link_flag(call: Call, given: Input, flag: LinkedFlag, columns: Mapping[str, Json]) -> LinkedFlag:
    """Link an existing flag; only its holdout changes, if one is requested."""
    check_variants_of(flag, call.generation)
    if call.generation.links_flags_as_they_are and not _keeps_flag(given, flag):
        raise invalid(
            f"A feature flag with key '{flag.key}' already exists; the experiment links to it as-is, "
            "so its config cannot be set here. Omit feature_flag to reuse the existing flag, "
            "or edit the flag directly.",
            "feature_flag",
        )
    holdout = holdout_of(call, columns.get("holdout_id"))
    if holdout is not None and flag.filters.get("holdout") != holdout:
        return change_flag(call, flag, {"filters": {**flag.filters, "holdout": holdout}})
    return flag


def _keeps_flag(given: Input, flag: LinkedFlag) -> bool:
    """Return whether the body leaves the flag unchanged; only the older parameters may repeat its values."""
    if "feature_flag" in given.sent and not given.has_variants and given.flag != UNCHANGED_FLAG:
        return False
    return given.flag == UNCHANGED_FLAG or given.flag.repeats(flag)
