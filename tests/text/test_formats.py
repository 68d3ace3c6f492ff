"""Numbers and times in few characters."""

import pytest

from flagtui.changes.consequence import ago as age_in_question
from flagtui.text.formats import age, ago, count, countdown, moment, percent


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


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.4, "1 s"), (7.5, "8 s"), (20, "20 s"), (33, "40 s"), (120, "120 s"), (150, "3 min")],
)
def test_countdown_rounds_up(seconds: float, words: str) -> None:
    assert countdown(seconds) == words
