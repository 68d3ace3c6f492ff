"""People, keys, projects and event definitions."""

import json

import pytest

from flagtui.models.account import KeyInfo, Me, Project, User
from flagtui.models.event_definition import EventDefinition
from flagtui.models.event_definition_rows import read_event_definition_page


@pytest.mark.parametrize(
    ("scopes", "scope", "allowed"),
    [
        (["*"], "experiment:write", True),
        (["feature_flag:write"], "feature_flag:read", True),
        (["feature_flag:read"], "feature_flag:write", False),
        (["feature_flag:read"], "feature_flag:read", True),
        (["feature_flag:write"], "experiment:read", False),
        ([], "user:read", False),
    ],
)
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
    full = {
        "id": "u1",
        "name": "$pageview",
        "owner": {"id": 7, "email": "a@b"},
        "hidden": None,
        "verified": True,
        "last_seen_at": "2026-03-01T00:00:00Z",
        "tags": ["x"],
        "description": None,
    }
    bare = {"id": "u2", "name": "paid"}
    page = read_event_definition_page(json.dumps({"count": 2, "results": [full, bare]}).encode())
    assert list(page.rows) == [EventDefinition.of(full).row(), EventDefinition.of(bare).row()]
    assert page.rows[0].is_builtin
    assert not page.rows[1].is_builtin
    assert (page.rows[0].owner, page.rows[0].hidden, page.rows[0].description) == ("a@b", False, "")


def test_lower_bound_count_is_marked_as_capped() -> None:
    body = json.dumps({"count": 10_000, "count_is_capped": True, "next": "x", "results": []}).encode()
    page = read_event_definition_page(body)
    assert (page.total, page.is_capped, page.has_more) == (10_000, True, True)
