"""Lines that a person types: tags, and values of properties."""

from typing import Any

import pytest

from flagtui.changes.flags.flag_intent import retag
from flagtui.changes.flags.property_rules import typed_value, value_line, value_problem
from flagtui.changes.tag_line import SHOWN, first_tags, read_tags
from flagtui.models.rows import FlagRow


@pytest.mark.parametrize(("line", "after"), [
    ("ops", ("a", "b", "ops")),
    ("+Ops, -a", ("b", "ops")),
    ("= x, y, x", ("x", "y")),
    ("=", ()),
    ("", ("a", "b")),
    ("a, a", ("a", "b")),
    ("-nobody", ("a", "b")),
    ("two words", ("a", "b", "two words")),
])  # fmt: skip
def test_a_line_adds_removes_or_sets(line: str, after: tuple[str, ...]) -> None:
    retagging = read_tags(line)
    assert (retagging.problem, retagging.of(("a", "b"))) == ("", after)


def test_a_line_that_makes_no_sense_says_why() -> None:
    assert all(read_tags(line).problem for line in ("a, -a", "-", "= a, -b", "x" * 256))


def test_tags_of_others_stay_and_new_ones_come_first() -> None:
    (intent,) = retag([FlagRow(id=4, key="k", tags=("a", "b"), version=9)], read_tags("c, -a"))
    expected = ({"tags": ["a", "b"]}, {"tags": ["b", "c"]}, 9)
    assert (intent.seen, intent.changes, intent.seen_version) == expected
    before = [f"tag-{place}" for place in range(100_000)]
    tags, more = first_tags([*before, "new"], before)
    assert ([*tags], more) == (["new", *before[: SHOWN - 1]], " … and 99,901 more")
    assert first_tags(["b", "a"], ["a"]) == (["b", "a"], "")


@pytest.mark.parametrize(("line", "kind", "operator", "value"), [
    ("DE, FR", "person", "exact", ["DE", "FR"]),
    ('["a, b", "c"]', "person", "exact", ["a, b", "c"]),
    ("[not json", "person", "exact", None),
    ("  ,  ", "person", "exact", None),
    ("@acme.com", "person", "icontains", "@acme.com"),
    ("a, b", "person", "icontains", "a, b"),
    ("7", "person", "gt", "7"),
    ("31", "cohort", "in", 31),
    ("power users", "cohort", "in", "power users"),
    ("1.2.3", "person", "semver_gt", "1.2.3"),
])  # fmt: skip
def test_a_line_becomes_the_value_its_operator_takes(line: str, kind: str, operator: str, value: Any) -> None:
    assert typed_value(line, kind, operator) == value


@pytest.mark.parametrize(
    "value", [["a"], ["a", "b"], ["a, b"], ["[x]"], [" x "], ["\n"], [""], [1], [True, None]]
)
def test_a_list_survives_being_opened_and_closed(value: list[Any]) -> None:
    assert typed_value(value_line(value), "person", "exact") == value


@pytest.mark.parametrize(("operator", "value", "is_fine"), [
    ("exact", ["a"], True),
    ("exact", None, False),
    ("is_set", None, True),
    ("regex", "[", False),
    ("is_date_before", "-7d", True),
    ("is_date_before", "last week", False),
    ("semver_gt", "one", False),
    ("icontains_multi", "a", False),
])  # fmt: skip
def test_a_value_its_operator_cannot_have_is_said(operator: str, value: Any, is_fine: bool) -> None:
    item = {"key": "email", "type": "person", "operator": operator, "value": value}
    assert (value_problem(item, None, 1) == "") is is_fine
