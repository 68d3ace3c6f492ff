"""The one flag: lenient in, nothing lost, and unreadable members get their defaults."""

from typing import Any

import pytest
from tests.doubles.expected import require
from tests.doubles.targeting import group

from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON

ORDINARY: dict[str, Any] = {
    "id": 812,
    "name": "New checkout",
    "key": "checkout-v2",
    "filters": {
        "groups": [group(25, {"key": "email", "type": "person", "value": "@acme.test"})],
        "payloads": {},
        "multivariate": None,
        "something_newer": {"kept": [1, None]},
    },
    "active": True,
    "created_by": {"id": 7, "first_name": "Ada", "email": "ada@acme.test", "hedgehog_config": None},
    "created_at": "2026-05-01T09:00:00.000000Z",
    "version": 4,
    "tags": ["checkout"],
    "status": "ACTIVE",
    "field_of_next_year": {"a": 1},
}


def test_unknown_fields_are_kept_and_compared() -> None:
    flag = Flag.of(ORDINARY)
    assert (flag.raw, flag.filters) == (ORDINARY, ORDINARY["filters"])
    assert flag.model_extra == {"field_of_next_year": {"a": 1}}
    assert flag == Flag.of(dict(ORDINARY))
    assert flag != Flag.of({**ORDINARY, "surveys": "malformed"})
    assert flag.__eq__(None) is False


def test_a_flag_says_who_made_it_and_what_it_is() -> None:
    flag = Flag.of(ORDINARY)
    assert (require(flag.created_by).label, flag.type) == ("Ada", "boolean")
    row = flag.row()
    expected = (25.0, True, "ada@acme.test", 1777626000.0)
    assert (row.rollout, row.conditional, row.creator, row.created_at) == expected


@pytest.mark.parametrize("odd", [None, 3, "x", []])
def test_anything_that_is_no_object_is_the_empty_flag(odd: Any) -> None:
    assert Flag.of(odd) == Flag.of({})


def test_linked_experiments_decide_the_type_despite_odd_ones() -> None:
    variants = {"multivariate": {"variants": [{"key": "control"}]}}
    assert Flag.of({"filters": variants, "experiment_set": [3]}).type == "experiment"
    assert Flag.of({"filters": variants}).type == "multivariant"
    assert Flag.of({"filters": variants, "is_remote_configuration": True}).type == "config"
    flag = Flag.of({"experiment_set_metadata": ["?", {"id": 3, "name": "Checkout", "is_running": True}]})
    assert [link.name for link in flag.experiment_set_metadata] == ["Checkout"]


def test_a_time_without_a_zone_is_utc() -> None:
    flag = Flag.of({"created_at": "2026-03-01T12:00:00", "updated_at": "2026-03-01"})
    assert flag.row().created_at == 1772366400.0
    assert flag.row().updated_at == 1772323200.0


@pytest.mark.parametrize("name", ["evaluation_tags", "evaluation_contexts"])
def test_contexts_are_read_under_either_name(name: str) -> None:
    assert Flag.of({name: ["web"]}).contexts == ("web",)


@pytest.mark.parametrize("more", [
    {"version": "three"},
    {"\ud800": 1},
    {"name": "\ud800"},
    {"\ud800": 1, "version": []},
    {"version": 1e400},
], ids=["wrong type", "unreadable name", "unreadable text", "both", "infinite number"])  # fmt: skip
def test_unreadable_member_leaves_the_others_readable(more: dict[str, JSON]) -> None:
    raw: dict[str, JSON] = {"id": 7, "key": "k", "active": True, **more}
    flag = Flag.of(raw)
    assert (flag.id, flag.key, flag.active) == (7, "k", True)
    assert flag.version is None
    assert flag.raw == raw
