"""An event definition as JSON: what was changed in it, and what is no edit."""

import json

import pytest

from flagtui.changes.event_definitions.definition_intent import EventIntent
from flagtui.changes.event_definitions.definition_text import definition_as_text, definition_from_text
from flagtui.models.rows import EventDefinitionRow

ROW = EventDefinitionRow("a", "paid", "Order paid", ("billing",), verified=True, owner_id=7)


def test_only_what_differs_becomes_the_intent() -> None:
    values = json.loads(definition_as_text(ROW))
    assert definition_from_text(json.dumps(values), ROW) is None
    values |= {"tags": ["Billing ", "ops"], "owner": None}
    assert definition_from_text(json.dumps(values), ROW) == EventIntent(
        "a", {"tags": ["billing", "ops"], "owner": None}, "edit", {"tags": ["billing"], "owner": 7}
    )
    assert definition_from_text("{}", ROW) is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "this is no JSON"),
        ("[]", "this is no JSON object"),
        ('{"name": "x"}', "there is no field name to change"),
        ('{"owner": true}', "owner takes the number of a person, or null"),
        ('{"tags": [1]}', "tags takes a list of texts"),
        ('{"enforcement_mode": "drop"}', "enforcement_mode takes allow or reject"),
        ('{"hidden": true}', "it cannot be both"),
    ],
)
def test_what_is_no_edit_is_said(text: str, reason: str) -> None:
    found = definition_from_text(text, ROW)
    assert isinstance(found, str)
    assert reason in found
