"""Responses of the operations around flags: bulk changes, cohorts, schedules, definitions."""

from flagtui.models.account import User
from flagtui.models.json_value import JSON, as_dict, as_id, as_number, as_text, as_whole
from flagtui.models.record import Each, Items, Moment, NamedTexts, Record, Texts, Whole


class FlagKey(Record):
    """Another flag by key, as the list of dependents has it."""

    id: Whole = 0
    key: str = ""
    name: str = ""


class FlagStatus(Record):
    """The status of a flag: used or not."""

    status: str = ""
    """Lower case here: active, stale, inactive, archived, deleted, unknown."""
    reason: str = ""


class BlastRadius(Record):
    """The number of users, or groups, that match the properties of a condition, before its percentage."""

    affected: Whole = 0
    total: Whole = 0

    @classmethod
    def of_any(cls, raw: JSON) -> "BlastRadius":
        """Return the counts under either the newer or the older names."""
        counts = as_dict(raw)
        affected = as_number(counts.get("affected", counts.get("users_affected")))
        total = as_number(counts.get("total", counts.get("total_users")))
        return cls.of(counts | {"affected": round(affected or 0), "total": round(total or 0)})

    def at(self, percentage: float) -> int:
        """Return the estimated number for a percentage of them."""
        return round(self.affected * min(max(percentage, 0.0), 100.0) / 100)


class ServerEvaluation(Record):
    """The server's reason for a user's value."""

    reason: str = ""
    condition_index: Whole | None = None
    description: str = ""


class EvaluatedFlag(Record):
    """A flag's value for one user."""

    value: JSON = None
    """True, false, or the key of a variant."""
    evaluation: ServerEvaluation | None = None


class ConditionCheck(Record):
    """One condition, evaluated for one user."""

    index: Whole = 0
    matched: bool = False
    explanation: str = ""


class Trial(Record):
    """The server's evaluation of a flag for one user."""

    result: JSON = None
    reason: str = ""
    condition_index: Whole | None = None
    payload: JSON = None
    person_properties: dict[str, JSON] = {}
    conditions: Each[ConditionCheck] = ()

    @property
    def has_properties(self) -> bool:
        """Return whether it has every stored property of the user.

        Old servers and flags that are off send none. A flag with rules has properties without conditions.
        """
        return bool(self.conditions or self.person_properties)


class MyFlag(Record):
    """A flag and its value for the owner of the key."""

    feature_flag: dict[str, JSON] = {}
    value: JSON = None


class BulkError(Record):
    """A record that a bulk change left unchanged, or of which that is not known."""

    id: JSON = None
    reason: str = ""
    is_sent: bool = False
    """Whether its own request was sent without a response: it may be changed all the same."""


class BulkDelete(Record):
    """The result of a bulk deletion; partial success is normal."""

    deleted: Each[FlagKey] = ()
    errors: Each[BulkError] = ()


class TagsNow(Record):
    """A record's tags after a bulk change."""

    id: JSON = None
    tags: Texts = ()


class BulkTags(Record):
    """The result of a bulk change of tags."""

    updated: Each[TagsNow] = ()
    skipped: Each[BulkError] = ()


class FlagVersion(Record):
    """A flag at an earlier version; users are ids here."""

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
    """A project to which the flag could not be copied."""

    error_message: JSON = None


class Copied(Record):
    """The result of copying a flag to other projects."""

    success: Each[dict[str, JSON]] = ()
    failed: Each[CopyFailure] = ()


def keys_by_id(raw: JSON) -> dict[int, str]:
    """Return the `keys` of a bulk response by id: its ids are text on the wire."""
    keys = as_dict(as_dict(raw).get("keys"))
    return {
        int(name): key
        for name, key in keys.items()
        if name.isascii() and name.isdigit() and len(name) < 20 and isinstance(key, str)
    }


class Cohort(Record):
    """A new cohort; its count comes later."""

    id: Whole = 0
    name: str = ""
    is_static: bool = False
    count: Whole | None = None

    @classmethod
    def in_response(cls, raw: JSON) -> "Cohort":
        """Return the cohort inside `{"cohort": …}`."""
        return cls.of(as_dict(raw).get("cohort"))


class ScheduledChange(Record):
    """A scheduled change and its time."""

    id: Whole = 0
    record_id: str = ""
    """The flag's id as text."""
    payload: dict[str, JSON] = {}
    """`operation` (update_status, add_release_condition, update_variants) and `value`."""
    scheduled_at: Moment | None = None
    executed_at: Moment | None = None
    failure_reason: str | None = None
    """Why it failed; the payload is not checked before it is due."""
    created_by: User | None = None
    created_at: Moment | None = None
    is_recurring: bool = False
    recurrence_interval: str | None = None
    cron_expression: str | None = None
    end_date: Moment | None = None
    timezone: str | None = None

    @property
    def operation(self) -> str:
        return as_text(self.payload.get("operation"))

    @property
    def is_paused(self) -> bool:
        """Return whether it keeps a pattern but does not run."""
        return not self.is_recurring and bool(self.recurrence_interval or self.cron_expression)

    @property
    def is_done(self) -> bool:
        """Return whether it was applied, or failed, and will not run again."""
        return not self.is_recurring and (self.executed_at is not None or bool(self.failure_reason))


class Vote(Record):
    """The decision of one user about a change that needs approval."""

    decision: str = ""
    """`approved` or `rejected`; the requester who cancels rejects."""
    reason: str = ""
    created_by: User | None = None


class ChangeRequest(Record):
    """A change that waits, or waited, for approval. `state` alone is its outcome."""

    id: str = ""
    state: str = ""
    apply_error: str | None = None
    result_data: dict[str, JSON] | None = None
    approvals: Each[Vote] = ()

    @property
    def is_open(self) -> bool:
        return self.state in ("pending", "approved")

    @property
    def is_applied(self) -> bool:
        return self.state == "applied"

    @property
    def record_id(self) -> int:
        """Return the number of the record; 0 where the server does not send it."""
        return as_id(as_dict(self.result_data).get("resource_id")) or 0

    @property
    def version(self) -> int | None:
        """Return the version of the record that the change made, where the server sends it."""
        return as_whole(as_dict(self.result_data).get("resource_version"))

    @property
    def refusal(self) -> str:
        """Return why it will never be applied: `rejected by sam@acme.com: not now`; else empty. Raw."""
        if self.state == "rejected":
            vote = next((vote for vote in self.approvals if vote.decision == "rejected"), Vote())
            user = vote.created_by
            by = f" by {user.email or user.label}" if user is not None else ""
            return f"rejected{by}{vote.reason and f': {vote.reason}'}"
        if self.state == "failed":
            return (
                f"approved, but the server could not apply it{self.apply_error and f': {self.apply_error}'}"
            )
        return "not approved before it expired" if self.state == "expired" else ""


class LocalEvaluation(Record):
    """Flags, cohorts and group types of one moment, which `etag` identifies."""

    flags: Items = ()
    group_type_mapping: NamedTexts = {}
    cohorts: dict[str, JSON] = {}
    etag: str = ""
