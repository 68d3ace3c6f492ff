"""The counts beside the search line stay whole; the reason before them is cut."""

import pytest

from flagtui.app.widgets.line import shorten_longest

REASON = ("updated: use an age such as <7d  ", "$warning")
COUNT = ("1/248", "$text-muted")


@pytest.mark.parametrize(
    ("room", "reason"),
    [
        (39, "updated: use an age such as <7d  "),
        (38, "updated: use an age such as <7d  "),
        (37, "updated: use an age such as <…  "),
        (20, "updated: use…  "),
    ],
)
def test_long_reason_gives_way_to_the_count(room: int, reason: str) -> None:
    assert [*shorten_longest([REASON, COUNT], room)] == [(reason, "$warning"), COUNT]


def test_count_alone_is_never_cut() -> None:
    assert shorten_longest([COUNT], 3) == [COUNT]
