"""Records as they will be once their change in the set is applied."""

from typing import Any, Final

import pytest
from tests.changes.event_definitions.conftest import AROUND, definition
from tests.changes.sets.conftest import LIMIT, empty_set
from tests.doubles.expected import require

from flagtui.changes.event_definitions.definition_intent import hide, set_field, verify
from flagtui.changes.event_definitions.definition_plan import plan_event
from flagtui.changes.sets.after_set import event_after, record_after
from flagtui.changes.sets.change_set import ChangeSet, ChangeSetError, StagedChange
from flagtui.changes.sets.plan_changes import changes_of

EVENT: Final = definition(description="old", verified=False, hidden=True)


def stage_change(name: str, value: Any, seen: Any) -> StagedChange:
    """The change of a set that sets this field of the event."""
    intent = set_field(EVENT.id, name, value, seen)
    (change,) = changes_of([require(plan_event(intent, EVENT, AROUND))])
    return change


def a_set(change: StagedChange) -> ChangeSet:
    return empty_set().with_changes([change], LIMIT)


def test_event_has_its_staged_values_unless_changed_since() -> None:
    change = stage_change("description", "new", "old")
    assert record_after(EVENT, a_set(change)).description == "new"
    assert event_after(EVENT, stage_change("owner", 1, None)).raw["owner"] == {"id": 1}
    change = stage_change("description", "new", "old")
    with pytest.raises(ChangeSetError):
        record_after(definition(description="newest"), a_set(change))


def test_verifying_unhides_and_hiding_unverifies_in_a_set() -> None:
    (change,) = changes_of([require(plan_event(verify(EVENT.id), EVENT, AROUND))])
    after = event_after(EVENT, change)
    assert (after.verified, after.hidden) == (True, False)
    event = definition(verified=True)
    (change,) = changes_of([require(plan_event(hide(event.id), event, AROUND))])
    after = event_after(event, change)
    assert (after.verified, after.hidden) == (False, True)
