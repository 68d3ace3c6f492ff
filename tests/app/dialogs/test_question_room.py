from collections.abc import Iterator

import pytest
from rich.cells import cell_len
from tests.doubles.flag_app import StyledApp
from textual.content import Content

from flagtui.app.writing.typed_entry import APART, BELOW, BESIDE, Entry, Typed
from flagtui.text.flag_sentences import plain
from flagtui.text.long_lists import are_longer, lay_out_long
from flagtui.text.styled import Piece


def facts(width: int) -> Iterator[list[Piece]]:
    """Four lines, two of them empty; in ten cells one takes two."""
    yield [("key", "bold")]
    yield []
    yield from [[("on → off, in the list", "")]] if width > 10 else [[("on → off,", "")], [("in the", "")]]
    yield []


def drawn(room: int, width: int, *, is_short: bool) -> list[str]:
    return plain(lay_out_long(facts, room, width, 10, is_short=is_short)).split("\n")


@pytest.mark.parametrize(("room", "is_short", "lines"), [
    (2, True, ["key", "on → off, in the list"]),
    (1, True, ["key", "on → off,", "in the"]),
    (3, False, ["key", "", "on → off,", "in the", ""]),
])  # fmt: skip
def test_empty_lines_of_a_short_screen_yield_to_facts(room: int, is_short: bool, lines: list[str]) -> None:
    assert drawn(room, 40, is_short=is_short) == lines
    assert are_longer(facts, room, 40)
    assert not are_longer(facts, 4, 40)


async def test_field_is_beside_its_words_where_both_have_room() -> None:
    words = cell_len("to confirm, type 4")
    entry = Entry(Content("to confirm, type 4"), Typed(), 1)
    async with StyledApp(entry).run_test():
        assert entry.fit(80, is_close=False) == APART
        assert [entry.fit(words + more, is_close=True) for more in (3, 4)] == [BELOW, BESIDE]
        entry.show(Content("to confirm, type 12"), 2)
        assert [entry.fit(words + more, is_close=True) for more in (5, 6)] == [BELOW, BESIDE]
