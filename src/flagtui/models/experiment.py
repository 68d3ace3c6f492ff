"""One experiment with everything the server sent."""

from datetime import datetime
from functools import cached_property
from typing import Literal

from flagtui.evaluate import wire
from flagtui.local_time import unix
from flagtui.models.account import User
from flagtui.models.filters import Filters, Variant, as_index, is_frozen
from flagtui.models.json_value import JSON, as_dict, as_list, as_number, as_text
from flagtui.models.record import Each, Items, Moment, Record, Texts, Whole
from flagtui.models.rows import OLD_QUERIES, ExperimentRow

Status = Literal["draft", "running", "paused", "stopped", "exposure_frozen"]


class ExperimentFlag(Record):
    id: Whole = 0
    team_id: Whole | None = None
    name: str = ""
    key: str = ""
    filters: dict[str, JSON] = {}
    active: bool = False
    deleted: bool = False
    version: Whole | None = None
    ensure_experience_continuity: bool = False
    has_encrypted_payloads: bool = False
    evaluation_runtime: str | None = None
    evaluation_tags: Texts = ()
    evaluation_contexts: Texts = ()
    bucketing_identifier: str | None = None

    @cached_property
    def targeting(self) -> Filters:
        """Return `filters` as typed views."""
        return Filters.of(self.filters)


class Holdout(Record):
    """Users excluded from experiments."""

    id: Whole = 0
    name: str = ""
    description: str | None = None
    filters: Items = ()
    created_by: User | None = None
    created_at: Moment | None = None
    updated_at: Moment | None = None

    @property
    def share(self) -> float:
        """Return the percentage held back."""
        return (as_number(wire.share(self.filters[0])) or 0.0) if self.filters else 0.0


class SavedMetric(Record):
    """A metric that several experiments can share."""

    id: Whole = 0
    name: str = ""
    description: str | None = None
    query: dict[str, JSON] = {}
    tags: Texts = ()
    created_by: User | None = None
    created_at: Moment | None = None
    updated_at: Moment | None = None


class SavedMetricLink(Record):
    """A shared metric used by this experiment."""

    id: Whole = 0
    experiment: Whole | None = None
    saved_metric: Whole | None = None
    name: str = ""
    query: dict[str, JSON] = {}
    metadata: dict[str, JSON] = {}
    created_at: Moment | None = None

    @property
    def is_primary(self) -> bool:
        """Return whether the metric is primary; one without a type is."""
        return self.metadata.get("type") != "secondary"


