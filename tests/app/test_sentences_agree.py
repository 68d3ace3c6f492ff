"""The sentences are read back as a person would read them, and the evaluator has to say the same."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from tests.doubles import random_flags

from flagtui.app.sentences import plain, who_sees_it
from flagtui.evaluate import Definitions, Person, evaluate
from flagtui.models.filters import Filters

JSON = Any
READERS: dict[str, Callable[[str], JSON]] = {
    "is set": lambda value: "anything",
    "is not set": lambda value: None,
    "is not version": lambda value: "77.1.2",
    "is not": lambda value: f"not {value}",
    "is none of": lambda value: "none of them",
    "is any of": lambda value: value.split(", ")[0],
    "is version": lambda value: value,
    "is at least version": lambda value: value,
    "is at most version": lambda value: value,
    "is a version above": lambda value: "999.0.0",
    "is a version below": lambda value: "0.0.0",
    "is a patch of version": lambda value: value,
    "is compatible with version": lambda value: value,
    "is before": lambda value: "1999-01-01",
    "is after": lambda value: "2999-01-01",
    "is": lambda value: value,
    "does not contain": lambda value: "",
    "contains any of": lambda value: f"a {value.split(', ')[-1]} z",
    "contains none of": lambda value: "",
    "contains": lambda value: f"a{value}z",
    "does not start with": lambda value: f"~{value}",
    "starts with": lambda value: f"{value}z",
    "does not end with": lambda value: f"{value}~",
    "ends with": lambda value: f"a{value}",
    ">": lambda value: float(value) + 1,
    "≥": lambda value: float(value),
    "<": lambda value: float(value) - 1,
    "≤": lambda value: float(value),
}
"""What a reader of `key <words> value` would give a person so that the clause holds; None gives nothing."""

ASKED: list[tuple[str, JSON]] = [
    ("exact", "pro"), ("exact", ["pro", "scale"]), ("exact", ["pro"]), ("is_not", "pro"),
    ("is_not", ["pro", "scale"]), ("icontains", "acme"), ("not_icontains", "acme"),
    ("icontains_multi", ["acme", "shop"]), ("not_icontains_multi", ["acme", "shop"]),
    ("starts_with", "ac"), ("not_starts_with", "ac"), ("ends_with", ".com"), ("not_ends_with", ".com"),
    ("gt", "3"), ("gte", "3"), ("lt", "3"), ("lte", "3"), ("min", "3"), ("max", "3"),
    ("is_set", None), ("is_not_set", None), ("is_date_before", "2024-02-29"),
    ("is_date_after", "2024-02-29"), ("semver_eq", "1.2.3"), ("semver_neq", "1.2.3"),
    ("semver_gt", "1.2.3"), ("semver_gte", "1.2.3"), ("semver_lt", "1.2.3"), ("semver_lte", "1.2.3"),
    ("semver_tilde", "1.2.3"), ("semver_caret", "1.2.3"),
]  # fmt: skip


def sentence_of(flag: dict[str, JSON]) -> list[str]:
    return plain(who_sees_it(Filters.of(flag["filters"]))).splitlines()


def person_who_fits(lines: list[str]) -> Person:
    """Made from the words alone."""
    properties: dict[str, JSON] = {}
    for line in lines:
        key, _, rest = line.removeprefix("  and").strip().partition(" ")
        words = max((known for known in READERS if f"{rest} ".startswith(f"{known} ")), key=len)
        given = READERS[words](rest[len(words) :].strip())
        if given is not None:
            properties[key] = given
    return Person("somebody", properties, is_complete=True)


def value_for(flag: dict[str, JSON], person: Person) -> JSON:
    return evaluate(flag["key"], person, Definitions.of([flag])).value


def made(questions: list[tuple[str, JSON]], share: JSON = 100) -> dict[str, JSON]:
    properties = [
        {"key": f"p{place}", "type": "person", "operator": operator, "value": value}
        for place, (operator, value) in enumerate(questions)
    ]
    groups = [{"properties": properties, "rollout_percentage": share}]
    return {"id": 1, "key": "flag", "active": True, "filters": {"groups": groups}}


@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_who_is_said_to_see_it_sees_it_and_who_is_not_does_not(asked: tuple[str, JSON]) -> None:
    flag = made([asked])
    head, *clauses = sentence_of(flag)
    assert head == " 1 100 % of users where"
    assert value_for(flag, person_who_fits(clauses)) is True
    opposite = Person("somebody", {"p0": "1.2.3~ac"} if asked[0] == "is_not_set" else {}, is_complete=True)
    is_negative = asked[0].startswith("not_") or asked[0] in ("is_not",)
    assert value_for(flag, opposite) is is_negative


def test_several_clauses_are_joined_by_and() -> None:
    random = Random("clauses")
    for _ in range(300):
        flag = made([random.choice(ASKED) for _ in range(random.choice([1, 2, 3]))])
        _, *clauses = sentence_of(flag)
        fitting = person_who_fits(clauses)
        assert value_for(flag, fitting) is True
        asked = flag["filters"]["groups"][0]["properties"]
        for place, question in enumerate(asked):
            if not question["operator"].startswith(("is_not", "not_")):
                left = {key: value for key, value in fitting.properties.items() if key != f"p{place}"}
                assert value_for(flag, Person("somebody", left, is_complete=True)) is False


def test_a_share_of_nobody_is_nobody_and_a_share_of_all_is_everybody() -> None:
    random = Random("everyone")
    told = {"everybody": 0, "nobody": 0}
    for _ in range(1_500):
        flag = random_flags.flag(random, 1, 1) | {"active": True}
        lines = sentence_of(flag)
        person = Person(f"p{random.randrange(10_000)}", random_flags.properties(random), is_complete=True)
        conditions = [line for line in lines if line[:3].strip().isdigit()]
        is_plain = not any(line.startswith(" ·") for line in lines)
        shut = [line for line in conditions if " 0 % of" in line or "nobody can be decided" in line]
        if is_plain and any(line.startswith(" 1 100 % of everyone") for line in lines[:1]):
            told["everybody"] += 1
            assert value_for(flag, person) not in (False, None), lines
        elif is_plain and len(shut) == len(conditions):
            told["nobody"] += 1
            assert not value_for(flag, person), lines
    assert min(told.values()) > 40, told


def test_a_condition_that_is_said_to_add_nobody_never_decides() -> None:
    random = Random("adds nobody")
    seen = 0
    for _ in range(3_000):
        flag = random_flags.flag(random, 1, 1) | {"active": True}
        lines = sentence_of(flag)
        useless = [
            int(lines[place - 1][:3])
            for place, line in enumerate(lines)
            if "adds nobody" in line and lines[place - 1][:3].strip().isdigit()
        ]
        person = Person(f"p{random.randrange(10_000)}", random_flags.properties(random), is_complete=True)
        decided = evaluate("flag-1", person, Definitions.of([flag])).decided_by
        seen += len(useless)
        assert decided is None or decided.index + 1 not in useless, lines
    assert seen > 50
