"""Lines that say how tags change."""

import pytest

from flagtui.changes.flags.flag_intent import retag
from flagtui.changes.tag_line import SHOWN, first_tags, read_tags
from flagtui.models.rows import FlagRow


@pytest.mark.parametrize(
    ("line", "after"),
    [
        ("ops", ("a", "b", "ops")),
        ("+Ops, -a", ("b", "ops")),
        ("= x, y, x", ("x", "y")),
        ("=", ()),
        ("", ("a", "b")),
        ("a, a", ("a", "b")),
        ("-nobody", ("a", "b")),
        ("two words", ("a", "b", "two words")),
    ],
)
def test_a_line_adds_removes_or_sets(line: str, after: tuple[str, ...]) -> None:
    retagging = read_tags(line)
    assert retagging.problem == ""
    assert retagging.of(("a", "b")) == after


@pytest.mark.parametrize("line", ["a, -a", "-", "= a, -b", "x" * 256])
def test_a_line_that_makes_no_sense_says_why(line: str) -> None:
    assert read_tags(line).problem


def test_tags_of_others_stay_and_new_ones_come_first() -> None:
    (intent,) = retag([FlagRow(id=4, key="k", tags=("a", "b"), version=9)], read_tags("c, -a"))
    assert (intent.seen, intent.changes) == ({"tags": ["a", "b"]}, {"tags": ["b", "c"]})
    assert intent.seen_version == 9
    before = [f"tag-{place}" for place in range(100_000)]
    tags, more = first_tags([*before, "new"], before)
    assert [*tags] == ["new", *before[: SHOWN - 1]]
    assert more == " … and 99,901 more"
    assert first_tags(["b", "a"], ["a"]) == (["b", "a"], "")
