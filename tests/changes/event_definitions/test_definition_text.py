"""An event definition as JSON: changed values, and texts that change nothing."""

import json

import pytest
from tests.doubles.expected import expect

from flagtui.changes.editor_text import Faulty
from flagtui.changes.event_definitions.definition_intent import EventIntent, definition_text, edit_intent
from flagtui.models.rows import EventDefinitionRow

ROW = EventDefinitionRow("a", "paid", "Order paid", ("billing",), verified=True, owner_id=7)


def test_only_what_differs_becomes_the_intent() -> None:
    record = definition_text(ROW)
    assert record.read(record.text()) == {}
    changes = record.read(json.dumps({**record.shown, "tags": ["Billing ", "ops"], "owner": None}))
    assert not isinstance(changes, Faulty)
    assert edit_intent(ROW, changes) == EventIntent(
        "a", {"tags": ["billing", "ops"], "owner": None}, "edit", {"tags": ["billing"], "owner": 7}
    )
    assert edit_intent(ROW, {"tags": ["billing "]}) is None


@pytest.mark.parametrize(("text", "reason"), [
    ("{", "it is not JSON"),
    ("[]", "it must be one JSON object"),
    ('{"name": "x"}', "`name` is not a field that can be edited here"),
    ("{}", "`owner` is missing"),
    ('{"owner": true}', "owner must be the number of a person or null"),
    ('{"tags": [1]}', "tags must be a list of texts"),
    ('{"enforcement_mode": "drop"}', "enforcement_mode must be allow, reject"),
    ('{"hidden": true}', "an event cannot be both"),
])  # fmt: skip
def test_what_is_no_edit_is_said(text: str, reason: str) -> None:
    assert any(reason in line for line in expect(definition_text(ROW).read(text), Faulty).reasons)


@pytest.mark.parametrize("id", ["../../etc/passwd", "a/b", ""])
def test_an_id_that_is_no_file_name_names_no_file(id: str) -> None:
    assert definition_text(EventDefinitionRow(id, "paid")).file == "event"
