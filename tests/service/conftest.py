from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Unpack

import pytest
from tests.doubles.service_world import Start, World, starting

from flagtui.service.application import Settable


@pytest.fixture
async def start_world(tmp_path: Path) -> AsyncIterator[Start]:
    """Starts services with the settings that are named, each on a file of its own."""
    async with AsyncExitStack() as stack:
        count = 0

        async def begin(**choices: Unpack[Settable]) -> World:
            nonlocal count
            count += 1
            return await stack.enter_async_context(starting(tmp_path / f"{count}.db", **choices))

        yield begin


@pytest.fixture
async def world(start_world: Start) -> World:
    begun: World = await start_world()
    return begun
