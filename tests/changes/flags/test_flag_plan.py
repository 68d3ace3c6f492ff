"""An intent on the current record: the question and the request."""

from typing import Any, Final

import pytest
from msgspec.structs import replace
from tests.changes.conftest import CALM, NOW, flag, make_plan
from tests.doubles.expected import expect
from tests.doubles.flag_server import raw_flag
from tests.doubles.targeting import variants

from flagtui.changes.flags.flag_context import Context, NotKnown, Reach, Touch
from flagtui.changes.flags.flag_intent import Intent, set_field, set_rollout, switch
from flagtui.changes.flags.flag_plan import NoOp, Plan, plan_flag
from flagtui.changes.flags.new_flags import Taken, plan_create
from flagtui.changes.skipped import Blocked, Linked
from flagtui.models.flag import Flag
from flagtui.models.flag_details import Names
from flagtui.models.json_value import JSON

OFF: Final = switch("turn off", 812)


def consequence(plan: Plan, label: str) -> str:
    return next(consequence.text for consequence in plan.consequences if consequence.label == label)


def test_turning_off_sends_one_field_and_names_its_users() -> None:
    plan = make_plan(switch("turn off", 812, seen_version=12), flag())
    assert (plan.body, plan.fresh.version, plan.original) == ({"active": False}, 12, {"active": True})
    assert (plan.title, plan.versions, plan.verb.undo) == ("Turn OFF", "v12 → v13", "turn it on again")
    assert [(line.where, line.before, line.after, line.words) for line in plan.lines] == [
        ("active", True, False, "on → off")
    ]
    reach = next(
        consequence for consequence in make_plan(OFF, flag()).consequences if consequence.label == "Reach"
    )
    assert reach.text == "41,230 of 82,460 users lose it"
    assert reach.share == pytest.approx(0.5)
    assert expect(plan_flag(OFF, flag(active=False), CALM), NoOp).words == "is already off"


SINCE: Final = (Touch("sam", NOW - 180, "rollout 25 % → 50 %"),)
WIDER: Final = set_rollout(flag(), 0, 60)


@pytest.mark.parametrize(
    ("intent", "around", "label", "words"),
    [
        (OFF, {"reach": NotKnown("no answer in 3 s")}, "Reach", "not known: no answer in 3 s"),
        (WIDER, {"reach": Reach(100, 250, 1000, moved=(0, 150), is_bound=True)}, "Reach",
         "up to 150 of 1,000 users gain it: 100 → 250"),
        (WIDER, {"reach": Reach(100, 100, 1000, moved=(100, 100), is_bound=True)}, "Reach",
         "up to 100 of 1,000 users lose it, up to 100 gain it: 100 → 100"),
        (WIDER, {"reach": Reach(1000, 1000, 1000, moved=(200, 0), is_bound=True)}, "Reach",
         "up to 200 of 1,000 users lose it"),
        (switch("turn off", 812, 12), {}, "Newer changes", "none"),
        (switch("turn off", 812, 11), {"touched_since": SINCE}, "Newer changes",
         "v11 → v12 by sam, 3 min ago: rollout 25 % → 50 %"),
        (switch("turn off", 812, 2), {"touched_since": SINCE}, "Newer changes",
         "v2 → v12 by sam, 3 min ago: rollout 25 % → 50 %; and 9 more"),
        (OFF, {"dependents": (Linked(9, "child", False),)}, "Dependents",
         "child depends on this flag, which will be off for everyone (it is off)"),
    ],
)  # fmt: skip
def test_what_is_known_around_it_is_told(
    intent: Intent, around: dict[str, Any], label: str, words: str
) -> None:
    assert consequence(make_plan(intent, flag(), replace(CALM, **around)), label) == words


def test_newest_change_is_named_once() -> None:
    newest = replace(CALM, last_touch=SINCE[0], touched_since=SINCE)
    for seen, labels in ((12, ["Last change", "Newer changes"]), (11, ["Newer changes"])):
        plan = make_plan(switch("turn off", 812, seen), flag(), newest)
        assert [each.label for each in plan.consequences if "hange" in each.label] == labels


