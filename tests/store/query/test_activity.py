"""The search line of the activity: who, which flag, what kind, when, and what was near a moment."""

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.doubles.expected import require
from tests.doubles.log_entries import log_entry
from tests.store.conftest import ADA

from flagtui.models.activity import EVENT, EXPERIMENT
from flagtui.models.activity_rows import ChangeRow, change_row
from flagtui.models.json_value import JSON
from flagtui.store.activity_listing import (
    ACTIVITY,
    Centre,
    by_closeness,
    invalid_moment,
    read_moment,
    split_centre,
)
from flagtui.store.moment_changes import last_change, merge_rows
from flagtui.store.query.language import compile_query, read_line
from flagtui.store.query.vocabulary import WrongValue

NOW = 1_772_444_400.0
"""2026-03-02 09:40 UTC."""
HOUR = 3_600.0


def row(minutes: float, key: str = "new-nav", who: str = "Ada", /, **changed: tuple[JSON, JSON]) -> ChangeRow:
    entry = log_entry(about=("FeatureFlag", 12, key), at=NOW - minutes * 60, by=who, **changed)
    return change_row(entry, -int(minutes))


def rollout(*shares: int) -> JSON:
    return {"groups": [{"properties": [], "rollout_percentage": share} for share in shares]}


ROWS = [
    row(5, "new-nav", "Ada", active=(False, True)),
    row(50, "kill-search", "Sam", active=(True, False)),
    row(130, "new-nav", "Sam", filters=(rollout(25), rollout(50))),
    row(3_000, "old-nav", "Mo", tags=(["a"], ["b"])),
]


@pytest.mark.parametrize(("line", "places"), [
    ("", [0, 1, 2, 3]), ("nav", [0, 2, 3]),
    ("by:sam", [1, 2]), ("by:me", [0]), ("-by:sam", [0, 3]),
    ("flag:/^new/", [0, 2]),
    ("kind:on,off", [0, 1]), ("kind:rollout", [2]), ("kind:targeting", [2]), ("kind:switch", [0, 1]),
    ("since:1h", [0, 1]), ("since:09:00", [0]),
    ("before:1h", [2, 3]),
    ("since:yesterday before:today", []), ("since:2026-02-28 before:2026-03-01", [3]),
    ("id:12 by:mo", [3]),
])  # fmt: skip
def test_a_line_finds(line: str, places: list[int]) -> None:
    query = read_line(line, ACTIVITY)
    assert query.problems == ()
    passes = compile_query(query, now=NOW, me=ADA)
    assert [place for place, row in enumerate(ROWS) if passes(row)] == places


def test_flag_and_id_match_flags_only() -> None:
    experiment = change_row(log_entry(about=("Experiment", 12, "New nav"), at=NOW, by="Ada"), 9)
    for line, is_match in (("nav", True), ("id:12", False), ("flag:nav", False), ("-flag:nav", True)):
        assert compile_query(read_line(line, ACTIVITY), now=NOW)(experiment) is is_match


@pytest.mark.parametrize(
    "line", ["since:soon", "kind:mood", "by:", "since:25:00", "is:on", "before:2026-13-01"]
)
def test_what_cannot_be_understood_is_named_and_left_out(line: str) -> None:
    query = read_line(line, ACTIVITY)
    assert len(query.problems) == 1
    assert query.terms == ()


@pytest.mark.parametrize(("text", "ago"), [
    ("20m", 20 * 60), ("2h", 2 * HOUR), ("09:10", 30 * 60), ("09:50", 23 * HOUR + 50 * 60),
    ("today", 9 * HOUR + 2_400), ("2026-03-02T10:40+01:00", 0), ("2026-03-02T09:40", 0),
    ("yesterday 09:40", 24 * HOUR),
])  # fmt: skip
def test_a_moment_is_understood(text: str, ago: float) -> None:
    assert read_moment(text, NOW) == NOW - ago


