"""Copies of lists on disk: private, whole, limited, and skipped where no file can hold them."""

import os
import threading
from itertools import product
from pathlib import Path

import msgspec
import pytest
from tests.doubles.expected import require
from tests.doubles.full_disk import full_disk
from tests.store.conftest import NOW

from flagtui.models.rows import FlagRow
from flagtui.store.kinds import Kind
from flagtui.store.snapshot_files import worth_keeping
from flagtui.store.snapshots import SnapshotPlace, Snapshots

HOUR = 3_600
DAY = 24 * HOUR
US = "https://us.posthog.com"


def place(
    profile: str = "prod", host: str = US, project: str = "1234", *, kind: Kind = "flags"
) -> SnapshotPlace:
    return SnapshotPlace(profile, host, project, kind)


PLACE = place()
ROWS = (
    FlagRow(1, "new-nav", tags=("a", "b"), rollout=12.5, updated_at=NOW, experiments=(3,), version=None),
    FlagRow(id=2, key="caf\u00e9\u202e", name="x" * 5_000, type="config", creator_id=7, active=True),
)


def make(folder: Path | None, **limits: int) -> Snapshots:
    return Snapshots(folder, clock=lambda: NOW, **limits)


def files(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.is_file()]


def rows_in(folder: Path) -> tuple[FlagRow, ...] | None:
    """What a program that starts now would find there."""
    snapshot = make(folder).load(PLACE, FlagRow)
    return None if snapshot is None else snapshot.rows


def only_file(folder: Path) -> Path:
    (path,) = files(folder)
    return path


def test_rows_come_back_as_they_were_with_their_time(tmp_path: Path) -> None:
    assert make(tmp_path / "a" / "b").save(PLACE, ROWS, FlagRow)
    snapshot = require(Snapshots(tmp_path / "a" / "b").load(PLACE, FlagRow))
    assert (snapshot.rows, snapshot.taken_at) == (ROWS, NOW)
    assert all(type(row) is FlagRow for row in snapshot.rows)


@pytest.mark.parametrize("other", [
    place(host="https://eu.posthog.com"), place(project="12"), place(kind="events"), place("PROD"),
    place("../../etc", project="../1"), place("", "", ""),
], ids=str)  # fmt: skip
def test_every_place_has_its_own_file_in_the_folder(tmp_path: Path, other: SnapshotPlace) -> None:
    folder = tmp_path / "rows"
    make(folder).save(PLACE, ROWS, FlagRow)
    assert make(folder).load(other, FlagRow) is None
    assert make(folder).save(other, (), FlagRow)
    assert len(files(folder)) == 2
    assert list(tmp_path.iterdir()) == [folder]


def test_a_newer_copy_takes_the_place_of_the_older_one(tmp_path: Path) -> None:
    make(tmp_path).save(PLACE, ROWS, FlagRow)
    # An empty project is remembered as empty.
    for rows in (ROWS[:1], ()):
        make(tmp_path).save(PLACE, rows, FlagRow)
        assert rows_in(tmp_path) == rows
    assert only_file(tmp_path).suffix == ".rows"


@pytest.mark.parametrize(
    ("at", "is_cut"), [*product((0, 10, 15, 19, 40, 200, -1), [False]), *product((0, 5, 18, 100), [True])]
)
def test_a_damaged_or_cut_copy_is_set_aside(tmp_path: Path, at: int, is_cut: bool) -> None:
    make(tmp_path).save(PLACE, ROWS, FlagRow)
    path = only_file(tmp_path)
    body = bytearray(path.read_bytes())
    body[at] ^= 0xFF
    path.write_bytes(body[:at] if is_cut else body)
    assert rows_in(tmp_path) is None
    assert only_file(tmp_path).suffix == ".unreadable"
    assert rows_in(tmp_path) is None


