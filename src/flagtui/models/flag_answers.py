"""What the operations around flags answer: bulk changes, cohorts, schedules, definitions."""

from flagtui.models.account import User
from flagtui.models.json_value import JSON, as_dict, as_number, as_text
from flagtui.models.record import Each, Ids, Items, Moment, NamedTexts, Record, Texts, Whole


class FlagKey(Record):
    """Another flag by name, as the list of dependents gives it."""

    id: Whole = 0
    key: str = ""
    name: str = ""


class Rollout(Record):
    """How far a flag is rolled out, as its status says it."""

    effectively_full_rollout: bool = False
    has_targeting_conditions: bool = False
    max_rollout_percentage: float | None = None
    is_multivariate: bool = False


class FlagStatus(Record):
    """Whether a flag is used."""

    status: str = ""
    """Lower case here: active, stale, inactive, archived, deleted, unknown."""
    reason: str = ""
    rollout: Rollout | None = None
    """None on servers that do not say."""


class BlastRadius(Record):
    """How many persons, or groups, have the properties of a condition. The percentage is not in it."""

    affected: Whole = 0
    total: Whole = 0

    @classmethod
    def of_any(cls, raw: JSON) -> "BlastRadius":
        """Reads both the newer and the older names of the two numbers."""
        found = as_dict(raw)
        affected = as_number(found.get("affected", found.get("users_affected")))
        total = as_number(found.get("total", found.get("total_users")))
        return cls.of(found | {"affected": round(affected or 0), "total": round(total or 0)})

    def at(self, percentage: float) -> int:
        """The estimate for a share of them."""
        return round(self.affected * min(max(percentage, 0.0), 100.0) / 100)


class ServerEvaluation(Record):
    """Why a person gets a value, as the server says it."""

    reason: str = ""
    condition_index: Whole | None = None
    description: str = ""


class EvaluatedFlag(Record):
    """A flag's value for one person."""

    value: JSON = None
    """True, false, or the key of a variant."""
    evaluation: ServerEvaluation | None = None


class PropertyCheck(Record):
    """One property of one condition, asked of one person."""

    key: str = ""
    operator: str = ""
    value: JSON = None
    type: str = ""
    actual_value: JSON = None
    matched: bool = False
    explanation: str = ""


class ConditionCheck(Record):
    """One condition, asked of one person."""

    index: Whole = 0
    matched: bool = False
    properties_matched: bool = False
    explanation: str = ""
    rollout_percentage: float | None = None
    rollout_excluded: bool = False
    variant: str | None = None
    properties: Each[PropertyCheck] = ()


class Trial(Record):
    """The server's own account of a flag for one person."""

    flag_key: str = ""
    result: JSON = None
    reason: str = ""
    condition_index: Whole | None = None
    payload: JSON = None
    person_properties: dict[str, JSON] = {}
    conditions: Each[ConditionCheck] = ()


class MyFlag(Record):
    """A flag and its value for the holder of the key."""

    feature_flag: dict[str, JSON] = {}
    value: JSON = None


class BulkError(Record):
    """A record a bulk change left as it was."""

    id: JSON = None
    key: str = ""
    reason: str = ""


class BulkDelete(Record):
    """What a bulk deletion did; partial success is normal."""

    deleted: Each[FlagKey] = ()
    errors: Each[BulkError] = ()


class TagsNow(Record):
    """A record's tags after a bulk change."""

    id: JSON = None
    tags: Texts = ()


class BulkTags(Record):
    """What a bulk change of tags did."""

    updated: Each[TagsNow] = ()
    skipped: Each[BulkError] = ()


class FlagVersion(Record):
    """A flag as it was; people are ids here."""

    id: Whole = 0
    key: str = ""
    name: str = ""
    filters: dict[str, JSON] = {}
    active: bool = False
    deleted: bool = False
    version: Whole | None = None
    is_historical: bool = True
    version_timestamp: Moment | None = None
    modified_by: Whole | None = None


class CopyFailure(Record):
    """A project a flag could not be copied to."""

    project_id: Whole = 0
    error_message: JSON = None


class Copied(Record):
    """What copying a flag to other projects did."""

    success: Each[dict[str, JSON]] = ()
    failed: Each[CopyFailure] = ()


def keys_by_id(raw: JSON) -> dict[int, str]:
    """The `keys` of a bulk answer: its ids are text on the wire."""
    keys = as_dict(as_dict(raw).get("keys"))
    return {
        int(name): key
        for name, key in keys.items()
        if name.isascii() and name.isdigit() and len(name) < 20 and isinstance(key, str)
    }


class Cohort(Record):
    """A cohort as it is made; its count comes later."""

    id: Whole = 0
    name: str = ""
    description: str | None = None
    is_static: bool = False
    is_calculating: bool = False
    """True while the server is still filling it."""
    count: Whole | None = None
    created_at: Moment | None = None
    experiment_set: Ids = ()

    @classmethod
    def in_answer(cls, raw: JSON) -> "Cohort":
        """The cohort inside `{"cohort": …}`."""
        return cls.of(as_dict(raw).get("cohort"))


class ScheduledChange(Record):
    """One change and when it is due."""

    id: Whole = 0
    record_id: str = ""
    """The flag's id as text."""
    model_name: str = "FeatureFlag"
    payload: dict[str, JSON] = {}
    """`operation` (update_status, add_release_condition, update_variants) and `value`."""
    scheduled_at: Moment | None = None
    executed_at: Moment | None = None
    failure_reason: str | None = None
    """Why it could not be made; nothing checks the payload before it is due."""
    created_by: User | None = None
    created_at: Moment | None = None
    is_recurring: bool = False
    recurrence_interval: str | None = None
    cron_expression: str | None = None
    last_executed_at: Moment | None = None
    end_date: Moment | None = None
    timezone: str | None = None

    @property
    def operation(self) -> str:
        return as_text(self.payload.get("operation"))

    @property
    def is_done(self) -> bool:
        """True when it was made, or tried and failed, and will not come again."""
        return not self.is_recurring and (self.executed_at is not None or bool(self.failure_reason))


class LocalEvaluation(Record):
    """Flags, cohorts and group types as of one moment; `etag` names that moment."""

    flags: Items = ()
    group_type_mapping: NamedTexts = {}
    cohorts: dict[str, JSON] = {}
    etag: str = ""
