"""Dependencies from ids to keys, in the order they have to be evaluated."""

from typing import Any

from tests.doubles.targeting import asks_flag

from flagtui.evaluate.definitions import Definitions, link_dependencies
from flagtui.evaluate.flags import evaluate
from flagtui.evaluate.run import Person

JSON = dict[str, Any]


def stored_flag(number: int, key: str, *needs: int | str) -> JSON:
    questions = [asks_flag(need) for need in needs]
    return {
        "id": number,
        "key": key,
        "active": True,
        "filters": {"groups": [{"properties": questions, "rollout_percentage": 100}]},
    }


def chains(*flags: JSON) -> dict[str, list[list[str]]]:
    return {
        flag["key"]: [question["dependency_chain"] for question in flag["filters"]["groups"][0]["properties"]]
        for flag in link_dependencies(flags)
    }


def test_dependencies_are_listed_once_with_everything_before_them() -> None:
    flags = [stored_flag(3, "c", 2), stored_flag(2, "b", "1"), stored_flag(1, "a")]
    assert chains(*flags) == {"c": [["a", "b"]], "b": [["a"]], "a": []}
    assert link_dependencies(flags)[0]["filters"]["groups"][0]["properties"][0]["key"] == "b"
    flags = [
        stored_flag(4, "top", 2, 3),
        stored_flag(2, "left", 1),
        stored_flag(3, "right", 1),
        stored_flag(1, "base"),
    ]
    assert chains(*flags, stored_flag(5, "above", 4))["above"] == [["base", "left", "right", "top"]]


def test_chain_of_a_circle_or_missing_flag_is_empty() -> None:
    flags = [
        stored_flag(1, "a", 2),
        stored_flag(2, "b", 1),
        stored_flag(3, "c", 99),
        stored_flag(4, "d", 3),
        stored_flag(5, "e", 5),
    ]
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
    flags = [stored_flag(0, "flag-0")] + [
        stored_flag(number, f"flag-{number}", number - 1) for number in range(1, 1200)
    ]
    assert evaluate("flag-1199", Person("u"), Definitions.of(flags)).value is True
