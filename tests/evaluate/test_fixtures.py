"""Definitions of the product's own test suites, read where FLAGTUI_FIXTURES points."""

from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace
from tests.doubles.fixtures import FOLDER, needs_fixtures, read_fixture
from tests.doubles.official_sdk import OfficialSdk

from flagtui.evaluate.definitions import Definitions
from flagtui.evaluate.flags import evaluate, evaluate_all
from flagtui.evaluate.run import Group, Person, Rules

DOCUMENTS = [
    path
    for path in sorted(FOLDER.glob("local_evaluation/*.json"))
    if isinstance(document := read_fixture(path), dict) and isinstance(document.get("flags"), list)
]

pytestmark = needs_fixtures

PROPERTIES: dict[str, list[Any]] = {
    "region": ["USA", "usa", "UK", "Canada"],
    "email": ["a@b.com", "test@example.com", "x@posthog.com", "missing@example.com", ""],
    "nation": ["UK", "US"],
    "other": ["thing", "nothing"],
    "name": ["Project 1", "Project 2"],
    "latestBuildVersion": ["24.7.1", "24.32.1"],
    "$current_distinct_id": ["some-distinct-id"],
    "age": [25, "26", None],
}


def people(number: int) -> list[Person]:
    random = Random(number)
    made = []
    for _ in range(number):
        chosen = {name: random.choice(values) for name, values in PROPERTIES.items() if random.random() < 0.7}
        groups = {name: Group(random.choice(["1", "2", "amazon"]), chosen) for name in ("company", "project")}
        some = {name: group for name, group in groups.items() if random.random() < 0.6}
        id, device = f"distinct_id_{random.randrange(999)}", random.choice([None, "device-7"])
        made.append(Person(id, chosen, some, device))
    return made


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.stem)
def test_an_example_evaluates_as_in_the_official_client(path: Path) -> None:
    document = read_fixture(path)
    client, definitions = OfficialSdk(document), Definitions.of_document(document)
    for person in people(25):
        values = client.values(person)
        evaluations = evaluate_all(person, definitions, rules=Rules.LIBRARY)
        assert {key: evaluation.value for key, evaluation in evaluations.items() if key in values} == values


def test_an_experience_that_continues_is_known_only_where_everything_is() -> None:
    document = read_fixture("local_evaluation/py_experience_continuity_flag_not_evaluated_locally")
    definitions = Definitions.of_document(document)
    key = next(iter(definitions.flags))
    unsure = Person("anybody")
    assert evaluate(key, unsure, definitions).value is None
    assert evaluate(key, replace(unsure, is_complete=True), definitions).value is True
