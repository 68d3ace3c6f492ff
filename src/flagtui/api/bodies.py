"""Types of the request bodies, field by field, for type checkers, and bodies that take making."""

from collections.abc import Mapping
from typing import Final, Literal, TypedDict

from flagtui.api.errors import Invalid
from flagtui.models.json_value import JSON, as_dict, as_list

Runtime = Literal["server", "client", "all"]
Origin = Literal[
    "feature_flags", "experiments", "surveys", "early_access_features", "web_experiments", "product_tours"
]
Conclusion = Literal["won", "lost", "inconclusive", "stopped_early", "invalid"]


class FlagBody(TypedDict, total=False):
    """Fields of a flag to create or change. `filters` is always sent whole."""

    key: str
    name: str
    filters: dict[str, JSON]
    active: bool
    archived: bool
    deleted: bool
    tags: list[str]
    evaluation_tags: list[str]
    """On older servers; has to be a subset of `tags`."""
    evaluation_contexts: list[str]
    evaluation_runtime: Runtime | None
    bucketing_identifier: Literal["distinct_id", "device_id"] | None
    ensure_experience_continuity: bool
    is_remote_configuration: bool
    has_encrypted_payloads: bool
    has_enriched_analytics: bool
    analytics_dashboards: list[int]
    """Only ever adds."""
    creation_context: Origin
    _create_in_folder: str
    _should_create_usage_dashboard: bool


class ExperimentBody(TypedDict, total=False):
    """Fields of an experiment to create or change. `parameters` replaces the whole of it."""

    name: str
    description: str
    start_date: str | None
    end_date: str | None
    feature_flag_key: str
    """Fixed after creation."""
    feature_flag: dict[str, JSON]
    holdout_id: int | None
    parameters: dict[str, JSON]
    metrics: list[dict[str, JSON]]
    metrics_secondary: list[dict[str, JSON]]
    saved_metrics_ids: list[dict[str, JSON]]
    """The whole new set, each with `id` and `metadata`."""
    filters: dict[str, JSON]
    archived: bool
    deleted: bool
    type: Literal["product", "web"]
    """Only on creation."""
    exposure_criteria: dict[str, JSON]
    stats_config: dict[str, JSON]
    scheduling_config: dict[str, JSON]
    conclusion: Conclusion | None
    conclusion_comment: str | None
    primary_metrics_ordered_uuids: list[str]
    secondary_metrics_ordered_uuids: list[str]
    excluded_variants: list[str]
    allow_unknown_events: bool
    update_feature_flag_params: bool
    _create_in_folder: str


class EventDefinitionBody(TypedDict, total=False):
    """Fields of an event definition to create or change. The name is fixed."""

    description: str
    owner: int | None
    """A user's number, though it is read as a person."""
    tags: list[str]
    verified: bool
    hidden: bool
    default_columns: list[str]
    enforcement_mode: Literal["allow", "reject"]
    primary_property: str | None
    post_to_slack: bool


NOT_COMPARED: Final = frozenset(
    {
        "tags",
        "evaluation_tags",
        "evaluation_contexts",
        "analytics_dashboards",
        "created_by",
        "last_modified_by",
        "version",
        "original_flag",
    }
)
"""Fields the server cannot look up when it compares what we read with what is stored."""


def comparable(original: Mapping[str, JSON]) -> dict[str, JSON]:
    """The old values in the form the server stores them, without the fields it cannot compare."""
    kept = {name: value for name, value in original.items() if name not in NOT_COMPARED}
    if isinstance(kept.get("filters"), dict):
        kept["filters"] = stored_filters(kept["filters"])
    return kept


def stored_filters(filters: Mapping[str, JSON]) -> dict[str, JSON]:
    """Filters without the names the server adds while reading, which are not stored."""
    if not isinstance(filters.get("groups"), list):
        return dict(filters)
    return {**filters, "groups": [_stored_group(group) for group in filters["groups"]]}


def _stored_group(group: JSON) -> JSON:
    if not isinstance(group, dict) or not isinstance(group.get("properties"), list):
        return group
    return {**group, "properties": [_stored_property(item) for item in group["properties"]]}


def _stored_property(item: JSON) -> JSON:
    if not isinstance(item, dict):
        return item
    return {name: value for name, value in item.items() if name not in {"cohort_name", "group_key_names"}}


def shipped(filters: Mapping[str, JSON], variant: str, everyone: bool) -> dict[str, JSON]:
    """The flag's filters with one variant at 100 %, and with an open condition first for `everyone`."""
    variants = as_list(as_dict(filters.get("multivariate")).get("variants"))
    if variant not in {as_dict(item).get("key") for item in variants}:
        raise Invalid("The flag has no such variant.")
    shares = [
        {**item, "rollout_percentage": 100 if item.get("key") == variant else 0}
        for item in variants
        if isinstance(item, dict)
    ]
    opened = [{"properties": [], "rollout_percentage": 100}] if everyone else []
    return {
        **filters,
        "groups": opened + as_list(filters.get("groups")),
        "multivariate": {**as_dict(filters.get("multivariate")), "variants": shares},
    }
