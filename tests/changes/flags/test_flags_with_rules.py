"""Changes of flags with rules (configuration version 2): requests and refusals."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest
from tests.changes.bench import working
from tests.doubles.expected import expect
from tests.doubles.flag_server import raw_flag

from flagtui.api.flags import Flags
from flagtui.changes.flags.flag_context import Context, NotKnown, reach_of
from flagtui.changes.flags.flag_draft import flag_text
from flagtui.changes.flags.flag_entries import FlagEntries
from flagtui.changes.flags.flag_intent import Intent, set_field, switch, why_no_rollout
from flagtui.changes.flags.flag_plan import Plan, plan_flag
from flagtui.changes.flags.flag_save import FlagAdapter
from flagtui.changes.flags.new_flags import Taken, copy_of, plan_create, why_no_copy
from flagtui.changes.guard import GuardRules, Question, guard
from flagtui.changes.planner import Planned
from flagtui.changes.related.schedules import Later, plan_later
from flagtui.changes.skipped import Blocked
from flagtui.config.guard_rules import Level
from flagtui.models.flag import Flag
from flagtui.models.flag_responses import BlastRadius

RULES: dict[str, Any] = {"version": 2, "return_type": "boolean", "default_value": False, "rules": []}
CALM = Context(dependents=())


def flag(**fields: Any) -> Flag:
    return Flag.of(raw_flag(**{"filters": RULES, "version": 7, **fields}))


@pytest.mark.parametrize(("changes", "fields", "words"), [
    ({"filters": {**RULES, "default_value": True}}, {}, "can be changed here, not targeting"),
    ({"key": "checkout-v3"}, {}, "can be changed here, not key"),
    ({"active": False, "archived": True}, {}, "can be changed here, not archived"),
    ({"evaluation_runtime": "server"}, {}, "can be changed here, not runtime"),
    ({"deleted": False}, {"deleted": True}, "servers cannot restore a flag with rules"),
    ({"active": False}, {"version": None}, "the server reports no version"),
])  # fmt: skip
def test_other_changes_of_rules_are_refused_with_the_reason(
    changes: dict[str, Any], fields: dict[str, Any], words: str
) -> None:
    blocked = expect(plan_flag(Intent(812, changes, "edit"), flag(**fields), CALM), Blocked)
    assert words in blocked.reason


def test_deleting_rules_is_permanent() -> None:
    plan = expect(plan_flag(switch("delete", 812), flag(), CALM), Plan)
    (undo,) = [each.text for each in plan.consequences if each.label == "Undo"]
    assert undo == "not possible: servers cannot restore a flag with rules"
    question = expect(guard(Planned(None, [plan]), GuardRules(level=Level.RELAXED)), Question)
    assert (plan.verb.undo, question.type_this) == ("", plan.key)
    entry = FlagAdapter(cast(Flags, None)).journal_entry(plan)
    assert expect(FlagEntries().why_not(entry), Blocked).code == "permanent"


async def test_server_accepts_changes_of_a_flag_with_rules_by_version(tmp_path: Path) -> None:
    async with working(tmp_path, rules_v2=True) as bench:
        flags = bench.client.flags
        now = await flags.get(await bench.new_flag("a", filters=RULES, active=False))
        for intent in (
            switch("turn on", now.id),
            set_field(now.id, "tags", [], ["web"]),
            set_field(now.id, "name", "", "New checkout"),
            switch("turn off", now.id),
            switch("delete", now.id),
        ):
            plan = expect(plan_flag(intent, now, CALM), Plan)
            assert (plan.body.keys(), plan.original) == (intent.changes.keys(), {})
            outcome = await FlagAdapter(flags).send(plan)
            assert (outcome.ending, outcome.reason) == ("saved", "")
            now = expect(outcome.record, Flag)
        assert (now.version, now.tags, now.name, now.deleted) == (6, ("web",), "New checkout", True)
        blocked = expect(plan_flag(switch("restore", now.id), now, CALM), Blocked)
        assert blocked.reason.startswith("servers cannot restore")


AT = datetime(2026, 3, 3, 9, tzinfo=UTC)


@pytest.mark.parametrize(("why", "words"), [
    (lambda: why_no_rollout(flag()), "only its state, name and tags can be changed here"),
    (lambda: why_no_copy(flag()), "it has rules (configuration version 2), and cannot be copied"),
    (lambda: flag_text(flag()).notes[0], "It has rules (configuration version 2); only its state"),
    (lambda: expect(plan_create(copy_of(flag(), "twin"), Taken(()), CALM), Blocked).reason,
     "it has rules (configuration version 2), and cannot be created here"),
    (lambda: expect(plan_later(Later("turned off", {}, AT), flag()), Blocked).reason,
     "every change of it names a version, and a scheduled one cannot"),
    (lambda: why_no_rollout(flag(filters={"version": 3, "groups": []})),
     "its targeting has configuration version 3, which is only shown here"),
])  # fmt: skip
def test_rules_are_named_as_the_reason_everywhere(why: Callable[[], str], words: str) -> None:
    assert words in why()


async def test_reach_of_rules_is_unknown_with_the_reason() -> None:
    async def count(*_: object) -> BlastRadius:
        raise AssertionError

    reach = expect(await reach_of(count, flag(), {"active": False}), NotKnown)
    assert reach.why == "not counted for rules"
