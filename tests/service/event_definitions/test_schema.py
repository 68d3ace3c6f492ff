"""Answers keep to the schema that the document publishes for them."""

from typing import Any

import pytest
from tests.service.event_definitions.conftest import Service

from flagtui.service.event_definitions import OPERATIONS, schemas


def named(schema: Any) -> set[str]:
    return set(schema["properties"])


async def test_a_definition_has_exactly_the_published_fields(service: Service) -> None:
    assert set(await service.get(f"{service.define('signup')}/")) == named(schemas.DEFINITION)


async def test_a_page_has_exactly_the_published_fields(service: Service) -> None:
    assert set(await service.get()) == named(schemas.DEFINITION_PAGE)


@pytest.mark.parametrize(
    ("path", "schema"), [("typescript/", schemas.SOURCE), ("primary_properties/", schemas.PRIMARY)]
)
async def test_other_answers_have_exactly_the_published_fields(
    service: Service, path: str, schema: Any
) -> None:
    assert set(await service.get(path)) == named(schema)


def test_every_operation_with_a_body_publishes_both_sides() -> None:
    described = [operation for operation in OPERATIONS if operation.method != "DELETE"]
    assert [each.summary for each in described if each.response is None] == []
    assert [each.summary for each in described if each.method != "GET" and each.body is None] == []
