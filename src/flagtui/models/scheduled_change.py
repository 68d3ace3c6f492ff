"""A change the server will make to a flag later."""

from flagtui.models.json_value import JSON, as_text
from flagtui.models.person import User
from flagtui.models.record import Moment, Record, Whole


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
