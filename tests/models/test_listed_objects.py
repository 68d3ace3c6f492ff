"""Event definitions of list pages keep the object that each was read from."""

import json

import pytest

from flagtui.models.event_definition_rows import read_event_definition_page
from flagtui.models.json_value import NotJson
from flagtui.models.listed_objects import ListedObject, read_listed_objects
from flagtui.models.rows import EventDefinitionRow, RowPage

ITEMS = [
    {"id": "0190f1c2-0000-7000-8000-000000000001", "name": "order paid", "tags": ["a", 3], "color": "red"},
    "no object",
    {"id": 7, "name": "no text as id"},
    {"id": "0190f1c2-0000-7000-8000-000000000002", "name": "", "owner": "malformed"},
]
BODY = json.dumps({"count": 4, "next": None, "results": ITEMS}).encode()


def read_listed_definitions(body: bytes) -> RowPage[ListedObject[EventDefinitionRow]]:
    return read_listed_objects(body, read_event_definition_page, str)


def test_rows_are_those_of_the_plain_page() -> None:
    listed, plain = read_listed_definitions(BODY), read_event_definition_page(BODY)
    assert [definition.row for definition in listed.rows] == list(plain.rows)
    expected = (plain.total, plain.unreadable, plain.has_more)
    assert (listed.total, listed.unreadable, listed.has_more) == expected


def test_objects_keep_unknown_members() -> None:
    by_id = {definition.id: definition.raw for definition in read_listed_definitions(BODY).rows}
    assert by_id
    assert all(raw in ITEMS and str(raw["id"]) == id for id, raw in by_id.items())


@pytest.mark.parametrize("id", [7, 7.0, 7.5, 10**30, True, None, "", [], {"a": 1}, "é\\u0000"])
def test_odd_ids_are_read_as_in_the_plain_page(id: object) -> None:
    body = json.dumps({"count": 1, "next": None, "results": [{"id": id, "name": "odd"}]}).encode()
    listed, plain = read_listed_definitions(body), read_event_definition_page(body)
    assert [definition.row for definition in listed.rows] == list(plain.rows)
    assert listed.unreadable == plain.unreadable


def test_other_content_is_refused() -> None:
    with pytest.raises(NotJson):
        read_listed_definitions(b"<html>")
