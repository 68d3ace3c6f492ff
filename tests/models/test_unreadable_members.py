"""Members of a record that cannot be read get their defaults; the others keep their values."""

import pytest

from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON


@pytest.mark.parametrize(
    "more",
    [
        {"version": "three"},
        {"\ud800": 1},
        {"name": "\ud800"},
        {"\ud800": 1, "version": []},
        {"version": 1e400},
    ],
    ids=["wrong type", "unreadable name", "unreadable text", "both", "infinite number"],
)
def test_unreadable_member_leaves_the_others_readable(more: dict[str, JSON]) -> None:
    raw: dict[str, JSON] = {"id": 7, "key": "k", "active": True, **more}
    flag = Flag.of(raw)
    assert (flag.id, flag.key, flag.active) == (7, "k", True)
    assert flag.version is None
    assert flag.raw == raw
