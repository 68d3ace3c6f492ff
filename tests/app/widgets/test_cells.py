"""Cells, lines and panes in few columns and rows."""

import re
from collections.abc import Iterator
from itertools import count
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from tests.doubles.counted_calls import counted_calls
from tests.doubles.flag_app import StyledApp
from tests.doubles.joined_emoji import TEXTS as EMOJI_TEXTS
from tests.doubles.joined_emoji import is_whole
from tests.doubles.quiet import run_quietly
from textual.content import Content

from flagtui.app.flags.flag_columns import FLAG_COLUMNS
from flagtui.app.widgets.column_layout import Align, Cell, CellPiece, fit, lay_out
from flagtui.app.widgets.line import Lines, cut, fill, fit_cells, hung, join_lines, shorten_longest
from flagtui.app.widgets.panes import AgedPane
from flagtui.safe_text import safe_text
from flagtui.text.flag_sentences import plain
from flagtui.text.styled import Look, Piece

TEXTS = st.text("ab é日本👩\u200d🚀\ufe0fe\u0301\x1b", max_size=12).map(safe_text)
CELLS = st.lists(st.tuples(TEXTS, st.sampled_from(get_args(Look))), max_size=4)


@given(CELLS, st.integers(1, 30), st.sampled_from(["left", "right"]))
def test_cell_takes_exactly_the_cells_it_is_given(pieces: list[CellPiece], width: int, align: Align) -> None:
    assert cell_len(plain([fit(tuple(pieces), width, align, "…")])) == width


def test_cut_text_ends_with_the_ellipsis_between_characters() -> None:
    expected = (("checkout", "strong"), ("…", "strong"))
    assert fit((("checkout-redesign", "strong"),), 9, "left", "…") == expected
    assert plain([fit((("日本語", "plain"),), 4, "left", "…")]) == "日 …"
    assert fit((("5%", "good"),), 4, "right", "…") == (("  ", "plain"), ("5%", "good"))


@given(EMOJI_TEXTS, st.integers(0, 30))
def test_no_width_parts_a_joined_emoji(text: str, width: int) -> None:
    cell: Cell = ((text, "plain"), ("🇩🇪🇫🇷", "plain"))
    for fitted in (plain([fit(cell, width, "left", "…")]), fit_cells(text, width)):
        assert (cell_len(fitted), is_whole(fitted)) == (width, True)
    assert is_whole(cut(text, width))
    assert cell_len(cut(text, max(2, width))) <= max(2, width)


def test_lines_are_joined_at_any_width() -> None:
    lines = [[("label ", ""), ("some words", "")], []]
    for width in range(-8, 9):
        assert join_lines(lines, width).plain.split()[0] == "label"


def test_height_of_lines_takes_no_wrapping_where_they_fit() -> None:
    for texts in ([], [""], ["", ""], ["one line", "", "  another 🇩🇪 of 24 cells  "], ["a" * 40, "b c d"]):
        lines = join_lines([[(text, "bold")] for text in texts])
        assert isinstance(lines, Lines)
        for width in range(1, 50):
            assert lines.get_height({}, width) == Content(lines.plain).get_height({}, width)
    long = join_lines([[(f"line {place} of a long question", "")] for place in range(2_000)])
    assert counted_calls(lambda: long.get_height({}, 80)) < 20_000
    assert counted_calls(lambda: long.get_height({}, 81)) < 20


def test_narrower_screen_drops_the_columns_that_matter_least() -> None:
    edges_and_mark_bar = 3
    every = ("state", "key", "rollout", "type", "runtime", "tags", "updated")
    screens = {
        **dict.fromkeys((110, 80, 79), every),
        60: ("state", "key", "rollout", "type", "updated"),
        40: ("state", "key", "rollout"),
    }
    for screen, names in screens.items():
        placed = lay_out(FLAG_COLUMNS, screen - edges_and_mark_bar)
        assert tuple(each.column.name for each in placed) == names


@given(st.integers(0, 400))
def test_columns_use_exactly_the_available_width(width: int) -> None:
    placed = lay_out(FLAG_COLUMNS, width)
    taken = sum(p.width + p.column.gap for p in placed)
    assert taken <= width or placed[0].width == 0
    assert width < 40 or all(p.width >= p.column.width for p in placed)
    assert not 40 <= width <= 150 or taken == width
    chosen = [column for column in FLAG_COLUMNS if column.name != "tags"]
    assert sum(p.width + p.column.gap for p in lay_out(chosen, 90)) == 90, "a hidden one gives its cells"


@given(TEXTS, st.integers(1, 14))
def test_fill_draws_every_text_in_its_cells(text: str, width: int) -> None:
    assert cell_len(fill(text, width)) == width
    if cell_len(text) <= width:
        assert fill(text, width).startswith(text)


REASON = ("updated: use an age such as <7d  ", "$warning")
COUNT = ("1/248", "$text-muted")


def test_long_reason_gives_way_to_the_count() -> None:
    shortened = {
        **dict.fromkeys((39, 38), REASON[0]),
        37: "updated: use an age such as…  ",
        20: "updated: use…  ",
        10: "up…  ",
    }
    for room, reason in shortened.items():
        assert [*shorten_longest([REASON, COUNT], room)] == [(reason, "$warning"), COUNT]
    assert shorten_longest([COUNT], 3) == [COUNT], "alone it is never cut"


def test_shortened_number_is_dropped_whole() -> None:
    marked = (" 17,664 marked, at most 100 at once  ", "$warning")
    shown = {shorten_longest([marked, COUNT], room)[0][0] for room in range(15, 43)}
    assert {" 17,664 marked, at most…  ", " 17,664 marked, at most 100 at…  "} <= shown
    assert not [words for words in shown if re.search(r" (1|10|a|m|mo|mos|o|on|onc)…", words)]


@pytest.mark.parametrize("text", ["長い名前" * 20, f"see {'x' * 200} there", "é" * 60 + " 漢字" * 20])
@pytest.mark.parametrize("width", [15, 30, 31])
def test_word_wider_than_a_line_continues_beside_the_label(text: str, width: int) -> None:
    label = "description  "
    lines = hung([(label, ""), (text, "")], width).plain.split("\n")
    assert all(cell_len(line) <= width for line in lines)
    assert [line[: len(label)].strip() for line in lines[1:]] == [""] * (len(lines) - 1)
    rest = "".join(line[len(label) :] for line in lines)
    assert rest.replace(" ", "") == text.replace(" ", "")


async def test_pane_beside_a_list_reads_no_more_lines_than_fit() -> None:
    read = list[int]()

    def lines(subject: str, _now: float, _width: int) -> Iterator[list[Piece]]:
        for place in count():
            read.append(place)
            yield [(f"{subject} {place}", "")]

    pane = AgedPane(lines)
    async with run_quietly(StyledApp(pane), size=(40, 12)) as pilot:
        pane.show("line", 0.0)
        await pilot.pause()
        assert 12 <= len(read) <= 3 * 12
