"""Orders and columns of a list: which orders the sort key reaches, and which columns have room."""

import pytest

from flagtui.app.activity.activity_columns import ACTIVITY_LIST
from flagtui.app.events.event_list import EVENT_LIST
from flagtui.app.experiments.experiment_columns import EXPERIMENT_LIST
from flagtui.app.flags.deleted_screen import DELETED_LIST
from flagtui.app.flags.due_screen import DUE_LIST
from flagtui.app.flags.flag_columns import FLAG_LIST
from flagtui.app.flags.flag_lookups import IDS, MY_FLAGS
from flagtui.app.journal.journal_columns import JOURNAL_COLUMNS, draw_ending
from flagtui.app.journal.journal_screen import JOURNAL_LIST
from flagtui.app.journal.staged_screen import STAGED_LIST
from flagtui.app.lists.list_description import ListDescription
from flagtui.app.records.code_keys_screen import CODE_KEYS
from flagtui.app.widgets.column_layout import Slot, lay_out
from flagtui.app.widgets.glyphs import UNICODE
from flagtui.changes.journal_entries import Entry

LISTS = (FLAG_LIST, EXPERIMENT_LIST, EVENT_LIST, ACTIVITY_LIST)
ALL = (*LISTS, JOURNAL_LIST, STAGED_LIST, DELETED_LIST, DUE_LIST, MY_FLAGS, IDS, CODE_KEYS)


def test_sort_key_reaches_visible_orders_or_all() -> None:
    shown = [column.name for column in FLAG_LIST.columns]
    assert FLAG_LIST.visible_orders(shown) == ("updated", "key", "state", "rollout", "type")
    assert FLAG_LIST.visible_orders(("key", "created")) == ("key", "created")
    assert FLAG_LIST.visible_orders(("tags",)) == FLAG_LIST.orders


@pytest.mark.parametrize("description", LISTS, ids=lambda description: description.name)
def test_no_two_orders_share_an_arrow(description: ListDescription[object]) -> None:
    columns = [description.column_of(order) for order in description.orders]
    assert len(columns) == len(set(columns))


@pytest.mark.parametrize("description", ALL, ids=lambda description: description.name)
def test_every_arrow_has_room_beside_its_title(description: ListDescription[object]) -> None:
    ordered = {description.column_of(order) for order in description.orders}
    for column in (*description.columns, *description.more_columns):
        if column.name in ordered:
            assert column.width >= len(f"{column.title} ↓"), column.name


def journal_widths(width: int) -> dict[str, int]:
    """Return the widths of the journal's columns by name, in a list of this width."""
    return {placed.column.name: placed.width for placed in lay_out(JOURNAL_COLUMNS, width)}


def test_key_is_the_last_column_of_the_journal_to_shrink() -> None:
    for width in (40, 48, 58, 78, 130):
        assert journal_widths(width)["key"] >= len("checkout-redesign-v2")
    long_change = len("undo: change targeting")
    assert len("undo: turn off") <= journal_widths(54)["verb"]
    narrow, wide = journal_widths(58), journal_widths(76)
    assert narrow["verb"] < long_change <= wide["verb"]
    assert ["place" in narrow, "ending" in narrow, "place" in wide] == [False, True, True]


def test_awaiting_approval_is_shorter_where_it_would_be_cut() -> None:
    widths = {width: journal_widths(width)["ending"] for width in (58, 76, 130)}
    entry = Entry(ending="awaiting approval")
    drawn = {width: draw_ending(entry, Slot(got, UNICODE, 0))[0][0] for width, got in widths.items()}
    assert drawn == {58: "waiting", 76: "waiting", 130: "awaiting approval"}
