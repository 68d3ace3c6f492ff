"""A running app with one list of flags."""

from collections.abc import AsyncIterator

import pytest
from tests.doubles.list_app import ListApp


@pytest.fixture
async def app() -> AsyncIterator[ListApp]:
    """A header line and ten rows."""
    app = ListApp()
    async with app.run_test(size=(80, 11)) as app.pilot:
        yield app
