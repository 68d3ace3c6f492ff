"""Dependencies from ids to keys, in the order they have to be evaluated."""

from random import Random
from typing import Any

import pytest
from tests.doubles import random_flags
from tests.doubles.targeting import asks_flag, flag_of, group

from flagtui.evaluate.definitions import Definitions, affected_keys, link_dependencies, needed_flags
from flagtui.evaluate.flags import evaluate
from flagtui.evaluate.run import Person, Rules

JSON = dict[str, Any]


def stored_flag(number: int, key: str, *needs: int | str) -> JSON:
    return flag_of(group(100, *map(asks_flag, needs)), key=key) | {"id": number}


def chains(*flags: JSON) -> dict[str, list[list[str]]]:
    return {
        flag["key"]: [question["dependency_chain"] for question in flag["filters"]["groups"][0]["properties"]]
        for flag in link_dependencies(flags)
    }


def test_dependencies_are_listed_once_with_everything_before_them() -> None:
    flags = [stored_flag(3, "c", 2), stored_flag(2, "b", "1"), stored_flag(1, "a")]
    assert chains(*flags) == {"c": [["a", "b"]], "b": [["a"]], "a": []}
    assert link_dependencies(flags)[0]["filters"]["groups"][0]["properties"][0]["key"] == "b"
    flags = [stored_flag(4, "top", 2, 3), stored_flag(2, "left", 1), stored_flag(3, "right", 1)]
    flags.append(stored_flag(1, "base"))
    assert chains(*flags, stored_flag(5, "above", 4))["above"] == [["base", "left", "right", "top"]]


def test_chain_of_a_circle_or_missing_flag_is_empty() -> None:
    needs = {"a": 2, "b": 1, "c": 99, "d": 3, "e": 5}
    flags = [stored_flag(number, key, need) for number, (key, need) in enumerate(needs.items(), 1)]
    assert chains(*flags) == {"a": [[]], "b": [[]], "c": [[]], "d": [[]], "e": [[]]}


def test_linking_changes_no_input_and_no_malformed_flag() -> None:
    flag = stored_flag(2, "b", 1)
    before = repr(flag)
    again = link_dependencies([flag, stored_flag(1, "a")])
    assert repr(flag) == before
    assert link_dependencies(again) == again
    odd: list[JSON] = [
        {"key": "no-filters", "id": 1},
        {"key": "null", "id": 2, "filters": None},
        {"key": "text", "id": 3, "filters": {"groups": ["x", {"properties": "y"}, {"properties": ["z"]}]}},
        {"filters": {"groups": None}},
    ]
    assert link_dependencies(odd) == odd


def test_a_chain_longer_than_the_interpreter_recurses_is_evaluated() -> None:
    flags = [stored_flag(0, "flag-0")]
    flags += [stored_flag(number, f"flag-{number}", number - 1) for number in range(1, 1200)]
    assert evaluate("flag-1199", Person("u"), Definitions.of(flags)).value is True


@pytest.mark.parametrize("is_linked", [False, True])
def test_needed_flags_alone_evaluate_as_among_all(is_linked: bool) -> None:
    left_out = 0
    for seed in range(150):
        random = Random(seed)
        document = random_flags.document(random, count=12)
        raws, cohorts = document["flags"], document["cohorts"]
        cohorts["1"].setdefault("values", []).append(
            {**asks_flag("flag-2"), "dependency_chain": ["flag-5", "flag-2"]}
        )
        raws[3]["filters"]["super_groups"] = [{"properties": [asks_flag("flag-7")]}]
        raws += [{**raws[5], "id": 99}, {**raws[6], "key": "flag-9"}]
        flags = link_dependencies(raws) if is_linked else raws
        every = Definitions.of_document({**document, "flags": flags})
        person = random_flags.person(random, 12)
        for key in every.flags:
            needed = needed_flags(flags, [key], cohorts)
            alone = Definitions.of_document({**document, "flags": needed})
            left_out += len(flags) - len(needed)
            for rules in Rules:
                expected = evaluate(key, person, every, rules)
                assert evaluate(key, person, alone, rules) == expected, (seed, key, rules)
    assert left_out > 10_000


def test_affected_flags_are_those_that_need_a_changed_one() -> None:
    several = 0
    for seed in range(100):
        random = Random(seed)
        document = random_flags.document(random, count=12)
        flags, cohorts = document["flags"], document["cohorts"]
        keys = [flag["key"] for flag in flags]
        needed = {key: {flag["key"] for flag in needed_flags(flags, [key], cohorts)} for key in keys}
        for changed in keys:
            affected = affected_keys(flags, [changed], cohorts)
            assert affected == {key for key in keys if changed in needed[key]}, (seed, changed)
            several += len(affected) > 1
    assert several > 100


def test_needed_flags_are_the_named_ones_and_their_dependencies() -> None:
    flags = [stored_flag(1, "a"), stored_flag(2, "b", "1"), stored_flag(3, "c", 2), stored_flag(4, "d", 1)]
    flags += [stored_flag(5, "round", 6), stored_flag(6, "trip", 5), stored_flag(7, "gone", 99)]
    names = {
        key: [flag["key"] for flag in needed_flags(flags, [key], {})] for key in ("a", "c", "trip", "gone")
    }
    assert names == {"a": ["a"], "c": ["a", "b", "c"], "trip": ["round", "trip"], "gone": ["gone"]}
    assert needed_flags(flags, ["c", "d"], {}) == flags[:4]
