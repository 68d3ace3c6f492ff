"""Generations of servers: what each lacks, calls otherwise, allows and forbids. Defaults are the newest's.

`DEFAULT` has every field of the specification and of the newest servers, `NEWEST` responds exactly like the
newest servers, `OLDER` like those of autumn 2025. What differs is a value here; the code asks for it by name.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from flagtui.service.errors import Json


class Body(msgspec.Struct, frozen=True):
    """The fields of one kind of record that a generation lacks, or has in one direction only."""

    missing: frozenset[str] = frozenset()
    """Neither shown nor read."""
    write_only: frozenset[str] = frozenset()
    """Read and stored, never shown."""
    read_only: frozenset[str] = frozenset()
    """Shown; ignored in a body."""
    create_only: frozenset[str] = frozenset()
    """Read in the body of a new record only."""
    renamed: Mapping[str, str] = {}
    """Names in a response."""

    @property
    def hidden(self) -> frozenset[str]:
        """Return fields that no response shows."""
        return self.missing | self.write_only

    def unread(self, *, is_new: bool) -> frozenset[str]:
        """Return fields that are ignored in a body."""
        ignored = self.missing | self.read_only
        return ignored if is_new else ignored | self.create_only


def _body(missing: str = "", *, write: str = "", read: str = "", create: str = "", **renamed: str) -> Body:
    missed, written, shown, first = (frozenset(names.split()) for names in (missing, write, read, create))
    return Body(missed, written, shown, first, renamed)


_PLAIN: Final = Body()


class Generation(msgspec.Struct, frozen=True, eq=False):
    """One generation of servers; the defaults are the newest's."""

    bodies: Mapping[str, Body]
    """By kind of record."""
    missing_operations: frozenset[str] = frozenset()
    """Method and path below the project, or the whole path of operations outside projects."""
    closed_operations: frozenset[str] = frozenset()
    """Kept from API keys by this generation alone, where the service is strict."""
    own_scopes: Mapping[str, str] = {}
    """Objects of the scopes of records, by their path below the project; others need those of experiments."""
    missing_parameters: frozenset[str] = frozenset()
    definition_orders: tuple[str, ...] = (
        "name", "last_seen_at", "last_seen_at::date", "created_at", "created_at::date",
    )  # fmt: skip

    # Limits.
    limits_flags: bool = True
    longest_property_list: int | None = None
    fewest_variants: int = 2
    caps_counts: bool = True
    """Lists of very many event definitions stop counting."""
    checks_windows: bool = True
    """The list of event definitions refuses senseless limits and offsets."""

    matches_case: bool = False
    """`True` is not `true` in a query."""
    search_joins_words: bool = True
    """A space in a search also finds what joins the words or parts them otherwise; outer ones are cut off."""
    longest_search: int = 200

    # Words.
    behavioral_cohort: str = (
        "Cohort '{name}' has an event-based condition on '{key}' ({value}) "
        "and cannot be used in feature flags."
    )
    groups_with_early_access: str = (
        "Cannot use group aggregation in any condition set when the flag is linked to an "
        "Early Access Feature."
    )
    held_by_dependents: str = "Please update or disable the dependent flags first."
    held_by_experiments: str = (
        "Cannot delete a feature flag that is linked to running experiment(s): {named}. "
        "Please stop the experiment(s) before deleting the flag."
    )
    key_in_use: str = (
        "Cannot reuse key '{key}': a soft-deleted flag with this key is still referenced by "
        "active {kind}(s) with ID(s): {ids}. Please contact support."
    )
    no_dashboard: str = "Usage dashboard not found. Usage charts are available on the feature flag Usage tab."
    no_control: str = (
        "Feature flag variants must contain a variant with key 'control' (lowercase, exactly). "
        "Got keys: {keys}. Rename the baseline variant's 'key' to 'control'."
    )
    bad_payload: str = "Payload for key '{name}' is not valid JSON."
    variants_attr: str | None = None
    """The field that a fault of an experiment's variants names."""
    dashboard_headers: Mapping[str, str] = msgspec.field(
        default_factory=lambda: {"Deprecation": "true", "Sunset": "Fri, 25 Sep 2026 00:00:00 GMT"}
    )
    enrichment_headers: Mapping[str, str] = msgspec.field(default_factory=lambda: {"Deprecation": "true"})

    # Behaviour.
    is_older: bool = False
    """Whether responses are so different that two functions make them."""
    merges_filters: bool = True
    """An update of some keys of `filters` leaves the others."""
    drops_echoes: bool = True
    """What a stale body merely repeats is not written."""
    makes_dashboards: bool = False
    """Every new flag gets a usage dashboard."""
    strips_tombstones: bool = True
    """A restored flag gets its key back."""
    running_experiments_hold: bool = True
    """Only running experiments keep a flag from being deleted, and deleted ones keep its key."""
    has_archive: bool = True
    """Archived flags cannot be enabled; older servers have no archive."""
    replay_holds: bool = True
    """A flag in replay settings cannot be deleted."""
    needs_control: bool = True
    """One variant of an experiment is `control`; elsewhere the first is the baseline if there is none."""
    projects_flag_config: bool = True
    """The flag settings in `parameters` of an experiment are stored with the flag alone."""
    refuses_unknown_events: bool = True
    links_flags_as_they_are: bool = True
    """An experiment on an existing flag may not change its configuration on the way."""
    relinks_drafts: bool = False
    """An update of a draft experiment may name another flag."""
    faults_have_bodies: bool = True
    """Instead of an empty 404, or of a 500 for what cannot be an id or a type."""

    def body(self, record: str) -> Body:
        return self.bodies.get(record, _PLAIN)

    def adapt_record(self, record: str, values: Mapping[str, Json]) -> dict[str, Json]:
        """Return a record as this generation shows it."""
        body = self.body(record)
        hidden = body.hidden
        return {body.renamed.get(name, name): value for name, value in values.items() if name not in hidden}


