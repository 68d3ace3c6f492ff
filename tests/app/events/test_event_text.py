"""Event definitions as rows and lines: nothing is claimed that the server did not send."""

import json
from functools import partial
from typing import Any

import pytest
from tests.doubles import heavy_records as heavy
from tests.doubles.counted_calls import counted_calls

from flagtui.app.events.event_list import EVENT_COLUMNS, draw_state_word
from flagtui.app.widgets.column_layout import Slot
from flagtui.app.widgets.glyphs import UNICODE
from flagtui.details.event_inspector import EventDetails
from flagtui.models.event_definition import EventDefinition
from flagtui.models.event_definition_rows import read_event_definition_page
from flagtui.models.rows import OPTIONAL_MEMBERS, EventDefinitionRow
from flagtui.text.event_words import detail_lines, event_lines, is_silent
from flagtui.text.flag_sentences import plain

DAY = 86_400.0
NOON = 20_000 * DAY + DAY / 2


def test_one_never_seen_is_not_silent() -> None:
    assert not is_silent(EventDefinitionRow("1", "a"), NOON)
    assert not is_silent(EventDefinitionRow("1", "a", seen_at=NOON - 30 * DAY), NOON)
    assert is_silent(EventDefinitionRow("1", "a", seen_at=NOON - 30 * DAY - 1), NOON)


@pytest.mark.parametrize(
    ("fields", "word"), [({}, "unverified"), ({"verified": True}, "verified"), ({"hidden": True}, "hidden")]
)
def test_the_state_is_told_by_a_word(fields: dict[str, bool], word: str) -> None:
    row = EventDefinitionRow("1", "a", **fields)  # type: ignore[arg-type]  # only the states
    assert draw_state_word(row, Slot(10, UNICODE, NOON))[0][0] == word


JSON = Any
NOW = 1_772_442_000.0
PLAIN = {"id": "0190b6f2-7c1e-7f00-8a11-5d1b2c3d4e5f", "name": "paid"}
WHOLE: dict[str, JSON] = {
    **PLAIN,
    "description": None,
    "owner": None,
    "verified": False,
    "last_seen_at": None,
    "tags": [],
    "enforcement_mode": "allow",
}


def row_of(raw: dict[str, JSON]) -> EventDefinitionRow:
    [row] = read_event_definition_page(json.dumps({"results": [raw]}).encode()).rows
    assert row == EventDefinition.of(raw).row()
    return row


def cells(row: EventDefinitionRow) -> dict[str, str]:
    slot = Slot(20, UNICODE, NOW)
    return {column.name: "".join(text for text, _ in column.draw(row, slot)) for column in EVENT_COLUMNS}


def test_row_and_list_claim_nothing_that_was_not_sent() -> None:
    assert row_of(PLAIN).not_sent == OPTIONAL_MEMBERS
    assert row_of(WHOLE).not_sent == ()
    assert row_of({**WHOLE, "verified": None, "owner": {"id": 7}}).not_sent == ()
    partial = {**PLAIN, "verified": None, "owner": {"id": 7}, "tags": None}
    assert row_of(partial).not_sent == ("description", "last_seen_at", "enforcement_mode")
    texts, not_sent = cells(row_of(WHOLE)), cells(row_of(PLAIN))
    expected = ["never", "unverified", "no description"]
    assert [texts[name] for name in ("seen", "verified", "description")] == expected
    assert [not_sent[name] for name in ("seen", "verified", "description")] == ["?", "not known", "not known"]


@pytest.mark.parametrize(("raw", "words"), [
    (WHOLE, ["UNVERIFIED", "no description", "OWNER       none", "LAST SEEN   never"]),
    (PLAIN, ["description not known", "OWNER       not known", "LAST SEEN   not known"]),
])  # fmt: skip
def test_the_pane_and_the_screen_say_nothing_of_it_either(raw: dict[str, JSON], words: list[str]) -> None:
    row = row_of(raw)
    pane = plain(event_lines(row, NOW, 60))
    whole = plain(detail_lines(EventDetails(row, EventDefinition.of(raw)), [], NOW, 60))
    for drawn in (pane, whole):
        assert all(word in drawn for word in words)
        assert ("UNVERIFIED" in drawn) == (raw is WHOLE)
        tags = "none" if raw is WHOLE else "not known: not reported by this server"
        assert f"TAGS        {tags}" in drawn
    assert "CHANGED     not known" in pane
    assert "last changed not known" in whole
    assert ("VERIFIED    not known: not reported by this server" in whole) == (raw is PLAIN)
    assert f"ENFORCEMENT {'allow' if raw is WHOLE else 'not known: not reported by this server'}" in whole


@pytest.mark.parametrize("more", [{}, {"tags": "malformed"}])
def test_event_with_empty_name_is_listed(more: dict[str, JSON]) -> None:
    row = row_of({**WHOLE, "name": "", **more})
    assert cells(row)["name"] == '""'
    assert plain(event_lines(row, NOW, 60)).startswith('""')


@pytest.mark.parametrize(("more", "owner", "tags"), [
    ({"owner": 7, "tags": ["a", 3, None]}, (7, "user 7"), ("a", "3", "null")),
    ({"owner": "ada", "tags": "b"}, (None, "ada"), ("b",)),
    ({"owner": ["ada"], "tags": {"b": 1}}, (None, '["ada"]'), ('{"b": 1}',)),
    ({"owner": {"email": "ada@acme.test"}, "tags": []}, (None, "ada@acme.test"), ()),
])  # fmt: skip
def test_malformed_owners_and_tags_are_kept(more: JSON, owner: JSON, tags: JSON) -> None:
    row = row_of({**WHOLE, **more})
    assert ((row.owner_id, row.owner), row.tags) == (owner, tags)


def test_future_times_are_future() -> None:
    row = row_of({**WHOLE, "last_seen_at": "2026-03-12T00:00:00Z", "created_at": "2026-03-12T00:00:00Z"})
    drawn = plain(event_lines(row, NOW, 60))
    assert "LAST SEEN   in 10 days" in drawn
    assert "FIRST SEEN  in 10 days" in drawn
    assert cells(row)["seen"] == "in 10 d"
    assert "SILENT" not in drawn


@pytest.mark.parametrize("more", [{"is_action": True}, {"action_id": 5}])
def test_an_action_is_no_custom_event(more: dict[str, JSON]) -> None:
    row = row_of({**WHOLE, **more})
    assert cells(row)["name"] == "paid  action"
    whole = plain(detail_lines(EventDetails(row, EventDefinition.of({**WHOLE, **more})), [], NOW, 60))
    assert " action " in whole
    assert " custom " not in whole
    number = "#5" if "action_id" in more else "number not reported"
    assert f"ACTION      {number}: a set of events under one name" in whole
    assert cells(row_of(WHOLE))["name"] == "paid"


def test_heavy_event_is_drawn_in_bounded_work() -> None:
    definition = EventDefinition.of(heavy.event(10_000, 1024 * 1024))
    details = EventDetails(definition.row(), definition)
    assert "#tag-199 and 9,800 more" in plain(detail_lines(details, (), NOW, 100))
    assert "#tag-19 and 9,980 more" in plain(event_lines(details.row, NOW, 40))
    assert "more characters" in plain(detail_lines(details, (), NOW, 100))
    assert counted_calls(partial(list, detail_lines(details, (), NOW, 100))) < 60_000
