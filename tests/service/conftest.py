from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.doubles.service_world import Start, World, starts_of


@pytest.fixture
async def start_world(tmp_path: Path) -> AsyncIterator[Start]:
    async for begin in starts_of(World, tmp_path):
        yield begin


@pytest.fixture
async def world(start_world: Start) -> World:
    begun: World = await start_world()
    return begun


@pytest.fixture
async def pilot(start_world: Start) -> World:
    """A service in the pilot of configuration version 2."""
    begun: World = await start_world(rules_v2=True)
    return begun
