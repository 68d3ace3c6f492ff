"""One flag with everything the server sent."""

from functools import cached_property

from flagtui.local_time import unix
from flagtui.models.account import User
from flagtui.models.filters import Filters
from flagtui.models.json_value import JSON
from flagtui.models.record import Each, Ids, Items, Moment, Record, Texts, Whole
from flagtui.models.rows import FlagRow, FlagType


class ExperimentLink(Record):
    """An experiment that uses the flag."""

    id: Whole = 0
    name: str = ""
    is_running: bool | None = None
    """None on servers that do not send it."""


class Flag(Record):
    """A feature flag. `active` alone is the switch; `status` is its use."""

    id: Whole = 0
    key: str = ""
    name: str = ""
    """The description; the API's name for it is `name`."""
    filters: dict[str, JSON] = {}
    active: bool = False
    archived: bool = False
    deleted: bool = False
    version: Whole | None = None
    """Increases with every write; null on very old flags."""
    created_by: User | None = None
    last_modified_by: User | None = None
    created_at: Moment | None = None
    updated_at: Moment | None = None
    last_called_at: Moment | None = None
    ensure_experience_continuity: bool = False
    experiment_set: Ids = ()
    experiment_set_metadata: Each[ExperimentLink] = ()
    surveys: Items = ()
    features: Items = ()
    """Early access features on this flag."""
    rollback_conditions: JSON = None
    performed_rollback: bool | None = None
    can_edit: bool = True
    user_access_level: str | None = None
    tags: Texts = ()
    evaluation_tags: Texts = ()
    evaluation_contexts: Texts = ()
    evaluation_contexts_match_mode: str = ""
    """`any` or `all` of the contexts have to match; empty on servers without the field."""
    usage_dashboard: Whole | None = None
    analytics_dashboards: Ids = ()
    has_enriched_analytics: bool = False
    is_remote_configuration: bool = False
    has_encrypted_payloads: bool = False
    status: str = ""
    evaluation_runtime: str | None = None
    bucketing_identifier: str | None = None
    is_used_in_replay_settings: bool = False
    is_eligible_for_experiment: bool = False
    creation_context: str | None = None
    """The product area that created it; the newest servers omit it."""
    is_simple_flag: bool | None = None
    rollout_percentage: Whole | None = None
    """A summary of old servers; `filters` is exact."""

    @cached_property
    def targeting(self) -> Filters:
        """Return `filters` as typed views."""
        return Filters.of(self.raw.get("filters", self.filters))

    @property
    def contexts(self) -> tuple[str, ...]:
        """Return the evaluation contexts, under either name. Empty can also mean hidden."""
        return self.evaluation_contexts or self.evaluation_tags

    @property
    def type(self) -> FlagType:
        """Return the type of the flag; linked experiments take precedence."""
        if self.experiment_set:
            return "experiment"
        if self.is_remote_configuration:
            return "config"
        if not self.targeting.is_editable:
            return "rules"
        return "multivariant" if self.targeting.variants else "boolean"

    def experiment_state(self, is_running: bool | None) -> str:
        """Return `running`, `paused` while the flag is off, or `not running`; empty if it is not known."""
        if is_running is None:
            return ""
        return ("running" if self.active else "paused") if is_running else "not running"

    def row(self) -> FlagRow:
        return FlagRow(
            id=self.id,
            key=self.key,
            name=self.name,
            active=self.active,
            archived=self.archived,
            deleted=self.deleted,
            type=self.type,
            runtime=self.evaluation_runtime or "all",
            status=self.status.upper(),
            rollout=self.targeting.rollout if self.targeting.is_editable else None,
            conditional=self.targeting.is_conditional,
            tags=self.tags,
            creator_id=(self.created_by.id or None) if self.created_by else None,
            creator=(self.created_by.email or self.created_by.first_name) if self.created_by else "",
            created_at=unix(self.created_at),
            updated_at=unix(self.updated_at),
            called_at=unix(self.last_called_at),
            version=self.version,
            experiments=self.experiment_set,
            depends_on=self.targeting.depends_on,
            can_edit=self.can_edit,
            has_call_times="last_called_at" in self.raw,
        )
