"""Changes of experiments and event definitions, placed among those of flags."""

from typing import Any

from tests.doubles.log_entries import logged

from flagtui.models.activity import EVENT, EXPERIMENT, ChangeRow, change_row
from flagtui.store.activity_listing import Centre, by_closeness
from flagtui.store.moment_changes import last_change, merged

NOON = 1_772_366_400.0


def flag_change(place: int, minutes: float, *fields: str) -> ChangeRow:
    changed: dict[str, Any] = dict.fromkeys(fields, (True, False))
    return change_row(logged(at=NOON + minutes * 60, **changed), place)


def test_other_records_are_placed_by_their_time() -> None:
    feed = [flag_change(3, -1), flag_change(2, -10), flag_change(1, -30)]
    others = [
        last_change(EVENT, "uuid", "signed up", NOON - 60 * 5),
        last_change(EXPERIMENT, 7, "Pricing", NOON - 60 * 20),
        last_change(EXPERIMENT, 8, "Older", NOON - 60 * 40),
    ]
    rows = sorted(merged(feed, others), key=lambda row: row.place)
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
