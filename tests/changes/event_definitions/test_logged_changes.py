"""Changes of event definitions in the activity: what the log lets a revert restore, and why it does not."""

from functools import partial

import pytest
from tests.changes.event_definitions.conftest import definition
from tests.doubles.expected import expect, require
from tests.doubles.log_entries import log_entry as logged_entry

from flagtui.changes.event_definitions.definition_plan import DefinitionContext
from flagtui.changes.event_definitions.definition_save import plan_undo
from flagtui.changes.event_definitions.logged_changes import logged_change
from flagtui.changes.journal_entries import Entry
from flagtui.changes.skipped import Blocked
from flagtui.models.activity import Activity

logged = partial(logged_entry, about=("EventDefinition", "u1", "signed up"))


def test_revert_restores_logged_values_or_conflicts() -> None:
    change = expect(logged_change(logged(description=(None, "why"), verified=(False, True))), Entry)
    fresh = definition(description="why", verified=True, tags=["a"])
    plan = require(plan_undo(change, fresh, DefinitionContext()))
    assert (dict(plan.body), plan.conflicts) == ({"description": "", "verified": False}, ())
    change = expect(logged_change(logged(description=("old", "new"))), Entry)
    plan = require(plan_undo(change, definition(description="newest"), DefinitionContext()))
    assert [conflict.theirs for conflict in plan.conflicts] == ["newest"]


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (logged("created"), "later changes of it cannot be ruled out"),
        (logged("deleted", name=("signed up", None)), "servers do not keep a deleted event definition"),
        (logged("last change"), "what it changed is not logged"),
        (logged(post_to_slack=(False, True)), "the old post to slack cannot be set again"),
        (logged(owner=("ada", 2)), "the log does not contain the previous owner"),
    ],
)
def test_revert_is_refused_where_the_log_rules_it_out(entry: Activity, words: str) -> None:
    assert words in expect(logged_change(entry), Blocked).reason
