"""The wire form of `filters`: reading takes anything, and building changes nothing else."""

from typing import Any

import pytest

from flagtui.evaluate import wire

ODD: list[Any] = [None, True, 5, "groups", [], {}, {"groups": 1, "multivariate": 2, "payloads": 3}]
EMPTY = {"groups": [], "payloads": {}, "multivariate": {"variants": []}}


@pytest.mark.parametrize("filters", [*ODD, {"multivariate": {"variants": "x"}}, EMPTY])
def test_malformed_filters_have_no_parts(filters: Any) -> None:
    assert wire.conditions(filters) == wire.variants(filters) == [*wire.dependencies(filters)] == []
    assert wire.payloads(filters) == {}


@pytest.mark.parametrize("filters", ODD)
def test_parts_are_read_as_they_were_set(filters: Any) -> None:
    condition, variant = wire.new_condition(5, [{"key": "email"}]), wire.new_variant("a", 100)
    changed = wire.with_conditions(wire.with_variants(filters, [variant]), [condition, "odd"])
    changed = wire.with_payloads(changed, {"a": "1"})
    assert (wire.conditions(changed), wire.variants(changed)) == ([condition, "odd"], [variant])
    assert wire.payloads(changed) == {"a": "1"}
    assert (wire.properties(condition), wire.share(condition)) == ([{"key": "email"}], 5)


def test_other_members_stay_without_labels_and_payloads() -> None:
    filters = {"early_exit": True, "multivariate": {"variants": [], "more": 1}}
    changed = wire.with_variants(wire.with_conditions(filters, ()), ["v"])
    assert changed == {"early_exit": True, "groups": [], "multivariate": {"variants": ["v"], "more": 1}}
    assert wire.without_variants(changed)["multivariate"] is None
    plain = {"properties": [{"key": "id"}, "odd"]}
    assert wire.without_labels({"properties": [{"key": "id", "cohort_name": "Beta"}, "odd"]}) == plain
    assert wire.without_labels(plain) is plain
    assert wire.mask_payloads({"payloads": {"true": "1"}}, "*") == {"payloads": {"true": "*"}}
    assert wire.mask_payloads({"payloads": None}, "*") == {"payloads": None}


@pytest.mark.parametrize("groups", [None, "x", {}])
def test_only_a_list_of_conditions_is_changed(groups: Any) -> None:
    assert wire.map_conditions({"groups": groups}, lambda _each: "changed") == {"groups": groups}
    assert wire.map_conditions({"groups": [1, 2]}, lambda each: each + 1) == {"groups": [2, 3]}
