"""A difference in the words a person would use."""

from typing import Any

import pytest

from flagtui.changes.difference import difference
from flagtui.changes.flags.flag_words import in_words, property_in_short
from flagtui.models.filters import Property
from flagtui.models.flag_details import Names

NAMES = Names(groups={0: "company"}, cohorts={31: "Paying customers", 32: "Old app"})
EMAIL = {"key": "email", "type": "person", "operator": "icontains", "value": "@acme.com"}
PAYING = {"key": "id", "type": "cohort", "operator": "in", "value": 31}


def words_of(before: dict[str, Any], after: dict[str, Any], names: Names = NAMES) -> list[str]:
    """The words for one condition that was and is."""
    sides = [{"filters": {"groups": [side]}} for side in (before, after)]
    return [in_words(line, sides[0], sides[1], names) for line in difference(sides[0], sides[1])]


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ([EMAIL], [EMAIL, PAYING], ["condition 1: + users in Paying customers"]),
        ([PAYING], [], ["condition 1: − users in Paying customers"]),
        ([PAYING], [PAYING | {"value": 32}], ["condition 1: users in Paying customers → users in Old app"]),
        ([PAYING], [PAYING | {"operator": "not_in"}],
         ["condition 1: users in Paying customers → users not in Paying customers"]),
        ([EMAIL], [EMAIL | {"operator": "ends_with"}],
         ["condition 1: email contains @acme.com → email ends with @acme.com"]),
        ([EMAIL | {"operator": "exact", "value": ["a"]}],
         [EMAIL | {"operator": "exact", "value": ["a", "b"]}], ["condition 1: email: + b"]),
        ([{"key": "p"}], ["odd"], ['condition 1: properties.0 {"key": "p"} → odd']),
    ],
    ids=["added", "removed", "another cohort", "the opposite", "another operator", "one value more", "odd"],
)  # fmt: skip
def test_what_a_condition_asks_for_is_told_in_names(before: Any, after: Any, words: list[str]) -> None:
    assert words_of({"properties": before}, {"properties": after}) == words


@pytest.mark.parametrize(
    ("share", "words"), [(12.3456789, "12.3456789 %"), (100 / 3, "33.333333333333336 %")]
)
def test_words_of_a_rollout_have_every_digit(share: float, words: str) -> None:
    sides = ({"rollout_percentage": share}, {"rollout_percentage": 12.3457})
    assert words_of(*sides) == [f"condition 1: rollout {words} → 12.3457 %"]


def test_cohorts_have_a_name_or_a_number_and_values_none() -> None:
    seats = {"key": "seats", "type": "person", "operator": "exact", "value": 31}
    assert words_of({"properties": [seats]}, {"properties": [seats | {"value": 32}]}) == [
        "condition 1: seats is 31 → seats is 32"
    ]
    assert property_in_short(Property.of(PAYING)) == "users in cohort 31"
    assert property_in_short(Property.of(PAYING | {"cohort_name": "As the server says"}), NAMES) == (
        "users in As the server says"
    )


@pytest.mark.parametrize(("before", "after", "words"), [
    ({}, {"variant": None}, "no forced variant, as before"),
    ({"variant": None}, {}, "no forced variant, as before"),
    ({}, {"variant": "test"}, "forced variant none → test"),
    ({"variant": "test"}, {"variant": None}, "forced variant test → none"),
    ({"variant": "test"}, {"variant": "control"}, "forced variant test → control"),
])  # fmt: skip
def test_forced_variant_is_none_where_it_is_null_or_missing(
    before: dict[str, Any], after: dict[str, Any], words: str
) -> None:
    assert words_of(before, after) == [f"condition 1: {words}"]


def test_condition_words_name_its_group_type() -> None:
    level = "aggregation_group_type_index"
    assert words_of({level: None}, {level: 0}) == ["condition 1: is about company groups instead of users"]
    assert words_of({level: 0}, {level: 1}, Names()) == [
        "condition 1: is about groups of type 1 instead of groups of type 0"
    ]
    sides = {"filters": {level: 0}}, {"filters": {level: None}}
    (line,) = difference(*sides)
    assert in_words(line, *sides, NAMES) == "the flag is about users instead of company groups"


def test_range_and_built_in_properties_have_their_own_words() -> None:
    age = {"key": "age", "type": "person", "operator": "between", "value": [18, 65]}
    assert property_in_short(Property.of(age)) == "age is from 18 to 65"
    assert property_in_short(Property.of(age | {"operator": "not_between"})) == "age is outside 18 to 65"
    created = {"key": "created_at", "type": "person_metadata", "operator": "is_date_after", "value": "-30d"}
    assert property_in_short(Property.of(created)) == "the person's own created_at is after 30 days ago"
