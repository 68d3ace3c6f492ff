"""What a change's question says of the flags that ask for this one is held against the evaluator."""

from typing import Any, Final

import pytest
from tests.doubles.steady_clock import SteadyClock

from flagtui.changes.flags import flag_intent
from flagtui.changes.flags.flag_consequences import consequences
from flagtui.changes.flags.flag_context import Context, Linked
from flagtui.evaluate import Definitions, Person, evaluate
from flagtui.models.flag import Flag

NOW: Final = SteadyClock().time()
CROWD: Final = [Person(f"person-{place}", {}, is_complete=True) for place in range(40)]
WANTED: Final = {
    "turned on": flag_intent.turn_on(1),
    "turned off": flag_intent.turn_off(1),
    "deleted": flag_intent.delete(1),
    "archived": flag_intent.archive(1),
}


def flag(id: int, key: str, *groups: Any, **more: Any) -> dict[str, Any]:
    return {"id": id, "key": key, "active": True, "filters": {"groups": list(groups)}, **more}


@pytest.mark.parametrize("asked", [True, False, "test"])
@pytest.mark.parametrize("was_on", [True, False])
@pytest.mark.parametrize("wanted", WANTED)
def test_what_those_who_ask_for_it_will_find_is_what_they_find(wanted: str, was_on: bool, asked: Any) -> None:
    change = WANTED[wanted]
    base = flag(1, "base", {"properties": []}, active=was_on)
    question = {"key": "1", "type": "flag", "operator": "flag_evaluates_to", "value": asked}
    asking = flag(2, "asking", {"properties": [question]})
    context = Context(now=NOW, dependents=(Linked(2, "asking", True),))
    told = [
        one.text
        for one in consequences(change, Flag.of(base), change.changes, context)
        if one.label == "Dependents"
    ]
    left = [] if change.changes.get("deleted") else [{**base, **change.changes}]
    definitions = Definitions.of([*left, asking])
    found = {evaluate("base", person, definitions).value for person in CROWD} if left else {False}
    matched = {evaluate("asking", person, definitions).value for person in CROWD}
    for text in told:
        if "will find it gone: such a condition matches nobody" in text:
            assert (left, matched) == ([], {False})
        elif "will find it off for everybody" in text:
            assert left
            assert found == {False}
        else:
            assert text == "asking asks for it"
            assert left
    assert told or change.changes.get("active", was_on) is was_on