def test_copies_of_other_versions_or_kinds_are_ignored(tmp_path: Path) -> None:
    now = msgspec.defstruct("Row", [("id", int), ("name", str), ("key", str)])
    before = msgspec.defstruct("Row", [("id", int), ("key", str), ("name", str)])
    make(tmp_path).save(PLACE, [before(1, "key", "name")], before)
    assert make(tmp_path).load(PLACE, now) is None
    odd = msgspec.structs.replace(ROWS[0], rollout="all")
    make(tmp_path).save(PLACE, [odd], FlagRow)
    assert rows_in(tmp_path) is None


def test_unwritable_disk_turns_caching_off_with_a_reason(tmp_path: Path) -> None:
    snapshots = make(tmp_path)
    snapshots.save(PLACE, ROWS[:1], FlagRow)
    with full_disk(1_000):
        assert not snapshots.save(PLACE, ROWS, FlagRow)
    assert snapshots.off_reason == f"File too large: {tmp_path}"
    assert not snapshots.save(PLACE, (), FlagRow)
    assert rows_in(tmp_path) == ROWS[:1]
    assert only_file(tmp_path).suffix == ".rows"


def test_caching_needs_a_folder_that_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "rows").write_text("in the way")
    snapshots = make(tmp_path / "rows")
    assert not snapshots.save(PLACE, ROWS, FlagRow)
    assert "rows" in snapshots.off_reason
    assert snapshots.load(PLACE, FlagRow) is None
    snapshots = make(None)
    assert not snapshots.save(PLACE, ROWS, FlagRow)
    assert snapshots.load(PLACE, FlagRow) is None
    assert snapshots.off_reason


def test_signing_out_forgets_every_project_of_that_profile_only(tmp_path: Path) -> None:
    gone = [place(project=project, kind=kind) for project in ("1", "22") for kind in ("flags", "events")]
    kept = [place(host=f"{US}.example"), place("production"), place(host="https://eu.posthog.com")]
    for each in (*gone, *kept):
        make(tmp_path).save(each, ROWS, FlagRow)
    stem = Path(gone[0].file_name).stem
    left_over = [tmp_path / f"{stem}.unreadable", tmp_path / f"{stem[:40]}x1y2.new"]
    for path in left_over:
        path.write_bytes(b"rows of the key")
    make(tmp_path).forget_all("prod", US)
    assert [(make(tmp_path).load(each, FlagRow), make(tmp_path).moments(each)) for each in gone] == [
        (None, ())
    ] * 4
    assert not any(path.exists() for path in left_over)
    assert all(make(tmp_path).load(each, FlagRow) and make(tmp_path).moments(each) for each in kept)
    make(None).forget_all("prod", US)


@pytest.mark.skipif(not Path("/sys/kernel").is_dir(), reason="no /sys/kernel, where even root cannot write")
def test_read_only_place_is_a_reason_and_not_a_crash() -> None:
    # Root may write wherever a mode forbids it, but not here.
    snapshots = make(Path("/sys/kernel/flagtui"))
    assert not snapshots.save(PLACE, ROWS, FlagRow)
    assert snapshots.off_reason
    assert snapshots.load(PLACE, FlagRow) is None
    snapshots.forget_all("prod", US)


def test_two_programs_writing_at_once_leave_one_whole_copy(tmp_path: Path) -> None:
    many = [FlagRow(id=number, key=f"flag-{number}") for number in range(300)]
    refused: list[str] = []

    def write(rows: list[FlagRow]) -> None:
        snapshots = Snapshots(tmp_path)
        for _ in range(60):
            if not snapshots.save(PLACE, rows, FlagRow):
                refused.append(snapshots.off_reason)

    threads = [threading.Thread(target=write, args=(many[:size],)) for size in (100, 300)]
    for thread in threads:
        thread.start()
    reader = make(tmp_path)
    while any(thread.is_alive() for thread in threads):
        snapshot = reader.load(PLACE, FlagRow)
        assert snapshot is None or len(snapshot.rows) in (100, 300)
    for thread in threads:
        thread.join()
    assert refused == []
    assert only_file(tmp_path).suffix == ".rows"