_FIXED_IN_EXPERIMENTS: Final = "type _create_in_folder"
_GONE_FROM_EXPERIMENTS: Final = (
    "running_time_calculation excluded_variants only_count_matured_users status is_legacy"
    " tags can_freeze_exposure flag_cleanup_task_id"
)

DEFAULT: Final = Generation(bodies={}, relinks_drafts=True)
NEWEST: Final = Generation(
    bodies={
        "flag": _body(
            "is_simple_flag rollout_percentage rollback_conditions performed_rollback evaluation_tags"
            " _should_create_usage_dashboard evaluation_contexts_match_mode",
            write="creation_context",
            create="creation_context",
        ),
        "flag summary": _body("has_encrypted_payloads evaluation_tags"),
        "experiment": _body(create=_FIXED_IN_EXPERIMENTS),
        "experiment in a list": _body(
            "holdout_id secondary_metrics saved_metrics saved_metrics_ids filters exposure_criteria metrics"
            " metrics_secondary stats_config scheduling_config primary_metrics_ordered_uuids"
            " secondary_metrics_ordered_uuids only_count_matured_users"
        ),
    },
    own_scopes={
        "experiment_holdouts": "experiment_holdout",
        "experiment_saved_metrics": "experiment_saved_metric",
    },
    needs_control=False,
)
OLDER: Final = Generation(
    bodies={
        "flag": _body(
            "archived experiment_set_metadata evaluation_contexts bucketing_identifier"
            " is_used_in_replay_settings is_eligible_for_experiment evaluation_contexts_match_mode",
            read="is_simple_flag rollout_percentage",
            create="creation_context",
        ),
        "flag summary": _body("bucketing_identifier has_experiment evaluation_contexts"),
        "SDK document": _body("minimal_flag_called_events property_matching_version"),
        "reason": _body("description"),
        "reach": _body(affected="users_affected", total="total_users"),
        "experiment": _body(_GONE_FROM_EXPERIMENTS, create=_FIXED_IN_EXPERIMENTS),
        "experiment in a list": _body(_GONE_FROM_EXPERIMENTS),
        "event definition": _body("enforcement_mode primary_property media_preview_urls"),
        "page of event definitions": _body("count_is_capped"),
    },
    missing_operations=frozenset(
        (
            *("GET /feature_flags/{id}/dependent_flags", "GET /feature_flags/{id}/versions/{version}"),
            *("POST /feature_flags/{id}/enable", "POST /feature_flags/{id}/disable"),
            *("POST /feature_flags/{id}/archive", "POST /feature_flags/{id}/unarchive"),
            "POST /feature_flags/{id}/set_release_condition_rollout",
            "POST /feature_flags/{id}/roll_out_to_everyone",
            *("GET /feature_flags/matching_ids", "POST /feature_flags/bulk_delete"),
            *("POST /feature_flags/bulk_update_tags", "POST /feature_flags/{id}/test_evaluation"),
            "POST /api/organizations/{organization_id}/feature_flags/copy_flags",
            "POST /api/organizations/{organization_id}/feature_flags/copy_flags/dependency_requirements",
            *("GET /change_requests", "GET /change_requests/{id}", "POST /change_requests/{id}/approve"),
            *("POST /change_requests/{id}/reject", "POST /change_requests/{id}/cancel"),
            *("GET /approval_policies", "POST /approval_policies", "GET /approval_policies/{id}"),
            *("PATCH /approval_policies/{id}", "DELETE /approval_policies/{id}"),
            *("POST /event_definitions", "GET /event_definitions/by_name"),
            *("GET /event_definitions/primary_properties", "GET /event_definitions/typescript"),
            *("GET /event_definitions/golang", "GET /event_definitions/python"),
            *("POST /event_definitions/bulk_update_tags", "POST /event_definitions/bulk_update_verified"),
            *("GET /experiments/{id}/activity", "POST /experiments/{id}/launch"),
            *("POST /experiments/{id}/pause", "POST /experiments/{id}/resume"),
            *("POST /experiments/{id}/end", "POST /experiments/{id}/reset"),
            *("POST /experiments/{id}/archive", "POST /experiments/{id}/unarchive"),
            *("POST /experiments/{id}/ship_variant", "POST /experiments/{id}/copy_to_project"),
            *("GET /experiments/matching_ids", "POST /experiments/bulk_update_tags"),
            "POST /experiments/{id}/migrate",
            *("GET /experiments/stats", "POST /experiments/calculate_running_time"),
            *("POST /experiments/{id}/freeze_exposure", "POST /experiments/{id}/unfreeze_exposure"),
            "POST /experiments/{id}/metrics_recalculation",
            "GET /experiments/{id}/metrics_recalculation/latest",
            "GET /experiments/{id}/metrics_recalculation/{run_id}",
        )
    ),
    closed_operations=frozenset(
        (
            *("POST /feature_flags/bulk_keys", "GET /feature_flags/evaluation_reasons"),
            *("GET /feature_flags/my_flags", "POST /feature_flags/user_blast_radius"),
        )
    ),
    missing_parameters=frozenset(("archived", "key", "flag_keys", "verified", "exclude_stale", "names")),
    definition_orders=("name", "last_seen_at"),
    limits_flags=False,
    longest_property_list=1000,
    fewest_variants=0,
    caps_counts=False,
    checks_windows=False,
    matches_case=True,
    search_joins_words=False,
    longest_search=10_000,
    behavioral_cohort="Cohort '{name}' with filters on events cannot be used in feature flags.",
    groups_with_early_access=(
        "Cannot change this flag to a group-based when linked to an Early Access Feature."
    ),
    held_by_dependents="Please update or delete the dependent flags first.",
    held_by_experiments=(
        "Cannot delete a feature flag that is linked to active experiment(s) with ID(s): {ids}. "
        "Please delete the experiment(s) before deleting the flag."
    ),
    key_in_use=(
        "Feature flag with this key already exists and is used in an experiment. "
        "Please delete the experiment before deleting the flag."
    ),
    no_dashboard="Usage dashboard not found",
    no_control="Feature flag variants must contain a control variant",
    bad_payload="Payload value is not valid JSON",
    variants_attr="parameters",
    dashboard_headers={},
    enrichment_headers={},
    is_older=True,
    merges_filters=False,
    drops_echoes=False,
    makes_dashboards=True,
    strips_tombstones=False,
    running_experiments_hold=False,
    has_archive=False,
    replay_holds=False,
    projects_flag_config=False,
    refuses_unknown_events=False,
    links_flags_as_they_are=False,
    faults_have_bodies=False,
)
