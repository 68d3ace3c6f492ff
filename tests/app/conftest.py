"""The sample as the service shows it, hostile project and all, read once."""

import asyncio
from collections.abc import Sequence

import pytest
from tests.doubles.served_flags import Served, serve_flags


@pytest.fixture(scope="session")
def projects(tmp_path_factory: pytest.TempPathFactory) -> Sequence[Served]:
    return asyncio.run(serve_flags(tmp_path_factory.mktemp("sample"), nasty=True))
