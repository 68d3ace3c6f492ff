"""The stored record is compared with the plan: rewriting by rule is no change, others are reported."""

import copy
from collections.abc import Callable

import pytest
from tests.changes.conftest import flag, make_plan
from tests.doubles.expected import require
from tests.doubles.targeting import asks, asks_cohort, group

from flagtui.changes.flags.flag_intent import Intent
from flagtui.changes.flags.flag_plan import Plan
from flagtui.changes.flags.flag_save import compare
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON, as_dict

FILTERS: dict[str, JSON] = {
    "groups": [
        {
            "properties": [
                asks("email", "icontains", "@acme.test"),
                asks("age", "min", "18"),
                asks_cohort(3),
            ],
            "rollout_percentage": 25,
        },
        {"properties": [], "rollout_percentage": 10, "variant": None},
    ],
    "multivariate": None,
    "payloads": {"true": '{"a": 1}'},
    "super_groups": None,
    "mystery": {"kept": True},
}


OFF = Intent(812, {"active": False}, "turn off")


def plan_edit(**changes: JSON) -> Plan:
    return make_plan(Intent(812, changes, "edit"), flag(filters=FILTERS))


def store(plan: Plan, **odd: JSON) -> Flag:
    return Flag.of({**plan.fresh.raw, **copy.deepcopy(dict(plan.body)), "version": 13, **odd})


def remarks(plan: Plan, stored: Flag) -> tuple[str, ...]:
    """What a save of the plan is reported with."""
    return require(compare(plan, stored)).remarks


def rollout_plan() -> Plan:
    groups = copy.deepcopy(FILTERS["groups"])
    groups[0]["rollout_percentage"] = 50
    return plan_edit(filters={**FILTERS, "groups": groups})


def test_stored_plans_and_short_responses_are_clean() -> None:
    plan = rollout_plan()
    assert remarks(plan, store(plan)) == ()
    short = {"id": 812, "key": "checkout-v2", "active": False, "version": 13}
    assert remarks(make_plan(OFF, flag()), Flag.of(short)) == ()


def every_group(change: Callable[[dict[str, JSON]], None]) -> Callable[[dict[str, JSON]], None]:
    def apply(filters: dict[str, JSON]) -> None:
        for condition in filters["groups"]:
            change(condition)

    return apply


REWRITES: list[tuple[str, Callable[[dict[str, JSON]], object]]] = [
    ("the group type in every condition",
     every_group(lambda group: group.update(aggregation_group_type_index=None))),
    ("the group type of the flag", lambda filters: filters.update(aggregation_group_type_index=None)),
    ("an operator under its newer name",
     lambda filters: filters["groups"][0]["properties"][1].update(operator="gte")),
    ("the cohort's name for readers",
     lambda filters: filters["groups"][0]["properties"][2].update(cohort_name="Staff")),
    ("a payload with other spaces", lambda filters: filters["payloads"].update(true='{"a":1}')),
    ("legacy keys dropped", lambda filters: filters.pop("super_groups")),
    ("a null dropped", lambda filters: filters.pop("multivariate")),
    ("a null added", lambda filters: filters.update(holdout=None, early_exit=None)),
    ("a whole number as a fraction", lambda filters: filters["groups"][1].update(rollout_percentage=10.0)),
    ("a negation added", lambda filters: filters["groups"][0]["properties"][0].update(negation=None)),
]  # fmt: skip


@pytest.mark.parametrize("rewrite", [row[1] for row in REWRITES], ids=[row[0] for row in REWRITES])
def test_a_server_that_rewrites_by_rule_has_changed_nothing(
    rewrite: Callable[[dict[str, JSON]], object],
) -> None:
    plan = rollout_plan()
    filters = copy.deepcopy(dict(plan.body["filters"]))
    rewrite(filters)
    assert remarks(plan, store(plan, filters=filters)) == ()


