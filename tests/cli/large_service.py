"""A service with the whole sample: its list of flags has several pages."""

import shutil
from collections.abc import Iterator

import pytest
from tests.cli.conftest import Service, serving
from tests.doubles.templates import sample_database


@pytest.fixture(scope="module")
def large_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    database = tmp_path_factory.mktemp("large") / "service.db"
    shutil.copy(sample_database(tmp_path_factory, one_in=16), database)
    with serving(database) as service:
        yield service
