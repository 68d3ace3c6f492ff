"""The sample company in a database, filled once for all tests that read it."""

import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

import pytest
from starlette.applications import Starlette

from flagtui.service.application import close_service, create_service
from flagtui.service.database import Database
from flagtui.service.sample_data import sample

NOW: Final = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@pytest.fixture(scope="session")
def company(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    database = Database(tmp_path_factory.mktemp("sample") / "sample.db")
    database.write(lambda db: sample()(db, NOW)).result()
    with database.reading() as db:
        yield db
    database.close()


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Starlette]:
    """The service of the sample with the nasty project."""
    application = create_service(
        tmp_path_factory.mktemp("served") / "sample.db", key="phx_k", sample=sample(nasty=True)
    )
    yield application
    close_service(application)
