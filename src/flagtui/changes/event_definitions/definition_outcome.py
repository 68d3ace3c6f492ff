"""How a change of an event definition ended."""

from dataclasses import dataclass

from flagtui.api.errors import ApiError
from flagtui.changes.event_definitions.definition_plan import EventPlan
from flagtui.changes.journal_entries import Ending
from flagtui.models.event_definition import EventDefinition


@dataclass(frozen=True, slots=True)
class DefinitionEnded:
    """One plan and what is true of it now."""

    plan: EventPlan
    ending: Ending
    record: EventDefinition | None = None
    """As the server has it now; None when it did not say, or when it is gone."""
    reason: str = ""
    next: str = ""
    error: ApiError | None = None
    missing: tuple[str, ...] = ()
    """Fields the server took and did not keep."""
    journal_id: str = ""
    note: str = ""
    """Why how it ended is not in the journal."""
    is_without_journal: bool = False
    """Nothing was sent, because the journal cannot be written."""

    @property
    def is_saved(self) -> bool:
        return self.ending == "saved"

    @property
    def id(self) -> str:
        """The definition's id; one that was made again has a new one."""
        return self.record.id if self.record is not None else self.plan.id

    @property
    def version(self) -> int | None:
        """Definitions have none."""
        return None