def test_old_and_oldest_copies_make_room_for_new_ones(tmp_path: Path) -> None:
    ages = {"old.rows": 40, "young.rows": 2, "left.new": 1, "aside.unreadable": 40, "other": 90}
    for name, age in ages.items():
        (tmp_path / name).write_bytes(b"x")
        os.utime(tmp_path / name, (NOW - age * DAY,) * 2)
    make(tmp_path).save(PLACE, ROWS, FlagRow)
    assert {path.name for path in files(tmp_path)} == {"young.rows", "other", PLACE.file_name}
    (small := tmp_path / "small").mkdir()
    for number in range(4):
        (small / f"{number}.rows").write_bytes(b"x" * 10_000)
        os.utime(small / f"{number}.rows", (NOW - number,) * 2)
    make(small, folder_limit=26_000).save(PLACE, ROWS, FlagRow)
    assert {path.name for path in files(small)} == {"0.rows", "1.rows", PLACE.file_name}


def test_the_list_as_it_was_yesterday_evening_is_still_there(tmp_path: Path) -> None:
    now = NOW - 40 * DAY
    snapshots = Snapshots(tmp_path, clock=lambda: now)
    while now < NOW:
        assert snapshots.save(PLACE, [FlagRow(id=1, key=f"at-{int(now)}")], FlagRow)
        now += 6 * HOUR if now < NOW - 2 * DAY else 30 * 60
    moments = snapshots.moments(PLACE)
    assert 24 + 29 <= len(moments) <= 24 + 32
    for age, margin in ((2 * HOUR, HOUR), (18 * HOUR, HOUR), (10 * DAY, DAY)):
        snapshot = require(snapshots.load_before(PLACE, FlagRow, now - age))
        assert 0 <= now - age - snapshot.taken_at <= margin
        assert snapshot.rows[0].key == f"at-{int(snapshot.taken_at)}"
    assert snapshots.load_before(PLACE, FlagRow, NOW - 39 * DAY) is None
    last = require(snapshots.load(PLACE, FlagRow))
    assert last.taken_at == now - 30 * 60
    assert make(None).moments(PLACE) == ()


def test_first_copies_of_hours_and_days_stay_with_their_moment(tmp_path: Path) -> None:
    assert worth_keeping([0, 10, HOUR + 5, HOUR + 6], HOUR + 10) == {0, HOUR + 5, HOUR + 6}
    assert worth_keeping([0, 10, HOUR + 5], 2 * DAY) == {0, HOUR + 5}
    assert worth_keeping([0, 10], 90 * DAY) == {10}
    assert worth_keeping([], 0.0) == {0}
    make(tmp_path).save(PLACE, ROWS, FlagRow)
    (tmp_path / "earlier" / f"{PLACE.file_name[:-5]}@x.rows").write_text("")
    assert make(tmp_path).moments(PLACE) == (int(NOW),)


@pytest.mark.parametrize(
    "row", [FlagRow(id=2**64, key="huge"), FlagRow(id=1, key="half \ud800"), FlagRow(-(2**63) - 1, "k")]
)
def test_a_row_no_file_can_hold_is_not_kept(tmp_path: Path, row: FlagRow) -> None:
    snapshots = make(tmp_path)
    assert snapshots.save(PLACE, ROWS, FlagRow)
    assert not snapshots.save(PLACE, [*ROWS, row], FlagRow)
    assert "a value that no copy can hold" in snapshots.why_not_kept(PLACE)
    assert not snapshots.off_reason
    assert rows_in(tmp_path) == ROWS
    assert snapshots.save(PLACE, ROWS[:1], FlagRow)
    assert not snapshots.why_not_kept(PLACE)


def test_oversized_caches_are_skipped_and_odd_profiles_have_files(tmp_path: Path) -> None:
    snapshots = make(tmp_path, size_limit=1024)
    assert not snapshots.save(PLACE, ROWS, FlagRow)
    assert snapshots.why_not_kept(PLACE).startswith("larger than")
    make(tmp_path).save(PLACE, ROWS, FlagRow)
    assert snapshots.load(PLACE, FlagRow) is None
    names = {place(profile).file_name for profile in ("\udcff", "\udcfe", "")}
    assert len(names) == 3
