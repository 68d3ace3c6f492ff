"""As strict as the strictest server, and nothing a server takes is refused."""

import json
from typing import Final

import pytest
from tests.changes.flags.test_targeting_intents import RICH
from tests.doubles.fixtures import needs_fixtures, real_records
from tests.doubles.tables import table
from tests.doubles.targeting import group

from flagtui.changes.flags.filter_rules import SIZE_LIMIT, problems_in
from flagtui.models.json_value import JSON

LEVEL: Final = "aggregation_group_type_index"


def asking(**item: JSON) -> dict[str, JSON]:
    """Filters with one condition that asks for one thing."""
    return {"groups": [group(50, {"key": "email", "type": "person", **item})]}


def variants(*shares: JSON, **more: JSON) -> dict[str, JSON]:
    named = [{"key": f"v{place}", "rollout_percentage": share} for place, share in enumerate(shares)]
    return {"groups": [], "multivariate": {"variants": named}, **more}


@table("filters", {
    "empty": {},
    "no condition": {"groups": []},
    "rich": RICH,
    "fraction": {"groups": [{"rollout_percentage": 0.5}]},
    "null share": {"groups": [{"rollout_percentage": None, "properties": None}]},
    "unknown keys": {"groups": [{"rollout_percentage": 1, "mystery": 1}], "mystery": {}},
    "three thirds": variants(33.33, 33.33, 33.34),
    "exact list": asking(value=["a", "b"], operator="exact"),
    "no operator": asking(value="a"),
    "set": asking(operator="is_set"),
    "regex": asking(operator="regex", value="^a.*$"),
    "number as text": asking(operator="gt", value="5"),
    "alias": asking(operator="min", value="5"),
    "relative date": asking(operator="is_date_before", value="-7d"),
    "date": asking(operator="is_date_after", value="2026-01-01"),
    "date and time": asking(operator="is_date_exact", value="2026-01-01T10:00:00Z"),
    "version": asking(operator="semver_gte", value="1.2.3-beta.1"),
    "version wildcard": asking(operator="semver_wildcard", value="1.2.*"),
    "several": asking(operator="icontains_multi", value=["a"]),
    "newest": asking(operator="starts_with", value="a"),
    "cohort": asking(key="id", type="cohort", operator="in", value=31),
    "cohort as text": asking(key="id", type="cohort", operator="not_in", value="31"),
    "flag": asking(key="812", type="flag", operator="flag_evaluates_to", value=True),
    "flag variant": asking(key=812, type="flag", operator="flag_evaluates_to", value="test"),
    "group": {**asking(key="plan", type="group", group_type_index=0, value=["pro"]), LEVEL: 0},
    "payload not as text": {"groups": [], "payloads": {"true": {"a": 1}}},
    "payload": {"groups": [], "payloads": {"true": '"hello"'}},
    "enrollment": {"groups": [], "feature_enrollment": True, "early_exit": None},
    "plain version": {"groups": [], "version": 1},
})  # fmt: skip
def test_what_servers_take_is_taken(filters: JSON) -> None:
    assert problems_in(filters, flag_id=1) == ()


ITEM: Final = "groups[0].properties[0]"
VALUE: Final = f"{ITEM}.value"


def about_groups(**item: JSON) -> JSON:
    """Filters with a condition about companies that asks for one thing."""
    return {"groups": [group(None, {"key": "a", "value": 1, **item}, aggregation_group_type_index=0)]}


