"""Advice on removing an unused flag."""

from datetime import UTC, datetime
from typing import Any

import pytest
from tests.doubles.targeting import group, variants

from flagtui.models.flag import Flag
from flagtui.text.cleanup_advice import cleanup_lines, winner_words
from flagtui.text.flag_sentences import plain

NOW = 1_780_000_000.0


def stale(*groups: dict[str, Any], days: float | None = 40, **fields: Any) -> Flag:
    """A stale flag that was last called so many days ago."""
    at = None if days is None else datetime.fromtimestamp(NOW - days * 86_400, UTC).isoformat()
    filters = {"groups": [*groups], **fields.pop("filters", {})}
    raw = {"id": 1, "key": "old", "active": True, "status": "STALE", "last_called_at": at, "archived": False}
    return Flag.of({**raw, "filters": filters, **fields})


def steps_of(flag: Flag, *dependents: str) -> list[str]:
    head, *steps, end = plain(cleanup_lines(flag.row(), flag, dependents, NOW)).split("\n")
    assert (head, end) == ("CLEANUP", "")
    return steps


@pytest.mark.parametrize(("groups", "shares", "wins", "first"), [
    ([{}], {}, "everyone gets it", "in the code, keep what it turns on"),
    ([{}], {"test": 100}, "everyone gets test", "keep that variant"),
    ([{}], {"a": 50, "b": 50}, "", "the value depends on the user: a 50 %, b 50 %; decide first"),
    ([], {}, "no one gets it", "remove what it would turn on"),
    ([group(30)], {}, "", "the value depends on the user; decide first"),
])  # fmt: skip
def test_cleanup_begins_with_the_code_change(groups: Any, shares: Any, wins: str, first: str) -> None:
    flag = stale(*groups, filters={"multivariate": variants(**shares)} if shares else {})
    assert winner_words(flag) == wins
    assert first in steps_of(flag)[0]


def test_obstacles_precede_the_last_step() -> None:
    running = {"id": 31, "name": "Blue button", "is_running": True}
    steps = steps_of(stale({}, experiment_set_metadata=[running]), "child", *"abcdef")
    assert [step[:3] for step in steps] == [" 1 ", " 2 ", " 3 ", " 4 ", " 5 "]
    assert steps[1] == " 2 end experiment #31 Blue button"
    assert steps[2] == " 3 first change its dependents: child, a, b, c, d and 2 more"
    assert steps[-1] == " 5 a archives it, turned off; a again unarchives it"


def test_cleanup_waits_for_recent_calls() -> None:
    assert "no call recorded" in steps_of(stale({}, days=None))[1]
    assert "last called 2 days ago: wait until no code calls it" in steps_of(stale({}, days=2))[1]
    assert "last called 40 days ago: probably no longer used in code" in steps_of(stale({}))[1]


def test_cleanup_without_archive_ends_with_deletion() -> None:
    flag = Flag.of({"id": 1, "key": "k", "status": "STALE", "filters": {"groups": [{}]}})
    assert "d soft-deletes it, since this server has no archive" in steps_of(flag)[-1]
