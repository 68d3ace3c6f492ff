"""Lines in few cells: counts beside the search line, and what continues beside its label."""

import pytest
from rich.cells import cell_len

from flagtui.app.widgets.line import hung, shorten_longest

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


@pytest.mark.parametrize("text", ["長い名前" * 20, f"see {'x' * 200} there", "é" * 60 + " 漢字" * 20])
@pytest.mark.parametrize("width", [15, 30, 31])
def test_word_wider_than_a_line_continues_beside_the_label(text: str, width: int) -> None:
    label = "description  "
    lines = hung([(label, ""), (text, "")], width).plain.split("\n")
    assert all(cell_len(line) <= width for line in lines)
    assert [line[: len(label)].strip() for line in lines[1:]] == [""] * (len(lines) - 1)
    rest = "".join(line[len(label) :] for line in lines)
    assert rest.replace(" ", "") == text.replace(" ", "")
