"""A running app with one list of flags."""

from collections.abc import AsyncIterator

import pytest
from tests.doubles.list_app import ListApp
from tests.doubles.quiet import run_quietly


@pytest.fixture
async def app() -> AsyncIterator[ListApp]:
    """A header line and ten rows."""
    app = ListApp()
    async with run_quietly(app, size=(80, 11)) as app.pilot:
        yield app
