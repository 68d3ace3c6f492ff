"""The progress of a set that goes on after a refusal: applied changes, and those staged since."""

from dataclasses import replace
from typing import Any, Final

import pytest
from tests.changes.sets.conftest import empty_set

from flagtui.changes.journal_entries import Entry
from flagtui.changes.sets.change_set import StagedChange
from flagtui.changes.sets.set_progress import progress_of

FLAG: Final[dict[str, Any]] = {"kind": "flag", "record": 1, "key": "new-nav", "verb": "turn on"}
EVENT: Final[dict[str, Any]] = {
    "kind": "event_definition",
    "record": "b1",
    "key": "$pageview",
    "verb": "edit",
}
ON: Final = Entry(
    id="j1", record=1, key="new-nav", verb="turn on", version=12, after={"active": True}, ending="saved"
)
DESCRIBED: Final = Entry(
    id="j2", uuid="b1", kind="event_definition", verb="edit", after={"description": "A"}, ending="saved"
)


@pytest.mark.parametrize(
    ("entry", "fields", "is_applied"),
    [
        (ON, {**FLAG, "version": 12, "base": {"active": False}, "values": {"active": True}}, True),
        # The set was planned on a newer record, with consent.
        (ON, {**FLAG, "version": 9, "base": {"active": False}, "values": {"active": True}}, True),
        (ON, {**FLAG, "version": 13, "base": {"active": True}, "values": {"active": False}}, False),
        (DESCRIBED, {**EVENT, "base": {"description": ""}, "values": {"description": "A"}}, True),
        (DESCRIBED, {**EVENT, "base": {"description": "A"}, "values": {"description": "B"}}, False),
    ],
)
def test_change_staged_after_an_applied_one_is_left(
    entry: Entry, fields: dict[str, Any], is_applied: bool
) -> None:
    change_set = empty_set().with_changes([StagedChange(**fields)], 10)
    progress = progress_of(change_set, [replace(entry, batch=change_set.id)])
    assert [bool(progress.applied_of(change_set)), not progress.left_of(change_set)] == [is_applied] * 2


def test_change_of_a_set_counts_while_it_is_not_undone() -> None:
    change = StagedChange(**FLAG, version=12, base={"active": False}, values={"active": True})
    change_set = empty_set().with_changes([change], 10)
    entries = [
        replace(ON, at=1, batch=change_set.id),
        Entry(id="j3", at=2, record=1, undoes="j1", ending="saved"),
        Entry(id="j4", at=3, record=1, undoes="j3", ending="saved"),
    ]
    counts = [len(progress_of(change_set, entries[:end]).applied_of(change_set)) for end in (1, 2, 3)]
    assert counts == [1, 0, 1]
