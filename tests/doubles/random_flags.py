"""Definitions and people made at random from a seed: every operator, odd values, nesting, dependencies."""

from collections.abc import Callable
from random import Random
from typing import Any

from tests.doubles.targeting import asks_cohort

from flagtui.evaluate.run import Group, Person

JSON = Any

TEXTS = [
    "", "true", "False", "TRUE", "pro", "Pro", "PRO\n", "a@acme.com", "A@ACME.COM", "ß", "İstanbul", "3",
    "3.0", "1e3", " 4", "-7d", "2m", "3y", "1h", "-10000d", "99x", "2024-02-29", "2024-02-30",
    "2024-01-01T10:00:00Z", "2024-01-01 10:00:00 +02:00", "2023", "2024-01-01 UTC", "1.2.3", "v1.2",
    "1.02.3", "1.2.*", "0.3.1-beta+5", "^a", "a$", "[a-z]+@acme", "(a|b)*c", "(a+)+", "a{2,3}", "[",
    "\\d+$", "(?i)pro", "\\bx", "null", "[1,2]", "*", "a.b", "\\w+\\.com", "[^@]+@", "x{", "a++", "()*",
    "\\x41", "[\\w-z]", "[\\-\\d]", "[\\]", "a\nb", "pro\u2028",
]  # fmt: skip
VALUES: list[JSON] = [
    *TEXTS, None, True, False, 0, 1, 3, 4.5, 1e16, 1e-7, 0.00001, -0.0, 123456789012345678, [],
    ["pro", "free"], ["true", "false"], [True], [["true"]], {"b": 1, "a": [1.0, None]}, {}, [3, "3", None],
]  # fmt: skip
NAMES = ["email", "plan", "age", "version", "joined", "odd", "distinct_id", "$group_key"]
OPERATORS = [
    "exact", "is_not", "is_set", "is_not_set", "icontains", "not_icontains", "regex", "not_regex",
    "starts_with", "not_starts_with", "ends_with", "not_ends_with", "gt", "gte", "lt", "lte",
    "is_date_before", "is_date_after", "semver_eq", "semver_neq", "semver_gt", "semver_gte", "semver_lt",
    "semver_lte", "semver_tilde", "semver_caret", "semver_wildcard", None,
]  # fmt: skip
PERCENTAGES: list[JSON] = [None, 0, 100, 50, 25, 0.5, 99.9, 33.333, 75]
SHARES: list[list[float]] = [[50, 50, 0], [33.3, 33.3, 33.4], [10, 20], [100], [0, 100], [60, 60]]


def property_question(random: Random, kind: str = "person") -> dict[str, JSON]:
    question = {"key": random.choice(NAMES), "type": kind, "value": random.choice(VALUES)}
    question["operator"] = random.choice(OPERATORS)
    if random.random() < 0.1:
        question["negation"] = True
    if random.random() < 0.02:
        del question["value"]
    return question


def dependency(random: Random, count: int) -> dict[str, JSON]:
    value = random.choice([True, False, "control", "test", "true", None, 1])
    key: JSON = random.choice([random.randrange(1, count + 1), str(random.randrange(1, count + 2))])
    return {"key": key, "type": "flag", "operator": "flag_evaluates_to", "value": value}


def question(random: Random, count: int) -> dict[str, JSON]:
    draw = random.random()
    if draw < 0.15:
        operator = random.choice(["in", "not_in", "exact", None, "in", "not_in", "gt"])
        return asks_cohort(random.choice([1, 2, 3, "2", 4, 77]), operator=operator)
    if draw < 0.3:
        return dependency(random, count)
    return property_question(random, random.choice(["person", "person", "group"]))


def condition(random: Random, count: int) -> dict[str, JSON]:
    made: dict[str, JSON] = {
        "properties": [question(random, count) for _ in range(random.choice([0, 0, 1, 1, 2, 3]))],
        "rollout_percentage": random.choice(PERCENTAGES),
    }
    if random.random() < 0.3:
        made["variant"] = random.choice([None, "control", "test", "gone", ""])
    if random.random() < 0.25:
        made["aggregation_group_type_index"] = random.choice([None, 0, 1, 9])
    return made


def flag(random: Random, number: int, count: int) -> dict[str, JSON]:
    filters: dict[str, JSON] = {
        "groups": [condition(random, count) for _ in range(random.choice([0, 1, 1, 2, 3]))]
    }
    if random.random() < 0.5:
        shares: list[float] = random.choice(SHARES)
        shared = zip(["control", "test", "third"], shares, strict=False)
        variants = [{"key": key, "rollout_percentage": share} for key, share in shared]
        filters["multivariate"] = {"variants": variants}
    if random.random() < 0.3:
        filters["payloads"] = {"true": '"on"', "control": '{"a":1}', "false": "0", "test": "[1]"}
    rare: dict[str, Callable[[], JSON]] = {
        "aggregation_group_type_index": lambda: random.choice([None, 0, 1, 9]),
        "holdout": lambda: {"id": 4, "exclusion_percentage": random.choice([0, 5, 50, 100, 150, -3, None])},
        "feature_enrollment": lambda: random.choice([True, False, None]),
        "early_exit": lambda: True,
        "bucketing_identifier": lambda: "device_id",
    }
    for name, make in rare.items():
        if random.random() < 0.12:
            filters[name] = make()
    return {
        "id": number,
        "key": f"flag-{number}",
        "active": random.random() > 0.1,
        "filters": filters,
        "ensure_experience_continuity": random.random() < 0.05,
        "bucketing_identifier": random.choice([None, None, "distinct_id", "device_id"]),
    }


def cohort(random: Random, depth: int = 2) -> dict[str, JSON]:
    if depth == 0 or random.random() < 0.1:
        return random.choice(
            [{}, {"type": "OR", "values": []}, {"type": "XOR", "values": []}, {"type": "AND"}]
        )
    members = [
        cohort(random, depth - 1) if random.random() < 0.2 else property_question(random)
        for _ in range(random.randrange(1, 4))
    ]
    return {"type": random.choice(["AND", "OR"]), "values": members}


def document(random: Random, count: int = 6) -> dict[str, JSON]:
    """Flags as stored: dependencies by id and without a chain."""
    cohorts = {str(number): cohort(random) for number in (1, 2, 3)}
    values = cohorts["3"].setdefault("values", [])
    values.append({"key": "id", "type": "cohort", "value": random.choice([1, 2, 3]), "operator": "in"})
    return {
        "flags": [flag(random, number, count) for number in range(1, count + 1)],
        "cohorts": cohorts,
        "group_type_mapping": {"0": "company", "1": "project"},
        "property_matching_version": random.choice([1, 1, 2]),
    }


def person(random: Random, count: int = 6) -> Person:
    keys: list[str | int] = ["acme", 7]
    groups = {name: Group(random.choice(keys), properties(random)) for name in ("company", "project")}
    chosen = {name: group for name, group in groups.items() if random.random() < 0.5}
    person = properties(random)
    if random.random() < 0.4:
        enrolled = f"$feature_enrollment/flag-{random.randrange(1, count + 1)}"
        person[enrolled] = random.choice([True, "true", False, "false"])
    return Person(
        f"person-{random.randrange(10_000)}",
        person,
        chosen,
        device_id=random.choice([None, "device-1", "device-2"]),
    )


def properties(random: Random) -> dict[str, JSON]:
    return {name: random.choice(VALUES) for name in NAMES[:-1] if random.random() < 0.6}
