"""A service on which change sets are staged and applied."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest
from tests.cli.conftest import KEY, Done, Run, reachable, records, run_at
from tests.doubles.faulty_service import FaultyService

from flagtui.changes.sets.change_set import ChangeSet, as_text, read_text
from flagtui.service import close_service, create_service

FLAG: Final = "export-parquet"
OTHER: Final = "billing-usage-alerts"
THIRD: Final = "mobile-deep-links"


@pytest.fixture(scope="module")
def served_line() -> Iterator[tuple[FaultyService, str]]:
    """A line to a service, which can refuse writes, and its address."""
    line = FaultyService()
    with reachable(line) as address:
        yield line, address


@pytest.fixture
def line(served_line: tuple[FaultyService, str]) -> FaultyService:
    served_line[0].__init__()  # type: ignore[misc]
    return served_line[0]


@pytest.fixture
def here(
    run: Run,
    small_sample: Path,
    line: FaultyService,
    served_line: tuple[FaultyService, str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> Iterator[Run]:
    """Commands on a service whose records no other test changes."""
    monkeypatch.chdir(tmp_path)
    database = tmp_path / "service.db"
    database.write_bytes(small_sample.read_bytes())
    application = line.application = create_service(database, key=KEY)
    yield run_at(served_line[1], run, monkeypatch)
    close_service(application)


@pytest.fixture
def elsewhere(here: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """The same commands with another journal, as another user runs them."""

    def run(*words: str) -> Done:
        with monkeypatch.context() as other:
            other.setenv("XDG_STATE_HOME", str(tmp_path / "other"))
            return here(*words)

    return run


def is_on(here: Run, key: str) -> bool:
    (record,) = records(here("flags", "get", key, "--json", "--fields", "active"))
    return bool(record["active"])


def change_file(path: Path, change: Callable[[ChangeSet], ChangeSet]) -> None:
    """Replace the set in a file by another one with a digest of its own."""
    path.write_text(as_text(change(read_text(path.read_bytes(), path.name))))
