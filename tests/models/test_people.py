"""People, keys and projects, and event definitions with the object that each was read from."""

from typing import Any

import pytest
from tests.doubles.servers import page

from flagtui.models.account import KeyInfo, Me, Project, User
from flagtui.models.event_definition import EventDefinition
from flagtui.models.event_definition_rows import read_event_definition_page
from flagtui.models.json_value import NotJson
from flagtui.models.listed_objects import ListedObject, read_listed_objects
from flagtui.models.rows import EventDefinitionRow, RowPage


@pytest.mark.parametrize(("scopes", "scope", "allowed"), [
    (["*"], "experiment:write", True), (["feature_flag:write"], "feature_flag:read", True),
    (["feature_flag:read"], "feature_flag:write", False),
    (["feature_flag:read"], "feature_flag:read", True), (["feature_flag:write"], "experiment:read", False),
    ([], "user:read", False),
])  # fmt: skip
def test_writing_covers_reading_and_a_star_covers_all(scopes: list[str], scope: str, allowed: bool) -> None:
    assert KeyInfo.of({"scopes": scopes}).allows(scope) is allowed


def test_users_and_projects_are_named_by_name_or_number() -> None:
    assert User.of({"id": 7, "first_name": " Ada ", "email": "a@b"}).label == "Ada"
    assert User.of({"id": 7, "first_name": "", "email": "a@b"}).label == "a@b"
    assert User.of({"id": 7, "first_name": None}).label == "user 7"
    assert User.of({}).label == "unknown"
    assert Project.of({"id": 42, "name": "Web shop"}).label == "Web shop"
    assert Project.of({"id": 42}).label == "project 42"


def test_the_current_project_is_a_number_or_not_known() -> None:
    assert Me.of({"team": {"id": 42}}).current_project == 42
    for team in (None, {}, {"id": "42"}, {"id": True}):
        assert Me.of({"team": team}).current_project is None


def test_a_bare_event_definition_and_a_full_one_are_rows() -> None:
    bare = {"id": "u2", "name": "paid"}
    owned = {"owner": {"id": 7, "email": "a@b"}, "verified": True, "last_seen_at": "2026-03-01T00:00:00Z"}
    full = {"id": "u1", "name": "$pageview", "hidden": None, "tags": ["x"], "description": None, **owned}
    rows = read_event_definition_page(page(full, bare)).rows
    assert list(rows) == [EventDefinition.of(full).row(), EventDefinition.of(bare).row()]
    assert [row.is_builtin for row in rows] == [True, False]
    assert (rows[0].owner, rows[0].hidden, rows[0].description) == ("a@b", False, "")


def test_lower_bound_count_is_marked_as_capped() -> None:
    capped = read_event_definition_page(page(count=10_000, count_is_capped=True, next="x"))
    assert (capped.total, capped.is_capped, capped.has_more) == (10_000, True, True)


ITEMS: list[Any] = [
    {"id": "0190f1c2-0000-7000-8000-000000000001", "name": "order paid", "tags": ["a", 3], "color": "red"},
    "no object",
    {"id": 7, "name": "no text as id"},
    {"id": "0190f1c2-0000-7000-8000-000000000002", "name": "", "owner": "malformed"},
]


def read_listed_definitions(body: bytes) -> RowPage[ListedObject[EventDefinitionRow]]:
    return read_listed_objects(body, read_event_definition_page, str)


ODD_IDS: list[Any] = [7, 7.0, 7.5, 10**30, True, None, "", [], {"a": 1}, "é\\u0000"]


@pytest.mark.parametrize("body", [page(*ITEMS), *(page({"id": id, "name": "odd"}) for id in ODD_IDS)])
def test_listed_objects_have_the_rows_of_the_plain_page(body: bytes) -> None:
    listed, plain = read_listed_definitions(body), read_event_definition_page(body)
    assert [definition.row for definition in listed.rows] == list(plain.rows)
    expected = (plain.total, plain.unreadable, plain.has_more)
    assert (listed.total, listed.unreadable, listed.has_more) == expected


def test_objects_keep_unknown_members_and_other_content_is_refused() -> None:
    by_id = {definition.id: definition.raw for definition in read_listed_definitions(page(*ITEMS)).rows}
    assert by_id
    assert all(raw in ITEMS and str(raw["id"]) == id for id, raw in by_id.items())
    with pytest.raises(NotJson):
        read_listed_definitions(b"<html>")