@given(st.text(max_size=30))
def test_no_text_breaks_the_reading_of_a_moment(text: str) -> None:
    with contextlib.suppress(WrongValue):
        assert isinstance(read_moment(text, NOW), float)
    split_centre(f"@ {text}", NOW)
    read_line(f"since:{text} before:{text}", ACTIVITY)


@pytest.mark.parametrize(
    "line", ["@ 09:10", "@09:10", "nav @ 09:10 by:ada", "@ today 09:10", "@ 2026-03-02 09:10", "@ 30m"]
)
def test_moment_leaves_the_line_and_positions_stay(line: str) -> None:
    centre, rest, problems = split_centre(line, NOW)
    assert (require(centre).at, problems, len(rest)) == (NOW - 30 * 60, (), len(line))
    assert "@" not in rest
    assert "09:10" not in rest


def test_an_address_is_not_a_moment() -> None:
    assert split_centre("by:ada@acme.test", NOW) == (None, "by:ada@acme.test", ())


@pytest.mark.parametrize("line", ["@", "@ soon", "x @"])
def test_a_moment_that_cannot_be_understood_says_what_can(line: str) -> None:
    centre, _, problems = split_centre(line, NOW)
    assert centre is None
    assert "14:05" in problems[0].reason


def test_closest_important_changes_before_the_moment_come_first() -> None:
    switches = {"after": 60, "switch": 70, "early": 110, "long-before": 400, "long-after": 1}
    rows = [row(minutes, key, active=(True, False)) for key, minutes in switches.items()]
    rows.append(row(67, "small", tags=(["a"], [])))
    centre = require(split_centre("@ 65m", NOW)[0])
    order = by_closeness(rows, range(len(rows)), centre)
    assert " ".join(rows[place].key for place in order) == "small switch early after long-after long-before"
    # A switch outweighs a nearer change of little.
    rows = [row(70, "tags", tags=(["a"], [])), row(72, "switch", active=(True, False))]
    assert [rows[place].key for place in by_closeness(rows, [0, 1], centre)] == ["switch", "tags"]


NOON = 1_772_366_400.0


def flag_change(place: int, minutes: float, *fields: str) -> ChangeRow:
    changed: dict[str, Any] = dict.fromkeys(fields, (True, False))
    return change_row(log_entry(at=NOON + minutes * 60, **changed), place)


def test_other_records_are_placed_by_their_time() -> None:
    feed = [flag_change(3, -1), flag_change(2, -10), flag_change(1, -30)]
    others = [
        last_change(EVENT, "uuid", "signed up", NOON - 60 * 5),
        last_change(EXPERIMENT, 7, "Pricing", NOON - 60 * 20),
        last_change(EXPERIMENT, 8, "Older", NOON - 60 * 40),
    ]
    rows = sorted(merge_rows(feed, others), key=lambda row: row.place)
    assert [row.at for row in rows] == sorted(row.at or 0.0 for row in rows)
    assert [row.kind for row in rows] == ["experiments", "flags", "experiments", "flags", "events", "flags"]


def test_record_without_a_log_has_no_made_up_author() -> None:
    row = change_row(last_change(EVENT, "uuid", "signed up", NOON), 1)
    assert (row.who, row.flag_id, row.record_id, row.entry.item_id) == ("unknown", None, None, "uuid")


def test_save_without_a_change_ranks_last_in_the_window() -> None:
    rows = [
        flag_change(4, 5, "active", "version"),
        flag_change(3, -1, "version"),
        flag_change(2, -30, "name", "version"),
        flag_change(1, -300, "active", "version"),
    ]
    assert by_closeness(rows, range(4), Centre(NOON)) == [2, 0, 1, 3]


def test_invalid_moment_names_valid_forms_and_the_zone() -> None:
    words = invalid_moment("soon", NOW)
    assert words.startswith("'soon' is not a valid time; use a time such as 14:05, ")
    assert words.endswith(", in UTC")