def test_a_running_experiment_is_named_and_the_safer_ways_offered() -> None:
    fresh = flag(
        experiment_set=[31],
        experiment_set_metadata=[{"id": 31, "name": "Checkout redesign", "is_running": True}],
    )
    plan = make_plan(OFF, fresh)
    assert not [each for each in plan.consequences if each.label == "Experiment"], "the caution names it"
    assert plan.cautions[0].text.startswith("experiment #31 Checkout redesign is running")
    assert plan.cautions[0].instead == ("pause the experiment", "end the experiment")


@pytest.mark.parametrize(
    ("is_running", "words", "tone"),
    [
        (True, "#31 Checkout redesign is running on it", "experiment"),
        (False, "#31 Checkout redesign uses it and is not running", "plain"),
    ],
)
def test_experiment_without_a_caution_is_a_coloured_fact(is_running: bool, words: str, tone: str) -> None:
    link = {"id": 31, "name": "Checkout redesign", "is_running": is_running}
    fresh = flag(tags=[], experiment_set=[31], experiment_set_metadata=[link])
    plan = make_plan(set_field(812, "tags", [], ["web"]), fresh)
    assert [(each.text, each.tone) for each in plan.consequences if each.label == "Experiment"] == [
        (words, tone)
    ]
    assert plan.cautions == ()


@pytest.mark.parametrize(("verb", "words"), [("unarchive", "is not archived"), ("restore", "is not deleted")])
def test_flags_that_were_never_put_away_are_no_ops(verb: str, words: str) -> None:
    assert expect(plan_flag(switch(verb, 812), flag(), CALM), NoOp).words == words


def test_archiving_is_one_write_where_servers_have_it() -> None:
    plan = make_plan(switch("archive", 812), flag())
    assert plan.body == {"active": False, "archived": True}
    assert plan.before == {"active": True, "archived": False}
    assert make_plan(switch("archive", 812), flag(active=False)).body == {"archived": True}
    old = Flag.of({name: value for name, value in raw_flag().items() if name != "archived"})
    assert expect(plan_flag(switch("archive", 812), old, CALM), Blocked).code == "unknown field"


CHILD: Final = Linked(9, "child", True)
DELETE: Final = switch("delete", 812)
OFF_NOW: Final = {"active": False}
RUNNING: Final = {"experiment_set_metadata": [{"id": 3, "name": "Checkout", "is_running": True}]}
ON_BASE: Final[dict[str, Any]] = {
    "groups": [{"properties": [{"type": "flag", "key": "3"}], "rollout_percentage": 40}]
}
LESS: Final = {"groups": [{**ON_BASE["groups"][0], "rollout_percentage": 20}]}
ROLLOUT: Final = Intent(812, {"filters": LESS}, "edit")
BLOCKED: list[tuple[str, Intent, dict[str, JSON], dict[str, Any]]] = [
    ("access", OFF, {"can_edit": False}, {}),
    ("deleted", switch("turn on", 812), {"deleted": True, **OFF_NOW}, {}),
    ("dependents", OFF, {}, {"dependents": (CHILD,)}),
    ("dependencies", switch("turn on", 812), OFF_NOW, {"dependencies": (Linked(3, "x", False),)}),
    ("dependencies", ROLLOUT, {"filters": ON_BASE}, {"dependencies": (Linked(3, "x", False),)}),
    ("dependencies", ROLLOUT, {"filters": ON_BASE}, {"dependencies": (Linked(3, "x", True, True),)}),
    ("archived", switch("turn on", 812), {"archived": True, **OFF_NOW}, {}),
    ("archive", Intent(812, {"archived": True}, "archive"), {}, {}),
    ("early access", DELETE, {"features": [{"id": 1, "name": "Beta"}]}, {}),
    ("experiment", DELETE, RUNNING, {}),
    ("dependents", DELETE, {}, {"dependents": (CHILD,)}),
    ("replay", DELETE, {"is_used_in_replay_settings": True}, {}),
    ("configuration version", switch("archive", 812), {"filters": {"version": 2, "rules": []}}, {}),
    ("key", set_field(812, "key", "checkout-v2", "a b"), {}, {}),
]


