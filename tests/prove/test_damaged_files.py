"""Each file of the program cut, flipped, emptied or replaced: it continues or reports why not.

Nothing here may wait: a pipe in the place of a file has no end.
"""

import contextlib
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest
from tests.doubles.expected import require

from flagtui.changes.journal import Journal, JournalUnwritable
from flagtui.changes.journal_entries import Entry
from flagtui.config.preferences import Remembered, recall, remember
from flagtui.config.toml_source import SettingsError, read_source
from flagtui.models.rows import FlagRow
from flagtui.service import DatabaseUnusable, close_service, create_service
from flagtui.store.snapshots import SnapshotPlace, Snapshots

LINE: Final = "not to be touched\n"
SECONDS: Final = 10
"""After which something waits for what never comes."""


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    for place in range(0, len(data), max(1, len(data) // 16)):
        data[place] ^= 0xFF
    path.write_bytes(data)


def empty(path: Path) -> None:
    os.truncate(path, 0)


def become_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def become_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def become_link_to_nowhere(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.parent / "elsewhere" / "nothing")


def become_link_to_text(path: Path) -> None:
    path.unlink()
    other = path.parent / "of somebody.txt"
    other.write_text(LINE)
    path.symlink_to(other)


DAMAGES: Final = (cut, flip, empty, become_pipe, become_folder, become_link_to_nowhere, become_link_to_text)


@pytest.fixture(params=DAMAGES, ids=lambda damage: damage.__name__)
def damage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[Path], None]]:
    """Damage a file of the test's folder; what a link leads to has to stay as it is."""

    def give_up(*_: object) -> None:
        raise AssertionError("it waits for a file that has no end")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(SECONDS)
    yield request.param
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)
    other = tmp_path / "of somebody.txt"
    assert not other.exists() or other.read_text() == LINE


def said_by(kind: type[Exception], work: Callable[[], object]) -> str:
    """The sentence of a refusal; empty when there was none."""
    try:
        work()
    except kind as fault:
        return str(fault)
    return ""


def test_damaged_journal_is_read_as_far_as_possible(damage: Callable[[Path], None], tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.begin(Entry("first"))
    damage(journal.path)
    assert [entry.id for entry in journal.entries()] in ([], ["first"])
    with contextlib.suppress(JournalUnwritable):
        journal.begin(Entry("second"))
        assert journal.entries()[0].id == "second"


def test_what_was_remembered_is_forgotten_and_can_be_remembered_again(
    damage: Callable[[Path], None], tmp_path: Path
) -> None:
    assert remember(tmp_path, Remembered(sorts={"flags": "key"}))
    [file] = tmp_path.iterdir()
    damage(file)
    assert recall(tmp_path) == Remembered()
    remember(tmp_path, Remembered(sorts={"flags": "state"}))
    assert recall(tmp_path) in (Remembered(), Remembered(sorts={"flags": "state"}))


def test_kept_rows_are_set_aside_and_kept_anew(damage: Callable[[Path], None], tmp_path: Path) -> None:
    snapshots, place = Snapshots(tmp_path), SnapshotPlace("prod", "us.posthog.com", "1", "flags")
    rows = (FlagRow(id=1, key="a"), FlagRow(id=2, key="b"))
    assert snapshots.save(place, rows, FlagRow)
    damage(tmp_path / place.file_name)
    assert snapshots.load(place, FlagRow) is None
    if snapshots.save(place, rows, FlagRow):
        assert require(snapshots.load(place, FlagRow)).rows == rows
    else:
        assert snapshots.off_reason


def test_settings_are_read_or_refused_in_a_sentence(damage: Callable[[Path], None], tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text('[app]\ntheme = "flagtui-night"\n')
    damage(file)
    message = said_by(SettingsError, lambda: read_source(file))
    assert not message or "settings.toml" in message


def test_a_database_opens_or_is_refused_in_a_sentence(damage: Callable[[Path], None], tmp_path: Path) -> None:
    file = tmp_path / "service.db"
    close_service(create_service(file, key="phx_local_0001"))
    damage(file)
    message = said_by(DatabaseUnusable, lambda: close_service(create_service(file, key="phx_local_0001")))
    assert not message or ("service.db" in message and message.endswith("."))
