"""Answers keep to the schema that the document publishes for them."""

from typing import Any

import pytest

from flagtui.service.event_definitions import OPERATIONS, schemas


def named(schema: Any) -> set[str]:
    return set(schema["properties"])


def test_a_definition_has_exactly_the_published_fields(service: Any) -> None:
    shown = service.get(f"{service.define('signup')}/")
    assert set(shown) == named(schemas.DEFINITION)


def test_a_page_has_exactly_the_published_fields(service: Any) -> None:
    assert set(service.get()) == named(schemas.DEFINITION_PAGE)


@pytest.mark.parametrize(
    ("path", "schema"),
    [("typescript/", schemas.SOURCE), ("primary_properties/", schemas.PRIMARY)],
)
def test_other_answers_have_exactly_the_published_fields(service: Any, path: str, schema: Any) -> None:
    assert set(service.get(path)) == named(schema)


def test_every_operation_with_a_body_publishes_both_sides() -> None:
    described = [operation for operation in OPERATIONS if operation.method != "DELETE"]
    assert [each.summary for each in described if each.response is None] == []
    assert [each.summary for each in described if each.method != "GET" and each.body is None] == []