@pytest.mark.parametrize(("code", "intent", "fields", "around"), BLOCKED)
def test_server_refusals_are_predicted_before_sending(
    code: str, intent: Intent, fields: dict[str, JSON], around: dict[str, Any]
) -> None:
    refusal = expect(plan_flag(intent, flag(**fields), Context(**around)), Blocked)
    assert (refusal.code, bool(refusal.reason)) == (code, True)


def test_dependencies_that_are_off_refuse_all_but_joint_changes() -> None:
    around = Context(dependencies=(Linked(3, "x", False),), together=frozenset({3, 812}))
    assert make_plan(switch("turn on", 812), flag(active=False), around).body == {"active": True}
    fresh = flag(filters=ON_BASE)
    assert expect(plan_flag(ROLLOUT, fresh, around), Blocked).reason == "it depends on x, which is off"
    around = Context(dependencies=(Linked(3, "x", False),))
    refusal = plan_create({"key": "new", "filters": ON_BASE}, Taken(()), around)
    assert expect(refusal, Blocked).reason == "it depends on x, which is off"


def test_restoring_gives_back_the_key_that_deleting_changed() -> None:
    plan = make_plan(switch("restore", 812), flag(deleted=True, key="checkout-v2:deleted:812"))
    assert plan.body == {"deleted": False, "key": "checkout-v2"}
    assert not [caution for caution in plan.cautions if "the key has" in caution.text]


def test_confusable_keys_and_replay_settings_are_cautioned_about() -> None:
    plan = make_plan(OFF, flag(key="prod\u202e-x"))
    assert "U+202E" in next(caution for caution in plan.cautions if "the key has" in caution.text).text
    context = replace(CALM, similar=("checkout-v1",))
    plan = make_plan(OFF, flag(is_used_in_replay_settings=True), context)
    assert [caution.text.partition(" ")[0] for caution in plan.cautions] == ["easily", "session"]


def test_filters_change_is_sent_whole_and_drops_missing_parts() -> None:
    stored = {
        "groups": [{"properties": [{"key": "id", "type": "cohort", "value": 3, "cohort_name": "Staff"}]}],
        "multivariate": variants(a=100),
        "payloads": {"a": "1"},
        "mystery": {"kept": [1, 2]},
        "version": 1,
    }
    filters = {"groups": stored["groups"], "mystery": stored["mystery"]}
    plan = make_plan(Intent(812, {"filters": filters}, "edit"), flag(filters=stored))
    assert plan.body["filters"] == {
        "groups": [{"properties": [{"key": "id", "type": "cohort", "value": 3}]}],
        "mystery": {"kept": [1, 2]},
        "multivariate": None,
        "payloads": {},
    }
    assert "cohort_name" not in str(plan.original)
    assert "version" not in plan.original["filters"]


def test_tags_of_both_users_stay_as_texts() -> None:
    intent = set_field(812, "tags", ["checkout"], ["checkout", " Web "])
    plan = make_plan(intent, flag(tags=["checkout", "sam"]))
    assert (plan.body, plan.original) == ({"tags": ["checkout", "sam", "web"]}, {})
    plan = make_plan(set_field(812, "tags", [], ["web"]), flag(tags=[["x"], {}, None, " Sam "]))
    assert plan.body == {"tags": ["sam", "web"]}


def test_concurrent_edits_merge_or_conflict_by_condition() -> None:
    seen = {"groups": [{"rollout_percentage": 10}, {"rollout_percentage": 20}]}
    mine = {"groups": [{"rollout_percentage": 15}, {"rollout_percentage": 20}]}
    now = {"groups": [{"rollout_percentage": 10}, {"rollout_percentage": 80}]}
    plan = make_plan(set_field(812, "filters", seen, mine), flag(filters=now))
    assert plan.body["filters"]["groups"] == [{"rollout_percentage": 15}, {"rollout_percentage": 80}]
    assert plan.conflicts == ()
    assert [line.words for line in plan.lines] == ["condition 1: rollout 10 % → 15 %"]
    seen = {"groups": [{"rollout_percentage": 10}]}
    mine = {"groups": [{"rollout_percentage": 15}]}
    now = {"groups": [{"rollout_percentage": 80}]}
    (conflict,) = make_plan(set_field(812, "filters", seen, mine), flag(filters=now)).conflicts
    assert conflict.where == "filters.groups[0]"
    expected = [*seen["groups"], *mine["groups"], *now["groups"]]
    assert [conflict.seen, conflict.mine, conflict.theirs] == expected


