"""Two people side by side."""

from typing import Any

from flagtui.evaluate.definitions import Definitions
from flagtui.evaluate.evaluation import Evaluation
from flagtui.evaluate.explanation import parting
from flagtui.evaluate.flags import evaluate
from flagtui.evaluate.run import Person

JSON = dict[str, Any]
STAFF = {"key": "email", "type": "person", "operator": "ends_with", "value": "@acme.com"}
ADA = Person("ada", {"email": "ada@acme.com"})
BOB = Person("bob", {"email": "bob@other.com"})
CAT = Person("cat", {"email": "cat@acme.com"})


def flag(key: str, *groups: JSON, **filters: Any) -> JSON:
    return {"key": key, "active": True, "filters": {"groups": list(groups), **filters}}


def found(one: Person, other: Person, asked: JSON) -> tuple[Evaluation, Evaluation]:
    definitions = Definitions.of([asked])
    return evaluate(asked["key"], one, definitions), evaluate(asked["key"], other, definitions)


def test_what_a_condition_found_sets_two_people_apart() -> None:
    one, other = found(ADA, BOB, flag("differs", {"properties": [STAFF]}))
    assert (one.value, other.value) == (True, False)
    assert parting(one, other) == (
        "condition 1 matches",
        "condition 1 does not match: email ends with @acme.com: it is bob@other.com",
    )


def test_comparison_ends_at_the_first_condition_that_differs() -> None:
    variants = [{"key": "a", "rollout_percentage": 100}, {"key": "b", "rollout_percentage": 0}]
    never = {"properties": [{"key": "plan", "type": "person", "operator": "exact", "value": "none"}]}
    groups: tuple[JSON, ...] = (never, {"properties": [STAFF], "variant": "b"}, {"properties": []})
    people = [Person(p.distinct_id, p.properties, is_complete=True) for p in (ADA, BOB)]
    one, other = found(people[0], people[1], flag("it", *groups, multivariate={"variants": variants}))
    assert (one.value, other.value) == ("b", "a")
    here, there = parting(one, other)
    assert here == "condition 2 matches"
    assert there.startswith("condition 2 does not match")


def test_variants_differ_by_their_hash() -> None:
    variants = [{"key": "a", "rollout_percentage": 50}, {"key": "b", "rollout_percentage": 50}]
    one, other = found(
        Person("person-1"), Person("person-4"), flag("it", {}, multivariate={"variants": variants})
    )
    assert {one.value, other.value} == {"a", "b"}
    here, there = parting(one, other)
    assert here.startswith(f"variant {one.value}: hash 0.")
    assert " is in 0." in there


def test_the_same_variant_with_the_same_payload_is_no_difference() -> None:
    one, other = found(ADA, CAT, flag("it", {"properties": [STAFF]}, payloads={"true": "1"}))
    assert (one.value, one.payload) == (other.value, other.payload) == (True, "1")


def test_property_known_for_one_person_only_is_a_difference() -> None:
    one, other = found(ADA, Person("zoe"), flag("it", {"properties": [STAFF]}))
    assert (one.value, other.value) == (True, None)
    assert parting(one, other)[1] == "condition 1 cannot be decided: email is not known"
