"""Advice on removing an unused flag."""

from datetime import UTC, datetime
from typing import Any

import pytest
from tests.doubles.targeting import variants

from flagtui.models.flag import Flag
from flagtui.text.cleanup_advice import cleanup_lines, winner_words
from flagtui.text.flag_sentences import plain

NOW = 1_780_000_000.0
DAY = 86_400.0


def stale(*groups: dict[str, Any], called: float | None = 40 * DAY, **fields: Any) -> tuple[Flag, list[str]]:
    """Return the flag and its cleanup lines."""
    filters = {"groups": list(groups), **fields.pop("filters", {})}
    at = None if called is None else datetime.fromtimestamp(NOW - called, UTC).isoformat()
    raw = {"id": 1, "key": "old", "active": True, "status": "STALE", "last_called_at": at}
    flag = Flag.of({**raw, "archived": False, "filters": filters, **fields})
    head, *steps, end = plain(cleanup_lines(flag.row(), flag, fields.get("dependents", ()), NOW)).split("\n")
    assert (head, end) == ("CLEANUP", "")
    return flag, steps


WON = {"multivariate": {"variants": [{"key": "test", "rollout_percentage": 100}]}}
SPLIT = {"multivariate": variants(a=50, b=50)}


@pytest.mark.parametrize(
    ("groups", "filters", "wins", "first"),
    [
        ([{}], {}, "everyone gets it", "in the code, keep what it turns on"),
        ([{}], WON, "everyone gets test", "keep that variant"),
        ([{}], SPLIT, "", "the value depends on the user: a 50 %, b 50 %; decide first"),
        ([], {}, "no one gets it", "remove what it would turn on"),
        ([{"rollout_percentage": 30}], {}, "", "the value depends on the user; decide first"),
    ],
)
def test_cleanup_begins_with_the_code_change(groups: Any, filters: Any, wins: str, first: str) -> None:
    flag, steps = stale(*groups, filters=filters)
    assert winner_words(flag) == wins
    assert first in steps[0]


def test_obstacles_precede_the_last_step() -> None:
    running = {"id": 31, "name": "Blue button", "is_running": True}
    _flag, steps = stale({}, experiment_set_metadata=[running], dependents=("child", *"abcdef"))
    assert [step[:3] for step in steps] == [" 1 ", " 2 ", " 3 ", " 4 ", " 5 "]
    assert steps[1] == " 2 end experiment #31 Blue button"
    assert steps[2] == " 3 first change its dependents: child, a, b, c, d and 2 more"
    assert steps[-1] == " 5 a archives it, turned off; a again unarchives it"


@pytest.mark.parametrize(
    ("called", "words"),
    [
        (None, "no call recorded"),
        (2 * DAY, "last called 2 days ago: wait until no code calls it"),
        (40 * DAY, "last called 40 days ago: probably no longer used in code"),
    ],
)
def test_cleanup_waits_for_recent_calls(called: float | None, words: str) -> None:
    assert words in stale({}, called=called)[1][1]


def test_cleanup_without_archive_ends_with_deletion() -> None:
    flag = Flag.of({"id": 1, "key": "k", "status": "STALE", "filters": {"groups": [{}]}})
    assert "d soft-deletes it, since this server has no archive" in plain(
        cleanup_lines(flag.row(), flag, (), NOW)
    )
