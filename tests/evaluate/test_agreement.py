"""By the rules of libraries, the product's own Python client is the reference."""

import json
import os
from itertools import count
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace
from tests.doubles import random_flags
from tests.doubles.official_sdk import Document, OfficialSdk
from tests.doubles.targeting import asks, asks_cohort, asks_flag, flag_of, group, variants

from flagtui.evaluate.definitions import Definitions, link_dependencies
from flagtui.evaluate.flags import evaluate_all
from flagtui.evaluate.run import Group, Person, Rules

ROUNDS = int(os.environ.get("FLAGTUI_AGREEMENT_ROUNDS", "120"))
"""Each round is six flags and eight people; `make check-agreement` asks for many more."""


def make_document(seed: int) -> tuple[Random, Document]:
    random = Random(seed)
    document = random_flags.document(random)
    document["flags"] = [dict(flag) for flag in link_dependencies(document["flags"])]
    return random, document


def disagreements(document: Document, people: list[Person]) -> list[tuple[object, ...]]:
    client, definitions = OfficialSdk(document), Definitions.of_document(document)
    differences: list[tuple[object, ...]] = []
    for person in people:
        values, payloads = client.values(person), client.payloads(person)
        for key, evaluation in evaluate_all(person, definitions, rules=Rules.LIBRARY).items():
            ours = (evaluation.value, evaluation.payload)
            if key in values and not is_same(ours, (values[key], payloads.get(key))):
                differences.append((key, person, values[key], evaluation))
    return differences


def is_same(ours: tuple[object, object], theirs: tuple[object, object]) -> bool:
    """1 and True are equal in Python, but not in JSON."""
    return ours == theirs and type(ours[0]) is type(theirs[0])


@pytest.mark.parametrize("chunk", range(4))
def test_random_flags_evaluate_as_in_the_official_client(chunk: int) -> None:
    for seed in range(chunk, ROUNDS, 4):
        random, document = make_document(seed)
        assert disagreements(document, [random_flags.person(random) for _ in range(8)]) == [], f"seed {seed}"


def test_undecided_flags_match_the_official_client_unless_we_know_more() -> None:
    """More is known only of operators that the client does not have, and of patterns with more syntax."""
    decided = undecided = 0
    for seed in range(ROUNDS):
        random, document = make_document(seed)
        document = json.loads(json.dumps(document).replace('regex"', 'icontains"'))
        # The client answers nothing at all about a flag when a cohort contains itself, wherever it stands.
        document["cohorts"]["3"]["values"].pop()
        client, definitions = OfficialSdk(document), Definitions.of_document(document)
        person = random_flags.person(random)
        values = client.values(person)
        for key, evaluation in evaluate_all(person, definitions, rules=Rules.LIBRARY).items():
            assert (evaluation.value is not None) == (key in values), f"seed {seed}, {key}"
            decided += key in values
            undecided += key not in values
    assert decided > ROUNDS // 4
    assert undecided > ROUNDS // 4


def test_server_agrees_with_decided_single_conditions() -> None:
    """With several conditions it may not: a property the client was not told of can decide an earlier one."""
    compared = 0
    for seed in count():
        random, document = make_document(seed)
        for flag in document["flags"]:
            flag["filters"]["groups"] = [without_disputed(group) for group in flag["filters"]["groups"][:1]]
            flag["filters"].pop("holdout", None)
        for cohort in document["cohorts"].values():
            for question in cohort.get("values", []):
                settle(question)
        client, definitions = OfficialSdk(document), Definitions.of_document(document)
        person = random_flags.person(random)
        informed = evaluate_all(replace(person, is_complete=True), definitions)
        for key, value in client.values(person).items():
            assert informed[key].value == value, f"seed {seed}, {key}"
            compared += 1
        if compared > ROUNDS * 4:
            return


def without_disputed(group: Document) -> Document:
    """A condition without what docs/evaluation.md lists as different on the server."""
    questions = [question for question in group["properties"] if question["type"] not in ("flag", "cohort")]
    for question in questions:
        settle(question)
    kept = {name: value for name, value in group.items() if name != "aggregation_group_type_index"}
    return {**kept, "properties": questions}