def test_new_faults_block_and_earlier_ones_are_cautions() -> None:
    intent = Intent(812, {"filters": {"groups": [{"rollout_percentage": 101}]}}, "edit")
    result = expect(plan_flag(intent, flag(), CALM), Blocked)
    assert "filters.groups[0].rollout_percentage must be between 0 and 100, not 101" in result.reason
    odd = {"multivariate": {"variants": [{"key": "a", "rollout_percentage": 90}]}}
    stored = {**odd, "groups": [{"rollout_percentage": 10}]}
    filters = {**odd, "groups": [{"rollout_percentage": 20}]}
    plan = make_plan(Intent(812, {"filters": filters}, "edit"), flag(filters=stored))
    assert plan.cautions[0].text.startswith("existed before this change: ")


def test_encrypted_payloads_stay_encrypted_and_masked() -> None:
    stored = {"groups": [{"rollout_percentage": 10}], "payloads": {"true": '"secret"'}}
    filters = {**stored, "groups": [{"rollout_percentage": 20}]}
    fresh = flag(filters=stored, has_encrypted_payloads=True, is_remote_configuration=True)
    plan = make_plan(Intent(812, {"filters": filters}, "edit"), fresh)
    assert plan.body["has_encrypted_payloads"] is True
    assert plan.is_secret
    assert plan.verb.undo == "put back the old values"

    def sealed(payload: str) -> dict[str, JSON]:
        return {"groups": [{"rollout_percentage": 10}], "payloads": {"true": payload}}

    intent = set_field(812, "filters", sealed('"hunter1"'), sealed('"hunter2"'))
    plan = make_plan(intent, flag(filters=sealed('"hunter3"'), has_encrypted_payloads=True))
    assert [line.where for line in plan.lines] == ["filters.payloads.true"]
    assert plan.conflicts
    assert "hunter" not in f"{plan.lines} {plan.conflicts}"
    without = Intent(812, {"filters": {"groups": []}}, "edit")
    plan = make_plan(without, flag(filters=sealed('"hunter3"'), has_encrypted_payloads=True))
    assert "hunter" not in str(plan.lines)
    assert plan.verb.undo == "", "the journal has no payload to put back"


def test_condition_that_turns_to_groups_is_re_bucketed() -> None:
    context = replace(CALM, names=Names(groups={0: "company"}))
    before = flag(filters={"groups": [{"properties": [], "rollout_percentage": 50}]})
    groups: JSON = [{"properties": [], "rollout_percentage": 50, "aggregation_group_type_index": 0}]
    plan = make_plan(Intent(812, {"filters": {"groups": groups}}, "edit"), before, context)
    texts = [caution.text for caution in plan.cautions if "re-bucketed" in caution.text]
    assert texts == ["condition 1 is re-bucketed by company groups: different ones match"]
    wider: JSON = [{"properties": [], "rollout_percentage": 60}]
    other = make_plan(Intent(812, {"filters": {"groups": wider}}, "edit"), before, context)
    assert not [caution for caution in other.cautions if "re-bucketed" in caution.text]


@pytest.mark.parametrize(
    ("shares", "is_redrawn"),
    [
        ({"b": 50, "a": 50}, True),
        ({"b": 40, "new": 10, "a": 50}, True),
        ({"a": 60, "b": 40}, False),
        ({"new": 10, "a": 50, "b": 40}, False),
        ({"b": 0, "a": 100}, False),
    ],
)
def test_variants_in_another_order_are_re_bucketed(shares: dict[str, float], is_redrawn: bool) -> None:
    before, after = (
        {"groups": [{}], "multivariate": variants(**each)} for each in ({"a": 50, "b": 50}, shares)
    )
    plan = make_plan(Intent(812, {"filters": after}, "edit"), flag(filters=before), CALM)
    words = "variants are in another order: users are re-bucketed, different users get each variant"
    assert (words in [caution.text for caution in plan.cautions]) is is_redrawn
