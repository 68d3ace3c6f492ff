"""Flags as the server would send them, and the surroundings of a plan."""

from pathlib import Path
from typing import Any, Final

import pytest
from tests.changes.office import Office
from tests.doubles.expected import expect
from tests.doubles.flag_server import raw_flag

from flagtui.changes.flags.current_flag import FlagReading, PlanResult
from flagtui.changes.flags.flag_context import Context, Reach
from flagtui.changes.flags.flag_intent import Intent
from flagtui.changes.flags.flag_plan import Plan, plan_flag
from flagtui.changes.flags.flag_planner import FlagChange
from flagtui.changes.skipped import Blocked
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON

NOW: Final = 1_780_000_000.0
CALM: Final = Context(now=NOW, reach=Reach(41_230, 0, 82_460, moved=(41_230, 0)), dependents=())
"""Everything is known, and nothing speaks against the change."""


def flag(**fields: Any) -> Flag:
    """A flag from the fields a test is about."""
    return Flag.of(raw_flag(**fields))


def edit(**filters: JSON) -> Intent:
    """Replace the targeting by these filters."""
    return Intent(812, {"filters": filters}, "edit")


def make_plan(intent: Intent, fresh: Flag, context: Context = CALM) -> Plan:
    """The plan of a change that must be possible."""
    return expect(plan_flag(intent, fresh, context), Plan)


def plan_change(change: FlagChange, fresh: Flag, context: Context = CALM) -> PlanResult:
    """The plan of a change whose intent depends on the flag, or why there is none."""
    intent = change.intent(fresh)
    if isinstance(intent, Blocked):
        return intent
    return FlagReading(fresh, intent, context, change.finish).plan(frozenset())


@pytest.fixture
def office(tmp_path: Path) -> Office:
    return Office(tmp_path)
