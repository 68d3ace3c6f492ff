"""Every sentence about targeting is read back into claims and compared with the JSON."""

import json
from collections.abc import Sequence
from random import Random
from typing import Any, Final

import pytest
from tests.doubles import random_flags, stored_targeting
from tests.doubles.fixtures import NO_FIXTURES, fixture_paths
from tests.doubles.served_flags import Served
from tests.doubles.slices import at_most
from tests.doubles.stored_targeting import compare_short, filters_in
from tests.doubles.targeting_reader import LISTS

from flagtui.changes.flags.flag_words import condition_in_short
from flagtui.models.filters import Filters
from flagtui.safe_text import safe_text
from flagtui.text.flag_sentences import plain, who_sees_it

JSON = Any
FIXTURES: Final = fixture_paths()


def compare(filters: dict[str, JSON]) -> None:
    stored_targeting.compare(filters, said_of(filters))


def said_of(filters: dict[str, JSON]) -> list[str]:
    return plain(who_sees_it(Filters.of(filters))).split("\n")


def test_sample_sentences_read_back(projects: Sequence[Served]) -> None:
    for project in projects:
        for raw in project.flags:
            compare(raw["filters"])


def test_random_sentences_read_back() -> None:
    random = Random("read back")
    for number in range(at_most(500, 2_000)):
        compare(random_flags.flag(random, number, 6)["filters"])


@pytest.mark.skipif(not FIXTURES, reason=NO_FIXTURES)
def test_real_sentences_read_back() -> None:
    every_filters = [filters for path in FIXTURES for filters in filters_in(json.loads(path.read_text()))]
    assert len(every_filters) > 20
    for filters in every_filters:
        compare(filters)


CLEAR: Final = [
    "pro",
    "a, b",
    "a,b",
    "",
    " x",
    "x ",
    '"',
    "[",
    "[1]",
    "{",
    "null",
    "true",
    "3",
    "\n",
    "a" * 300,
]
OTHERS: Final[list[JSON]] = [None, True, 3, 4.5, [], ["x"], {"a": 1}, "b" * 119, "c, d" * 40]


def odd_values(random: Random) -> JSON:
    """Return a value or a list, some too long for a sentence."""
    listed = [random.choice([*CLEAR, *OTHERS]) for _ in range(random.choice([0, 1, 2, 3, 40]))]
    return random.choice([listed, [f"v{place}" for place in range(2_500)], random.choice([*CLEAR, *OTHERS])])


def test_values_of_every_kind_read_back() -> None:
    random = Random("values")
    for _ in range(at_most(750, 3_000)):
        raw = {"key": "plan", "type": "person", "value": odd_values(random)}
        raw["operator"] = random.choice([*random_flags.OPERATORS, *sorted(LISTS)])
        compare({"groups": [{"properties": [raw]}]})


def changed(random: Random, filters: dict[str, JSON]) -> dict[str, JSON] | None:
    """Return a copy with one part of the targeting changed; None if there is none."""
    other: dict[str, JSON] = json.loads(json.dumps(filters))
    if not other["groups"]:
        return other | {"groups": [{"properties": []}]}
    group = random.choice(other["groups"])
    properties = group["properties"]
    match random.choice(
        ["share", "variant", "key", "value", "operator", "fewer", "more", "audience", "holdout"]
    ):
        case "share":
            share = group["rollout_percentage"]
            group["rollout_percentage"] = 7 if share is None else (share + 1) % 100
        case "variant":
            group["variant"] = "elsewhere"
        case "key" if properties:
            properties[0]["key"] = "another"
            properties[0]["value"] = properties[0].get("value")
        case "value" if properties and properties[0].get("operator") not in ("is_set", "is_not_set"):
            properties[0]["value"] = "another value"
        case "operator" if properties:
            properties[0]["operator"] = "newest_of"
        case "fewer" if properties:
            properties.pop()
        case "more":
            properties.append({"key": "added", "type": "person", "operator": "exact", "value": "x"})
        case "audience":
            group["aggregation_group_type_index"] = 5
        case "holdout":
            other["holdout"] = {"id": 99, "exclusion_percentage": 12}
        case _:
            return None
    return other


def test_reader_detects_false_claims() -> None:
    random = Random("changed")
    seen = 0
    for number in range(600):
        filters = random_flags.flag(random, number, 6)["filters"]
        other = changed(random, filters)
        is_about_a_cohort = any(
            item.get("type") == "cohort" for group in filters["groups"] for item in group["properties"]
        )
        lines = said_of(filters)
        if other is None or is_about_a_cohort or any("matches no one" in line for line in lines):
            continue
        seen += 1
        with pytest.raises(AssertionError):
            stored_targeting.compare(other, lines)
    assert seen > 300


def test_short_conditions_read_back() -> None:
    random = Random("in short")
    for number in range(at_most(375, 1_500)):
        filters = random_flags.flag(random, number, 6)["filters"]
        index = filters.get("aggregation_group_type_index")
        for raw in filters["groups"]:
            compare_short(safe_text(condition_in_short(raw, flag_index=index), 100_000), raw, index)