def settle(question: Document) -> None:
    for nested in question.get("values", []):
        settle(nested)
    if question.get("type") in ("AND", "OR", "XOR", "cohort") or not question:
        return
    question.pop("type", None)
    if (question["operator"] or "exact").startswith(("is_date", "semver", "regex", "not_regex")):
        question["operator"] = "icontains"
    if question.get("value") is None:
        question["value"] = "a"


def test_dependency_by_stored_id_equals_served_key() -> None:
    for seed in range(20):
        random = Random(seed)
        stored = random_flags.document(random)
        served = {**stored, "flags": link_dependencies(stored["flags"])}
        person = random_flags.person(random)
        assert by_value(stored, person) == by_value(served, person)


def by_value(document: Document, person: Person) -> dict[str, object]:
    evaluations = evaluate_all(person, Definitions.of_document(document), rules=Rules.LIBRARY)
    return {key: evaluation.value for key, evaluation in evaluations.items()}


def test_the_explanation_of_later_questions_never_changes_the_value() -> None:
    """Flags about groups see group properties; what is asked only to explain must not be remembered."""
    base = flag_of({"properties": [asks("plan", "exact", "pro")]}, key="base")
    asks_base = asks_flag("base", dependency_chain=["base"])
    never = asks("$group_key", "exact", "nobody", type="group")
    of_company = {"properties": [never, asks_base], "aggregation_group_type_index": 0}
    mixed = flag_of(of_company, {"properties": [asks_base]}, key="mixed") | {"id": 2}
    document = {"flags": [base, mixed], "group_type_mapping": {"0": "company"}}
    company = Group("acme", {"plan": "free"})
    person = replace(random_flags.person(Random(1)), properties={"plan": "pro"}, groups={"company": company})
    assert OfficialSdk(document).values(person)["mixed"] is True
    assert by_value(document, person)["mixed"] is True


WANTED = [True, False, "control", "Control", "true", "", 1, 0, None, [], ["control"]]


@pytest.mark.parametrize("base", [True, False, "control"])
def test_a_dependency_compares_values_as_the_official_client_does(base: bool | str) -> None:
    flags = [asking(number, value) for number, value in enumerate(WANTED)]
    document = {"flags": [decided_as(base), *flags]}
    person = Person("anybody")
    values = OfficialSdk(document).values(person)
    assert len(values) == len(WANTED) + 1
    assert by_value(document, person) | {"base": None} == values | {"base": None}


def decided_as(value: bool | str) -> Document:
    more = {"multivariate": variants(**{value: 100})} if isinstance(value, str) else {}
    return flag_of(group(100 if value else 0), key="base", **more)


def asking(number: int, value: Any, *chain: str) -> Document:
    question = asks_flag("base", value, dependency_chain=[*chain, "base"])
    return flag_of({"properties": [question]}, key=f"asks-{number}") | {"id": 10 + number}


def test_chain_with_a_missing_link_matches_the_official_client() -> None:
    """The first question finds the link missing; the next one knows, and goes on to the flag itself."""
    twice = asking(1, True, "gone")
    twice["filters"]["groups"] *= 2
    document = {"flags": [decided_as(True), twice, asking(2, True, "gone")]}
    person = Person("anybody")
    assert OfficialSdk(document).values(person) == {"base": True, "asks-1": True}
    assert by_value(document, person) == {"base": True, "asks-1": True, "asks-2": None}


@pytest.mark.parametrize("in_a_cohort", [False, True])
def test_nothing_decides_after_a_cohort_that_only_the_server_knows(in_a_cohort: bool) -> None:
    unknown = asks_cohort(99)
    flag = flag_of({"properties": [asks_cohort(1) if in_a_cohort else unknown]}, group(100))
    cohort = {"type": "OR", "values": [{"key": "email", "operator": "is_set"}, unknown]}
    document = {"flags": [flag], "cohorts": {"1": cohort}}
    person = Person("ada", {"email": "ada@acme.com"})
    assert OfficialSdk(document).values(person) == {}
    assert by_value(document, person) == {"it": None}
