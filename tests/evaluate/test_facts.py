"""Responses of the product's server and clients to the same questions, in facts/: see docs/evaluation.md."""

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from posthog.feature_flags import InconclusiveMatchError, match_property
from tests.doubles.official_sdk import OfficialSdk

from flagtui.evaluate.definitions import Definitions
from flagtui.evaluate.evaluation import TAKEN_FOR_NO, Evaluation, Unknown
from flagtui.evaluate.filters import compare, without_property
from flagtui.evaluate.flags import evaluate
from flagtui.evaluate.run import Group, Manner, Person, Rules

JSON = Any
FACTS = Path(__file__).parent / "facts"
LEAST = 4_500
"""So many facts there are at least: a file that is not found, or not read, fails."""


def documents(pattern: str) -> list[JSON]:
    read = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(FACTS.glob(pattern))}
    assert read, pattern
    return [pytest.param(facts, id=name) for name, facts in read.items()]


def answer(verdict: bool | Unknown, rules: Rules) -> bool | None:
    """What a library cannot compare it leaves open; the server takes it for a no."""
    if not isinstance(verdict, Unknown):
        return verdict
    return False if rules is Rules.SERVER and verdict.why in TAKEN_FOR_NO else None


@pytest.mark.parametrize("facts", documents("properties_*.json"))
def test_properties_compare_as_on_server_and_in_library(facts: JSON) -> None:
    now = datetime.fromisoformat(facts.get("now", "2026-05-01T00:00:00+00:00"))
    version, zone = facts.get("matching_version", 1), facts.get("time_zone", "UTC")
    wrong = []
    left_open = facts.get("left_open_here", [])
    for operator, value, actual, server, library in facts["facts"]:
        expected = {Rules.SERVER: None if value in left_open else server, Rules.LIBRARY: library}
        for rules, verdict in expected.items():
            result = answer(compare(operator, value, actual, Manner(now, version, zone, rules)), rules)
            if result is not verdict:
                wrong.append((operator, value, actual, rules.value, {"expected": verdict, "found": result}))
    assert wrong == []


@pytest.mark.parametrize("facts", documents("absent.json"))
def test_missing_property_matches_negations_only(facts: JSON) -> None:
    for operator, value, is_met in facts["facts"]:
        assert without_property(operator, value) is is_met, (operator, value)


@pytest.mark.parametrize("facts", documents("flags_*.json"))
def test_flag_values_equal_those_of_server_and_library(facts: JSON) -> None:
    wrong = []
    for case in facts["facts"]:
        definitions = definitions_of(case)
        key = case["flags"][0]["key"]
        for raw in case["people"]:
            for rules in Rules:
                evaluation = evaluate(key, person(raw, rules), definitions, rules)
                if rules.value in raw and not is_same(evaluation, raw[rules.value]):
                    wrong.append((key, rules.value, raw, evaluation))
    assert wrong == []


def definitions_of(case: JSON) -> Definitions:
    return Definitions.of(
        case["flags"],
        cohorts=case.get("cohorts"),
        group_types=case.get("group_types"),
        matching_version=case.get("matching_version", 1),
    )


def person(raw: JSON, rules: Rules) -> Person:
    """For the server an absent property does not exist; for a library it is not known."""
    described = raw.get("group_properties", {})
    groups = {name: Group(key, described.get(name, {})) for name, key in raw.get("groups", {}).items()}
    return Person(
        raw["distinct_id"],
        raw.get("properties", {}),
        groups,
        raw.get("device_id"),
        is_complete=rules is Rules.SERVER,
    )


def is_same(evaluation: Evaluation, expected: JSON) -> bool:
    """A value alone, or with the reason, the index of the condition and the payload."""
    if not isinstance(expected, dict):
        return (type(evaluation.value), evaluation.value) == (type(expected), expected)
    actual = {
        "value": evaluation.value,
        "reason": evaluation.reason.value,
        "condition_index": evaluation.condition_index,
        "payload": evaluation.payload,
    }
    return all((type(actual[name]), actual[name]) == (type(value), value) for name, value in expected.items())


@pytest.mark.parametrize("facts", documents("properties_[!d]*.json"))
def test_the_installed_library_compares_properties_as_the_facts_say(facts: JSON) -> None:
    """But for dates, for which it asks the clock."""
    version = facts.get("matching_version", 1)
    for operator, value, actual, _, expected in facts["facts"]:
        question = {"key": "it", "operator": operator, "value": value}
        try:
            verdict = match_property(question, {"it": actual}, version)
        except InconclusiveMatchError:
            verdict = None
        assert verdict is expected, (operator, value, actual)


@pytest.mark.parametrize("facts", documents("flags_*.json"))
def test_installed_library_gives_the_recorded_values(facts: JSON) -> None:
    for case in facts["facts"]:
        document = {
            "flags": case["flags"],
            "cohorts": case.get("cohorts", {}),
            "group_type_mapping": case.get("group_types", {}),
            "property_matching_version": case.get("matching_version", 1),
        }
        client, key = OfficialSdk(document), case["flags"][0]["key"]
        for raw in case["people"]:
            if "library" in raw:
                value = client.values(person(raw, Rules.LIBRARY)).get(key)
                assert (type(value), value) == (type(raw["library"]), raw["library"]), (key, raw)


@pytest.mark.parametrize("facts", documents("drawn_*.json"))
def test_thousand_ids_get_the_values_of_every_official_client(facts: JSON) -> None:
    definitions, key = Definitions.of([facts["flag"]]), facts["flag"]["key"]
    expected = [facts["values"][int(digit)] for digit in "".join(facts["drawn"])]
    for rules in Rules:
        ours = [
            evaluate(key, Person(facts["ids"].format(number)), definitions, rules).value
            for number in range(len(expected))
        ]
        assert ours == expected


def count_facts() -> Iterator[int]:
    for path in FACTS.glob("*.json"):
        facts = json.loads(path.read_text("utf-8"))
        if "drawn" in facts:
            yield len("".join(facts["drawn"]))
        else:
            yield sum(len(fact["people"]) if isinstance(fact, dict) else 1 for fact in facts["facts"])


def test_none_of_the_facts_is_left_out() -> None:
    assert sum(count_facts()) >= LEAST
