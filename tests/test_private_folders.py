"""Folders are for their owner alone, whatever the umask is and whatever they were before."""

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from flagtui.changes.journal import Journal
from flagtui.changes.journal_entries import Entry, Signature
from flagtui.config.crash_reports import keep_report
from flagtui.config.locations import FolderUnusable, make_folder
from flagtui.config.preferences import Remembered, remember
from flagtui.config.settings_writer import write_theme
from flagtui.models.rows import FlagRow
from flagtui.private_folders import ForeignFolder, make_private, place_sum, replace_private
from flagtui.store.snapshots import SnapshotPlace, Snapshots

PLACE = SnapshotPlace("prod", "https://us.posthog.com", "1", "flags")


@pytest.fixture(params=[0o000, 0o022, 0o177], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def write_rows(folder: Path) -> None:
    assert Snapshots(folder).save(PLACE, [FlagRow(1, "a")], FlagRow)


def write_journal(folder: Path) -> None:
    Journal(folder).begin(Entry("a1", 1.0, 812, "k", "turn off", Signature("ada", "prod", "host", "1")))


def write_settings(folder: Path) -> None:
    write_theme(folder / "config.toml", "day")


WRITERS: dict[str, Callable[[Path], object]] = {
    "rows": write_rows,
    "crash report": lambda folder: keep_report("report", folder),
    "memory": lambda folder: remember(folder, Remembered()),
    "journal": write_journal,
    "settings": write_settings,
    "any": lambda folder: make_folder(folder, "the key"),
}


def modes_in(folder: Path) -> set[int]:
    return {stat.S_IMODE(path.stat().st_mode) for path in (folder, *folder.rglob("*")) if path.is_dir()}


@pytest.mark.usefixtures("umask")
@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_folders_are_private_whatever_the_umask(write: Callable[[Path], object], tmp_path: Path) -> None:
    write(tmp_path / "flagtui" / "folder")
    assert modes_in(tmp_path / "flagtui") == {0o700}


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_a_folder_others_can_enter_is_tightened(write: Callable[[Path], object], tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    folder.chmod(0o777)
    write(folder)
    assert modes_in(folder) == {0o700}


def test_a_read_only_folder_gets_no_rights_back(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder").chmod(0o555)
    make_private(tmp_path / "folder")
    assert modes_in(tmp_path / "folder") == {0o500}


def test_a_folder_that_exists_above_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home").chmod(0o755)
    make_private(tmp_path / "home" / "a" / "b")
    assert stat.S_IMODE((tmp_path / "home").stat().st_mode) == 0o755
    assert modes_in(tmp_path / "home" / "a") == {0o700}


@pytest.mark.parametrize("is_link", [False, True])
@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder to another user")
def test_a_folder_of_another_user_is_neither_used_nor_read(tmp_path: Path, is_link: bool) -> None:
    folder = tmp_path / "rows"
    write_rows(folder)
    if is_link:
        folder.rename(tmp_path / "elsewhere")
        folder.symlink_to(tmp_path / "elsewhere")
    os.lchown(folder, 65534, 65534)
    with pytest.raises(ForeignFolder):
        make_private(folder)
    with pytest.raises(FolderUnusable, match="another user"):
        make_folder(folder, "the journal")
    snapshots = Snapshots(folder)
    assert snapshots.load(PLACE, FlagRow) is None
    assert not snapshots.save(PLACE, (), FlagRow)
    assert "another user" in snapshots.why_not_kept(PLACE)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a file to another user")
def test_a_copy_of_another_user_is_not_read(tmp_path: Path) -> None:
    write_rows(tmp_path)
    os.chown(tmp_path / PLACE.file_name, 65534, 65534)
    assert Snapshots(tmp_path).load(PLACE, FlagRow) is None


def test_path_that_ends_in_a_point_is_made(tmp_path: Path) -> None:
    make_private(f"{tmp_path}/new/.")
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700


def test_file_that_cannot_be_replaced_leaves_no_other(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "keys"
    folder.mkdir(parents=True)
    with pytest.raises(IsADirectoryError):
        replace_private(folder, b"x")
    assert [file.name for file in folder.parent.iterdir()] == ["keys"]


def test_similar_places_have_files_of_their_own() -> None:
    places = [("prod", "host/a"), ("prod", "host-a"), ("prod host", "a"), ("prod", "host/b"), ("\udcff", "a")]
    sums = {place_sum(*place) for place in places}
    assert len(sums) == len(places)
    assert {len(each) for each in sums} == {16}
