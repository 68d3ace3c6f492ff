"""Dependencies of a condition: by name, with the reason why one can never match."""

from typing import Any

import pytest
from tests.doubles.counted_calls import counted_calls

from flagtui.details.flag_names import CIRCULAR, MISSING, MISSING_OFF, names_about
from flagtui.evaluate.definitions import Definitions
from flagtui.evaluate.flags import evaluate
from flagtui.evaluate.run import Person
from flagtui.models.flag import Flag
from flagtui.models.flag_details import NO_NAMES
from flagtui.text.flag_sentences import plain, who_sees_it

JSON = Any


def flag(id: int, *dependencies: tuple[int, JSON], active: bool = True) -> dict[str, JSON]:
    properties = [
        {"key": str(other), "type": "flag", "operator": "flag_evaluates_to", "value": value}
        for other, value in dependencies
    ]
    groups = [{"properties": properties, "rollout_percentage": 100}]
    return {"id": id, "key": f"flag-{id}", "active": active, "filters": {"groups": groups}}


def sentence(raw: dict[str, JSON], *others: dict[str, JSON], is_complete: bool = True) -> list[str]:
    here = Flag.of(raw)
    rows = [Flag.of(record).row() for record in (raw, *others)]
    names = names_about(here, NO_NAMES, rows, is_complete=is_complete)
    return [line.strip() for line in plain(who_sees_it(here.targeting, names)).splitlines()[1:]]


def value(raw: dict[str, JSON], *others: dict[str, JSON]) -> JSON:
    definitions = Definitions.of([raw, *others])
    return evaluate(raw["key"], Person("p", is_complete=True), definitions).value


def test_present_dependency_is_named_by_its_key() -> None:
    assert sentence(flag(1, (2, True)), flag(2)) == ["flag flag-2 is on"]
    assert value(flag(1, (2, True)), flag(2)) is True
    assert sentence(flag(1, (1, True))) == [f"flag flag-1 is on ({CIRCULAR})"]
    assert sentence(flag(1, (9, True)), is_complete=False) == ["flag 9 is on"]
    others = [flag(number, (number + 1, True)) for number in range(2, 1_500)]
    assert sentence(flag(1, (2, True)), *others, flag(1_500)) == ["flag flag-2 is on"]


@pytest.mark.parametrize(
    "others",
    [
        [flag(2, (2, True))],
        [flag(2, (1, True))],
        [flag(2, (3, True)), flag(3, (4, True)), flag(4, (3, True))],
    ],
    ids=["itself", "back to the first", "further on"],
)
@pytest.mark.parametrize("required_value", [True, False])
def test_a_circle_is_said_to_match_nobody_and_does_not(
    others: list[dict[str, JSON]], required_value: bool
) -> None:
    words = "on" if required_value else "off"
    assert sentence(flag(1, (2, required_value)), *others) == [f"flag flag-2 is {words} ({CIRCULAR})"]
    assert value(flag(1, (2, required_value)), *others) in (False, None)


@pytest.mark.parametrize(
    ("required_value", "words", "why"), [(True, "on", MISSING), (False, "off", MISSING_OFF)]
)
def test_unlisted_dependency_shows_both_possible_outcomes(required_value: bool, words: str, why: str) -> None:
    raw = flag(1, (9, required_value))
    assert sentence(raw) == [f"flag 9 is {words} ({why})"]
    assert value(raw) in (False, None)
    assert value(raw, flag(9, active=False)) is (why == MISSING_OFF)


def test_circles_among_hundreds_of_flags_take_linear_work() -> None:
    def work(count: int) -> int:
        raw = flag(1, *((other, True) for other in range(2, count)))
        asked_with = [flag(other, (1, True)) for other in range(2, count)]
        rows = [Flag.of(record).row() for record in (raw, *asked_with)]
        here = Flag.of(raw)
        return counted_calls(lambda: names_about(here, NO_NAMES, rows, is_complete=True))

    assert work(600) < 2.3 * work(300)