def test_group_type_copied_into_conditions_is_a_no_op() -> None:
    plan_item = {"key": "plan", "type": "group", "group_type_index": 0, "operator": "exact", "value": ["pro"]}
    condition = group(10, plan_item)
    plan = make_plan(OFF, flag(filters={"aggregation_group_type_index": 0, "groups": [condition]}))
    for kind in (0, 1):
        copied = {**condition, "aggregation_group_type_index": kind}
        filters = {"aggregation_group_type_index": kind, "groups": [copied]}
        assert (remarks(plan, store(plan, filters=filters)) == ()) is (kind == 0)


def test_paths_beyond_the_plan_and_dropped_keys_are_reported() -> None:
    plan = rollout_plan()
    filters = copy.deepcopy(dict(plan.body["filters"]))
    filters["groups"][1]["rollout_percentage"] = 99
    stored = store(plan, filters=filters)
    assert remarks(plan, stored) == ("changed outside the plan: condition 2: rollout 10 % → 99 %",)
    assert compare(plan, stored, is_whole=True) is not None
    filters = copy.deepcopy(dict(plan.body["filters"]))
    del filters["mystery"]
    assert remarks(plan, store(plan, filters=filters)) == (
        'changed outside the plan: mystery: − {"kept": true}',
    )


def test_missing_parts_of_the_plan_are_reported() -> None:
    plan = plan_edit(active=False, name="Other words")
    stored = store(plan, name="New checkout")
    assert remarks(plan, stored) == ("not changed as planned: description: Other words → New checkout",)
    assert compare(plan, stored, is_whole=True) is None
    plan = make_plan(OFF, flag(filters=FILTERS))
    assert compare(plan, store(plan, active=True)) is None
    plan = rollout_plan()
    filters = copy.deepcopy(dict(plan.body["filters"]))
    filters["groups"][0]["rollout_percentage"] = 60
    outcome = require(compare(plan, store(plan, filters=filters)))
    assert outcome.remarks == ("not changed as planned: condition 1: rollout 50 % → 60 %",)
    assert as_dict(outcome.server_values["filters"])["groups"] == filters["groups"]
    plan = make_plan(OFF, flag(filters=FILTERS))
    assert remarks(plan, store(plan, version=16)) == ("saved; another user changed it meanwhile, 3 times",)


def test_a_restored_flag_under_another_key_is_told() -> None:
    plan = make_plan(
        Intent(812, {"deleted": False}, "restore"), flag(deleted=True, key="checkout-v2:deleted:812")
    )
    assert remarks(plan, store(plan, key="checkout-v2-2")) == (
        "changed outside the plan: key: checkout-v2 → checkout-v2-2",
    )


CLEAN: list[tuple[str, dict[str, JSON], dict[str, JSON], dict[str, JSON]]] = [
    ("what moves with every write", {}, {"active": False},
     {"updated_at": "2026-07-01T00:00:00Z", "last_modified_by": None, "status": "STALE"}),
    ("no versions", {"version": None}, {"active": False}, {"version": None}),
    ("contexts that reading blanks and writing shows", {"evaluation_contexts": []}, {"active": False},
     {"evaluation_contexts": ["web"]}),
    ("contexts under two names", {"evaluation_contexts": ["web"], "evaluation_tags": ["web"]},
     {"evaluation_contexts": ["app"]}, {"evaluation_tags": ["app"]}),
    ("tags in another order", {}, {"tags": ["checkout", "web"]}, {"tags": ["web", "checkout"]}),
    ("the mark on the key of a deleted flag", {}, {"deleted": True}, {"key": "checkout-v2:deleted:812"}),
]  # fmt: skip


@pytest.mark.parametrize(("_what", "fields", "changes", "odd"), CLEAN)
def test_what_is_no_change_of_anybody_is_clean(
    _what: str, fields: dict[str, JSON], changes: dict[str, JSON], odd: dict[str, JSON]
) -> None:
    plan = make_plan(Intent(812, changes, "edit"), flag(**fields))
    assert remarks(plan, store(plan, **odd)) == ()
