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


def evaluate_both(person: Person, other: Person, raw: JSON) -> tuple[Evaluation, Evaluation]:
    definitions = Definitions.of([raw])
    return evaluate(raw["key"], person, definitions), evaluate(raw["key"], other, definitions)


def test_people_differ_by_condition_or_unknown_property() -> None:
    person, other = evaluate_both(ADA, BOB, flag("differs", {"properties": [STAFF]}))
    assert (person.value, other.value) == (True, False)
    assert parting(person, other) == (
        "condition 1 matches",
        "condition 1 does not match: email ends with @acme.com: it is bob@other.com",
    )
    person, other = evaluate_both(ADA, Person("zoe"), flag("it", {"properties": [STAFF]}))
    assert (person.value, other.value) == (True, None)
    assert parting(person, other)[1] == "condition 1 cannot be decided: email is not known"


def test_comparison_ends_at_the_first_condition_that_differs() -> None:
    variants = [{"key": "a", "rollout_percentage": 100}, {"key": "b", "rollout_percentage": 0}]
    never = {"properties": [{"key": "plan", "type": "person", "operator": "exact", "value": "none"}]}
    groups: tuple[JSON, ...] = (never, {"properties": [STAFF], "variant": "b"}, {"properties": []})
    people = [Person(p.distinct_id, p.properties, is_complete=True) for p in (ADA, BOB)]
    person, other = evaluate_both(
        people[0], people[1], flag("it", *groups, multivariate={"variants": variants})
    )
    assert (person.value, other.value) == ("b", "a")
    first, second = parting(person, other)
    assert first == "condition 2 matches"
    assert second.startswith("condition 2 does not match")


def test_variants_differ_by_their_hash() -> None:
    variants = [{"key": "a", "rollout_percentage": 50}, {"key": "b", "rollout_percentage": 50}]
    person, other = evaluate_both(
        Person("person-1"), Person("person-4"), flag("it", {}, multivariate={"variants": variants})
    )
    assert {person.value, other.value} == {"a", "b"}
    first, second = parting(person, other)
    assert first.startswith(f"variant {person.value}: hash 0.")
    assert " is in 0." in second


def test_the_same_variant_with_the_same_payload_is_no_difference() -> None:
    person, other = evaluate_both(ADA, CAT, flag("it", {"properties": [STAFF]}, payloads={"true": "1"}))
    assert (person.value, person.payload) == (other.value, other.payload) == (True, "1")
