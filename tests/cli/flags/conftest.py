"""A flag for each test, and the server's word about it."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest
from tests.cli.conftest import KEY, Service

from flagtui.api.client import Client
from flagtui.models.flag import Flag

T = TypeVar("T")
Ask = Callable[[Callable[[Client], Awaitable[T]]], T]


@pytest.fixture
def ask(service: Service) -> Ask[Flag]:
    def ask(question: Callable[[Client], Awaitable[Flag]]) -> Flag:
        async def run() -> Flag:
            async with Client(service.address, KEY, 1) as client:
                return await question(client)

        return asyncio.run(run())

    return ask


@pytest.fixture
def key(request: pytest.FixtureRequest, ask: Ask[Flag]) -> str:
    """A flag of the test's own: on, for half of those whose plan is pro."""
    plan = {"key": "plan", "type": "person", "value": "pro", "operator": "exact"}
    groups = [{"properties": [plan], "rollout_percentage": 50}]
    body = {"key": f"cli-{abs(hash(request.node.name))}", "active": True, "filters": {"groups": groups}}
    return ask(lambda client: client.flags.create(body)).key
