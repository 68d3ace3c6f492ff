"""The journal: on disk before the request leaves, and true after whatever happened to disk or program."""

import errno
import fcntl
import json
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.changes.office import ENTRY, NOW

from flagtui.changes.journal import Disk, Journal, JournalUnwritable
from flagtui.changes.journal_entries import CHANGED, Entry
from flagtui.models.json_value import JSON
from flagtui.models.rows import FlagRow

STORED = FlagRow(812, "checkout-v2", version=13)


def entry(id: str = "a1", **fields: Any) -> Entry:
    return replace(ENTRY, id=id, **fields)


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "flagtui", clock=lambda: NOW + 5)


def ids(entries: Iterable[Entry]) -> set[str]:
    return {entry.id for entry in entries}


def test_what_was_begun_and_finished_is_read_back_whole(journal: Journal) -> None:
    begun = entry(reason="incident 12")
    journal.begin(begun)
    journal.finish("a1", "saved", STORED)
    steps = [json.loads(line)["step"] for line in journal.path.read_text().splitlines()]
    assert steps == ["begin", "outcome"], "other tools can read it"
    (finished,) = journal.entries()
    assert finished == replace(begun, ending="saved", saved_version=13, ended_at=NOW + 5)


def test_journal_file_and_folder_are_private_to_the_owner(journal: Journal) -> None:
    journal.begin(entry())
    assert [stat.S_IMODE(path.stat().st_mode) for path in (journal.path, journal.folder)] == [0o600, 0o700]
    journal.path.chmod(0o644)
    journal.begin(entry("next"))
    assert stat.S_IMODE(journal.path.stat().st_mode) == 0o600


def test_outside_text_cannot_break_a_line_or_reach_a_terminal(journal: Journal) -> None:
    nasty = 'x\n{"step":"outcome"}\x1b]52;c;cm0=\x07\u202e\ud800'
    journal.begin(entry(key=nasty, before={"name": nasty}))
    raw = journal.path.read_bytes()
    assert raw.count(b"\n") == 1
    assert all(32 <= byte < 127 or byte == 10 for byte in raw)
    assert journal.entries()[0].before["name"] == nasty


def test_every_line_is_synced_before_begin_returns(tmp_path: Path) -> None:
    synced: list[int] = []
    disk = Disk(sync=lambda descriptor: synced.append(os.fstat(descriptor).st_size))
    journal = Journal(tmp_path, disk=disk)
    journal.begin(entry())
    assert synced == [journal.path.stat().st_size]


def full_after(room: int) -> Callable[[int, bytes], int]:
    """A disk that takes this many bytes and then says it is full."""
    left = room

    def write(descriptor: int, data: bytes) -> int:
        nonlocal left
        if left <= 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        taken = os.write(descriptor, data[:left])
        left -= taken
        return taken

    return write


def cannot_sync(descriptor: int) -> None:
    raise OSError(errno.EIO, os.strerror(errno.EIO))


@pytest.mark.parametrize(
    "disk", [*(Disk(write=full_after(room)) for room in (0, 1, 40)), Disk(sync=cannot_sync)]
)
def test_broken_disk_is_reported_and_keeps_earlier_lines(disk: Disk, tmp_path: Path) -> None:
    Journal(tmp_path).begin(entry("kept"))
    size = (tmp_path / "journal.jsonl").stat().st_size
    with pytest.raises(JournalUnwritable, match=r"No space left|Input/output error"):
        Journal(tmp_path, disk=disk).begin(entry("lost"))
    assert (tmp_path / "journal.jsonl").stat().st_size == size
    assert ids(Journal(tmp_path).entries()) == {"kept"}


def test_folders_that_cannot_be_made_and_links_are_refused(tmp_path: Path) -> None:
    for name in ("file", "target"):
        (tmp_path / name).touch()
    (tmp_path / "journal.jsonl").symlink_to(tmp_path / "target")
    for folder in (tmp_path / "file" / "flagtui", tmp_path):
        with pytest.raises(JournalUnwritable):
            Journal(folder).begin(entry())
    assert (tmp_path / "target").read_bytes() == b""


def test_fault_names_the_unreadable_file(journal: Journal) -> None:
    assert journal.fault() == ""
    journal.begin(entry("a"))
    assert journal.fault() == ""
    journal.path.unlink()
    journal.path.mkdir()
    assert journal.fault() == f"{journal.path}: it is no file"
    journal.path.rmdir()
    journal.folder.rmdir()
    journal.folder.write_text("")
    assert journal.fault() == f"{journal.folder}: Not a directory"
    assert journal.entries() == []


@pytest.mark.parametrize(("cut", "is_torn"), [(1, False), (10, True), (60, True)])
def test_torn_line_is_kept_and_the_next_is_whole(journal: Journal, cut: int, is_torn: bool) -> None:
    journal.begin(entry("whole"))
    journal.begin(entry("torn"))
    torn = journal.path.read_bytes()[:-cut]
    journal.path.write_bytes(torn)
    journal.begin(entry("next"))
    assert journal.path.read_bytes().startswith(torn)
    assert ids(journal.entries()) == ({"whole", "next"} if is_torn else {"whole", "torn", "next"})
    assert journal.torn_lines() == is_torn


