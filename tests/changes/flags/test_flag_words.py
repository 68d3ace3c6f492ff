"""A difference in the words a person would use."""

from typing import Any

import pytest
from tests.doubles.targeting import asks, asks_cohort

from flagtui.changes.difference import difference
from flagtui.changes.flags.flag_words import in_words, property_in_short
from flagtui.models.filters import Property
from flagtui.models.flag_details import Names

NAMES = Names(groups={0: "company"}, cohorts={31: "Paying customers", 32: "Old app"})
EMAIL = asks("email", "icontains", "@acme.com")
PAYING = asks_cohort(31)


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


SEATS = asks("seats", "exact", 31)
LEVEL = "aggregation_group_type_index"


@pytest.mark.parametrize(("before", "after", "words"), [
    ({}, {"variant": None}, "no forced variant, as before"),
    ({"variant": None}, {}, "no forced variant, as before"),
    ({}, {"variant": "test"}, "forced variant none → test"),
    ({"variant": "test"}, {"variant": None}, "forced variant test → none"),
    ({"variant": "test"}, {"variant": "control"}, "forced variant test → control"),
    ({"rollout_percentage": 12.3456789}, {"rollout_percentage": 12.3457}, "rollout 12.3456789 % → 12.3457 %"),
    ({"rollout_percentage": 100 / 3}, {"rollout_percentage": 12}, "rollout 33.333333333333336 % → 12 %"),
    ({"properties": [SEATS]}, {"properties": [SEATS | {"value": 32}]}, "seats is 31 → seats is 32"),
    ({LEVEL: None}, {LEVEL: 0}, "is about company groups instead of users"),
])  # fmt: skip
def test_other_parts_of_a_condition_have_words(
    before: dict[str, Any], after: dict[str, Any], words: str
) -> None:
    assert words_of(before, after) == [f"condition 1: {words}"]


def test_groups_and_cohorts_without_a_name_have_a_number() -> None:
    words = ["condition 1: is about groups of type 1 instead of groups of type 0"]
    assert words_of({LEVEL: 0}, {LEVEL: 1}, Names()) == words
    sides = {"filters": {LEVEL: 0}}, {"filters": {LEVEL: None}}
    (line,) = difference(*sides)
    assert in_words(line, *sides, NAMES) == "the flag is about users instead of company groups"
    assert property_in_short(Property.of(PAYING)) == "users in cohort 31"
    named = Property.of(PAYING | {"cohort_name": "As the server says"})
    assert property_in_short(named, NAMES) == "users in As the server says"


def test_range_and_built_in_properties_have_their_own_words() -> None:
    age = {"key": "age", "type": "person", "operator": "between", "value": [18, 65]}
    assert property_in_short(Property.of(age)) == "age is from 18 to 65"
    assert property_in_short(Property.of(age | {"operator": "not_between"})) == "age is outside 18 to 65"
    created = {"key": "created_at", "type": "person_metadata", "operator": "is_date_after", "value": "-30d"}
    assert property_in_short(Property.of(created)) == "the person's own created_at is after 30 days ago"
