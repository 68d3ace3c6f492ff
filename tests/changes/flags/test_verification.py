"""The stored record is compared with the plan: rewriting by rule is no change, others are reported."""

import copy
from collections.abc import Callable

from tests.changes.conftest import flag, make_plan
from tests.doubles.expected import require
from tests.doubles.tables import table
from tests.doubles.targeting import asks, asks_cohort

from flagtui.changes.flags.flag_intent import Intent
from flagtui.changes.flags.flag_plan import Plan
from flagtui.changes.flags.flag_save import compare
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON, as_dict

ASKS = [asks("email", "icontains", "@acme.test"), asks("age", "min", "18"), asks_cohort(3)]
FILTERS: dict[str, JSON] = {
    "groups": [
        {"properties": ASKS, "rollout_percentage": 25},
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


Rewrite = Callable[[dict[str, JSON]], object]


def store_rewritten(plan: Plan, rewrite: Rewrite) -> Flag:
    """The stored flag whose filters the server rewrote."""
    filters = copy.deepcopy(dict(plan.body["filters"]))
    rewrite(filters)
    return store(plan, filters=filters)


def group(place: int, **fields: JSON) -> Rewrite:
    return lambda filters: filters["groups"][place].update(fields)


def item(place: int, **fields: JSON) -> Rewrite:
    return lambda filters: filters["groups"][0]["properties"][place].update(fields)


def test_stored_plans_and_short_responses_are_clean() -> None:
    plan = rollout_plan()
    assert remarks(plan, store(plan)) == ()
    short = {"id": 812, "key": "checkout-v2", "active": False, "version": 13}
    assert remarks(make_plan(OFF, flag()), Flag.of(short)) == ()


@table("rewrite", {
    "the group type in a condition": group(0, aggregation_group_type_index=None),
    "the group type of the flag": lambda filters: filters.update(aggregation_group_type_index=None),
    "an operator under its newer name": item(1, operator="gte"),
    "the cohort's name for readers": item(2, cohort_name="Staff"),
    "a negation added": item(0, negation=None),
    "a payload with other spaces": lambda filters: filters["payloads"].update(true='{"a":1}'),
    "legacy keys dropped": lambda filters: filters.pop("super_groups"),
    "a null dropped": lambda filters: filters.pop("multivariate"),
    "a null added": lambda filters: filters.update(holdout=None, early_exit=None),
    "a whole number as a fraction": group(1, rollout_percentage=10.0),
})  # fmt: skip
def test_a_server_that_rewrites_by_rule_has_changed_nothing(rewrite: Rewrite) -> None:
    plan = rollout_plan()
    assert remarks(plan, store_rewritten(plan, rewrite)) == ()


def test_group_type_copied_into_conditions_is_a_no_op() -> None:
    plan_item = {"key": "plan", "type": "group", "group_type_index": 0, "operator": "exact", "value": ["pro"]}
    condition = {"properties": [plan_item], "rollout_percentage": 10}
    plan = make_plan(OFF, flag(filters={"aggregation_group_type_index": 0, "groups": [condition]}))
    for kind in (0, 1):
        copied = {**condition, "aggregation_group_type_index": kind}
        filters = {"aggregation_group_type_index": kind, "groups": [copied]}
        assert (remarks(plan, store(plan, filters=filters)) == ()) is (kind == 0)


@table("rewrite, words", {
    "another share": (group(1, rollout_percentage=99),
                      "changed outside the plan: condition 2: rollout 10 % → 99 %"),
    "a key dropped": (lambda filters: filters.pop("mystery"),
                      'changed outside the plan: mystery: − {"kept": true}'),
    "another value of the change": (group(0, rollout_percentage=60),
                                    "not changed as planned: condition 1: rollout 50 % → 60 %"),
})  # fmt: skip
def test_other_values_than_planned_are_reported(rewrite: Rewrite, words: str) -> None:
    plan = rollout_plan()
    stored = store_rewritten(plan, rewrite)
    outcome = require(compare(plan, stored))
    assert outcome.remarks == (words,)
    is_planned = words.startswith("changed outside")
    assert (compare(plan, stored, is_whole=True) is not None) is is_planned
    assert is_planned or as_dict(outcome.server_values["filters"])["groups"] == stored.filters["groups"]


def test_missing_parts_of_the_plan_are_reported() -> None:
    plan = plan_edit(active=False, name="Other words")
    stored = store(plan, name="New checkout")
    assert remarks(plan, stored) == ("not changed as planned: description: Other words → New checkout",)
    assert compare(plan, stored, is_whole=True) is None
    plan = make_plan(OFF, flag(filters=FILTERS))
    assert compare(plan, store(plan, active=True)) is None
    assert remarks(plan, store(plan, version=16)) == ("saved; it was changed meanwhile, 3 times",)
    restored = flag(deleted=True, key="checkout-v2:deleted:812")
    plan = make_plan(Intent(812, {"deleted": False}, "restore"), restored)
    words = "changed outside the plan: key: checkout-v2 → checkout-v2-2"
    assert remarks(plan, store(plan, key="checkout-v2-2")) == (words,)


@table("fields, changes, odd", {
    "what moves with every write": ({}, {"active": False},
     {"updated_at": "2026-07-01T00:00:00Z", "last_modified_by": None, "status": "STALE"}),
    "no versions": ({"version": None}, {"active": False}, {"version": None}),
    "contexts that reading blanks and writing shows": ({"evaluation_contexts": []}, {"active": False},
                                                       {"evaluation_contexts": ["web"]}),
    "contexts under two names": ({"evaluation_contexts": ["web"], "evaluation_tags": ["web"]},
                                 {"evaluation_contexts": ["app"]}, {"evaluation_tags": ["app"]}),
    "tags in another order": ({}, {"tags": ["checkout", "web"]}, {"tags": ["web", "checkout"]}),
    "the mark on the key of a deleted flag": ({}, {"deleted": True}, {"key": "checkout-v2:deleted:812"}),
})  # fmt: skip
def test_what_is_no_change_of_anybody_is_clean(
    fields: dict[str, JSON], changes: dict[str, JSON], odd: dict[str, JSON]
) -> None:
    plan = make_plan(Intent(812, changes, "edit"), flag(**fields))
    assert remarks(plan, store(plan, **odd)) == ()