@pytest.mark.parametrize(
    "line",
    [b"\xff\xfe", b'{"id":"\xff"}', b"[]", b"null", b"{}", b'{"step":"begin"}', b"[" * 5000, b'{"id":7}'],
)
def test_damaged_lines_lose_nothing_but_themselves(journal: Journal, line: bytes) -> None:
    journal.begin(entry("a"))
    with journal.path.open("ab") as file:
        file.write(line + b"\n")
    journal.begin(entry("b"))
    assert ids(journal.entries()) == {"a", "b"}


def test_a_full_file_is_put_aside_and_nothing_is_forgotten(tmp_path: Path) -> None:
    journal = Journal(tmp_path, rotate_at=1500)
    for number in range(12):
        journal.begin(entry(f"e{number}", at=NOW + number))
        journal.finish(f"e{number}", "saved", STORED)
    assert len(journal.files()) > 3
    assert all(path.stat().st_size <= 1500 for path in journal.files())
    assert [entry.id for entry in journal.entries()] == [f"e{number}" for number in reversed(range(12))]
    assert {entry.ending for entry in journal.entries()} == {"saved"}


WRITER = """
import sys
import threading
from pathlib import Path
from flagtui.changes.journal_entries import Entry
from flagtui.changes.journal import Journal
journal = Journal(Path(sys.argv[1]), rotate_at=20_000)
for number in range(30):
    id = f"{sys.argv[2]}{number}"
    journal.begin(Entry(id, 1.0, 812, "checkout-v2", "turn off", before={"name": "x" * 200}))
    journal.finish(id, "saved")
"""


def test_programs_writing_at_once_lose_and_mix_nothing(tmp_path: Path) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), name]) for name in "abc"]
    assert [writer.wait(30) for writer in writers] == [0, 0, 0]
    journal = Journal(tmp_path)
    assert journal.torn_lines() == 0
    entries = journal.entries()
    assert ids(entries) == {f"{name}{number}" for name in "abc" for number in range(30)}
    assert {entry.ending for entry in entries} == {"saved"}


def test_words_match_in_any_order_and_since_drops_older_entries(journal: Journal) -> None:
    journal.begin(entry("old", at=NOW - 100, reason="incident twelve"))
    journal.begin(entry("new", key="other"))
    assert [entry.id for entry in journal.entries(text="TWELVE checkout")] == ["old"]
    assert [entry.id for entry in journal.entries(since=NOW - 10)] == ["new"]


@pytest.mark.parametrize("whole", [True, False])
def test_journal_tells_redo_from_undo_in_part_too(journal: Journal, whole: bool) -> None:
    field = "undoes" if whole else "part_of"
    for id, back in (("a", ""), ("b", "a"), ("c", "b")):
        journal.begin(entry(id, **{field: back}))
    assert {each.id: each.direction for each in journal.entries()} == {"a": "", "b": "undo", "c": "redo"}
    assert [each.id for each in journal.entries(text="undo turn")] == ["b"]


def test_unfinished_changes_are_unresolved_at_the_next_start(journal: Journal) -> None:
    for id in ("begun", "unknown", "done"):
        journal.begin(entry(id))
    journal.finish("unknown", "unknown")
    journal.finish("done", "saved", STORED)
    # Another program is still at it.
    journal.begin(entry("theirs", pid=os.getppid()))
    journal.begin(entry("old", at=NOW - 1000, pid=os.getppid()))
    assert ids(journal.unresolved()) == {"begun", "unknown", "old"}


def test_a_known_ending_is_not_forgotten_for_an_unknown_one(journal: Journal) -> None:
    journal.begin(entry("a"))
    journal.finish("a", "unknown")
    journal.finish("a", "saved", STORED)
    journal.finish("a", "unknown")
    assert journal.entries()[0].ending == "saved"


def test_encrypted_payloads_never_reach_the_disk(journal: Journal) -> None:
    def sealed(payload: str) -> JSON:
        return {"filters": {"groups": [], "payloads": {"true": payload, "other": "1"}}}

    journal.begin(entry(before=sealed('"hunter2"'), after=sealed('"hunter3"'), is_secret=True))
    assert b"hunter" not in journal.path.read_bytes()
    payloads = journal.entries()[0].before["filters"]["payloads"]
    assert (payloads["true"] == CHANGED, payloads["other"] == CHANGED) == (True, False)


def test_values_outside_json_are_refused_before_writing(journal: Journal) -> None:
    with pytest.raises(JournalUnwritable):
        journal.begin(entry(after={"filters": float("nan")}))
    assert journal.entries() == []


def test_journal_lock_is_not_waited_for_forever(tmp_path: Path) -> None:
    journal = Journal(tmp_path, lock_patience=0.03)
    journal.begin(entry("mine"))
    with journal.path.open("ab") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(JournalUnwritable, match="unavailable"):
            journal.begin(entry("lost"))
    journal.begin(entry("after"))
    assert ids(journal.entries()) == {"mine", "after"}


def test_line_goes_to_the_new_file_after_rotation(tmp_path: Path) -> None:
    journal = Journal(tmp_path, lock_patience=10)
    journal.begin(entry("old"))
    with journal.path.open("ab") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        waiting = threading.Thread(target=journal.begin, args=(entry("new"),))
        waiting.start()
        journal.path.rename(tmp_path / "journal-1.jsonl")
    waiting.join(10)
    assert b'"new"' in journal.path.read_bytes()
    assert ids(journal.entries()) == {"old", "new"}
