"""Rows that no file can hold are not kept, for a reason that can be shown; the copy of before stays."""

from pathlib import Path

import pytest
from tests.store.test_snapshots import PLACE, ROWS, make, rows_in

from flagtui.models.rows import FlagRow
from flagtui.store.snapshots import SnapshotPlace


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
    names = {SnapshotPlace(profile, "h", "1", "flags").file_name for profile in ("\udcff", "\udcfe", "")}
    assert len(names) == 3
