"""An event definition as one row: ages no finer than the server's, state as a glyph and a word."""

import pytest

from flagtui.app.events.event_list import EVENT_COLUMNS, draw_state_word
from flagtui.app.widgets.column_layout import Slot
from flagtui.app.widgets.glyphs import ASCII, UNICODE
from flagtui.models.rows import EventDefinitionRow
from flagtui.text.event_words import is_silent, seen_words

DAY = 86_400.0
NOON = 20_000 * DAY + DAY / 2


@pytest.mark.parametrize(
    ("seen_at", "expected"),
    [
        (None, "never"),
        (NOON - 60, "today"),
        (20_000 * DAY, "today"),
        (20_000 * DAY - 1, "1 d"),
        (NOON + DAY, "today"),
        (NOON - 21 * DAY, "21 d"),
        (NOON - 60 * DAY, "60 d"),
        (NOON - 61 * DAY, "2 mo"),
        (NOON - 800 * DAY, "2 y"),
    ],
)
def test_an_age_counts_days_of_the_server(seen_at: float | None, expected: str) -> None:
    assert seen_words(seen_at, NOON) == expected


def test_one_never_seen_is_not_silent() -> None:
    assert not is_silent(EventDefinitionRow("1", "a"), NOON)
    assert not is_silent(EventDefinitionRow("1", "a", seen_at=NOON - 30 * DAY), NOON)
    assert is_silent(EventDefinitionRow("1", "a", seen_at=NOON - 30 * DAY - 1), NOON)


@pytest.mark.parametrize(
    ("fields", "word"), [({}, "unverified"), ({"verified": True}, "verified"), ({"hidden": True}, "hidden")]
)
def test_the_state_is_told_by_a_word(fields: dict[str, bool], word: str) -> None:
    row = EventDefinitionRow("1", "a", **fields)  # type: ignore[arg-type]  # only the states
    assert draw_state_word(row, Slot(10, UNICODE, NOON))[0][0] == word


def test_nothing_from_a_server_reaches_the_terminal_as_it_is() -> None:
    nasty = "\x1b[31mred\u202e\n[/oops]"
    row = EventDefinitionRow("1", nasty, nasty, (nasty,), owner=nasty, seen_at=NOON, created_at=NOON)
    for glyphs in (UNICODE, ASCII):
        for column in EVENT_COLUMNS:
            text = "".join(piece for piece, _look in column.draw(row, Slot(column.width, glyphs, NOON)))
            assert text.isprintable(), column.name
