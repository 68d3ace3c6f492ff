"""Files of change sets: private, whole or absent, in one program at a time."""

import os
import stat
from pathlib import Path

import pytest
from tests.changes.sets.conftest import LIMIT, empty_set, turned_off

from flagtui.changes.sets.change_set import ChangeSetError
from flagtui.changes.sets.set_files import SetFile, hold, staged_file


def test_set_files_are_private_and_never_overwritten(tmp_path: Path) -> None:
    file = SetFile(tmp_path / "new" / "set.json")
    file.write(empty_set().with_changes([turned_off()], LIMIT))
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600
    assert file.read().changes == (turned_off(),)
    assert [path.name for path in file.path.parent.iterdir()] == ["set.json"]
    file = SetFile(tmp_path / "notes.txt")
    file.path.write_text("mine")
    with pytest.raises(ChangeSetError, match="exists, and is not overwritten"):
        file.create(empty_set())
    assert file.path.read_text() == "mine"


def test_missing_and_unreadable_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(ChangeSetError, match="there is no file") as error:
        SetFile(tmp_path / "set.json").read()
    assert error.value.fault == "missing"
    for act in (SetFile(tmp_path).read, SetFile(tmp_path / "x" / "set.json").read):
        (tmp_path / "x").touch()
        with pytest.raises(ChangeSetError, match="cannot be read") as error:
            act()
        assert error.value.fault == "unreadable"


def test_folder_without_access_is_not_an_absent_file(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    assert not SetFile(tmp_path / "none" / "set.json").exists
    file = SetFile(tmp_path / "loop" / "set.json")
    assert file.exists
    with pytest.raises(ChangeSetError, match="cannot be read"):
        file.read()


def test_each_project_of_each_host_has_a_staged_set(tmp_path: Path) -> None:
    places = [
        ("https://a.test", "1"),
        ("https://a.test", "2"),
        ("https://a-test", "1"),
        ("http://a.test", "1"),
    ]
    assert len({staged_file(tmp_path, *place).path for place in places}) == len(places)


def test_a_second_program_learns_who_holds_the_set(tmp_path: Path) -> None:
    with (
        hold(tmp_path, "staged", "the app"),
        pytest.raises(ChangeSetError) as error,
        hold(tmp_path, "staged", "flagtui apply", patience=0),
    ):
        raise AssertionError("both hold it")
    assert (error.value.fault, error.value.what) == (
        "open",
        f"the app (process {os.getpid()}) has this change set open",
    )


def test_set_is_free_after_its_holder_in_a_folder(tmp_path: Path) -> None:
    with hold(tmp_path, "staged", "the app"):
        pass
    with hold(tmp_path, "staged", "flagtui apply", patience=0):
        assert (tmp_path / "staged.lock").read_text().startswith("flagtui apply")
    (tmp_path / "sets").touch()
    with pytest.raises(ChangeSetError) as error, hold(tmp_path / "sets", "staged", "the app"):
        raise AssertionError("it is held")
    assert error.value.fault == "unreadable"
