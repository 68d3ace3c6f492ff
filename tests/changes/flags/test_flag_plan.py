"""An intent on the current record: the question and the request."""

from typing import Any, Final

import pytest
from msgspec.structs import replace
from tests.changes.conftest import CALM, edit, flag, make_plan
from tests.doubles.expected import expect
from tests.doubles.flag_server import raw_flag
from tests.doubles.tables import table
from tests.doubles.targeting import variants

from flagtui.changes.flags.flag_context import Context
from flagtui.changes.flags.flag_intent import Intent, set_field, switch
from flagtui.changes.flags.flag_plan import NoOp, Plan, plan_flag
from flagtui.changes.flags.new_flags import Taken, plan_create
from flagtui.changes.flags.row_refusals import refuse_row
from flagtui.changes.skipped import Blocked, Linked
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON
from flagtui.models.rows import FlagRow

OFF: Final = switch("turn off", 812)
ON: Final = switch("turn on", 812)
DELETE: Final = switch("delete", 812)


def test_turning_off_sends_one_field_and_names_its_users() -> None:
    plan = make_plan(switch("turn off", 812, seen_version=12), flag())
    assert (plan.body, plan.fresh.version, plan.original) == ({"active": False}, 12, {"active": True})
    assert (plan.title, plan.versions, plan.verb.undo) == ("Turn OFF", "v12 → v13", "turn it on again")
    (line,) = plan.lines
    assert (line.where, line.before, line.after, line.words) == ("active", True, False, "on → off")
    (reach,) = [each for each in plan.consequences if each.label == "Reach"]
    assert (reach.text, reach.share) == ("41,230 of 82,460 users lose it", 0.5)


def test_unexplained_plan_lacks_consequences_and_cautions_alone() -> None:
    plans = [make_plan(OFF, flag(**RUNNING), replace(CALM, is_explained=each)) for each in (True, False)]
    assert plans[0].consequences
    assert plans[0].cautions
    assert plans[1] == replace(plans[0], consequences=(), cautions=())


@table("intent, fields, words", {
    "turn off what is off": (OFF, {"active": False}, "is already off"),
    "unarchive what was never archived": (switch("unarchive", 812), {}, "is not archived"),
    "restore what was never deleted": (switch("restore", 812), {}, "is not deleted"),
})  # fmt: skip
def test_change_to_the_present_state_is_a_no_op(intent: Intent, fields: dict[str, JSON], words: str) -> None:
    assert expect(plan_flag(intent, flag(**fields), CALM), NoOp).words == words


def test_archiving_is_one_write_where_servers_have_it() -> None:
    plan = make_plan(switch("archive", 812), flag())
    assert plan.body == {"active": False, "archived": True}
    assert plan.before == {"active": True, "archived": False}
    assert make_plan(switch("archive", 812), flag(active=False)).body == {"archived": True}
    old = Flag.of({name: value for name, value in raw_flag().items() if name != "archived"})
    assert expect(plan_flag(switch("archive", 812), old, CALM), Blocked).code == "unknown field"


CHILD: Final = Linked(9, "child", True)
BASE_IS_OFF: Final[dict[str, Any]] = {"dependencies": (Linked(3, "x", False),)}
ON_BASE: Final[dict[str, Any]] = {
    "groups": [{"properties": [{"type": "flag", "key": "3"}], "rollout_percentage": 40}]
}
ROLLOUT: Final = edit(groups=[{**ON_BASE["groups"][0], "rollout_percentage": 20}])
RUNNING: Final = {"experiment_set_metadata": [{"id": 3, "name": "Checkout", "is_running": True}]}


@pytest.mark.parametrize(("code", "intent", "fields", "around"), [
    ("access", OFF, {"can_edit": False}, {}),
    ("deleted", ON, {"deleted": True, "active": False}, {}),
    ("dependents", OFF, {}, {"dependents": (CHILD,)}),
    ("dependencies", ON, {"active": False}, BASE_IS_OFF),
    ("dependencies", ROLLOUT, {"filters": ON_BASE}, BASE_IS_OFF),
    ("dependencies", ROLLOUT, {"filters": ON_BASE}, {"dependencies": (Linked(3, "x", True, True),)}),
    ("archived", ON, {"archived": True, "active": False}, {}),
    ("archive", Intent(812, {"archived": True}, "archive"), {}, {}),
    ("early access", DELETE, {"features": [{"id": 1, "name": "Beta"}]}, {}),
    ("experiment", DELETE, RUNNING, {}),
    ("dependents", DELETE, {}, {"dependents": (CHILD,)}),
    ("replay", DELETE, {"is_used_in_replay_settings": True}, {}),
    ("configuration version", switch("archive", 812), {"filters": {"version": 2, "rules": []}}, {}),
    ("key", set_field(812, "key", "checkout-v2", "a b"), {}, {}),
])  # fmt: skip
def test_server_refusals_are_predicted_before_sending(
    code: str, intent: Intent, fields: dict[str, JSON], around: dict[str, Any]
) -> None:
    refusal = expect(plan_flag(intent, flag(**fields), Context(**around)), Blocked)
    assert (refusal.code, bool(refusal.reason)) == (code, True)


