"""Flags in the cached copy: the same as before, and read only when they are looked up."""

import msgspec
import pytest

from flagtui.models.code_flags import CodeFlag, StoredFlag, StoredFlags
from flagtui.models.rows import FlagRow

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
    other = StoredFlag("nav", msgspec.msgpack.encode({"row": {"id": 1, "key": ["nav"]}}))
    with pytest.raises(msgspec.ValidationError):
        StoredFlags([other])
