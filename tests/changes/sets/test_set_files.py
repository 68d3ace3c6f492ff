"""Files of change sets, who holds them, and how far they are applied."""

import os
import stat
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec.structs import replace
from tests.changes.sets.conftest import LIMIT, empty_set, turned_off

from flagtui.changes.journal_entries import Entry
from flagtui.changes.sets.change_set import ChangeSetError, StagedChange
from flagtui.changes.sets.set_files import SetFile, hold, staged_file
from flagtui.changes.sets.set_progress import progress_of


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
    words = f"the app (process {os.getpid()}) has this change set open"
    assert (error.value.fault, error.value.what) == ("open", words)


def hold_once(folder: Path, by: str) -> None:
    with hold(folder, "staged", by, patience=0):
        assert (folder / "staged.lock").read_text().startswith(by)


def test_set_is_free_after_its_holder_in_a_folder(tmp_path: Path) -> None:
    for by in ("the app", "flagtui apply"):
        hold_once(tmp_path, by)
    (tmp_path / "sets").touch()
    with pytest.raises(ChangeSetError) as error:
        hold_once(tmp_path / "sets", "the app")
    assert error.value.fault == "unreadable"
    # A pipe takes no name of the holder, as a full disk does not.
    (tmp_path / "staged.lock").unlink()
    os.mkfifo(tmp_path / "staged.lock")
    with pytest.raises(ChangeSetError, match="cannot be used for change sets"):
        hold_once(tmp_path, "me")


FLAG: Final[dict[str, Any]] = {"kind": "flag", "record": 1, "key": "new-nav", "verb": "turn on"}
EVENT: Final[dict[str, Any]] = {"kind": "event_definition", "record": "b1", "key": "paid", "verb": "edit"}
SWITCHED: Final[dict[str, Any]] = {"base": {"active": False}, "values": {"active": True}}
BACK: Final[dict[str, Any]] = {**FLAG, "version": 13, "base": {"active": True}, "values": {"active": False}}
SAVED: Final = Entry(id="j1", record=1, key="new-nav", ending="saved")
ON: Final = replace(SAVED, verb="turn on", version=12, after={"active": True})
DESCRIBED: Final = Entry(
    id="j2", uuid="b1", kind="event_definition", verb="edit", after={"description": "A"}, ending="saved"
)


@pytest.mark.parametrize(("entry", "fields", "is_applied"), [
    (ON, {**FLAG, "version": 12, **SWITCHED}, True),
    # The set was planned on a newer record, with consent.
    (ON, {**FLAG, "version": 9, **SWITCHED}, True),
    (ON, BACK, False),
    (DESCRIBED, {**EVENT, "base": {"description": ""}, "values": {"description": "A"}}, True),
    (DESCRIBED, {**EVENT, "base": {"description": "A"}, "values": {"description": "B"}}, False),
])  # fmt: skip
def test_change_staged_after_an_applied_one_is_left(
    entry: Entry, fields: dict[str, Any], is_applied: bool
) -> None:
    change_set = empty_set().with_changes([StagedChange(**fields)], 10)
    progress = progress_of(change_set, [replace(entry, batch=change_set.id)])
    assert [bool(progress.applied_of(change_set)), not progress.left_of(change_set)] == [is_applied] * 2


def test_newest_change_counts_and_every_one_is_undone() -> None:
    change_set = empty_set().with_changes([StagedChange(**BACK)], 10)
    first = replace(ON, at=1, batch=change_set.id)
    second = replace(first, id="j3", at=2, version=13, after={"active": False})
    progress = progress_of(change_set, [second, first])
    assert progress.left_of(change_set) == []
    assert [entry.id for entry in progress.saved] == ["j3", "j1"]


def test_change_of_a_set_counts_while_it_is_not_undone() -> None:
    change_set = empty_set().with_changes([StagedChange(**FLAG, **SWITCHED, version=12)], 10)
    entries = [
        replace(ON, at=1, batch=change_set.id),
        Entry(id="j3", at=2, record=1, undoes="j1", ending="saved"),
        Entry(id="j4", at=3, record=1, undoes="j3", ending="saved"),
    ]
    counts = [len(progress_of(change_set, entries[:end]).applied_of(change_set)) for end in (1, 2, 3)]
    assert counts == [1, 0, 1]
