"""Flags in the cached copy: the same as before, and read only when they are looked up."""

from pathlib import Path

import msgspec
import pytest

from flagtui.models.code_flags import CodeFlag, StoredFlag, StoredFlags
from flagtui.models.rows import FlagRow
from flagtui.store.snapshots import SnapshotPlace, Snapshots

FLAGS = (
    CodeFlag(FlagRow(1, "nav", active=True, tags=("web",), rollout=None), everyone="blue"),
    CodeFlag(FlagRow(2, "büro", deleted=True), not_local="it targets a static cohort"),
    CodeFlag(FlagRow(3, ""), everyone=False, has_value=False),
)


def test_stored_flags_are_the_flags() -> None:
    stored = StoredFlags(map(StoredFlag.of, FLAGS))
    assert dict(stored) == {flag.key: flag for flag in FLAGS}
    assert [*stored] == [flag.key for flag in FLAGS]
    assert len(stored) == 3
    assert "nav" in stored
    assert stored.get("new") is None


def test_stored_flags_are_read_when_looked_up() -> None:
    stored = StoredFlags([StoredFlag.of(FLAGS[0]), StoredFlag("new", b"?")])
    assert [*stored] == ["nav", "new"]
    with pytest.raises(msgspec.MsgspecError):
        stored["new"]
    other = StoredFlag("nav", msgspec.msgpack.encode([[1, ["nav"]]]))
    with pytest.raises(msgspec.ValidationError):
        StoredFlags([other])


def test_stored_flags_of_other_fields_are_missing(tmp_path: Path) -> None:
    class Other(StoredFlag, frozen=True, gc=False, array_like=True):
        INNER = (CodeFlag,)

    snapshots, place = Snapshots(tmp_path), SnapshotPlace("", "h", "1", "flags")
    for row_type, is_read in ((Other, False), (StoredFlag, True)):
        assert snapshots.save(place, [StoredFlag.of(FLAGS[0])], row_type)
        assert (snapshots.load(place, StoredFlag) is not None) == is_read