class Experiment(Record):
    """An experiment. Two dates and the switch of its flag give most of its state."""

    id: Whole = 0
    name: str = ""
    description: str | None = None
    start_date: Moment | None = None
    end_date: Moment | None = None
    feature_flag_key: str = ""
    feature_flag: ExperimentFlag | None = None
    holdout: Holdout | None = None
    holdout_id: Whole | None = None
    exposure_cohort: Whole | None = None
    parameters: dict[str, JSON] = {}
    secondary_metrics: Items = ()
    saved_metrics: Each[SavedMetricLink] = ()
    saved_metrics_ids: Items = ()
    filters: dict[str, JSON] = {}
    archived: bool = False
    deleted: bool = False
    created_by: User | None = None
    created_at: Moment | None = None
    updated_at: Moment | None = None
    type: str = "product"
    exposure_criteria: dict[str, JSON] = {}
    metrics: Items = ()
    metrics_secondary: Items = ()
    stats_config: dict[str, JSON] = {}
    scheduling_config: dict[str, JSON] = {}
    conclusion: str | None = None
    conclusion_comment: str | None = None
    primary_metrics_ordered_uuids: Items = ()
    secondary_metrics_ordered_uuids: Items = ()
    running_time_calculation: dict[str, JSON] = {}
    excluded_variants: Texts = ()
    only_count_matured_users: bool = False
    status: str = ""
    """The state on newer servers; `state` works on every server."""
    is_legacy: bool | None = None
    version: Whole | None = None
    """Increases with every write, on the newest servers only."""
    tags: Texts = ()
    can_freeze_exposure: bool | None = None
    """None on servers without it."""
    flag_cleanup_task_id: str | None = None
    """The task that removes the flag from code, where the server starts one."""
    user_access_level: str | None = None

    @property
    def state(self) -> str:
        """Return draft, running, paused, stopped, or the server's own newer word."""
        if self.status:
            return self.status.lower()
        flag_on = self.feature_flag.active if self.feature_flag else True
        return derived_status(self.start_date, self.end_date, flag_on)

    @cached_property
    def variants(self) -> tuple[Variant, ...]:
        """Return the variants of the flag, else those in the parameters of an old server."""
        if self.feature_flag and (variants := self.feature_flag.targeting.variants):
            return variants
        listed = as_list(self.parameters.get("feature_flag_variants"))
        return tuple(Variant.of(_with_share(item)) for item in listed if isinstance(item, dict))

    @property
    def frozen_conditions(self) -> int:
        """Return how many conditions of the flag a freeze of the exposure restricts to exposed users."""
        return sum(map(is_frozen, self._conditions))

    @property
    def is_frozen(self) -> bool:
        """Return whether the exposure is frozen, also while paused: every condition of the flag is."""
        return bool(self._conditions) and all(map(is_frozen, self._conditions))

    @property
    def _conditions(self) -> list[JSON]:
        return wire.conditions(self.feature_flag.filters) if self.feature_flag else []

    @property
    def unit(self) -> str:
        """Return the exposed and counted subjects: `users`, or `groups` if the flag is for groups."""
        settings = self.feature_flag.filters if self.feature_flag else self.parameters
        return "users" if as_index(settings.get("aggregation_group_type_index")) is None else "groups"

    @property
    def notes(self) -> dict[str, str]:
        notes = as_dict(self.parameters.get("variant_notes"))
        return {key: note for key, value in notes.items() if (note := as_text(value))}

    @property
    def uses_legacy_metrics(self) -> bool:
        """Return whether an older engine measures it: old queries, or the goal of the first servers."""
        return self.is_mostly_fixed or self.has_old_goal

    @cached_property
    def is_mostly_fixed(self) -> bool:
        """Return whether servers accept changes of name, description and end only: it has old queries."""
        if self.is_legacy is not None:
            return self.is_legacy
        shared = [link.query for link in self.saved_metrics]
        kinds = {
            as_text(as_dict(metric).get("kind"))
            for metric in (*self.metrics, *self.metrics_secondary, *shared)
        }
        return bool(kinds & OLD_QUERIES)

    @property
    def has_old_goal(self) -> bool:
        """Return whether its only metrics are those of the first servers: a goal in `filters`, and others."""
        if self.metrics or self.metrics_secondary or self.saved_metrics:
            return False
        named = (self.filters.get("events"), self.filters.get("actions"))
        return any(as_list(part) for part in named) or any(
            isinstance(metric, dict) for metric in self.secondary_metrics
        )

    @property
    def can_edit(self) -> bool:
        """Return whether the user may change the experiment."""
        return self.user_access_level not in {"none", "viewer"}

    def row(self) -> ExperimentRow:
        flag = self.feature_flag
        return ExperimentRow(
            id=self.id,
            name=self.name,
            description=self.description or "",
            key=self.feature_flag_key or (flag.key if flag else ""),
            flag_id=flag.id if flag and flag.id else None,
            flag_active=flag.active if flag else None,
            flag_deleted=flag.deleted if flag else False,
            status=self.state,
            archived=self.archived,
            deleted=self.deleted,
            type=self.type,
            conclusion=self.conclusion or "",
            variants=tuple(variant.key for variant in self.variants),
            started_at=unix(self.start_date),
            ended_at=unix(self.end_date),
            creator_id=(self.created_by.id or None) if self.created_by else None,
            creator=(self.created_by.email or self.created_by.first_name) if self.created_by else "",
            created_at=unix(self.created_at),
            updated_at=unix(self.updated_at),
            holdout_id=self.holdout_id or (self.holdout.id if self.holdout else None),
            is_legacy=self.uses_legacy_metrics,
            can_edit=self.can_edit,
        )


def _with_share(variant: dict[str, JSON]) -> dict[str, JSON]:
    """Return a variant of the parameters with its percentage: there a second name wins."""
    share = as_number(variant.get("split_percent"))
    return variant if share is None else wire.with_share(variant, share)


def derived_status(start: datetime | None, end: datetime | None, flag_on: bool) -> Status:
    """Return the state in newer servers' words, from fields that every server has."""
    if start is None:
        return "draft"
    if end is not None:
        return "stopped"
    return "running" if flag_on else "paused"
