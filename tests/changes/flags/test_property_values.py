"""The text of a property's value is parsed, and shown again when it is edited."""

from typing import Any

import pytest

from flagtui.changes.flags.property_rules import typed_value, value_line, value_problem


@pytest.mark.parametrize(
    ("line", "kind", "operator", "value"),
    [
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
    ],
)
def test_a_line_becomes_the_value_its_operator_takes(line: str, kind: str, operator: str, value: Any) -> None:
    assert typed_value(line, kind, operator) == value


@pytest.mark.parametrize(
    "value", [["a"], ["a", "b"], ["a, b"], ["[x]"], [" x "], ["\n"], [""], [1], [True, None]]
)
def test_a_list_survives_being_opened_and_closed(value: list[Any]) -> None:
    assert typed_value(value_line(value), "person", "exact") == value


@pytest.mark.parametrize(
    ("operator", "value", "is_fine"),
    [
        ("exact", ["a"], True),
        ("exact", None, False),
        ("is_set", None, True),
        ("regex", "[", False),
        ("is_date_before", "-7d", True),
        ("is_date_before", "last week", False),
        ("semver_gt", "one", False),
        ("icontains_multi", "a", False),
    ],
)
def test_a_value_its_operator_cannot_have_is_said(operator: str, value: Any, is_fine: bool) -> None:
    item = {"key": "email", "type": "person", "operator": operator, "value": value}
    assert (value_problem(item, None, 1) == "") is is_fine
