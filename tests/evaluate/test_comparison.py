"""Two people side by side."""

from typing import Any

from flagtui.evaluate.definitions import Definitions
from flagtui.evaluate.explanation import ValueDifference, differences
from flagtui.evaluate.flags import evaluate_all
from flagtui.evaluate.run import Person

JSON = dict[str, Any]
STAFF = {"key": "email", "type": "person", "operator": "ends_with", "value": "@acme.com"}
ADA = Person("ada", {"email": "ada@acme.com"})
BOB = Person("bob", {"email": "bob@other.com"})
CAT = Person("cat", {"email": "cat@acme.com"})


def flag(key: str, *groups: JSON, **filters: Any) -> JSON:
    return {"key": key, "active": True, "filters": {"groups": list(groups), **filters}}


def found(one: Person, other: Person, *flags: JSON) -> list[ValueDifference]:
    definitions = Definitions.of(flags)
    return list(differences(evaluate_all(one, definitions), evaluate_all(other, definitions)))


def test_only_flags_with_another_value_are_named() -> None:
    same, differs = flag("same", {"properties": []}), flag("differs", {"properties": [STAFF]})
    (difference,) = found(ADA, BOB, same, differs)
    assert (difference.key, difference.one.value, difference.other.value) == ("differs", True, False)
    assert difference.one_because == "condition 1 matches"
    assert difference.other_because == (
        "condition 1 does not fit: email ends with @acme.com: it is bob@other.com"
    )


def test_the_ways_part_at_the_first_condition_that_came_out_differently() -> None:
    variants = [{"key": "a", "rollout_percentage": 100}, {"key": "b", "rollout_percentage": 0}]
    never = {"properties": [{"key": "plan", "type": "person", "operator": "exact", "value": "none"}]}
    groups: tuple[JSON, ...] = (never, {"properties": [STAFF], "variant": "b"}, {"properties": []})
    people = [Person(p.distinct_id, p.properties, is_complete=True) for p in (ADA, BOB)]
    (difference,) = found(people[0], people[1], flag("it", *groups, multivariate={"variants": variants}))
    assert (difference.one.value, difference.other.value) == ("b", "a")
    assert difference.one_because == "condition 2 matches"
    assert difference.other_because.startswith("condition 2 does not fit")


def test_variants_differ_by_their_hash() -> None:
    variants = [{"key": "a", "rollout_percentage": 50}, {"key": "b", "rollout_percentage": 50}]
    one, other = Person("person-1"), Person("person-4")
    (difference,) = found(one, other, flag("it", {}, multivariate={"variants": variants}))
    assert {difference.one.value, difference.other.value} == {"a", "b"}
    assert difference.one_because.startswith(f"variant {difference.one.value}: hash 0.")
    assert " is in 0." in difference.other_because


def test_the_same_variant_with_the_same_payload_is_no_difference() -> None:
    assert found(ADA, CAT, flag("it", {"properties": [STAFF]}, payloads={"true": "1"})) == []


def test_what_is_known_of_one_and_not_of_the_other_is_a_difference() -> None:
    (difference,) = found(ADA, Person("zoe"), flag("it", {"properties": [STAFF]}))
    assert (difference.one.value, difference.other.value) == (True, None)
    assert difference.other_because == "condition 1 cannot be decided: email is not known"
