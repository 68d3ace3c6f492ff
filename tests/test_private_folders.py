"""Folders and files are for their owner alone, whatever the umask is and whatever they were before."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from tests.prove.test_full_disk import PLACE, WRITERS, keep_rows

from flagtui.config.locations import FolderUnusable, make_folder
from flagtui.models.rows import FlagRow
from flagtui.private_folders import ForeignFolder, make_private, place_sum, replace_private
from flagtui.store.snapshots import Snapshots


@pytest.fixture(params=[0o000, 0o022, 0o177], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


KEPT: Final = ("kept rows", "crash report", "remembered state", "journal", "settings", "key")
"""What is in a folder of its own."""


def modes_in(folder: Path) -> set[int]:
    return {stat.S_IMODE(path.stat().st_mode) for path in (folder, *folder.rglob("*")) if path.is_dir()}


@pytest.mark.usefixtures("umask")
@pytest.mark.parametrize("name", [*KEPT, "draft", "inbox"])
def test_folders_and_files_are_private_whatever_the_umask(name: str, tmp_path: Path) -> None:
    assert WRITERS[name](tmp_path / "flagtui" / "folder")
    assert modes_in(tmp_path / "flagtui") == {0o700}
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}


@pytest.mark.parametrize("name", KEPT)
def test_a_folder_others_can_enter_is_tightened(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    folder.chmod(0o777)
    assert WRITERS[name](folder)
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
    keep_rows(folder)
    if is_link:
        folder.rename(tmp_path / "elsewhere")
        folder.symlink_to(tmp_path / "elsewhere")
    os.lchown(folder, 65534, 65534)
    with pytest.raises(ForeignFolder):
        make_private(folder)
    words = "is a link that another user made" if is_link else "belongs to another user"
    with pytest.raises(FolderUnusable, match=words):
        make_folder(folder, "the journal")
    snapshots = Snapshots(folder)
    assert snapshots.load(PLACE, FlagRow) is None
    assert not snapshots.save(PLACE, (), FlagRow)
    assert "another user" in snapshots.why_not_kept(PLACE)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a file to another user")
def test_a_copy_of_another_user_is_not_read(tmp_path: Path) -> None:
    keep_rows(tmp_path)
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
