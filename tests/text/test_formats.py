"""Numbers and times in few characters."""

import ast
from pathlib import Path
from typing import Final

import pytest
from tests.doubles.source_trees import find_nodes

from flagtui.changes.proposal import ago as age_in_question
from flagtui.text.formats import age, ago, count, countdown, moment, percent

SOURCE: Final = Path(__file__).parents[2] / "src" / "flagtui"


@pytest.mark.parametrize(
    ("seconds", "short", "long"),
    [
        (0, "now", "just now"),
        (59, "now", "just now"),
        (60, "1m", "1 min ago"),
        (3_600, "1h", "1 h ago"),
        (86_400, "1d", "1 day ago"),
        (59 * 86_400, "59d", "59 days ago"),
        (61 * 86_400, "2mo", "2 months ago"),
        (729 * 86_400, "24mo", "24 months ago"),
        (731 * 86_400, "2y", "2 years ago"),
        (-5, "now", "just now"),
        (-300, "now", "just now"),
        (-360, "+6m", "in 6 min"),
        (-3 * 3_600, "+3h", "in 3 h"),
        (-86_400, "+1d", "in 1 day"),
        (-61 * 86_400, "+2mo", "in 2 months"),
        (-320 * 86_400, "+1y", "in 10 months"),
        (-731 * 86_400, "+2y", "in 2 years"),
    ],
)
def test_age_is_short_in_lists_and_long_in_sentences(seconds: float, short: str, long: str) -> None:
    assert age(1_000_000_000 - seconds, 1_000_000_000) == short
    assert ago(1_000_000_000 - seconds, 1_000_000_000) == long
    assert len(short) <= 4


def test_questions_count_minutes_as_lists_do_and_no_seconds() -> None:
    assert {age_in_question(seconds) for seconds in range(-5, 60)} == {"just now"}
    assert age_in_question(60) == "1 min ago"


def test_missing_moment_has_no_age_and_is_not_never() -> None:
    assert age(None, 0) == ""
    assert ago(None, 0) == "not known"
    assert moment(None) == "not known"
    assert moment(0) == "1970-01-01 00:00 UTC"


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0, "0 %"),
        (100, "100 %"),
        (0.5, "0.5 %"),
        (0.001, "<0.01 %"),
        (99.999, ">99.99 %"),
        (33.333, "33.33 %"),
    ],
)
def test_percent_never_rounds_to_0_or_100(share: float, words: str) -> None:
    assert percent(share) == words


def test_counting_words() -> None:
    assert count(1, "flag") == "1 flag"
    assert count(1_248, "flag") == "1,248 flags"


def test_counts_in_texts_have_separators() -> None:
    # The service repeats the texts of the product.
    plain = [
        f"{path.name}:{value.lineno}: {ast.unparse(value.value)}"
        for path in SOURCE.rglob("*.py")
        for value in find_nodes(path, ast.FormattedValue)
        if value.format_spec is None and is_count(value.value) and "service" not in path.parts
    ]
    assert plain == []


def is_count(value: ast.expr) -> bool:
    """Return whether an expression is the length of something, or so many more or fewer."""
    if isinstance(value, ast.BinOp):
        return is_count(value.left) or is_count(value.right)
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "len"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.4, "1 s"), (7.5, "8 s"), (20, "20 s"), (33, "40 s"), (120, "120 s"), (150, "3 min")],
)
def test_countdown_rounds_up(seconds: float, words: str) -> None:
    assert countdown(seconds) == words
