"""Types of the request bodies, field by field, for type checkers. At run time any mapping is accepted."""

from typing import Literal, TypedDict

from flagtui.models.json_value import JSON

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
