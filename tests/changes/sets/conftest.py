"""Change sets, and flags to plan them on."""

from typing import Any, Final

from tests.changes.conftest import flag, make_plan
from tests.doubles.expected import expect

from flagtui.changes.flags.flag_context import Context
from flagtui.changes.flags.flag_intent import Intent, set_field, switch
from flagtui.changes.flags.flag_plan import Plan
from flagtui.changes.flags.new_flags import Taken, boolean_flag, plan_create
from flagtui.changes.sets.change_set import ChangeSet, StagedChange, new_set
from flagtui.changes.sets.plan_changes import changes_of

HOST: Final = "https://us.posthog.com"
LIMIT: Final = 50


def empty_set(**fields: Any) -> ChangeSet:
    """A set of project 1 without changes."""
    return new_set(**{"host": HOST, "project": "1", "made_at": "2026-03-05T09:00:00Z", **fields})


def stage_change(intent: Intent, **fields: Any) -> StagedChange:
    """The change of a set that this intent becomes on a flag with these fields."""
    (change,) = changes_of([make_plan(intent, flag(id=intent.id, **fields))])
    return change


def stage_new(key: str, **fields: Any) -> StagedChange:
    """The change of a set that creates a flag with this key."""
    plan = plan_create({**boolean_flag(key), **fields}, Taken(()), Context())
    (change,) = changes_of([expect(plan, Plan)])
    return change


def turned_off(id: int = 812, **fields: Any) -> StagedChange:
    return stage_change(switch("turn off", id), **fields)


def stage_description(text: str, id: int = 812, **fields: Any) -> StagedChange:
    return stage_change(set_field(id, "name", "New checkout", text), **fields)