@pytest.mark.parametrize(("filters", "where"), [
    ([], ""),
    (None, ""),
    ({"groups": {}}, "groups"),
    ({"groups": ["x"]}, "groups[0]"),
    ({"groups": [{"rollout_percentage": "50"}]}, "groups[0].rollout_percentage"),
    ({"groups": [{"rollout_percentage": True}]}, "groups[0].rollout_percentage"),
    ({"groups": [{"rollout_percentage": 101}]}, "groups[0].rollout_percentage"),
    ({"groups": [{"rollout_percentage": -0.1}]}, "groups[0].rollout_percentage"),
    ({"groups": [{"rollout_percentage": float("nan")}]}, "groups[0].rollout_percentage"),
    ({"groups": [{"variant": 3}]}, "groups[0].variant"),
    ({"groups": [{"variant": "gone"}]}, "groups[0].variant"),
    ({"groups": [{"properties": {}}]}, "groups[0].properties"),
    ({"groups": [{"properties": ["x"]}]}, ITEM),
    ({"groups": [{"aggregation_group_type_index": "0"}]}, "groups[0].aggregation_group_type_index"),
    ({"groups": [], "aggregation_group_type_index": "0"}, "aggregation_group_type_index"),
    ({"groups": [], "early_exit": "yes"}, "early_exit"),
    ({"groups": [], "feature_enrollment": 1}, "feature_enrollment"),
    ({"groups": [], "holdout": 4}, "holdout"),
    ({"groups": [], "holdout": {"id": "4", "exclusion_percentage": 5}}, "holdout.id"),
    ({"groups": [], "holdout": {"id": 4}}, "holdout.exclusion_percentage"),
    ({"groups": [], "payloads": None}, "payloads"),
    ({"groups": [], "payloads": []}, "payloads"),
    ({"groups": [], "payloads": {"true": "{bad"}}, "payloads.true"),
    ({"groups": [], "payloads": {"other": "1"}}, "payloads.other"),
    (variants(50, 50, payloads={"true": "1"}), "payloads.true"),
    ({"groups": [], "multivariate": []}, "multivariate.variants"),
    ({"groups": [], "multivariate": {"variants": []}}, "multivariate.variants"),
    ({"groups": [], "multivariate": {"variants": ["x"]}}, "multivariate.variants[0]"),
    (variants(50, 40), "multivariate.variants"),
    (variants(50, None), "multivariate.variants[1].rollout_percentage"),
    (variants(150, -50), "multivariate.variants[0].rollout_percentage"),
    (variants() | {"multivariate": {"variants": [{}]}}, "multivariate.variants[0].key"),
    ({"groups": [], "version": 2, "rules": []}, "version"),
    (asking(key=""), f"{ITEM}.key"),
    (asking(type="event"), f"{ITEM}.type"),
    (asking(operator="contains", value="a"), f"{ITEM}.operator"),
    (asking(operator="ICONTAINS", value="a"), f"{ITEM}.operator"),
    (asking(operator="in", value=1), f"{ITEM}.operator"),
    (asking(operator="flag_evaluates_to", value=True), f"{ITEM}.operator"),
    (asking(operator="exact"), VALUE),
    (asking(operator="icontains", value=["a"]), VALUE),
    (asking(operator="gt", value=5), VALUE),
    (asking(operator="regex", value="["), VALUE),
    (asking(operator="icontains_multi", value="a"), VALUE),
    (asking(operator="is_date_before", value="soon"), VALUE),
    (asking(operator="semver_gt", value="x"), VALUE),
    (asking(value=["x"] * 1001), VALUE),
    (asking(type="group", value="a"), ITEM),
    (asking(key="id", type="cohort", operator="in", value="staff"), VALUE),
    (asking(key="cohort", type="cohort", operator="in", value=3), f"{ITEM}.key"),
    (asking(key="beta", type="flag", operator="flag_evaluates_to", value=True), f"{ITEM}.key"),
    (asking(key="1", type="flag", operator="flag_evaluates_to", value=True), f"{ITEM}.key"),
    (asking(key="9", type="flag", operator="exact", value=True), f"{ITEM}.operator"),
    (about_groups(type="person"), ITEM),
    (about_groups(type="group", group_type_index=1), f"{ITEM}.group_type_index"),
])  # fmt: skip
def test_what_some_server_refuses_is_found_with_its_place(filters: JSON, where: str) -> None:
    assert where in [problem.where for problem in problems_in(filters, flag_id=1)]


def test_new_flags_need_a_condition_and_all_a_size() -> None:
    assert problems_in({"groups": []}, is_new=True)
    assert not problems_in({"groups": []})
    assert "bytes" in problems_in({"groups": [], "payloads": {"true": json.dumps("x" * SIZE_LIMIT)}})[0].words


def test_nothing_odd_crashes_it() -> None:
    odds: list[JSON] = [None, True, 1, 1.5, "x", [], {}, [[]], [None], {"a": None}, "\ud800", 10**400]
    for odd in odds:
        for name in ("groups", "multivariate", "payloads", "holdout", "early_exit", LEVEL):
            problems_in({"groups": [], name: odd})
        for name in ("properties", "rollout_percentage", "variant", LEVEL):
            problems_in({"groups": [{name: odd}]})
        for name in ("key", "type", "operator", "value", "group_type_index"):
            problems_in(asking(**{name: odd}))
        for variants in (odd, [odd, {"key": odd, "rollout_percentage": odd}]):
            problems_in({"groups": [], "multivariate": {"variants": variants}})


@needs_fixtures
def test_real_flags_are_fine() -> None:
    for raw in real_records("flags/retrieve_*.json", "id"):
        is_encrypted = any("has_encrypted" in name for name in raw)
        assert problems_in(raw.get("filters"), raw["id"], is_encrypted=is_encrypted) == (), raw["key"]