def test_dependencies_that_are_off_refuse_all_but_joint_changes() -> None:
    alone = Context(**BASE_IS_OFF)
    together = replace(alone, together=frozenset({3, 812}))
    assert make_plan(ON, flag(active=False), together).body == {"active": True}
    for refusal in (
        plan_flag(ROLLOUT, flag(filters=ON_BASE), together),
        plan_create({"key": "new", "filters": ON_BASE}, Taken(()), alone),
    ):
        assert expect(refusal, Blocked).reason == "it depends on x, which is off"


def test_filters_change_is_sent_whole_and_drops_missing_parts() -> None:
    stored = {
        "groups": [{"properties": [{"key": "id", "type": "cohort", "value": 3, "cohort_name": "Staff"}]}],
        "multivariate": variants(a=100),
        "payloads": {"a": "1"},
        "mystery": {"kept": [1, 2]},
        "version": 1,
    }
    plan = make_plan(edit(groups=stored["groups"], mystery=stored["mystery"]), flag(filters=stored))
    assert plan.body["filters"] == {
        "groups": [{"properties": [{"key": "id", "type": "cohort", "value": 3}]}],
        "mystery": {"kept": [1, 2]},
        "multivariate": None,
        "payloads": {},
    }


def test_tags_of_both_users_stay_as_texts() -> None:
    intent = set_field(812, "tags", ["checkout"], ["checkout", " Web "])
    plan = make_plan(intent, flag(tags=["checkout", "sam"]))
    assert plan.body == {"tags": ["checkout", "sam", "web"]}
    plan = make_plan(set_field(812, "tags", [], ["web"]), flag(tags=[["x"], {}, None, " Sam "]))
    assert plan.body == {"tags": ["sam", "web"]}


def test_concurrent_edits_merge_or_conflict_by_condition() -> None:
    def plan_shares(seen: list[int], mine: list[int], theirs: list[int]) -> Plan:
        sides = [
            {"groups": [{"rollout_percentage": share} for share in side]} for side in (seen, mine, theirs)
        ]
        return make_plan(set_field(812, "filters", sides[0], sides[1]), flag(filters=sides[2]))

    plan = plan_shares([10, 20], [15, 20], [10, 80])
    assert [group["rollout_percentage"] for group in plan.body["filters"]["groups"]] == [15, 80]
    assert [line.words for line in plan.lines] == ["condition 1: rollout 10 % → 15 %"]
    assert plan.conflicts == ()
    (conflict,) = plan_shares([10], [15], [80]).conflicts
    sides = [side["rollout_percentage"] for side in (conflict.seen, conflict.mine, conflict.theirs)]
    assert (conflict.where, sides) == ("filters.groups[0]", [10, 15, 80])


def test_encrypted_payloads_stay_encrypted_and_masked() -> None:
    def sealed(payload: str, share: int = 10) -> dict[str, Any]:
        return {"groups": [{"rollout_percentage": share}], "payloads": {"true": payload}}

    secret = flag(filters=sealed('"hunter3"'), has_encrypted_payloads=True, is_remote_configuration=True)
    plan = make_plan(edit(**sealed('"hunter3"', 20)), secret)
    assert (plan.body["has_encrypted_payloads"], plan.is_secret) == (True, True)
    assert plan.verb.undo == "put back the old values"
    plan = make_plan(set_field(812, "filters", sealed('"hunter1"'), sealed('"hunter2"')), secret)
    assert [line.where for line in plan.lines] == ["filters.payloads.true"]
    assert plan.conflicts
    assert "hunter" not in f"{plan.lines} {plan.conflicts}"
    plan = make_plan(edit(groups=[]), secret)
    assert "hunter" not in str(plan.lines)
    assert plan.verb.undo == "", "the journal has no payload to put back"


RESUMED = "paused, and turning its flag on resumes it"


def test_running_experiment_offers_safer_ways_and_new_faults_block() -> None:
    (caution,) = make_plan(OFF, flag(**RUNNING)).cautions
    assert caution.instead == ("pause the experiment", "end the experiment")
    (caution,) = make_plan(ON, flag(**RUNNING, active=False)).cautions
    assert (caution.text.partition(" is ")[2], caution.instead) == (RESUMED, ())
    (caution,) = make_plan(edit(groups=[{"rollout_percentage": 60}]), flag(**RUNNING, active=False)).cautions
    assert caution.instead == ("end the experiment",), "it is paused already"
    refusal = expect(plan_flag(edit(groups=[{"rollout_percentage": 101}]), flag(), CALM), Blocked)
    assert "filters.groups[0].rollout_percentage: must be between 0 and 100, not 101" in refusal.reason


@pytest.mark.parametrize(("row", "verb", "reason"), [
    (FlagRow(1, "a", active=True), "disable", ""),
    (FlagRow(1, "a", can_edit=False), "disable", "you may view this flag but not change it"),
    (FlagRow(1, "a", can_edit=False), "copy", ""),
    (FlagRow(1, "a", type="rules"), "rollout", "only state, name and tags"),
    (FlagRow(1, "a", type="rules"), "disable", ""),
    (FlagRow(1, "a", type="rules"), "edit", ""),
    (FlagRow(1, "a", archived=True), "enable", "unarchive it first"),
    (FlagRow(1, "a", archived=True), "unarchive", ""),
    (FlagRow(1, "a", active=True, deleted=True), "disable", "restore it first"),
])  # fmt: skip
def test_the_row_of_a_flag_refuses_what_servers_refuse(row: FlagRow, verb: str, reason: str) -> None:
    why = refuse_row(row, verb)
    assert bool(why) == bool(reason)
    assert reason in why
